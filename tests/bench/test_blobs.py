"""What is measured of a shared cache is one that works."""

from __future__ import annotations

from tests.bench.blobs import ratios


def test_blobs_go_to_a_server_and_back() -> None:
    up, down = ratios(rounds=1, blobs=300)
    assert up > 0 and down > 0
