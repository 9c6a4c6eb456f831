"""Slowness, connections and protocol that go wrong, and redirects."""

from __future__ import annotations

import asyncio
from urllib.parse import unquote_to_bytes

from tests.fetch.faults import DRIP_SECONDS, MEGABYTE, PAGE, Call, behaviour

# --- slowness -----------------------------------------------------------------------------------------


@behaviour
async def silent(call: Call) -> None:
    await asyncio.sleep(3600)


@behaviour
async def drip(call: Call) -> None:
    """One byte at a time, for ever within the idle limit."""
    await call.head(Content_Length=MEGABYTE, Content_Type="text/html")
    while True:
        await call.raw(b"x")
        await asyncio.sleep(DRIP_SECONDS)


@behaviour
async def drip_head(call: Call) -> None:
    await call.raw(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        await call.raw(b"x")
        await asyncio.sleep(DRIP_SECONDS)


@behaviour
async def stalls(call: Call) -> None:
    await call.head(Content_Length=MEGABYTE, Content_Type="text/html")
    await call.raw(PAGE)
    await asyncio.sleep(3600)


@behaviour
async def endless_hints(call: Call) -> None:
    while True:
        await call.raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n")
        await asyncio.sleep(DRIP_SECONDS)


# --- connections and protocol -------------------------------------------------------------------------


@behaviour
async def reset(call: Call) -> None:
    call.reset()


@behaviour
async def hang_up(call: Call) -> None:
    call.cut()


@behaviour
async def ok_then_hang_up(call: Call) -> None:
    """Promises to keep the connection and closes it."""
    await call.answer()
    call.cut()


@behaviour
async def garbage(call: Call) -> None:
    await call.raw(b"\x16\x03\x01 this is not HTTP\r\n\r\n")
    call.cut()


@behaviour
async def bad_length(call: Call) -> None:
    await call.head(Content_Length="-5", Content_Type="text/html")
    await call.raw(PAGE)


@behaviour
async def endless_head(call: Call) -> None:
    await call.raw(b"HTTP/1.1 200 OK\r\n")
    while True:
        await call.raw(b"X-More: " + b"x" * 1000 + b"\r\n")


@behaviour
async def huge_header(call: Call) -> None:
    await call.answer(X_Huge="x" * 200_000)


@behaviour
async def large_cookie(call: Call) -> None:
    await call.answer(Set_Cookie="a=" + "x" * 12_000)


# --- redirects ----------------------------------------------------------------------------------------


@behaviour
async def to(call: Call) -> None:
    """Wherever the query says, byte for byte: the value is percent-encoded twice, so that it may be any."""
    location = unquote_to_bytes(call.request.query.get("url", "")).decode("latin-1")
    await call.redirect(location, call.request.query.get("status", "302") + " Moved")


@behaviour
async def loop_a(call: Call) -> None:
    await call.redirect("/loop_b")


@behaviour
async def loop_b(call: Call) -> None:
    await call.redirect("/loop_a")


@behaviour
async def loop_self(call: Call) -> None:
    await call.redirect("/loop_self")


@behaviour
async def chain(call: Call) -> None:
    left = int(call.request.query["n"])
    await call.redirect(f"/chain?n={left - 1}" if left > 1 else "/ok")


@behaviour
async def cookie_gate(call: Call) -> None:
    if "pass=yes" in call.request.headers.get("cookie", ""):
        await call.answer()
    else:
        await call.redirect("/cookie_gate", Set_Cookie="pass=yes; Path=/; HttpOnly")


@behaviour
async def cookie_treadmill(call: Call) -> None:
    """A new cookie each time, so it is never quite the same request."""
    await call.redirect("/cookie_treadmill", Set_Cookie=f"n={len(call.server.requests)}")


@behaviour
async def no_location(call: Call) -> None:
    await call.answer(b"where to?", "302 Found")


@behaviour
async def split_location(call: Call) -> None:
    await call.raw(b"HTTP/1.1 302 Found\r\nLocation: /ok\r\n X-Injected: 1\r\nContent-Length: 0\r\n\r\n")


@behaviour
async def redirect_endless_body(call: Call) -> None:
    await call.head("302 Found", Location="/ok", Transfer_Encoding="chunked")
    while True:
        await call.raw(b"5\r\nhello\r\n")
        await asyncio.sleep(0)
