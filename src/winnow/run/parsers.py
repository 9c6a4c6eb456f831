"""Difficult pages are parsed in child processes, so that one that hangs or swells can be stopped (R-17)."""

from __future__ import annotations

import asyncio
import contextlib
import sys

import msgspec
import structlog

from winnow.extract.adapter import Context
from winnow.extract.draft import Reason
from winnow.extract.page import Page
from winnow.judge.assess import Assessment
from winnow.run.parser_child import HEADER, Job
from winnow.run.settings import RunSettings

log = structlog.get_logger(__name__)

START_SECONDS = 60.0  # importing takes two on an idle machine; it is not the page's fault when it takes longer
LONGER_THAN_US = 5.0  # seconds after which a child gives up a page by itself, because its worker is gone


class ParserPool:
    """Children start when the first page needs one, or before it when told to, and are replaced when they die."""

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._idle: asyncio.LifoQueue[_Child | None] = asyncio.LifoQueue()
        for _ in range(settings.parser_processes):
            self._idle.put_nowait(None)
        self._children: set[_Child] = set()

    async def warm(self) -> None:
        """Starts one child, so that the first page does not wait for it. One that does not start is the page's turn."""
        child = await self._idle.get()
        try:
            if child is None or not child.alive:
                child = None
                child = await self._start()
        except (TimeoutError, EOFError, OSError) as failed:
            log.warning("parser_not_started", error=type(failed).__name__)
        finally:
            self._idle.put_nowait(child)

    async def assess(
        self, page: Page, adapter_id: str, context: Context, *, version: str = "", file: str = ""
    ) -> Assessment:
        """`version` or `file` name a candidate instead of the live adapter."""
        child = await self._idle.get()
        try:
            if child is None or not child.alive:
                child = await self._start()
            async with asyncio.timeout(self._settings.parse_timeout_seconds):
                return await child.assess(Job(page, adapter_id, context, version, file))
        except (TimeoutError, EOFError, OSError) as stopped:
            await self._stop(child)
            child = None
            why = "took too long" if isinstance(stopped, TimeoutError) else "broke the parser"
            log.warning("page_unparsable", url=page.url, why=why, bytes=len(page.body))
            return Assessment(failure=Reason.PAGE_STRUCTURE_CHANGED, details=f"the page {why}")
        except asyncio.CancelledError:
            await self._stop(child)
            child = None
            raise
        finally:
            self._idle.put_nowait(child)

    async def close(self) -> None:
        for child in list(self._children):
            await self._stop(child)

    async def _start(self) -> _Child:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "winnow.run.parser_child",
            str(self._settings.parse_memory_mb), str(self._settings.parse_timeout_seconds + LONGER_THAN_US),
            str(self._settings.adapters_dir or ""),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        child = _Child(process)
        self._children.add(child)
        try:
            async with asyncio.timeout(START_SECONDS):
                await child.ready()
        except BaseException:
            await self._stop(child)
            raise
        return child

    async def _stop(self, child: _Child | None) -> None:
        if child is not None:
            self._children.discard(child)
            await child.kill()


class _Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin, self._stdout = process.stdin, process.stdout
        self._decode = msgspec.msgpack.Decoder(Assessment).decode
        self._encode = msgspec.msgpack.Encoder().encode

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ready(self) -> None:
        await self._stdout.readexactly(HEADER.size)

    async def assess(self, job: Job) -> Assessment:
        frame = self._encode(job)
        self._stdin.write(HEADER.pack(len(frame)))
        self._stdin.write(frame)
        await self._stdin.drain()
        size = HEADER.unpack(await self._stdout.readexactly(HEADER.size))[0]
        return self._decode(await self._stdout.readexactly(size))

    async def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
