"""Every command block of the README and the tutorial is run, in order, as a newcomer would: in an empty folder, with a
shop and a catalogue of our own in place of example.com."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from docs.generate import ROOT
from tests.missing import missing
from tests.ports import free_port
from winnow.demo import warehouse
from winnow.demo.catalogue import make_product
from winnow.demo.pages import Shelf, product_page
from winnow.demo.warehouse import Warehouse, open_warehouse

PAGES = ("README.md", "docs/tutorial.md")
BLOCK = re.compile(r"^```\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
PATIENCE = 400  # seconds for what the running Winnow has to do first


def blocks() -> Iterator[str]:
    """Each line once: the tutorial repeats what the README says."""
    seen: set[str] = set()
    for page in PAGES:
        for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
            whole = block.replace("\\\n", "")  # a line that goes on in the next is one
            fresh = [line for line in whole.splitlines(keepends=True) if line not in seen]
            seen.update(fresh)
            if fresh and not block.startswith("src/winnow/"):
                yield "".join(fresh)


@asynccontextmanager
async def shop() -> AsyncIterator[str]:
    """Five products at /p/1 … /p/5, the shortest shop that can be watched."""

    async def product(request: web.Request) -> web.Response:
        sold = make_product(int(request.match_info["n"]) * 16, seed=3)
        page = product_page(Shelf(sold, sold.base_cents), (), f"http://{request.host}")
        return web.Response(text=page, content_type="text/html")

    app = web.Application()
    app.add_routes([web.get("/p/{n}", product)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@dataclass
class Newcomer:
    """An empty folder, and a shell in it that knows `winnow`."""

    folder: Path
    shop: str
    stock: Warehouse
    api: int
    up: asyncio.subprocess.Process | None = None
    said: list[str] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        kept = {n: v for n, v in os.environ.items() if not n.startswith(("WINNOW_", "SCRAPER_"))}
        return {
            **kept,
            "PATH": f"{self.folder / 'bin'}:{kept['PATH']}",
            "WINNOW_DATA_DIR": str(self.folder / "data"),
            "WINNOW_EGRESS_ALLOW": f"{self.shop},{self.stock.address}",
            "WINNOW_API_PORT": str(self.api),
        }

    def own(self, block: str) -> str:
        """With our addresses in place of the examples'."""
        for example, ours in (
            ("https://shop.example.com", f"http://{self.shop}"),
            ("--host sftp.example.com", f"--host 127.0.0.1 --port {self.stock.port}"),
            ("/catalogue.csv", f"/{warehouse.FILE}"),
            ("--username me", f"--username {warehouse.USER}"),
            ("trust example.com", f"trust {self.shop}"),
            ("127.0.0.1:8001", f"127.0.0.1:{self.api}"),
        ):
            block = block.replace(example, ours)
        return re.sub(r"^make ", f"make --dry-run --directory {ROOT} ", block, flags=re.MULTILINE)

    async def type(self, block: str) -> str:
        """What it prints. The password is typed for whoever asks."""
        process = await asyncio.create_subprocess_exec(
            "bash", "-euo", "pipefail", "-c", block, cwd=self.folder, env=self.environment(), start_new_session=True,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        printed, _ = await asyncio.wait_for(process.communicate(self.stock.password.encode() + b"\n"), PATIENCE)
        assert process.returncode == 0, f"{block}\n{printed.decode()}"
        return printed.decode()

    async def start(self) -> None:
        self.up = await asyncio.create_subprocess_exec(
            "winnow", "up", cwd=self.folder, env=self.environment(), start_new_session=True,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        async with asyncio.timeout(PATIENCE):
            while f'"http://{self.shop}/p/1"' not in await self.type("winnow prices --json"):
                await asyncio.sleep(0.5)

    async def stop(self) -> None:
        if self.up is not None and self.up.returncode is None:
            self.up.terminate()
            await asyncio.wait_for(self.up.wait(), PATIENCE)


@pytest.fixture
async def newcomer() -> AsyncIterator[Newcomer]:
    with tempfile.TemporaryDirectory(prefix="winnow-readme-") as made:
        folder = Path(made)
        folder.chmod(0o711)  # the database's own user must be able to pass through
        shim = folder / "bin/winnow"
        shim.parent.mkdir()
        shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m winnow "$@"\n')
        shim.chmod(0o755)
        stock = await open_warehouse(folder / "sftp")
        async with shop() as address:
            person = Newcomer(folder, address, stock, free_port())
            try:
                yield person
            finally:
                await person.stop()
                await stock.close()


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_every_command_block_of_the_readme_and_the_tutorial_runs(newcomer: Newcomer):
    if shutil.which("curl") is None or shutil.which("make") is None:
        missing("curl and make")
    printed = {}
    for block in blocks():
        if block.startswith("url,"):
            (newcomer.folder / "products.csv").write_text(newcomer.own(block))
        elif block == "winnow up\n":
            await newcomer.start()
        else:
            printed[block] = await newcomer.type(newcomer.own(block))
    said = "\n".join(printed.values())
    assert "verdict" in said
    assert "accept" in said
    answers = re.findall(r'\{"success":(\w+)', said)
    assert len(answers) >= 2
    assert set(answers) == {"true"}
    ran = next(text for block, text in printed.items() if 'winnow feed run "My catalogue"' in block)
    assert "SUCCEEDED" in ran
    assert f"http://{newcomer.shop}/p/1" in said


def test_the_readme_says_what_it_is_in_its_first_lines():
    first = (ROOT / "README.md").read_text(encoding="utf-8").split("## ")[0]
    assert first.startswith("# Winnow\n")
    assert "keeps only what can be trusted" in " ".join(first.split())
