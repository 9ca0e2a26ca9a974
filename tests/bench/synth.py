"""Makes a project of any size: contexts of aggregates with operations, finds and workflows, one file a context.

In: how many contexts, aggregates a context, and deployables. Out: the files of a project.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PLATFORMS = ("python", "node")


class Size(NamedTuple):
    contexts: int
    aggregates: int  # in each context
    deployables: int

    @property
    def total(self) -> int:
        return self.contexts * self.aggregates

    @property
    def tasks(self) -> int:
        """What `generate` consists of: a file each, three stages, a service each, the rest of the output."""
        return 1 + self.contexts + 3 + self.deployables + 2


THOUSAND_TASKS = Size(497, 1, 497)
FIFTY_TASKS = Size(22, 1, 22)
SIZES = {
    "12": Size(2, 6, 2),
    "120": Size(12, 10, 12),
    "510": Size(51, 10, 50),
    "1020": Size(102, 10, 50),
}


def project(size: Size) -> Iterator[tuple[str, str]]:
    """Path and text of every file, `loom.yaml` first."""
    yield "loom.yaml", "systems:\n  quarry: {entry: model/main.ddd}\n"
    yield "model/main.ddd", system(size)
    for number in range(size.contexts):
        yield f"model/pit_{number}.ddd", context(number, size.aggregates)


def write(size: Size, folder: Path) -> None:
    """The project of `size` in `folder`."""
    for path, text in project(size):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def system(size: Size) -> str:
    lines = [f'import "./pit_{number}.ddd"' for number in range(size.contexts)]
    lines += ["", "system Quarry {", "    storage primaryDatabase { type: postgres }", ""]
    lines += [
        f"    resource pit{number}State {{ for: PitNumber{number}, kind: state, use: primaryDatabase }}"
        for number in range(size.contexts)
    ]
    for number in range(size.deployables):
        hosted = range(number, size.contexts, size.deployables)
        lines += [
            "",
            *deployable(number, [f"PitNumber{item}" for item in hosted], [f"pit{item}State" for item in hosted]),
        ]
    return "\n".join([*lines, "}", ""])


def deployable(number: int, contexts: list[str], resources: list[str]) -> list[str]:
    return [
        f"    deployable QuarryService{number} {{",
        f"        platform: {PLATFORMS[number % len(PLATFORMS)]}",
        f"        contexts: [{', '.join(contexts)}]",
        f"        dataSources: [{', '.join(resources)}]",
        f"        port: {20_000 + number}",
        "    }",
    ]


def context(number: int, aggregates: int) -> str:
    body = "".join(aggregate(number, item, aggregates) for item in range(aggregates))
    return f"context PitNumber{number} {{\n    enum BlastState {{ Planned, Drilled, Fired }}\n{body}}}\n"


def aggregate(context_number: int, number: int, aggregates: int) -> str:
    label = f"{context_number}At{number}"
    name = f"BlastPlan{label}"
    neighbour = f"BlastPlan{context_number}At{(number + 1) % aggregates}"
    return f"""
    valueobject BenchGrade{label} {{
        percent: decimal
        order: int

        invariant percent >= 0
    }}

    aggregate {name} {{
        planCode: string immutable
        class: string
        depthMetres: int = 10
        chargeMass: decimal
        budget: money
        state: BlastState managed = Planned
        grade: BenchGrade{label}
        follows: {neighbour} id?
        contains holes: DrillHole[]

        entity DrillHole {{
            holeNumber: int
            from: string?
            metres: decimal
        }}

        unique (planCode)

        derived holeCount: int = holes.count
        derived totalMetres: decimal = holes.sum(h => h.metres)
        derived display: string = planCode + " (" + class + ")"

        invariant depthMetres > 0 message "a bench has a depth"

        create(planCode: string, class: string, chargeMass: decimal, budget: money, grade: BenchGrade{label}) {{
            precondition planCode.trim().length > 0
            planCode := planCode
            class := class
            chargeMass := chargeMass
            budget := budget
            grade := grade
        }}

        operation drill(holeNumber: int, metres: decimal) when state != Fired {{
            precondition !holes.any(h => h.holeNumber == holeNumber) message "that hole is drilled"
            holes += DrillHole {{ holeNumber: holeNumber, metres: metres }}
            state := Drilled
        }}

        operation fire(actualMass: decimal) when state == Drilled {{
            chargeMass := actualMass
            state := Fired
            emit BlastFired{label} {{ plan: id, mass: actualMass }}
        }}

        operation estimate(perMetre: money): money {{
            return perMetre * totalMetres
        }}

        destroy {{ precondition state == Planned }}
    }}

    event BlastFired{label} {{ plan: {name} id, mass: decimal }}

    repository {name}s for {name} {{
        find inState(state: BlastState): {name}[] where this.state == state
        find deeperThan(depthMetres: int): {name} paged where this.depthMetres > depthMetres
    }}

    workflow FirePlan{label} transactional {{
        create(plan: {name} id, mass: decimal) {{
            let found = {name}s.getById(plan)
            found.fire(mass)
        }}
    }}
"""
