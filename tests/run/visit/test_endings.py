"""How each thing that can happen on a visit ends: the task, its run, its target, its letter (P-077 … P-090, PN-06)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.run.scripted_site import Site, product
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchRequest, FetchResult
from winnow.run.claimer import DirectClaimer
from winnow.run.commit import committer
from winnow.run.visit import Visit
from winnow.run.worker import Worker

TEN_MB = 10 * 1024 * 1024


class Expected(msgspec.Struct, frozen=True):
    """`failures` starts at 4: 0 a valid offer, 5 one more (and BROKEN), 4 the visit said nothing about the URL."""

    status: str
    outcome: str
    reason: str | None
    failures: int
    letter: str | None = None
    requests: int = 1


async def stream_too_much(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    for _ in range(161):
        await response.write(b"x" * 65_536)
    return response


def script(site: Site) -> dict[str, Expected]:
    site.says("/valid", product(sku="A-1"))
    site.says("/missing", status=404)
    site.says("/forbidden", status=403)
    site.says("/down", status=500)
    site.says("/slow", product(), wait=3_600)
    site.says("/nothing", "   ")
    site.says("/zero", product(price="0.00", sku="Z"))
    site.says("/sold-out", product(price=None, stock="OutOfStock"))
    site.says("/no-stock", product(stock=None, sku="N"))
    site.says("/private/page", product())
    site.says("/robots.txt", "User-agent: *\nDisallow: /private/\n")
    return {
        "/valid": Expected("done", "accepted", None, 0),
        "/missing": Expected("failed", "error", "http_404", 5),
        "/forbidden": Expected("failed", "blocked", "http_403", 5),
        "/down": Expected("failed", "error", "http_500", 5, letter="http_500", requests=3),
        "/slow": Expected("failed", "timeout", "total_timeout", 5, letter="total_timeout", requests=3),
        "/nothing": Expected("failed", "blocked", "empty_shell", 5),
        "/zero": Expected("done", "held", "ZERO_PRICE_EXTRACTED", 4),
        "/sold-out": Expected("done", "rejected", "OOS_NO_PRICE", 4),
        "/no-stock": Expected("done", "rejected", "UNKNOWN_AVAILABILITY", 5),
        "/private/page": Expected("done", "robots_blocked", "BLOCKED_BY_ROBOTS_TXT", 4, requests=0),
    }


async def test_every_ending_leaves_its_marks(site: Site, watch, start, work, rows, settings, monkeypatch):
    expected = script(site)
    source = await watch([site.url + path for path in expected])
    await rows("UPDATE scrape_targets SET consecutive_failures = 4")
    run = await start(source)
    patient = settings.schedule.model_copy(update={"cb_window_size": 99, "cb_failure_threshold": 99})
    fetch = HttpFetcher.fetch

    async def give_up_soon(self: HttpFetcher, request: FetchRequest, **more: Any) -> FetchResult:
        if request.url.endswith("/slow"):
            request = msgspec.structs.replace(request, timeout_ms=200)
        return await fetch(self, request, **more)

    monkeypatch.setattr(HttpFetcher, "fetch", give_up_soon)
    working = asyncio.create_task(work(schedule=patient))
    while not working.done():  # the waits are another test's
        await rows("UPDATE tasks SET due_at = now() WHERE status = 'queued' AND due_at > now()")
        await asyncio.sleep(0.1)
    await working

    path = f"replace(url, '{site.url}', '')"
    ended = dict(await rows(f"SELECT {path}, (status, outcome, reason, attempts)::text FROM tasks"))
    for name, e in expected.items():
        tries = 3 if e.letter else 1
        assert ended[name] == f"({e.status},{e.outcome},{e.reason or ''},{tries})", name
        assert site.asked(name) == e.requests, f"{name}: requests the site saw"

    # P-088, PN-06
    targets = {name: (failures, status) for name, failures, status in await rows(
        f"SELECT {path}, consecutive_failures, status FROM scrape_targets")}  # fmt: skip
    assert targets == {n: (e.failures, "BROKEN" if e.failures == 5 else "ACTIVE") for n, e in expected.items()}
    # P-080
    said = dict(await rows(f"SELECT {path}, last_status FROM scrape_targets WHERE last_scraped_at IS NOT NULL"))
    assert said == {n: f"{e.outcome}:{e.reason}" if e.reason else e.outcome for n, e in expected.items()}

    letters = {n: e.letter for n, e in expected.items() if e.letter}
    assert (
        dict(await rows("SELECT replace(payload ->> 'url', %s, ''), error_type FROM dead_letters", site.url)) == letters
    )

    # P-077 … P-081
    (counted,) = await rows(
        "SELECT (status, urls_planned, urls_attempted, urls_succeeded, urls_failed, urls_robots_blocked)::text, "
        "(offers_extracted, offers_valid, offers_dropped, offers_quarantined)::text, "
        "(oos_no_price_count, zero_price_count, unknown_availability_count)::text, "
        "failure_rate::float8, yield_rate::float8, drop_rate::float8 FROM scrape_runs WHERE id = %s",
        run,
    )
    assert counted[:3] == ("(SUCCESS,10,10,4,5,1)", "(3,1,2,1)", "(1,1,1)")
    assert counted[3:] == pytest.approx((6 / 8, 1 / 8, 1 / 3), abs=1e-4)
    assert await rows("SELECT topic FROM outbox WHERE key = %s", f"run:{run}") == ["run.completed"]

    # only the valid offer is truth; the held one waits for a person, whole (P-067, P-078)
    assert await rows("SELECT p.amount_minor, s.identity_value FROM prices p JOIN source_products s "
                      "ON s.id = p.source_product_id") == [(1999, "A-1")]  # fmt: skip
    assert await rows("SELECT reason, payload ->> 'title', run_id = %s FROM quarantine", run) == [
        ("ZERO_PRICE_EXTRACTED", "Red Shoe", True)
    ]
    assert await rows("SELECT lane FROM lanes WHERE queued <> 0 OR in_flight <> 0") == []


async def test_r15_a_page_one_byte_too_large_is_given_up_and_leaves_nothing(
    site: Site, watch, start, work, rows, settings
):
    site.does("/endless", stream_too_much)
    limit = site.says("/limit", product() + " " * (TEN_MB - len(product())))
    await start(await watch([site.says("/huge", b"x" * (TEN_MB + 1)), site.url + "/endless", limit]))
    await work()
    ended = "SELECT replace(url, %s, ''), outcome, reason, attempts FROM tasks ORDER BY 1"
    assert await rows(ended, site.url) == [
        ("/endless", "too_large", "too_large", 1),
        ("/huge", "too_large", "too_large", 1),
        ("/limit", "accepted", None, 1),
    ]
    assert await rows("SELECT count(*)::int FROM pages WHERE outcome = 'too_large' AND content_hash IS NULL") == [2]
    assert len([f for f in (settings.db.folder / "pages").rglob("*") if f.is_file()]) == 1
    assert await rows("SELECT count(*)::int FROM dead_letters") == [0]


async def test_p026_the_same_offer_twice_in_a_run_is_one_price(site: Site, watch, start, work, rows):
    urls = [site.says(f"/twin/{n}", product(sku="TWIN")) for n in range(3)]
    run = await start(await watch(urls))
    await work()
    assert await rows("SELECT count(*), count(DISTINCT source_product_id) FROM prices") == [(1, 1)]
    (counted,) = await rows("SELECT offers_valid, offers_dropped, urls_succeeded FROM scrape_runs WHERE id = %s", run)
    assert counted == (1, 2, 3)
    verdicts = "SELECT verdict, reasons::text, count(*)::int FROM records GROUP BY 1, 2 ORDER BY 1"
    assert await rows(verdicts) == [("accept", "{}", 1), ("reject", "{DUPLICATE_WITHIN_RUN}", 2)]
    ends = "SELECT outcome, reason, count(*)::int FROM tasks GROUP BY 1, 2 ORDER BY 1"
    assert await rows(ends) == [("accepted", None, 1), ("rejected", "DUPLICATE_WITHIN_RUN", 2)]


async def test_p026_a_duplicate_moves_nothing_of_the_offer(site: Site, settings, watch, start, work, rows):
    """Also when it is committed after the page that was accepted: the offer keeps that page's address and name."""
    await start(await watch([site.says(f"/twin/{n}", product(f"Twin {n}", sku="TWIN")) for n in range(3)]))
    await work(run=settings.run.model_copy(update={"commit_batch": 1}))
    kept = "SELECT t.url = sp.url, right(t.url, 1) = right(sp.title, 1) FROM tasks AS t, source_products AS sp"
    assert await rows(f"{kept} WHERE t.outcome = 'accepted'") == [(True, True)]
    assert await rows("SELECT count(*)::int FROM tasks WHERE reason = 'DUPLICATE_WITHIN_RUN'") == [2]


