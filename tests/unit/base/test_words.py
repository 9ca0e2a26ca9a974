"""Names fall into words at case changes and acronyms, and come back in each casing."""

from __future__ import annotations

import pytest

from loom.base import camel, kebab, pascal, plural, snake, words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("HTTPServer", "http_server"),
        ("unitPrice", "unit_price"),
        ("CCDCamera", "ccd_camera"),
        ("skyURL", "sky_url"),
        ("order_id", "order_id"),
        ("night2Dawn", "night2_dawn"),
        ("class", "class"),
        ("_hidden", "hidden"),
        ("X", "x"),
    ],
)
def test_snake(name: str, expected: str) -> None:
    assert snake(words(name)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Party", "parties"), ("Day", "days"), ("Box", "boxes"), ("Torch", "torches"), ("SkySurvey", "sky_surveys")],
)
def test_plural(name: str, expected: str) -> None:
    assert snake(plural(words(name))) == expected


def test_every_casing_of_one_name() -> None:
    name = words("CCDCameraOrder")
    assert (camel(name), pascal(name), kebab(name)) == ("ccdCameraOrder", "CcdCameraOrder", "ccd-camera-order")
