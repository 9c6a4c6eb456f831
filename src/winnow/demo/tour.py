"""`winnow demo`: everything at once, on this machine alone, with a guided tour.

A shop on loopback whose prices move, an outlet of 300 products to be crawled, a catalogue on an SFTP server, a site
that misbehaves, three agendas of a town, a private database in a folder of its own, and the same processes as
`winnow up`. Nothing needs to be installed, nothing leaves the machine, and nothing is left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import time

from rich.console import Console
from rich.live import Live

from winnow.clock import now
from winnow.db.engine import Database
from winnow.db.migrate import upgrade
from winnow.demo import board, stage, story
from winnow.demo.scene import NotSeen, Scene
from winnow.demo.stage import DemoStage
from winnow.fetch.browser.chromium import find_chromium
from winnow.observe import logs
from winnow.queries.demo_tour import Guide, Step, StepState
from winnow.run.periodic import stop_on_signals
from winnow.run.up import first_admin, parts_of, supervise

PAUSE = 6.0  # seconds before each step of the tour
MARKS = {StepState.SEEN: "[green]✓[/]", StepState.FAILED: "[red]✗[/]", StepState.LEFT_OUT: "[yellow]–[/]"}


class Tour:
    """`fast`: without pauses, and ends after the last act; otherwise it runs until Ctrl-C."""

    def __init__(self, console: Console, acts: tuple[story.Act, ...], *, fast: bool) -> None:
        self._console, self._acts, self._fast = console, acts, fast
        self._began = time.monotonic()

    async def run(self, port: int | None) -> Guide:
        stopping = stop_on_signals()
        async with stage.opened(port, step_seconds=2.0 if self._fast else 4.0) as opened:
            shop, catalogue = opened.shop.url, opened.warehouse.address
            sites = f"a shop on {shop}, an outlet, a catalogue on sftp://{catalogue}, three agendas of a town"
            self._console.print(f"[bold]Winnow[/] · {sites}, a private database in {opened.folder}")
            async with await Database.open(opened.settings.db) as database:
                await upgrade(database.url)
                password = await first_admin(database, opened.settings)
                self._console.print(f"[bold]Console[/] · {opened.address}/console · name admin, password {password}")
                browser = find_chromium(opened.settings.browser.browser_executable) is not None
                await stage.watch(database, opened, corner=browser)
                return await self._supervised(opened, database, stopping)

    async def _supervised(self, opened: DemoStage, database: Database, stopping: asyncio.Event) -> Guide:
        """The story beside the processes of `winnow up`; Ctrl-C ends both."""
        log = opened.log.open("ab")
        logs.configure(opened.settings.observe, io.TextIOWrapper(log, encoding="utf-8", line_buffering=True))
        supervisor = asyncio.create_task(supervise(parts_of(opened.settings), stopping, log))
        scene = Scene(opened, database, 0.0 if self._fast else PAUSE, self._print_progress)
        told = story.Story(scene, self._acts, now(), self._print_step)
        try:
            await self._until_over(told, scene, stopping)
        finally:
            stopping.set()
            await supervisor
            log.close()
        self._print_log_end(told.guide, opened)
        return told.guide

    def _print_log_end(self, seen: Guide, opened: DemoStage) -> None:
        """The folder will be gone: the end of the log is printed now."""
        if any(step.state is StepState.FAILED for step in seen.steps):
            lines = opened.log.read_text(encoding="utf-8", errors="replace").splitlines()
            self._console.print("\n".join(lines[-40:]), markup=False, highlight=False)

    async def _until_over(self, told: story.Story, scene: Scene, stopping: asyncio.Event) -> None:
        playing = asyncio.create_task(told.play())
        stopped = asyncio.create_task(stopping.wait())
        try:
            if self._fast:
                await asyncio.wait({playing, stopped}, return_when=asyncio.FIRST_COMPLETED)
            else:
                await self._show(scene, playing, stopping)
            if playing.done():
                await playing
        finally:
            stopped.cancel()
            await _end(playing)

    async def _show(self, scene: Scene, playing: asyncio.Task[None], stopping: asyncio.Event) -> None:
        """The board below, the story above it."""
        address, height = scene.stage.address, self._console.height - len(self._acts)
        found = await board.read(scene.database)
        ended = False
        with Live(board.render(found, address, height), console=self._console, refresh_per_second=4) as live:
            while not stopping.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stopping.wait(), 0.5)
                found = await board.read(scene.database)
                live.update(board.render(found, address, height))
                if playing.done() and not ended:
                    ended = True
                    self._console.print("The tour has ended; the shop keeps running. Ctrl-C ends the demo.")

    # telling

    def _print_progress(self, text: str) -> None:
        self._console.print(f"{self._time()}    … {text}", highlight=False)

    def _print_step(self, step: Step) -> None:
        if step.state is StepState.DOING:
            self._console.print(f"{self._time()}  [bold]{step.title}[/]", highlight=False)
        else:
            self._console.print(f"{self._time()}    {MARKS[step.state]} {step.said}", highlight=False)

    def _time(self) -> str:
        return f"[dim]{time.monotonic() - self._began:5.1f} s[/]"


async def _end(playing: asyncio.Task[None]) -> None:
    """Asked until it has: a wait that ends at the same moment swallows a cancellation (Python 3.11's wait_for)."""
    while not playing.done():
        playing.cancel()
        await asyncio.wait({playing}, timeout=1.0)


def main(*, fast: bool = False, break_template: bool = False, port: int | None = None) -> None:
    console = Console()
    acts = story.BREAK_TEMPLATE if break_template else story.ACTS
    seen = asyncio.run(Tour(console, acts, fast=fast).run(port))
    failed = any(step.state is StepState.FAILED for step in seen.steps)
    if failed or (fast and seen.unseen):
        raise NotSeen("not seen: " + "; ".join(_unseen(step) for step in seen.unseen))
    if not seen.unseen:
        console.print(f"[green]✓[/] each of the {len(seen.steps)} steps was seen")


def _unseen(step: Step) -> str:
    return f"{step.id} ({step.said})" if step.said else f"{step.id} (not reached)"
