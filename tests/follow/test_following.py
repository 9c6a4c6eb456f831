"""Pages that lead on: each link once per run, as a task of its own (DESIGN §11.28)."""

from __future__ import annotations

from typing import Any

from tests.follow.agenda import concert, detail_page, links, long_list, page
from tests.run.scripted_site import Site, product
from winnow.db.engine import Database
from winnow.schedule.queue import dead_letters


async def test_a_list_with_further_pages_and_details_is_read_to_the_end(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any, counters: Any
):
    run = await start(await agenda([long_list(site, pages=4, per_page=3)]))
    await work()
    assert await counters(run) == {
        "status": "SUCCESS", "planned": 16, "attempted": 16, "failed": 0,
        "found": 15, "waiting": 0, "queued": 15, "cut": 0,
    }  # fmt: skip
    assert {path: site.asked(path) for path in ("/list/1", "/list/4", "/c/1-0", "/c/4-2")} == dict.fromkeys(
        ("/list/1", "/list/4", "/c/1-0", "/c/4-2"), 1
    )
    assert await rows("SELECT links_by_role FROM scrape_runs") == [{"next_page": 3, "detail": 12}]
    assert await rows("SELECT outcome, count(*)::int FROM tasks GROUP BY 1 ORDER BY 1") == [
        ("accepted", 12),
        ("followed", 4),
    ]


async def test_what_only_the_detail_page_says_is_deferred_not_rejected(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
):
    """The list has two days of three; the third is on the page of its concert, which says nothing else."""
    site.says("/c/3", detail_page("2026-05-03"))
    body = page(concert(1, day="2026-05-01"), concert(2, day="2026-05-02"), concert(3, detail="/c/3"))
    await start(await agenda([site.says("/list", body)]))
    await work()
    assert await rows("SELECT record_key, verdict FROM records ORDER BY 1") == [
        ("c1", "accept"), ("c2", "accept"), ("c3", "accept")
    ]  # fmt: skip
    assert await rows("SELECT payload ->> 'name', payload ->> 'day' FROM records WHERE record_key = 'c3'") == [
        ("Concert 3", "2026-05-03")
    ]
    assert await rows("SELECT count(*)::int FROM quarantine") == [0]
    assert await rows("SELECT offers_dropped FROM scrape_runs") == [0]


async def test_details_become_targets_without_a_cadence_and_further_pages_do_not(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any, database: Database
):
    source = await agenda([long_list(site, pages=2, per_page=2)])
    run = await start(source)
    await work()
    found = (
        "SELECT count(*)::int, bool_and(next_crawl_at IS NULL AND crawl_frequency IS NULL), bool_and(kind = 'concert')"
    )
    assert await rows(f"{found} FROM scrape_targets WHERE found_by_run_id = %s", run) == [(4, True, True)]
    assert await rows("SELECT count(*)::int FROM scrape_targets") == [5]
    await start(source)  # the next run begins with the list again, and visits the same targets by its links
    await work()
    assert await rows("SELECT count(*)::int FROM scrape_targets") == [5]
    assert await rows("SELECT urls_attempted, links_queued FROM scrape_runs ORDER BY id") == [(6, 5), (6, 5)]


async def test_a_link_is_followed_once_whoever_names_it_and_never_back_to_the_beginning(
    site: Site, agenda: Any, start: Any, work: Any, counters: Any
):
    """Two targets name the same item, each other, and themselves; fragments and tracking make no other page of it."""
    site.says("/item", page(concert(1, day="2026-05-01"), links("item", "/a")))
    first = site.says("/a", page(links("item", "/item", "/a#top", "/b")))
    second = site.says("/b", page(links("item", "/item?utm_source=b", "/a")))
    run = await start(await agenda([first, second]))
    await work()
    assert [site.asked(path) for path in ("/a", "/b", "/item")] == [1, 1, 1]
    assert (await counters(run))["found"] == 1


async def test_a_forbidden_link_has_an_ending_of_its_own(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any, counters: Any
):
    site.says("/robots.txt", "User-agent: *\nDisallow: /private\n")
    site.says("/open", page(concert(1, day="2026-05-01")))
    run = await start(await agenda([site.says("/list", page(links("item", "/private", "/open")))]))
    await work()
    assert site.asked("/private") == 0
    ends = await rows("SELECT outcome FROM tasks WHERE url LIKE %s", "%/private")
    assert ends == ["robots_blocked"]
    assert await counters(run) | {"status": "SUCCESS", "attempted": 3, "queued": 2} == await counters(run)


async def test_a_person_s_no_is_kept(site: Site, agenda: Any, start: Any, work: Any, rows: Any):
    """P-001: a target that was paused is not visited because a page leads to it."""
    source = await agenda([long_list(site, pages=1, per_page=2)])
    await start(source)
    await work()
    await rows("UPDATE scrape_targets SET status = 'PAUSED' WHERE url LIKE %s", "%/c/1-0")
    run = await start(source)
    await work()
    assert (site.asked("/c/1-0"), site.asked("/c/1-1")) == (1, 2)
    assert await rows("SELECT links_cut_by FROM scrape_runs WHERE id = %s", run) == [{"target": 1}]


async def test_pictures_are_fetched_last_and_say_nothing_about_the_adapter(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
):
    body = page(concert(1, day="2026-05-01"), links("image", "/gone.png"))
    await start(await agenda([site.says("/list", body)]))
    await work()
    assert await rows("SELECT rank, kind, status FROM tasks WHERE url LIKE %s", "%/gone.png") == [
        (250, "image", "failed")
    ]
    assert await rows("SELECT status, failure_rate::float8, urls_failed FROM scrape_runs") == [("SUCCESS", 0.0, 0)]


async def test_a_retried_letter_keeps_what_its_listing_said_and_its_links_belong_to_the_new_run(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any, settings: Any, database: Database
):
    once = settings.schedule.model_copy(update={"max_attempts": 1})
    site.says("/c/1", status=500)
    first = await start(await agenda([site.says("/list", page(concert(1, detail="/c/1")))]))
    await work(schedule=once)
    site.says("/c/1", page('<div class="concert"><time>2026-05-01</time></div>', links("item", "/more")))
    site.says("/more", page(concert(2, day="2026-05-02")))
    async with database.transaction() as conn:
        assert await dead_letters.retry(conn, await rows("SELECT id FROM dead_letters")) == 1
    await work(schedule=once)
    stored = "SELECT payload ->> 'name', payload ->> 'day' FROM records WHERE verdict = 'accept' ORDER BY 1"
    assert await rows(stored) == [
        ("Concert 1", "2026-05-01"), ("Concert 2", "2026-05-02")
    ]  # fmt: skip
    frontier = "SELECT run_id > %s, role, depth FROM follow_ups WHERE url LIKE %s"
    assert await rows(frontier, first, "%/more") == [(True, "item", 2)]


async def test_prices_pay_nothing_for_it(site: Site, watch: Any, start: Any, work: Any, rows: Any):
    """No statement of a commit touches the frontier: a trigger for statements fires for empty ones too."""
    run = await start(await watch([site.says(f"/p/{n}", product(f"Shoe {n}")) for n in range(3)]))
    await rows("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'frontier'; END $$")
    await rows(
        "CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON follow_ups "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse()"
    )
    await work()
    ended = "SELECT status, offers_valid, links_found, budget IS NULL, bytes > 0 FROM scrape_runs WHERE id = %s"
    assert await rows(ended, run) == [("SUCCESS", 3, 0, True, True)]
