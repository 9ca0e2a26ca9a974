"""What the corpus cannot show: facts as an input, places that climb."""

from __future__ import annotations

from loom.base import Facts, NodePath
from loom.ir.places import Place, Places
from loom.parse import parse
from loom.validate import validate_system
from loom.validate.where import Where
from tests.kit.lowering import Lowered, lower_files

MODEL = """
context DeepField { enum DriveMode { Slow None } }
system Mission {
  deployable HTTPFieldService { platform: python, contexts: [DeepField] }
  deployable nodeService { platform: node, contexts: [DeepField], port: 9000 }
}
"""


def model() -> Lowered:
    return lower_files({"model.ddd": parse("model.ddd", MODEL.encode()).ast})


def facts(name: str, port: int) -> Facts:
    return Facts(name=name, default_port=port, internal_port=port, supports=frozenset())


def codes(*known: Facts) -> list[str]:
    lowered = model()
    assert lowered.system is not None
    found = validate_system(lowered.system, {item.name: item for item in known})
    return [problem.code for problem in found]


def test_platforms_are_those_whose_facts_are_given() -> None:
    assert codes(facts("python", 8000), facts("node", 3000)) == []
    assert codes(facts("python", 8000)) == ["loom.unknown-platform"]


def test_a_default_port_is_the_platforms_own() -> None:
    assert codes(facts("python", 9000), facts("node", 3000)) == ["loom.duplicate-host-port"]


def test_a_place_is_that_of_the_nearest_known_declaration() -> None:
    inside, around = NodePath("a.ddd#A/3"), NodePath("a.ddd#A/1")
    where = Where(
        Places(entries=(Place(path=("RoverUnit",), at=around), Place(path=("RoverUnit", "class"), at=inside)))
    )
    assert where("RoverUnit", "class", "deeper") == inside
    assert where("RoverUnit", "order") == around
    assert where("Nothing") == NodePath("")
