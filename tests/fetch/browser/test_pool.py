"""S-042…S-047, property 12: browsers are lent one at a time, leave nothing behind and come back when they go."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from tests.fetch.browser.conftest import SECONDS, Pool, Site, page, settings
from winnow.fetch.browser import orphans
from winnow.fetch.browser.chromium import ChromiumMissing, find_chromium
from winnow.fetch.browser.fetcher import BrowserFetcher
from winnow.fetch.browser.instance import TabOptions
from winnow.fetch.browser.pool import BrowserInstance, BrowserPool, PoolExhausted
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.outcome import FetchRequest, Outcome

pytestmark = pytest.mark.browser


def running(pgid: int) -> list[int]:
    """Processes of a browser that still run."""
    found = []
    for process in psutil.process_iter(["status"]):
        try:
            if os.getpgid(process.pid) == pgid and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except (OSError, psutil.Error):
            continue
    return found


async def until_available(pool: BrowserPool, count: int) -> None:
    async with asyncio.timeout(SECONDS):
        while pool.available < count:
            await asyncio.sleep(0.02)


async def test_s042_start_launches_the_pools_size(open_pool: Pool) -> None:
    pool = await open_pool(browser_pool_size=2)
    assert (pool.size, pool.available) == (2, 2)
    assert len({browser.id for browser in pool.instances}) == 2
    assert all(browser.pages_processed == 0 and running(browser.chromium.pid) for browser in pool.instances)


async def test_s043_acquire_gives_up_in_time(open_pool: Pool) -> None:
    pool = await open_pool(browser_acquire_seconds=0.2)
    await pool.acquire()
    with pytest.raises(PoolExhausted):
        await pool.acquire()


async def test_s043_a_waiter_gets_the_browser_that_comes_back(open_pool: Pool) -> None:
    pool = await open_pool()
    browser = await pool.acquire()
    waiter = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    await pool.release(browser)
    assert await waiter is browser


async def test_a_waiter_that_left_takes_no_browser_with_it(open_pool: Pool) -> None:
    pool = await open_pool()
    browser = await pool.acquire()
    waiter = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    await pool.release(browser)
    waiter.cancel()  # after it was handed the browser, before it ran
    await asyncio.gather(waiter, return_exceptions=True)
    assert pool.available == 1


STORE = """<p id=out></p><script>
const before = document.cookie + (localStorage.getItem('k') || '') + (sessionStorage.getItem('k') || '');
document.cookie = 'k=mine'; localStorage.setItem('k', 'mine'); sessionStorage.setItem('k', 'mine');
const open = indexedDB.open('k', 1);
open.onupgradeneeded = () => { document.body.dataset.fresh = 'yes' };
open.onsuccess = async () => {
  const cache = await caches.keys(); await caches.open('mine');
  out.textContent = `before=[${before}${cache}] fresh=${document.body.dataset.fresh || 'no'}`; };