async def test_p055_an_adapter_nobody_registered_is_said_and_nothing_is_sent(site: Site, watch, start, work, rows):
    await start(await watch([site.says("/p", product())], adapter="nobody"))
    await work()
    assert await rows("SELECT status, reason FROM tasks") == [("failed", "adapter_unknown")]
    assert await rows("SELECT error_type, error_message FROM dead_letters") == [
        ("adapter_unknown", "no adapter 'nobody' is registered")
    ]
    assert site.log == [], "not even robots.txt"
    assert await rows("SELECT consecutive_failures, last_status FROM scrape_targets") == [
        (0, "internal:adapter_unknown")
    ]


async def test_p055_a_broken_adapter_file_stops_its_own_site_only(
    site: Site, settings, watch, start, work, rows, tmp_path: Path
):
    folder = tmp_path / "adapters" / "shop"
    folder.mkdir(parents=True)
    (folder / "live.toml").write_text("id = \n")
    await start(await watch([site.says("/broken", product())], adapter="shop"))
    await start(await watch([site.says("/p", product())]))
    await work(run=settings.run.model_copy(update={"adapters_dir": folder.parent}))
    assert await rows("SELECT outcome, reason FROM tasks ORDER BY outcome") == [
        ("accepted", None),
        ("internal", "adapter_unknown"),
    ]
    [message] = await rows("SELECT error_message FROM dead_letters")
    assert message.startswith(f"the adapter cannot be used: {folder / 'live.toml'}")


