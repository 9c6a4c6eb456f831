"""Pictures of offers through the queue (C-036): wanted, fetched politely, looked at, kept once."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest

from tests.run.scripted_site import Site, product
from winnow.fetch.archive.archive import Archive
from winnow.fetch.egress.allow import AllowList
from winnow.run.brief import Brief
from winnow.run.image_tasks import PictureQueue
from winnow.schedule.queue.task import new_id

ROWS = "SELECT content_type, width, height, file_size, attempts, last_error FROM images ORDER BY id"


def png(width: int, height: int) -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)) + bytes(12)


@pytest.fixture
def shop(site: Site, watch, start, work, rows, database) -> Any:
    """Offers with these pictures are visited and their pictures fetched; returns nothing."""

    async def sell(*pictures: str, images: bool = True) -> None:
        pages = [site.says(f"/p{n}", product(sku=str(n), image=url)) for n, url in enumerate(pictures)]
        source = await watch(pages)
        if images:
            await rows("UPDATE sources SET scrape_config = '{\"images\": true}' WHERE id = %s", source)
        await start(source)
        await work()
        await PictureQueue(database, AllowList(["127.0.0.0/8"])).queue_pictures()
        await work()

    return sell


async def test_c036_a_picture_is_fetched_measured_and_kept(site: Site, shop, rows, settings):
    url = site.says("/i/1.jpg", png(640, 480), Content_Type="image/jpeg")
    await shop(url)
    ((kind, width, height, size, attempts, error),) = await rows(ROWS)
    assert (kind, width, height, size, attempts, error) == ("image/png", 640, 480, len(png(640, 480)), 1, None)
    ((digest, path),) = await rows("SELECT content_hash, image_path FROM images")
    archive = Archive(None, settings.db.folder / "pages")
    assert await archive.get(digest) == png(640, 480)
    archive.close()
    assert (settings.db.folder / "pages" / path).exists()
    assert await rows("SELECT status, outcome FROM tasks WHERE kind = 'image'") == [("done", "kept")]


async def test_one_address_is_fetched_once_and_one_content_is_kept_once(site: Site, shop, rows):
    same = site.says("/i/1.png", png(3, 3))
    copy = site.says("/i/2.png", png(3, 3))
    await shop(same, same, copy)
    assert (site.asked("/i/1.png"), site.asked("/i/2.png")) == (1, 1)
    assert await rows("SELECT count(*), count(DISTINCT content_hash) FROM images") == [(3, 1)]


async def test_robots_decides_about_pictures_too(site: Site, shop, rows):
    site.says("/robots.txt", "User-agent: *\nDisallow: /i/\n")
    await shop(site.says("/i/1.png", png(3, 3)))
    assert site.asked("/i/1.png") == 0
    ((_, _, _, _, attempts, error),) = await rows(ROWS)
    assert attempts == 1
    assert error


async def test_what_is_no_picture_is_told_and_leaves_the_offer_alone(site: Site, shop, rows):
    await shop(site.says("/i/1.png", "<html>please log in</html>"), site.says("/i/2.png", status=404))
    found = await rows(ROWS)
    assert [(row[0], row[4]) for row in found] == [(None, 1), (None, 1)]
    assert sorted(row[5] for row in found) == ["the response is not an image", "the server answered 404"]
    assert await rows("SELECT count(*) FROM dead_letters") == [0]
    assert await rows("SELECT count(*) FROM source_circuits WHERE state <> 'closed'") == [0]


async def test_r10_a_picture_inside_the_network_is_never_asked_for(shop, rows):
    await shop("http://169.254.169.254/logo.png", "http://10.0.0.1/x.png")
    assert [(row[4], row[5]) for row in await rows(ROWS)] == [(3, "the host is not a public one")] * 2
    assert await rows("SELECT count(*) FROM tasks WHERE kind = 'image'") == [0]


async def test_pictures_are_fetched_only_where_somebody_wants_them(site: Site, shop, rows):
    await shop(site.says("/i/1.png", png(3, 3)), images=False)
    assert (await rows(ROWS), site.asked("/i/1.png")) == ([], 0)


async def test_a_failed_address_is_tried_again_and_given_up_after_three(site: Site, shop, work, rows, database):
    await shop(site.says("/i/1.png", status=404))
    for _ in range(4):
        await PictureQueue(database, AllowList(["127.0.0.0/8"])).queue_pictures()
        await work()
    assert site.asked("/i/1.png") == 3
    assert [row[4] for row in await rows(ROWS)] == [3]


async def test_a_source_sends_its_own_headers_to_no_host_that_a_page_names(
    site: Site, other_site: Site, watch, start, work, rows, database
):
    """DESIGN §11.35: a page could otherwise have the source's Authorization sent wherever it likes."""
    own, foreign = (at.says("/i/1.png", png(3, 3)) for at in (site, other_site))
    source = await watch([site.says(f"/p{n}", product(sku=str(n), image=url)) for n, url in enumerate((own, foreign))])
    config = '{"images": true, "customHeaders": {"Authorization": "Bearer of-the-shop", "X-Shop": "42"}}'
    await rows("UPDATE sources SET scrape_config = %s WHERE id = %s", config, source)
    await start(source)
    await work()
    await PictureQueue(database, AllowList(["127.0.0.0/8"])).queue_pictures()
    await work()
    asked = [seen for seen in site.log if seen.path != "/robots.txt"]
    assert {seen.headers.get("Authorization") for seen in asked} == {"Bearer of-the-shop"}
    assert other_site.asked("/i/1.png") == 1
    assert {name for seen in other_site.log for name in seen.headers} & {"Authorization", "X-Shop"} == set()


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://www.shop.co.uk/p/1", {"Authorization", "X-Shop"}),
        ("https://www.shop.co.uk:8443/p/1", {"X-Shop"}),
        ("http://www.shop.co.uk/p/1", {"X-Shop"}),
        ("https://pictures.shop.co.uk/1.png", {"X-Shop"}),
        ("https://shop.co.uk.evil.com/1.png", set()),
        ("https://cdn.example/1.png", set()),
    ],
)
def test_secrets_of_a_source_go_to_its_own_origin_only(url: str, sent: set[str]):
    headers = {"Authorization": "Bearer of-the-shop", "X-Shop": "42"}
    brief = Brief(id=new_id(), source_url="https://www.shop.co.uk/", config={"customHeaders": headers})
    assert set(brief.headers_for(url)) == sent