</script>"""


async def test_s044_nothing_of_a_task_is_left_for_the_next(open_pool: Pool, site: Site, guard: EgressGuard) -> None:
    site.answers["/"] = page(STORE, headers={"Set-Cookie": "server=theirs; Max-Age=9999"})
    pool = await open_pool()
    fetcher = BrowserFetcher(settings(), guard, records=Path(), pool=pool)
    url = f"http://localhost:{site.port}/"  # the Cache API needs a trustworthy origin

    async def told() -> bytes:
        """What the page found; its script may need longer than the page to load, and is then asked anew."""
        async with asyncio.timeout(SECONDS):
            while True:
                body = (await fetcher.fetch(FetchRequest(url=url))).body or b""
                found = body.partition(b'id="out">before=')[2].partition(b"</p>")[0]
                if found.startswith(b"[server"):
                    return found

    assert [await told(), await told()] == [b"[server=theirs] fresh=yes"] * 2
    assert {request.headers.get("Cookie") for request in site.heard if request.path == "/"} == {None}
    assert pool.instances[0].pages_processed >= 2


async def test_s045_a_killed_browser_is_replaced(open_pool: Pool, site: Site) -> None:
    pool = await open_pool()
    first = pool.instances[0]
    os.kill(first.chromium.pid, signal.SIGKILL)
    async with asyncio.timeout(SECONDS):
        await first.chromium.devtools.gone
    await until_available(pool, 1)
    assert pool.size == 1
    assert pool.instances[0].id != first.id
    assert running(first.chromium.pid) == []


async def test_s033_s045_a_browser_killed_in_use_ends_its_task_and_is_replaced(
    open_pool: Pool, site: Site, guard: EgressGuard
) -> None:
    reached = asyncio.Event()

    async def hang(_: object) -> object:
        reached.set()
        await asyncio.sleep(3600)
        raise AssertionError

    site.answers["/hang"] = hang  # type: ignore[assignment]
    site.answers["/"] = page("fine")
    pool = await open_pool()
    fetcher = BrowserFetcher(settings(), guard, records=Path(), pool=pool)
    task = asyncio.create_task(fetcher.fetch(FetchRequest(url=site.url("/hang"))))
    await reached.wait()
    os.kill(pool.instances[0].chromium.pid, signal.SIGKILL)
    result = await task
    assert (result.outcome, result.error_class) == (Outcome.ERROR, "browser_crashed")
    assert (await fetcher.fetch(FetchRequest(url=site.url("/")))).outcome is Outcome.OK


async def test_a_crashed_page_ends_its_task_only(open_pool: Pool, site: Site, guard: EgressGuard) -> None:
    pool = await open_pool()
    async with pool.open_tab(TabOptions()) as loan:
        loan.tab.send("Page.navigate", url="chrome://crash")
        async with asyncio.timeout(SECONDS):
            await loan.tab.crashed
    site.answers["/"] = page("fine")
    fetcher = BrowserFetcher(settings(), guard, records=Path(), pool=pool)
    assert (await fetcher.fetch(FetchRequest(url=site.url("/")))).outcome is Outcome.OK


async def test_s046_s047_property_12_a_worn_browser_is_replaced_not_returned(open_pool: Pool) -> None:
    pool = await open_pool(browser_page_limit=2)
    seen: list[BrowserInstance] = []
    for _ in range(6):
        browser = await pool.acquire()
        seen.append(browser)
        await pool.release(browser)
    assert [browser.pages_processed for browser in seen] == [2] * 6
    assert len({browser.id for browser in seen}) == 3
    await until_available(pool, 1)
    assert [running(browser.chromium.pid) for browser in seen] == [[]] * 6


async def test_property_12_a_browser_that_holds_too_much_is_replaced(open_pool: Pool) -> None:
    pool = await open_pool()
    browser = await pool.acquire()
    browser.too_large = True
    await pool.release(browser)
    await until_available(pool, 1)
    assert pool.instances[0].id != browser.id


async def test_memory_is_measured(open_pool: Pool) -> None:
    pool = await open_pool()
    assert 5_000_000 < pool.instances[0].chromium.private_memory() < 2_000_000_000


async def test_stop_ends_everything_and_waits_for_pages_under_way(open_pool: Pool, tmp_path: Path) -> None:
    pool = await open_pool(browser_pool_size=2)
    pids = [browser.chromium.pid for browser in pool.instances]
    lent = await pool.acquire()
    stopping = asyncio.create_task(pool.stop())
    await asyncio.sleep(0)
    with pytest.raises(PoolExhausted):
        await pool.acquire()
    assert running(lent.chromium.pid)
    await pool.release(lent)
    await stopping
    assert [running(pid) for pid in pids] == [[], []]
    assert list((tmp_path / "browsers").iterdir()) == []


OWNER = """
import asyncio, os, stat, subprocess, sys
from pathlib import Path
from winnow.fetch.browser.pool import BrowserPool
from winnow.fetch.settings import BrowserSettings
from winnow.fetch.egress.guard import EgressGuard
async def main():
    pool = BrowserPool(BrowserSettings(_env_file=None, browser_pool_size=1), EgressGuard(), Path(sys.argv[1]))
    await pool.start()
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2 and os.path.exists(f"/proc/self/fd/{fd}") and stat.S_ISFIFO(os.fstat(fd).st_mode):
            os.set_inheritable(fd, True)
    holder = subprocess.Popen(["sleep", "600"], close_fds=False, stdout=subprocess.DEVNULL)
    print(pool.instances[0].chromium.pid, holder.pid, flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""


async def test_orphans_of_a_killed_owner_are_reaped_at_the_next_start(open_pool: Pool, tmp_path: Path) -> None:
    records = tmp_path / "browsers"
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OWNER, str(records), stdout=asyncio.subprocess.PIPE
    )
    assert owner.stdout is not None
    pid, holder = map(int, (await owner.stdout.readline()).split())
    owner.kill()
    await owner.wait()
    assert running(pid)  # the holder keeps the pipe open, or the browser would have noticed and ended
    folder = Path(orphans.read(next(records.glob("*.json"))).folder)
    assert folder.exists()
    pool = await open_pool()
    async with asyncio.timeout(SECONDS):
        while running(pid):
            await asyncio.sleep(0.02)
    os.kill(holder, signal.SIGKILL)
    assert not folder.exists()
    assert len(list(records.glob("*.json"))) == pool.size == 1


