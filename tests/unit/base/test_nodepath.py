"""A place names file, chunk and number, and comes apart into them again."""

from __future__ import annotations

from loom.base import nearest, node_path, split_path


def test_a_path_comes_apart() -> None:
    path = node_path("model/night schedule.ddd", "NightSchedule", 17)
    assert split_path(path) == ("model/night schedule.ddd", "NightSchedule", 17)


def test_the_nearest_name_ignores_case_first() -> None:
    assert nearest("ccdcamera", ["CCDCamera", "CDCamera"]) == "CCDCamera"
    assert nearest("Telescop", ["Telescope", "Plaque"]) == "Telescope"
    assert nearest("Zebra", ["Telescope"]) == ""
