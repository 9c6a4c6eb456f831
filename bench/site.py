"""A shop of heavy pages for the crawl benchmark: 60–100 KB each, all different, served from memory.

    python -m bench.site --pages 2000 --port 0

prints its address when everything is rendered. The pages are shaped like those of a real shop: menus,
inline styles and scripts, structured data in the head or the body beside other JSON-LD, reviews, and
related products with prices of their own. Serving is a dictionary look-up and one write, so that the
server is never what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

if not __package__:  # run as a file: the repository's root takes the place of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from winnow.demo.catalogue import DemoProduct, Markup, make_product, price_at
from winnow.demo.pages import CURRENCY, Dressing, Shelf, plain, product_page

SEED = 7
SMALLEST, LARGEST = 60_000, 100_000  # bytes of a page
_TEXT = """
after again almost around before better bright carries cold comes dry easily every evening fabric feels first
fits frame gear good ground hand heavy held hour inside lasted layer light little long made mile morning
mountain never night pack pocket quite rain ridge river rope seam second shoulder side simple size snow solid
still storm strap strong stuff summer taken though trail twice under valley very walked warm water weather
"""
_WORDS = _TEXT.split()
_SCRIPT = (
    "(function(w,d){w.dataLayer=w.dataLayer||[];for(var i=0;i<w.length&&i<3;i++)"
    "{d.title=d.title||i}})(window,document);"
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What every contender has to find on a page."""

    title: str
    price: str
    currency: str
    availability: str
    sku: str
    brand: str


@cache
def product_at(number: int) -> DemoProduct:
    """Always priced and in JSON-LD: the benchmark compares speed, so nothing may be debatable."""
    product = make_product(number, SEED)
    markup = Markup.JSON_LD if product.markup is Markup.MICRODATA else product.markup
    return replace(product, markup=markup, price_hidden=False, turn=0)


def paths(count: int) -> list[str]:
    return [product_at(number).path for number in range(count)]