async def test_a_browser_ends_by_itself_when_its_owner_is_killed(tmp_path: Path) -> None:
    alone = OWNER.replace('["sleep", "600"], close_fds=False', '["true"]')
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", alone, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert owner.stdout is not None
    pid = int((await owner.stdout.readline()).split()[0])
    assert running(pid)
    owner.kill()
    await owner.wait()
    async with asyncio.timeout(SECONDS):
        while running(pid):
            await asyncio.sleep(0.02)
    assert orphans.reap(tmp_path) == 1


async def test_the_browsers_of_a_living_owner_are_left_alone(open_pool: Pool, tmp_path: Path) -> None:
    pool = await open_pool()
    assert orphans.reap(tmp_path / "browsers") == 0
    assert pool.instances[0].alive


async def test_without_chromium_every_fetch_says_so(guard: EgressGuard, site: Site, tmp_path: Path) -> None:
    values = settings(browser_executable=tmp_path / "nothing-here")
    assert find_chromium(values.browser_executable) is None
    with pytest.raises(ChromiumMissing):
        await BrowserPool(values, guard, tmp_path).start()
    fetcher = BrowserFetcher(values, guard, records=tmp_path)
    await fetcher.open()
    result = await fetcher.fetch(FetchRequest(url=site.url()))
    await fetcher.close()
    assert (result.outcome, result.error_class) == (Outcome.ERROR, "browser_missing")


@pytest.mark.parametrize("program", ["/bin/true", "not-a-program"])
async def test_a_program_that_is_no_chromium_is_a_typed_failure(
    guard: EgressGuard, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "not-a-program").write_bytes(b"\x7fELF nonsense")
    (tmp_path / "not-a-program").chmod(0o755)
    wanted = settings(browser_executable=tmp_path / program)
    fetcher = BrowserFetcher(wanted, guard, records=tmp_path / "browsers")
    await fetcher.open()
    result = await fetcher.fetch(FetchRequest(url=site.url()))
    await fetcher.close()
    assert (result.outcome, result.error_class) == (Outcome.ERROR, "browser_launch")
    assert list(tmp_path.glob("winnow-chromium-*")) == []


def test_s004_no_pool_is_larger_than_its_bound() -> None:
    with pytest.raises(ValueError):
        settings(browser_pool_size=6, browser_pool_max=5)
