"""Content encodings undone in bounded steps (R-15): a bomb never materialises, a cut stream is noticed.

Each layer yields pieces of at most 64 KiB and counts them against the limit, the outer layer too, so that
a bomb inside a bomb stops as early. gzip goes through isal, which inflates an 86 KB page in 75 µs where
zlib needs 215 (measured here).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Protocol, cast

import brotli
from isal import isal_zlib
from isal.igzip_lib import IsalError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STEP = 64 * 1024
MAX_ENCODINGS = 2
MAX_MEMBERS = 1_000  # gzip members or zstd frames in one body; each costs a copy of what is left of the step
# brotli grows its output by blocks of its own and overshoots: 98 272 bytes for a limit of 32 KiB, 32 752 for 16.
_BROTLI_STEP = STEP // 4
_ZSTD_WINDOW_LOG = 23  # RFC 9659: at most 8 MiB of window in HTTP


class BodyError(Exception):
    """Why a body cannot be used; one of the three below."""


class BodyTooLarge(BodyError):
    pass


class BodyTruncated(BodyError):
    pass


class BadEncoding(BodyError):
    pass


_DECODE_ERRORS: tuple[type[Exception], ...] = (
    cast(type[Exception], IsalError),  # its stub calls it an instance
    brotli.error,
    zstd.ZstdError,
)


class _Layer(Protocol):
    def pieces(self, data: bytes) -> Iterator[bytes]: ...
    def ended(self) -> bool: ...


class BodyDecoder:
    """Feed it the wire bytes step by step; `finish` gives the decoded body."""

    def __init__(self, content_encoding: str, limit: int) -> None:
        # The last encoding named was applied last (RFC 9110 §8.4), so it is undone first.
        self._layers = [_LAYERS[name]() for name in reversed(encodings_of(content_encoding))]
        self._sizes = [0] * (len(self._layers) + 1)
        self._limit = limit
        self._out: list[bytes] = []

    def feed(self, data: bytes) -> None:
        self._count(0, data)
        self._push(0, data)

    def _push(self, depth: int, data: bytes) -> None:
        if depth == len(self._layers):
            self._out.append(data)
            return
        try:
            for piece in self._layers[depth].pieces(data):
                self._count(depth + 1, piece)
                self._push(depth + 1, piece)
        except _DECODE_ERRORS:
            raise BadEncoding("the body is not what its encoding says") from None

    def _count(self, depth: int, data: bytes) -> None:
        self._sizes[depth] += len(data)
        if self._sizes[depth] > self._limit:
            self._out.clear()
            raise BodyTooLarge("the body is larger than allowed")

    def finish(self) -> bytes:
        if self._sizes[0] and not all(layer.ended() for layer in self._layers):
            raise BodyTruncated("the compressed body ends too early")
        return b"".join(self._out)


def encodings_of(header: str) -> list[str]:
    """The encodings to undo, without `identity`. Unknown ones and more than two are refused."""
    if not header:
        return []
    named = [part.strip().lower() for part in header.split(",")]
    encodings = [name for name in named if name not in ("", "identity")]
    if len(encodings) > MAX_ENCODINGS:
        raise BadEncoding("the body is encoded too many times")
    if not all(name in _LAYERS for name in encodings):
        raise BadEncoding("the body has an unknown encoding")
    return encodings


class _Gzip:
    """One or more gzip members (RFC 1952 §2.2); what follows and is none is ignored, as browsers do."""

    def __init__(self) -> None:
        self._inflate = isal_zlib.decompressobj(31)
        self._members = 1

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inflate.eof:
                if data[:1] != b"\x1f":
                    return
                self._next_member()
            yield from _inflated(self._inflate, data)
            data = self._inflate.unused_data

    def _next_member(self) -> None:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise BadEncoding("the body has too many compressed parts")
        self._inflate = isal_zlib.decompressobj(31)

    def ended(self) -> bool:
        return bool(self._inflate.eof)


class _Deflate:
    """RFC 9110 §8.4.1.2 means the zlib format, but some servers send the raw one; the first bytes tell."""

    def __init__(self) -> None:
        self._head = b""
        self._inflate: isal_zlib.Decompress | None = None

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._inflate is None:
            data = self._head + data
            if len(data) < 2:
                self._head = data
                return
            zlib_header = data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
            self._inflate = isal_zlib.decompressobj(15 if zlib_header else -15)
        if not self._inflate.eof:
            yield from _inflated(self._inflate, data)

    def ended(self) -> bool:
        return self._inflate is not None and bool(self._inflate.eof)


def _inflated(inflate: isal_zlib.Decompress, data: bytes) -> Iterator[bytes]:
    while True:
        piece = inflate.decompress(data, STEP)
        data = inflate.unconsumed_tail
        if piece:
            yield piece
        # A full piece may leave output inside the decompressor although all input is taken.
        if inflate.eof or (not data and len(piece) < STEP):
            return


class _Brotli:
    def __init__(self) -> None:
        self._decoder = brotli.Decompressor()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._decoder.is_finished():
            return
        piece = self._decoder.process(data, output_buffer_limit=_BROTLI_STEP)
        # It says it takes more input while output still waits inside; only an empty piece means none does.
        while piece or not self._decoder.can_accept_more_data():
            yield piece
            if self._decoder.is_finished():
                return
            piece = self._decoder.process(b"", output_buffer_limit=_BROTLI_STEP)

    def ended(self) -> bool:
        return bool(self._decoder.is_finished())


class _Zstd:
    def __init__(self) -> None:
        self._decoder = _zstd_decoder()
        self._frames = 1

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._decoder.eof:
                self._next_frame()
            yield self._decoder.decompress(data, STEP)
            while not (self._decoder.needs_input or self._decoder.eof):
                yield self._decoder.decompress(b"", STEP)
            data = self._decoder.unused_data if self._decoder.eof else b""

    def _next_frame(self) -> None:
        self._frames += 1
        if self._frames > MAX_MEMBERS:
            raise BadEncoding("the body has too many compressed parts")
        self._decoder = _zstd_decoder()

    def ended(self) -> bool:
        return bool(self._decoder.eof)


def _zstd_decoder() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})


_LAYERS: dict[str, type[_Layer]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
