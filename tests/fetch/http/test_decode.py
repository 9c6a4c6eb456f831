"""R-15: encodings are undone in steps of at most 64 KiB, at most two of them, and nothing exceeds the limit."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fetch.faults import MEGABYTE
from tests.fetch.faulty_bodies import bomb
from winnow.fetch.http.decode import (
    _LAYERS,
    MAX_MEMBERS,
    STEP,
    BadEncoding,
    BodyDecoder,
    BodyTooLarge,
    BodyTruncated,
    encodings_of,
)

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def decode(encoding: str, wire: bytes, limit: int = 100 * MEGABYTE, step: int = STEP) -> bytes:
    decoder = BodyDecoder(encoding, limit)
    for start in range(0, len(wire), step):
        decoder.feed(wire[start : start + step])
    return decoder.finish()


@settings(max_examples=60, deadline=None)
@given(
    body=st.binary(max_size=3000).map(lambda b: b * 60),
    encodings=st.lists(st.sampled_from(sorted(PACK)), max_size=2),
    step=st.sampled_from([1, 7, 1000, STEP]),
)
def test_what_was_packed_comes_out_however_it_is_cut(body: bytes, encodings: list[str], step: int) -> None:
    wire = body
    for name in encodings:
        wire = PACK[name](wire)
    assert decode(", ".join(encodings), wire, step=max(step, len(wire) // 2000)) == body


@pytest.mark.parametrize("encoding", PACK)
def test_r15_no_step_is_larger_than_64_kib(encoding: str) -> None:
    wire = PACK[encoding](bytes(5 * MEGABYTE))
    pieces = [len(piece) for piece in _LAYERS[encoding]().pieces(wire)]
    assert sum(pieces) == 5 * MEGABYTE
    assert max(pieces) <= STEP


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "gzip, gzip"])
def test_r15_a_bomb_never_materialises(encoding: str) -> None:
    first, _, second = encoding.partition(", ")
    wire = gzip.compress(bomb(first)) if second else bomb(first)
    tracemalloc.start()
    try:
        with pytest.raises(BodyTooLarge):
            decode(encoding, wire, limit=MEGABYTE)
        assert tracemalloc.get_traced_memory()[1] < 3 * MEGABYTE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", PACK)
@pytest.mark.parametrize("missing", [1, 5, 100])
def test_r16_a_stream_that_ends_early_is_noticed(encoding: str, missing: int) -> None:
    wire = PACK[encoding](bytes(range(256)) * 100)
    with pytest.raises(BodyTruncated):
        decode(encoding, wire[:-missing])


@pytest.mark.parametrize("encoding", PACK)
def test_what_is_not_packed_is_no_such_encoding(encoding: str) -> None:
    with pytest.raises((BadEncoding, BodyTruncated)):
        decode(encoding, b"<html>plain text that says it is packed</html>")


@pytest.mark.parametrize("encoding", PACK)
def test_an_empty_body_needs_no_decoding(encoding: str) -> None:
    assert decode(encoding, b"") == b""


def test_too_many_small_parts_are_refused() -> None:
    for encoding in ("gzip", "zstd"):
        assert decode(encoding, PACK[encoding](b"x") * MAX_MEMBERS) == b"x" * MAX_MEMBERS
        with pytest.raises(BadEncoding):
            decode(encoding, PACK[encoding](b"x") * (MAX_MEMBERS + 1))


def test_a_zstd_window_beyond_8_mib_is_refused() -> None:
    wide = zstd.compress(b"x" * 100, options={zstd.CompressionParameter.window_log: 27})
    stream = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    wide = stream.compress(bytes(MEGABYTE)) + stream.flush()
    with pytest.raises(BadEncoding):
        decode("zstd", wide)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("", []),
        ("identity", []),
        ("gzip", ["gzip"]),
        ("GZip , identity", ["gzip"]),
        (" br", ["br"]),
        ("gzip,br", ["gzip", "br"]),
    ],
)
def test_encodings_of(header: str, names: list[str]) -> None:
    assert encodings_of(header) == names


@pytest.mark.parametrize("header", ["compress", "gzip, gzip, gzip", "x", "gzip;q=1", "aws-chunked", "gzip br"])
def test_r15_unknown_and_too_many_encodings_are_refused(header: str) -> None:
    with pytest.raises(BadEncoding):
        encodings_of(header)
