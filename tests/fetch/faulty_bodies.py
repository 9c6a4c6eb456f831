"""Good pages, encodings, and bodies that do not end well."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from functools import cache

import brotli
from backports import zstd

from tests.fetch.faults import DRIP_SECONDS, MEGABYTE, PAGE, Call, behaviour

# --- well behaved -----------------------------------------------------------------------------------


@behaviour
async def ok(call: Call) -> None:
    await call.answer()


@behaviour
async def large(call: Call) -> None:
    """As many kilobytes as asked for, different for every number."""
    size = int(call.request.query["kb"])
    await call.answer((b"%08d" % size) * (size * 128))


@behaviour
async def status(call: Call) -> None:
    code = call.request.query["code"]
    extra = {"Retry_After": call.request.query["after"]} if "after" in call.request.query else {}
    if code == "304":
        await call.head("304 Not Modified", **extra)
    else:
        await call.answer(b"", f"{code} Status", **extra)


@behaviour
async def echo(call: Call) -> None:
    body = "\n".join(f"{name}: {value}" for name, value in call.request.headers.items())
    await call.answer(body.encode(), Content_Type="text/plain")


@behaviour
async def conditional(call: Call) -> None:
    if call.request.headers.get("if-none-match") == '"v1"' or "if-modified-since" in call.request.headers:
        await call.head("304 Not Modified", ETag='"v1"')
    else:
        await call.answer(ETag='"v1"', Last_Modified="Wed, 21 Oct 2015 07:28:00 GMT")


@behaviour
async def chunked(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Type="text/html")
    for start in range(0, len(PAGE), 100):
        piece = PAGE[start : start + 100]
        await call.raw(b"%x\r\n%b\r\n" % (len(piece), piece))
    await call.raw(b"0\r\n\r\n")


@behaviour
async def until_close(call: Call) -> None:
    await call.head(Content_Type="text/html", Connection="close")
    await call.raw(PAGE)
    call.cut()


# --- encodings --------------------------------------------------------------------------------------


@behaviour
async def gzip_page(call: Call) -> None:
    await call.answer(gzip.compress(PAGE), Content_Encoding="gzip")


@behaviour
async def gzip_members(call: Call) -> None:
    await call.answer(gzip.compress(PAGE[:500]) + gzip.compress(PAGE[500:]), Content_Encoding="x-gzip")


@behaviour
async def gzip_trailing_junk(call: Call) -> None:
    await call.answer(gzip.compress(PAGE) + b"\0" * 100, Content_Encoding="gzip")


@behaviour
async def deflate(call: Call) -> None:
    await call.answer(zlib.compress(PAGE), Content_Encoding="deflate")


@behaviour
async def deflate_raw(call: Call) -> None:
    packer = zlib.compressobj(wbits=-15)
    await call.answer(packer.compress(PAGE) + packer.flush(), Content_Encoding="deflate")


@behaviour
async def brotli_page(call: Call) -> None:
    await call.answer(brotli.compress(PAGE), Content_Encoding="br")


@behaviour
async def zstd_page(call: Call) -> None:
    await call.answer(zstd.compress(PAGE), Content_Encoding="zstd")


@behaviour
async def double_gzip(call: Call) -> None:
    await call.answer(gzip.compress(gzip.compress(PAGE)), Content_Encoding="gzip, gzip")


@behaviour
async def triple_gzip(call: Call) -> None:
    body = gzip.compress(gzip.compress(gzip.compress(PAGE)))
    await call.answer(body, Content_Encoding="gzip, gzip, gzip")


@cache
def bomb(kind: str) -> bytes:
    """100 MB of zeros, packed."""
    zeros = bytes(100 * MEGABYTE)
    pack = {"gzip": gzip.compress, "br": lambda z: brotli.compress(z, quality=1), "zstd": zstd.compress}
    return pack[kind](zeros)  # type: ignore[operator]


@behaviour
async def gzip_bomb(call: Call) -> None:
    await call.answer(bomb("gzip"), Content_Encoding="gzip")


@behaviour
async def gzip_bomb_in_gzip(call: Call) -> None:
    await call.answer(gzip.compress(bomb("gzip")), Content_Encoding="gzip, gzip")


@behaviour
async def brotli_bomb(call: Call) -> None:
    await call.answer(bomb("br"), Content_Encoding="br")


@behaviour
async def zstd_bomb(call: Call) -> None:
    await call.answer(bomb("zstd"), Content_Encoding="zstd")


@behaviour
async def gzip_truncated(call: Call) -> None:
    await call.answer(gzip.compress(PAGE)[:-30], Content_Encoding="gzip")


@behaviour
async def not_gzip(call: Call) -> None:
    await call.answer(PAGE, Content_Encoding="gzip")


@behaviour
async def unknown_encoding(call: Call) -> None:
    await call.answer(PAGE, Content_Encoding="compress")


@behaviour
async def wrong_charset(call: Call) -> None:
    """Says UTF-8, sends windows-1252."""
    body = "<html><body>Caf\u00e9 \u20ac 12,50 \u2013 d\u00e9j\u00e0 vu</body></html>".encode("cp1252")
    await call.answer(body, Content_Type="text/html; charset=utf-8")


# --- bodies that do not end well ----------------------------------------------------------------------


@behaviour
async def truncated(call: Call) -> None:
    await call.head(Content_Length=len(PAGE) + 1000, Content_Type="text/html")
    await call.raw(PAGE)
    call.cut()


@behaviour
async def longer_than_said(call: Call) -> None:
    await call.head(Content_Length=100, Content_Type="text/html")
    await call.raw(PAGE)


@behaviour
async def chunked_truncated(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Type="text/html")
    await call.raw(b"%x\r\n%b\r\n" % (len(PAGE), PAGE))
    call.cut()


@behaviour
async def chunked_broken(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Type="text/html")
    await call.raw(b"zz\r\nnot a chunk\r\n")


@behaviour
async def length_and_chunked(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Length=5, Content_Type="text/html")
    await call.raw(b"%x\r\n%b\r\n0\r\n\r\n" % (len(PAGE), PAGE))


@behaviour
async def reset_in_body(call: Call) -> None:
    await call.head(Content_Length=MEGABYTE, Content_Type="text/html")
    await call.raw(PAGE)
    await asyncio.sleep(DRIP_SECONDS)
    call.reset()


@behaviour
async def endless(call: Call) -> None:
    await call.head(Content_Type="text/html")
    while True:
        await call.raw(b"<p>and on</p>" * 1000)


@behaviour
async def endless_chunked(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Type="text/html")
    while True:
        await call.raw(b"2000\r\n" + b"x" * 0x2000 + b"\r\n")


@behaviour
async def huge_length(call: Call) -> None:
    await call.head(Content_Length=10 * 1024 * MEGABYTE, Content_Type="text/html")
    await call.raw(PAGE)


@behaviour
async def part(call: Call) -> None:
    await call.answer(PAGE[:100], "206 Partial Content", Content_Range=f"bytes 0-99/{len(PAGE)}")
