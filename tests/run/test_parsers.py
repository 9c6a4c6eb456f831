"""The children that parse: there before the first page when told to, and never in its way (R-17)."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import psutil
import pytest

from winnow.extract.adapter import Context
from winnow.extract.page import Page
from winnow.run.parsers import ParserPool
from winnow.run.settings import RunSettings

NOW = datetime(2026, 11, 17, tzinfo=UTC)
PAGE = b"<!doctype html><html><head><title>Firm Ltd</title></head><body><h1>Firm Ltd</h1></body></html>"


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    made = ParserPool(RunSettings(_env_file=None))
    yield made
    await made.close()


def children() -> set[int]:
    found = psutil.Process().children()
    return {child.pid for child in found if "winnow.run.parser_child" in child.cmdline()}


async def read(pool: ParserPool) -> bool:
    page = Page(url="https://firm.example.com/", body=PAGE, fetched_at=NOW)
    context = Context(source_id="", retailer_id="", run_id="", target_id="", url=page.url, now=NOW)
    found = await pool.assess(page, "company_website", context, "company")
    return bool(found.records)


async def test_a_warm_pool_reads_the_first_page_in_the_child_that_waits(pool: ParserPool):
    before = children()
    await pool.warm()
    started = children() - before
    assert len(started) == 1
    assert await read(pool)
    await pool.warm()
    assert children() - before == started, "one is enough"


async def test_a_child_that_cannot_be_started_now_is_started_by_the_first_page(
    pool: ParserPool, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as away:
        away.setattr(sys, "executable", "/nowhere/python")
        await pool.warm()
    assert await read(pool)
