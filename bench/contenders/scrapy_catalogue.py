"""Scrapy: a shop's products found by its sitemap and by links, their fields into a JSON-lines feed.

    scrapy_catalogue.py URL OUT CONCURRENCY

A CrawlSpider that also begins with the sitemap: every page is read for links, product pages for their fields, each page
is asked for once. Set up for speed like scrapy_crawl.py.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from scrapy.utils.sitemap import Sitemap

sys.path.insert(0, str(Path(__file__).parent))
from scrapy_crawl import offer, settings


class Shop(CrawlSpider):
    name = "shop"
    rules = (
        Rule(LinkExtractor(allow=r"/products/"), callback="parse_product", follow=True),
        Rule(LinkExtractor(allow=(r"/c/", r"/info/"))),
    )

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url

    async def start(self) -> AsyncIterator[scrapy.Request]:
        yield scrapy.Request(self.url + "/sitemap.xml", callback=self.parse_sitemap, priority=10)
        yield scrapy.Request(self.url + "/", priority=10)

    def parse_sitemap(self, response: Any) -> Iterator[scrapy.Request]:
        for entry in Sitemap(response.body):
            yield self._build_request(0, scrapy.link.Link(entry["loc"]))

    def parse_product(self, response: Any) -> Iterator[dict[str, str]]:
        for text in response.css('script[type="application/ld+json"]::text').getall():
            data = json.loads(text)
            for thing in data.get("@graph", [data]):
                if thing.get("@type") == "Product":
                    yield {"url": response.url, **offer(thing)}


def main(url: str, out: Path, concurrency: int) -> dict[str, float]:
    process = CrawlerProcess(settings(out, concurrency))
    crawler = process.create_crawler(Shop)
    moments: dict[str, float] = {}
    opened = lambda: moments.setdefault("opened", time.perf_counter())  # noqa: E731
    closed = lambda: moments.setdefault("closed", time.perf_counter())  # noqa: E731
    crawler.signals.connect(opened, signals.spider_opened, weak=False)
    pages: list[str] = []
    received = lambda response: pages.append(response.url)  # noqa: E731
    crawler.signals.connect(closed, signals.spider_closed, weak=False)
    crawler.signals.connect(received, signals.response_received, weak=False)
    process.crawl(crawler, url=url)
    process.start()
    return {"seconds": moments["closed"] - moments["opened"], "pages": len(pages)}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
