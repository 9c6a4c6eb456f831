"""A language model, a geocoder, an embedding API, a web search and a receiver on loopback, that can be away, slow,
rate-limited, or lie.

`faults` are met once each, in order; then every request is answered well.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

Items = list[dict[str, Any]]
Answering = Callable[[Items], list[dict[str, Any]]]


def echo(items: Items) -> list[dict[str, Any]]:
    return [{"n": item["n"], "word": item["text"].split()[0]} for item in items]


@dataclass
class Asked:
    path: str
    headers: dict[str, str]
    query: dict[str, str]
    body: Any = None

    @property
    def items(self) -> Items:
        """What the model was asked about, in either protocol."""
        if "messages" in self.body:
            found: Items = orjson.loads(self.body["messages"][1]["content"])
        else:
            found = orjson.loads(self.body["contents"][0]["parts"][0]["text"])
        return found


@dataclass
class ModelServer:
    answering: Answering = echo
    places: dict[str, Sequence[dict[str, Any]]] = field(default_factory=dict)
    vectors: Callable[[str], list[float]] = lambda text: [float(len(text)), 1.0]
    asked: list[Asked] = field(default_factory=list)
    faults: deque[Any] = field(default_factory=deque)
    url: str = ""

    async def start(self) -> ModelServer:
        app = web.Application(client_max_size=50 << 20)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def stop(self) -> None:
        await self._runner.cleanup()

    @property
    def lane(self) -> str:
        return self.url.removeprefix("http://")

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = orjson.loads(await request.read()) if request.method == "POST" else None
        asked = Asked(request.path, dict(request.headers), dict(request.query), body)
        self.asked.append(asked)
        if self.faults:
            return await self.faults.popleft()(request)
        if request.path == "/hook":
            return web.Response()
        if request.path == "/websearch":
            return web.json_response({"organic": [{"link": "https://venue.test/agenda", "title": "Agenda"}]})
        if request.method == "GET":
            return web.json_response(self.places.get(asked.query["q"], []))
        if request.path.endswith("/embeddings"):
            data = [{"index": n, "embedding": self.vectors(text)} for n, text in enumerate(body["input"])]
            return web.json_response({"data": data, "usage": {"total_tokens": 3}})
        text = orjson.dumps({"answers": self.answering(asked.items)}).decode()
        return web.json_response(reply("messages" in body, text))


def reply(openai: bool, text: str) -> dict[str, Any]:
    """One text in the envelope of a protocol."""
    if openai:
        return {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": {"total_tokens": 40}}
    return {
        "candidates": [{"content": {"parts": [{"text": text}]}}],
        "usageMetadata": {"totalTokenCount": 40},
    }


def says(status: int, text: str = "", **headers: str) -> Any:
    async def fault(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=text, headers={k.replace("_", "-"): v for k, v in headers.items()})

    return fault


def talks(text: str, *, openai: bool = True) -> Any:
    """A reply of its protocol whose text is this."""

    async def fault(_: web.Request) -> web.StreamResponse:
        return web.json_response(reply(openai, text))

    return fault


async def hangs(_: web.Request) -> web.StreamResponse:
    await asyncio.sleep(3600)
    raise AssertionError


async def drops(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def dribbles(request: web.Request) -> web.StreamResponse:
    """An answer that never ends, a byte at a time: no single silence is long."""
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.01)


async def floods(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" " * 65_536)