def facts_of(number: int) -> Facts:
    product = product_at(number)
    price = plain(price_at(product, 0) or 0)
    return Facts(product.name, price, CURRENCY, str(product.stock), product.sku, product.brand)


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the product, and of how many products the related ones are taken."""

    menu: str
    foot: str
    products: int = 4_000


def render(number: int, site_url: str, frame: Frame | None = None) -> bytes:
    dice = random.Random(f"page {number}")
    around = frame or Frame(_menu(number % 5), _footer())
    related = [_shelf(dice.randrange(around.products)) for _ in range(12)]
    head = _styles(number % 3) + _settings(dice)
    menu, foot = around.menu, around.foot
    bare = product_page(_shelf(number), related, site_url, dressing=Dressing(head, menu, "", foot, number % 2 == 0))
    wanted = dice.randrange(SMALLEST + 2_000, LARGEST - 4_000)
    below = _specification(dice) + _reviews(dice, wanted - len(bare.encode()))
    dressing = Dressing(head, menu, below, foot, data_in_body=number % 2 == 0)
    return product_page(_shelf(number), related, site_url, dressing=dressing).encode()


def _shelf(number: int) -> Shelf:
    product = product_at(number)
    return Shelf(product, price_at(product, 0))


@cache
def _sentences() -> list[str]:
    dice = random.Random("sentences")
    return [" ".join(dice.choices(_WORDS, k=dice.randrange(6, 18))).capitalize() + "." for _ in range(3_000)]


def _sentence(dice: random.Random) -> str:
    return dice.choice(_sentences())


@cache
def _styles(variant: int) -> str:
    dice = random.Random(f"styles {variant}")
    rules = (
        f".{dice.choice(_WORDS)}-{dice.randrange(400)}>.{dice.choice(_WORDS)}{{margin:{dice.randrange(40)}px;"
        f"padding:{dice.randrange(9)}px {dice.randrange(9)}px;color:#{dice.randrange(16**6):06x}}}"
        for _ in range(150)
    )
    return f"<style>{''.join(rules)}</style>"


def _settings(dice: random.Random) -> str:
    """The state a shop leaves in a script: prices included that belong to nobody."""
    state = {
        "session": f"{dice.randrange(2**64):x}",
        "experiments": {f"{dice.choice(_WORDS)}-{n}": dice.random() < 0.5 for n in range(60)},
        "recommended": [{"id": dice.randrange(10**6), "from": dice.randrange(500) + 0.99} for _ in range(40)],
        "labels": {f"cart.{dice.choice(_WORDS)}.{n}": _sentence(dice) for n in range(40)},
    }
    return f"<script>window.__shop_state = {json.dumps(state)};{_SCRIPT * 12}</script>"


@cache
def _menu(variant: int) -> str:
    dice = random.Random(f"menu {variant}")
    columns = []
    for column in range(14):
        entries = "".join(
            f'<li class="nav-item level-2" data-menu="{column}-{n}">'
            f'<a class="nav-link" href="/c/{dice.choice(_WORDS)}-{n}">'
            f"<span>{dice.choice(_WORDS).title()} {dice.choice(_WORDS)}</span></a></li>"
            for n in range(11)
        )
        columns.append(f'<ul class="nav-column" aria-label="{dice.choice(_WORDS)}">{entries}</ul>')
    return f'<nav class="mega-menu">{"".join(columns)}</nav>'


def _specification(dice: random.Random) -> str:
    rows = "".join(
        f"<tr><th>{dice.choice(_WORDS).title()}</th><td>{dice.randrange(900)} {dice.choice(_WORDS)}</td></tr>"
        for _ in range(24)
    )
    return f'<section id="specification"><h2>Details</h2><table class="spec">{rows}</table></section>'


def _reviews(dice: random.Random, room: int) -> str:
    """As many as fit into the bytes that are left."""
    blocks: list[str] = []
    while room > 0:
        blocks.append(_review(dice))
        room -= len(blocks[-1])
    return f'<section id="reviews"><h2>Reviews</h2>{"".join(blocks)}</section>'


def _review(dice: random.Random) -> str:
    text = " ".join(_sentence(dice) for _ in range(dice.randrange(2, 7)))
    stars, who = dice.randrange(1, 6), f"{dice.choice(_WORDS).title()} {dice.choice('ABCDEFGH')}."
    button = '<button type="button" class="btn btn-link" data-action="{0}">{0}</button>'
    return (
        f'<div class="review" id="r{dice.randrange(10**9)}"><div class="review-head">'
        f'<span class="stars s{stars}" title="{stars} of 5">{"★" * stars}</span><b class="author">{who}</b>'
        f'<time datetime="2026-0{dice.randrange(1, 9)}-1{dice.randrange(9)}"></time></div>'
        f'<p class="review-text">{text}</p>'
        f'<div class="review-foot">{button.format("helpful")}{button.format("report")}</div></div>'
    )


@cache
def _footer() -> str:
    dice = random.Random("footer")
    links = "".join(f'<a href="/info/{dice.choice(_WORDS)}-{n}">{_sentence(dice)}</a>' for n in range(30))
    return f'<div class="foot-links">{links}</div>'


Answers = dict[bytes, bytes]  # by path


class Server(asyncio.Protocol):
    """HTTP/1.1 GET with keep-alive, and nothing else."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._pending = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._pending += data
        while (end := self._pending.find(b"\r\n\r\n")) >= 0:
            asked, self._pending = self._pending[:end], self._pending[end + 4 :]
            path = asked.split(b" ", 2)[1]
            self._transport.write(self._answers.get(path) or answer(404, b"text/plain", b"not here"))


def answer(status: int, kind: bytes, body: bytes) -> bytes:
    reason = b"OK" if status == 200 else b"Not Found"
    head = b"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (
        status,
        reason,
        kind,
        len(body),
    )
    return head + body


def answers_of(count: int, site_url: str) -> Answers:
    answers = {b"/robots.txt": answer(200, b"text/plain", b"User-agent: *\nDisallow: /checkout/\n")}
    for number in range(count):
        body = render(number, site_url)
        answers[product_at(number).path.encode()] = answer(200, b"text/html; charset=utf-8", body)
    return answers


async def serve(answers_at: Callable[[str], Answers], port: int) -> None:
    """Prints the address when everything is rendered."""
    answers: Answers = {}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Server(answers), "127.0.0.1", port)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    answers.update(answers_at(url))
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    print(url, flush=True)
    await stopped.wait()
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Heavy product pages from memory, for the crawl benchmark.")
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    arguments = parser.parse_args()
    asyncio.run(serve(partial(answers_of, arguments.pages), arguments.port))


if __name__ == "__main__":
    main()
