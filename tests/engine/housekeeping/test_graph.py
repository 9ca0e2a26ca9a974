"""The picture of all tasks, and the trace and critical path of a run."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from loom.build.graph.critical import critical_path
from loom.build.graph.layout import laid_out, reduced
from loom.build.graph.picture import picture
from loom.build.graph.state import Standing, State
from tests.engine.core.gated_project import gated_project
from tests.engine.core.tide_project import MODEL, LoomProject, loom
from tests.kit.places import STORE

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    return gated_project(tmp_path / "harbour", "python", "node")


def titles(svg: str) -> dict[str, str]:
    """What each box says of its task when it is pointed at."""
    found = [title.text or "" for title in Xml.fromstring(svg).iter(f"{SVG}title")]
    return {text.partition("\n")[0]: text.partition("\n")[2] for text in found}


def test_picture_shows_every_task_and_how_it_stands(project: LoomProject) -> None:
    assert project.doit("graph").text == f"{project.root}/.loom/graph.svg: 12 tasks\n"
    before = titles((project.root / ".loom/graph.svg").read_text())
    assert before["gate:python:quay_api"] == "would run" and before["migrate"] == "without a key" and len(before) == 12
    project.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)} typo\n")
    project.doit("gate:python", code=1)
    project.doit("forget", "lower")
    after = titles(project.doit("graph", "gate", "--out", "-").text)
    assert after["lower"].startswith("up to date") and after["gate:python:quay_api"] == "failed"
    assert after["gate:node:berth_api"] == "would run" and "generate" not in after and "render:compose" not in after


def test_task_of_another_checkout_is_in_the_store(project: LoomProject, tmp_path: Path) -> None:
    project.doit("gate:python")
    other = LoomProject(tmp_path / "other", LOOM_STORE=str(STORE))
    for name in ("quay", "berth"):
        other.write(name, (project.root / f"model/{name}.tide").read_text())
    (other.root / "rules").symlink_to(project.root / "rules")
    found = titles(other.doit("graph", "--out=-").text)
    assert found["gate:python:quay_api"].startswith("in the store, took ")


def test_wrong_words_are_told(project: LoomProject) -> None:
    assert "did you mean `generate`?" in project.doit("graph", "genrate", code=3).text
    assert "ERROR: /dev/null/x.svg: Not a directory\n" in project.doit("graph", "--out", "/dev/null/x.svg", code=2).text


def large() -> dict[str, tuple[str, ...]]:
    """200 tasks and more, as a project of 48 deployables has them."""
    parsed = [f"parse:model/HTTP_class_{number}.ddd" for number in range(60)]
    needs: dict[str, tuple[str, ...]] = dict.fromkeys([*parsed, "deps:python"], ())
    needs |= {"lower": tuple(parsed), "plan": ("lower", *parsed)}
    for number in range(48):
        slug = f"berthing_of_class_{number}_api"
        needs[f"emit:{slug}"] = ("plan",)
        needs[f"gate:python:{slug}"] = (f"emit:{slug}", "deps:python")
        needs[f"e2e:{slug}"] = (f"gate:python:{slug}", "deps:python")
    return needs


def test_picture_of_two_hundred_tasks_has_no_box_upon_another() -> None:
    needs = large()
    assert len(needs) > 200
    drawn = picture("harbour", needs, dict.fromkeys(needs, Standing(State.CURRENT, 61_000)))
    boxes = [box for box in Xml.fromstring(drawn).iter(f"{SVG}rect") if box.get("height") == "18"]
    places = {(float(box.attrib["x"]), float(box.attrib["y"])) for box in boxes}
    assert len(places) == len(needs)
    assert all(abs(one[1] - two[1]) >= 20 for one in places for two in places if one != two and one[0] == two[0])
    texts = [text.text or "" for text in Xml.fromstring(drawn).iter(f"{SVG}text")]
    assert needs.keys() <= {*texts} and "1.0 min" in texts and texts[0].startswith("harbour: 207 tasks, ")


def test_boxes_are_as_wide_as_names_need_up_to_a_limit() -> None:
    """A column ends before the next begins, whatever its names are like."""
    for letters in (10, 40, 200):
        needs: dict[str, tuple[str, ...]] = {"emit:" + "a" * letters: ("plan",), "plan": ()}
        drawn = Xml.fromstring(picture("harbour", needs, dict.fromkeys(needs, Standing(State.CURRENT, 61_000))))
        boxes = [box for box in drawn.iter(f"{SVG}rect") if box.get("height") == "18"]
        left, right = sorted((float(box.attrib["x"]), float(box.attrib["width"])) for box in boxes)
        assert sum(left) < right[0] and sum(right) < float(drawn.attrib["width"])
        name = next(text.text or "" for text in drawn.iter(f"{SVG}text") if (text.text or "").startswith("emit:"))
        assert len(name) == min(letters + 5, 60) and len(name) * 6.7 < right[1] < 500


def test_columns_go_to_the_right_and_lines_are_few() -> None:
    needs = large()
    spots = laid_out(needs)
    assert all(spots[name].column > spots[need].column for name, needed in needs.items() for need in needed)
    assert spots["deps:python"].column == spots["emit:berthing_of_class_7_api"].column
    fewer = reduced(needs)
    assert fewer["plan"] == ("lower",) and fewer["e2e:berthing_of_class_7_api"] == (
        "gate:python:berthing_of_class_7_api",
    )


def test_critical_path_is_the_dearest_chain() -> None:
    needs = {"emit": ("plan",), "gate": ("emit", "deps"), "deps": (), "plan": ("parse",), "parse": ()}
    cost = {"plan": 3, "emit": 4, "gate": 5, "deps": 6}
    assert critical_path(needs, cost) == ("plan", "emit", "gate")
    assert critical_path(needs, {**cost, "deps": 8}) == ("deps", "gate")
    assert critical_path(needs, {}) == () and critical_path({}, {}) == ()


def test_trace_tells_what_a_task_spent_its_time_on(project: LoomProject) -> None:
    project.doit("generate", "gate:python")
    (trace,) = (project.root / ".loom/traces").iterdir()
    bars = [event for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X" and event["tid"]]

    def phases(task: str) -> list[str]:
        (bar,) = [bar for bar in bars if bar["name"] == task]
        inside = [
            one for one in bars
            if one["cat"] == "phase" and one["tid"] == bar["tid"]
            and bar["ts"] <= one["ts"] and one["ts"] + one["dur"] <= bar["ts"] + bar["dur"]
        ]  # fmt: skip
        return [one["name"] for one in inside]

    assert phases("emit:quay_api") == ["emit/quay_api"] and "write" in phases("generate")
    assert phases("gate:python:quay_api") == ["wait for others", "lay out", "run", "store"]
    project.doit("run", "-a", "emit:quay_api")
    (again,) = {*(project.root / ".loom/traces").iterdir()} - {trace}
    assert '"emit/quay_api"' in again.read_text()


def test_every_run_that_did_something_leaves_a_trace(project: LoomProject) -> None:
    project.doit("-n", "2", "gate:python", "gate:node")
    runs, traces = (sorted((project.root / ".loom" / name).iterdir()) for name in ("runs", "traces"))
    assert [path.stem for path in traces] == [path.stem for path in runs]
    found = json.loads(traces[0].read_text())["traceEvents"]
    bars = [event for event in found if event["ph"] == "X" and event["cat"] != "phase"]
    rows = {event["tid"]: event["args"]["name"] for event in found if event["ph"] == "M"}
    gate = next(bar for bar in bars if bar["name"] == "gate:python:quay_api")
    assert gate["args"]["how"] == "ran" and gate["dur"] > 0 and rows[0] == "critical path" and rows[1] == "tasks 1"
    critical = [bar["name"] for bar in bars if bar["tid"] == 0]
    assert critical[-1].startswith("gate:") and {bar["tid"] for bar in bars} <= rows.keys()
    for row in rows:
        ends = [(bar["ts"], bar["ts"] + bar["dur"]) for bar in bars if bar["tid"] == row]
        assert all(end <= begin for (_, end), (begin, _) in zip(sorted(ends), sorted(ends)[1:], strict=False))
    told = loom(project, "log", "last").splitlines()[-2]
    assert told.startswith("critical path, ") and f"{critical[-1]} " in told
    project.doit("gate:python", "gate:node")
    assert len([*(project.root / ".loom/traces").iterdir()]) == 1
    for _ in range(6):
        project.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)}\n")
        project.doit("emit")
    assert len([*(project.root / ".loom/traces").iterdir()]) == 5