async def test_s037_s059_a_429_slows_the_domain_and_retry_after_holds_it(site: Site, watch, start, work, rows):
    url = site.says("/busy", status=429, Retry_After="2")
    await start(await watch([url, site.says("/other", product())], concurrent=1))  # none is under way beside the 429
    await work()
    first, second, third = site.times("/busy")
    assert second - first >= 2
    assert third - second >= 2
    assert len([t for t in site.times("/other") if first < t < first + 2]) == 0, "the hold is for the whole domain"
    assert await rows("SELECT status, reason, attempts FROM tasks WHERE url = %s", url) == [("failed", "http_429", 3)]
    assert await rows("SELECT error_type FROM dead_letters") == ["http_429"]
    assert await rows("SELECT slowed_until > now() + interval '4 minutes' FROM lanes WHERE lane = %s", site.domain) == [
        True
    ]


async def test_p088_the_fifth_failure_in_a_row_breaks_a_target_and_a_recheck_mends_it(
    site: Site, watch, start, work, rows
):
    url = site.says("/p", status=404)
    source = await watch([url])
    for failures in range(1, 6):
        await start(source)
        await work()
        found = await rows("SELECT consecutive_failures, status FROM scrape_targets")
        assert found == [(failures, "BROKEN" if failures == 5 else "ACTIVE")]
    (target,) = await rows("SELECT id FROM scrape_targets")
    await start(source, target_ids=[target])
    await work()
    assert await rows("SELECT consecutive_failures, status FROM scrape_targets") == [(6, "BROKEN")], "stays BROKEN"
    site.says("/p", product())
    await start(source, target_ids=[target])
    await work()
    assert await rows("SELECT consecutive_failures, status FROM scrape_targets") == [(0, "ACTIVE")]


