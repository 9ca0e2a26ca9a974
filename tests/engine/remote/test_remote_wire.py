"""The message that results are shared in, and the breaker: small, exact, hard to confuse."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.base import Digest
from loom.build.remote.breaker import Breaker
from loom.build.remote.protocol.reapi import read_blobs
from loom.build.remote.protocol.wire import (
    SharedFile,
    WireError,
    as_bytes,
    decode_digest,
    decode_result,
    encode_digest,
    encode_result,
    fields,
    head,
    message,
    number,
)

digests = st.builds(Digest, st.binary(min_size=32, max_size=32).map(bytes.hex), st.integers(0, 1 << 40))
files = st.builds(SharedFile, st.text(min_size=1), digests, st.binary())


@given(st.lists(files))
def test_what_is_written_is_read(wanted: list[SharedFile]) -> None:
    assert decode_result(encode_result(wanted)) == wanted


@given(digests)
def test_digest_is_read_however_it_is_written(digest: Digest) -> None:
    """The fields of a message may come in any order, and unknown ones among them."""
    sha256, size = message(1, digest.sha256.encode()), number(2, digest.size)
    for data in (
        encode_digest(digest),
        size + sha256,
        sha256 + size + message(9, b"class"),
        number(7, 1) + sha256 + size,
    ):
        assert decode_digest(data) == digest


@given(st.binary(max_size=300), st.integers(0, 16))
def test_blob_is_read_however_it_is_written(data: bytes, code: int) -> None:
    digest = Digest.of(data)
    named, sent, status = message(1, encode_digest(digest)), message(2, data), message(3, number(1, code))
    for spelt in (named + sent + status, status + sent + named, named + status + sent, named + sent + message(9, b"")):
        found = read_blobs(message(1, spelt) + message(1, named + sent))
        assert found == [(digest, code if status in spelt else 0, data), (digest, 0, data)]


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_any_answer_with_blobs_is_read_or_refused(data: bytes, rest: bytes) -> None:
    for answer in (data, message(1, data), message(1, b"\n" + data), message(1, message(1, data) + b"\x12" + rest)):
        with contextlib.suppress(WireError):
            read_blobs(answer)


@pytest.mark.parametrize("size", [3, 200])
def test_no_byte_of_an_answer_is_passed_over(size: int) -> None:
    """However one byte is changed: what is read is what the fields say, or nothing."""
    well = b"".join(_response(data) for data in (b"end" * 2, b"c" * size))
    for place in range(len(well) - size + 1):
        for value in range(256):
            answer = well[:place] + bytes([value]) + well[place + 1 :]
            assert _read(read_blobs, answer) == _read(_field_by_field, answer), (place, value)


def test_blob_does_not_reach_into_the_next_one() -> None:
    inner = _response(b"end")
    data = b"class" + inner
    named = message(1, encode_digest(Digest.of(data)))
    with pytest.raises(WireError):
        read_blobs(head(1, len(named) + len(head(2, len(data))) + len(b"class")) + named + message(2, data))


def _response(data: bytes) -> bytes:
    return message(1, message(1, encode_digest(Digest.of(data))) + message(2, data))


Blobs = list[tuple[Digest, int, bytes]]


def _read(read: Callable[[bytes], Blobs], answer: bytes) -> Blobs | None:
    try:
        return read(answer)
    except WireError:
        return None


def _field_by_field(answer: bytes) -> Blobs:
    found = [dict(fields(as_bytes(one))) for number, one in fields(answer) if number == 1]
    return [
        (
            decode_digest(as_bytes(one.get(1, b""))),
            int(dict(fields(as_bytes(one.get(3, b"")))).get(1, 0)),
            as_bytes(one.get(2, b"")),
        )
        for one in found
    ]


def test_size_that_cannot_be_is_refused() -> None:
    for size in (1 << 63, (1 << 64) - 1):
        with pytest.raises(WireError):
            decode_digest(message(1, b"a" * 64) + number(2, size))
    for cut in (b"\x80", b"\xff" * 10, b"\x80" * 9):
        with pytest.raises(WireError):
            decode_digest(message(1, b"a" * 64) + b"\x10" + cut)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(WireError):
        decode_result(data)


@given(st.lists(files, min_size=1, max_size=3), st.data())
def test_a_cut_message_is_never_taken_for_the_whole(wanted: list[SharedFile], data: st.DataObject) -> None:
    whole = encode_result(wanted)
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with contextlib.suppress(WireError):
        assert decode_result(cut) != wanted


def test_breaker_opens_after_three_and_lets_one_attempt_through() -> None:
    now = [0.0]
    breaker = Breaker(lambda: now[0])
    for _ in range(3):
        assert breaker.allows()
        breaker.failed()
    assert not breaker.allows()
    now[0] = 31
    assert breaker.allows() and not breaker.allows()
    breaker.failed()
    now[0] = 60
    assert not breaker.allows()
    now[0] = 62
    assert breaker.allows()
    breaker.worked()
    assert breaker.allows() and breaker.allows()


def test_success_between_failures_keeps_it_closed() -> None:
    breaker = Breaker(lambda: 0.0)
    for _ in range(5):
        breaker.failed()
        breaker.failed()
        breaker.worked()
    assert breaker.allows()
