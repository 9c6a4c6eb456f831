"""The catalogue's crawl tasks and products after visits by a real worker (C-012 … C-014, C-042, C-048)."""

from __future__ import annotations

from typing import Any

from tests.run.scripted_site import Site, product
from winnow.settings import Settings

TASKS = """
SELECT replace(url, %s, ''), status, retry_count, max_retries, started_at IS NOT NULL, completed_at >= started_at,
       error_message IS NOT NULL
FROM crawl_tasks ORDER BY url
"""


async def test_c012_c013_c014_a_task_is_retried_until_its_attempts_are_used_up(
    site: Site, watch: Any, start: Any, work: Any, rows: Any
) -> None:
    """A 503 may pass: it is asked for three times, and only then the task has failed."""
    source = await watch([site.says("/broken", status=503), site.says("/ok", product())])
    await rows("UPDATE scrape_targets SET next_crawl_at = now() + interval '1 day', kind = 'product'")
    await start(source)
    assert await rows(TASKS, site.url) == [
        ("/broken", "queued", 0, 3, False, None, False),
        ("/ok", "queued", 0, 3, False, None, False),
    ]
    await work()
    failed, completed = await rows(TASKS, site.url)
    assert failed[:6] == ("/broken", "failed", 2, 3, True, True)
    assert completed == ("/ok", "completed", 0, 3, True, True, False)
    at = site.times("/broken")
    assert len(at) == 3
    assert at[2] - at[1] > at[1] - at[0] >= 0.9, "each wait is longer than the one before"


async def test_c042_a_products_update_time_is_that_of_its_last_real_change(
    site: Site, watch: Any, start: Any, work: Any, rows: Any
) -> None:
    times = "SELECT product_name, updated_at FROM catalog_products"
    source = await watch([site.says("/p", product("Red Shoe", sku="A"))])
    for _ in range(2):
        await start(source)
        await work()
        await rows("UPDATE scrape_targets SET content_hash = NULL")  # the same product on a page that is read again
    [(name, first)] = await rows(times)
    await start(source)
    await work()
    assert await rows(times) == [(name, first)], "what is the same is not written"
    site.says("/p", product("Red Shoe, new", sku="A"))
    await start(source)
    await work()
    [(name, then)] = await rows(times)
    assert (name, then > first) == ("Red Shoe, new", True)
    assert await rows("SELECT count(*)::int FROM source_products") == [1]


async def test_c048_a_page_is_kept_in_the_data_folder_under_the_name_its_task_shows(
    site: Site, watch: Any, start: Any, work: Any, rows: Any, settings: Settings
) -> None:
    source = await watch([site.says("/p", product())])
    await rows("UPDATE scrape_targets SET kind = 'product'")
    await start(source)
    await work()
    [path] = await rows("SELECT html_path FROM crawl_tasks")
    assert any(path in file.name or path in str(file) for file in (settings.db.folder / "pages").rglob("*"))