async def test_c018_the_interval_starts_when_the_visit_ended(site: Site, watch, start, work, rows):
    source = await watch([site.says("/p", product()), site.says("/gone", status=404)])
    await rows("UPDATE scrape_targets SET crawl_frequency = interval '4 hours', next_crawl_at = now()")
    await start(source)
    await work()
    offset = (
        "SELECT abs(extract(epoch FROM next_crawl_at - last_scraped_at - crawl_frequency)) < 0.1 FROM scrape_targets"
    )
    assert await rows(offset) == [True, True]


async def test_a_source_says_its_own_headers_and_currency(site: Site, watch, start, work, rows):
    page = product(price="$12").replace('"priceCurrency": "USD"', '"priceCurrency": "$"')
    source = await watch([site.says("/p", page)])
    config = '{"customHeaders": {"X-Shop": "42"}, "currency": "CAD"}'
    await rows("UPDATE sources SET scrape_config = %s", config)
    await start(source)
    await work()
    assert [seen.headers.get("X-Shop") for seen in site.log if seen.path == "/p"] == ["42"]
    assert await rows("SELECT amount_minor, currency FROM prices") == [(1200, "CAD")]


async def test_a_price_in_a_currency_the_source_does_not_sell_in_is_held(site: Site, watch, start, work, rows):
    """A shop that shows visitors from elsewhere another currency would otherwise overwrite its own prices."""
    source = await watch([site.says("/p", product(price="12.00"))])
    await rows("UPDATE sources SET scrape_config = %s", '{"currency": "CAD"}')
    await start(source)
    await work()
    assert await rows("SELECT count(*) FROM prices") == [0]
    assert await rows("SELECT reason FROM quarantine") == ["VALIDATION_FAILED"]


async def test_a_source_says_its_locale(site: Site, watch, start, work, rows):
    page = product(price="$12").replace('"priceCurrency": "USD"', '"priceCurrency": "$"')
    source = await watch([site.says("/p", page)])
    await rows("UPDATE sources SET locale = 'en-NZ', timezone = 'Pacific/Auckland'")
    await start(source)
    await work()
    assert await rows("SELECT amount_minor, currency FROM prices") == [(1200, "NZD")]


async def test_nothing_more_is_claimed_while_too_much_waits_to_be_committed(
    site: Site, monkeypatch, watch, start, work, rows
):
    """Large pages: results are bounded by what they weigh, not by their number alone."""
    claim, free, is_full = DirectClaimer.claim, Worker._free, []
    workers: list[Worker] = []

    def seen(worker: Worker) -> int:
        workers.append(worker)
        return free(worker)

    async def watched(claimer: DirectClaimer, room: int) -> list[Visit]:
        is_full.append(workers[-1]._committer.is_full)
        return await claim(claimer, room)

    monkeypatch.setattr(Worker, "_free", seen)
    monkeypatch.setattr(DirectClaimer, "claim", watched)
    monkeypatch.setattr(committer, "MAX_BYTES", 1)
    await start(await watch([site.says(f"/p/{n}", product(sku=str(n))) for n in range(80)]))
    worker = await work()
    assert await rows("SELECT outcome, count(*)::int FROM tasks GROUP BY 1") == [("accepted", 80)]
    assert not any(is_full)
    assert worker._committer._weights == {}, "what was committed weighs nothing"
