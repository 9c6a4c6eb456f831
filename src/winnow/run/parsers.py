"""Difficult pages are parsed in child processes, so that one that hangs or swells can be stopped (R-17)."""

from __future__ import annotations

import asyncio

import msgspec
import structlog

from winnow.child_process.child import ChildProcess
from winnow.child_process.parent import MAX_SLOWDOWN, OUT_OF_CPU
from winnow.extract.adapter import Context
from winnow.extract.draft import Reason
from winnow.extract.page import Page
from winnow.kinds.agenda_survey import PageSurvey
from winnow.kinds.assess import Assessment
from winnow.run.parser_child import ParseJob
from winnow.run.settings import RunSettings

log = structlog.get_logger(__name__)

START_SECONDS = 600.0  # importing takes two on an idle machine; it is not the page's fault when it takes longer
PIPE_BYTES = 256 << 10  # most pages, as they come, and what was found in them


class ParserPool:
    """Parser children: started by `warm` or by the first page that needs one, and replaced when they die."""

    def __init__(self, settings: RunSettings) -> None:
        self._seconds = settings.parse_timeout_seconds
        arguments = (settings.parse_memory_mb, self._seconds, settings.adapters_dir or "")
        self._children = [
            ChildProcess("winnow.run.parser_child", *arguments, pipe_bytes=PIPE_BYTES)
            for _ in range(settings.parser_processes)
        ]
        self._idle: asyncio.LifoQueue[ChildProcess] = asyncio.LifoQueue()
        for child in self._children:
            self._idle.put_nowait(child)
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Assessment).decode
        self._decode_survey = msgspec.msgpack.Decoder(PageSurvey).decode

    @property
    def is_busy(self) -> bool:
        """Whether the next page has to wait for others."""
        return self._idle.empty()

    async def warm(self) -> None:
        """Start one child, so that the first page does not wait for it; a child that does not start is replaced at
        the first page."""
        child = await self._idle.get()
        try:
            await _started(child)
        except (TimeoutError, EOFError, OSError) as failed:
            log.warning("parser_not_started", error=type(failed).__name__)
        finally:
            self._idle.put_nowait(child)

    async def assess(
        self, page: Page, adapter_id: str, context: Context, kind: str = "offer", *, version: str = "", file: str = ""
    ) -> Assessment:
        """What the adapter makes of the page, read as `kind`. `version` or `file` name a candidate instead of the
        live adapter."""
        answer = await self._answer(ParseJob(page, adapter_id, context, kind, version, file))
        if isinstance(answer, str):
            return Assessment(failure=Reason.PAGE_STRUCTURE_CHANGED, details=answer)
        return self._decode(answer)

    async def survey(self, page: Page) -> PageSurvey:
        """Whether the page looks like an agenda of events, and where it leads."""
        context = Context(source_id="", retailer_id="", run_id="", target_id="", url=page.url, now=page.fetched_at)
        answer = await self._answer(ParseJob(page, "", context, survey=True))
        return PageSurvey(failure=answer) if isinstance(answer, str) else self._decode_survey(answer)

    async def _answer(self, job: ParseJob) -> bytearray | str:
        """Return what a child answers, or why it gave no answer."""
        child = await self._idle.get()
        try:
            await _started(child)
            async with asyncio.timeout(self._seconds * MAX_SLOWDOWN):
                await child.send_soon(self._encode(job))
                return await child.receive_soon()
        except (TimeoutError, EOFError, OSError) as stopped:
            overtime = await child.stop_soon() == -OUT_OF_CPU or isinstance(stopped, TimeoutError)
            why = "took too long" if overtime else "broke the parser"
            log.warning("page_unparsable", url=job.page.url, why=why, bytes=len(job.page.body))
            return f"the page {why}"
        except asyncio.CancelledError:
            await child.stop_soon()
            raise
        finally:
            self._idle.put_nowait(child)

    async def close(self) -> None:
        for child in self._children:
            await child.stop_soon()


async def _started(child: ChildProcess) -> None:
    """Wait until the child has imported everything."""
    if child.alive:
        return
    child.start()
    try:
        async with asyncio.timeout(START_SECONDS):
            await child.receive_soon()
    except BaseException:
        await child.stop_soon()
        raise
