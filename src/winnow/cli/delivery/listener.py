"""A receiver on this machine: prints each message, verified as a real receiver should."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from typing import Any

import orjson
from aiohttp import web

from winnow.cli import show
from winnow.errors import ConfigError
from winnow.webhooks import NotGenuine, verify

LARGEST = 50 << 20  # bytes of one message
MOST_REMEMBERED = 10_000  # ids, to recognise repeated deliveries


async def listen(host: str, port: int, secrets: list[str], answer: int, count: int, as_json: bool) -> None:
    """Until Ctrl-C, or until `count` messages have come."""
    enough = asyncio.Event()
    seen: dict[str, None] = {}
    arrived = 0

    async def received(request: web.Request) -> web.Response:
        nonlocal arrived
        arrived += 1
        body = await request.read()
        facts = judged(secrets, request, body, seen)
        _show(facts, as_json)
        if count and arrived >= count:
            enough.set()
        return web.Response(status=answer if facts["genuine"] else 401)

    app = web.Application(client_max_size=LARGEST)
    app.router.add_post("/{path:.*}", received)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await _start(runner, host, port)
        address = runner.addresses[0]
        print(f"listening on http://{address[0]}:{address[1]}/", file=sys.stderr, flush=True)
        await enough.wait()
    finally:
        await runner.cleanup()


async def _start(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as wrong:
        reason = os.strerror(wrong.errno) if wrong.errno and wrong.errno > 0 else wrong.strerror
        raise ConfigError(f"cannot listen on {host}:{port} ({reason}): choose another with --host or --port") from None


def judged(secrets: list[str], request: web.Request, body: bytes, seen: dict[str, None]) -> dict[str, Any]:
    facts: dict[str, Any] = {"received_at": datetime.now(UTC).isoformat(timespec="seconds"), "path": request.path}
    try:
        message = verify(secrets, request.headers, body)
    except NotGenuine as wrong:
        return facts | {"genuine": False, "why": str(wrong), "body": _readable(body)}
    facts |= {"genuine": True, "id": message.id, "repeat": message.id in seen, "body": _readable(body)}
    seen[message.id] = None
    if len(seen) > MOST_REMEMBERED:
        del seen[next(iter(seen))]
    return facts


def _readable(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return body[:2_000].decode("utf-8", "replace")


def _show(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(orjson.dumps(facts).decode(), flush=True)
        return
    summary = "genuine" if facts["genuine"] else f"NOT GENUINE ({facts['why']})"
    repeat = ", a repeat" if facts.get("repeat") else ""
    show.message(f"{facts['received_at']} {facts['path']} {facts.get('id', '')} {summary}{repeat}")
    text = facts["body"] if isinstance(facts["body"], str) else orjson.dumps(facts["body"]).decode()
    show.message(f"  {text}")
