"""What surrounds every product on real pages: bars, menus, pop-ups, tables, comments, all with numbers in them."""

from __future__ import annotations

import random
from html import escape

from tests.quality.shops.spec import Spec

_WORDS = [
    "summer",
    "garden",
    "office",
    "travel",
    "kitchen",
    "light",
    "sport",
    "music",
    "winter",
    "paper",
    "metal",
    "wool",
    "glass",
    "stone",
    "river",
]


def noisy(spec: Spec, html: str, dice: random.Random) -> str:
    """A page with a shop's usual surroundings, some of them above the product and the rest below."""
    parts = [part(spec, dice) for part in dice.sample(_PARTS, 9)]
    top = _bar(spec) + _menu(dice) + "".join(parts[:3])
    head, opening, body = html.partition("<body")
    tag, close, rest = body.partition(">")
    end = rest.rfind("</body>")
    rest, tail = (rest[:end], rest[end:]) if end >= 0 else (rest, "")
    return head + opening + tag + close + top + rest + "".join(parts[3:]) + _footer(dice) + tail


def _bar(spec: Spec) -> str:
    return (
        f'<div class="announcement"><p>{escape(spec.country.shipping)} 0 &gt; {spec.money(spec.others[2] * 2)}</p></div><header><a '
        f'href="/">Lagerhaus</a><form><input name="q"><button>Go</button></form><a href="/cart" class="c">0 '
        f"<b>{spec.money(0)}</b></a></header>"
    )


def _menu(dice: random.Random) -> str:
    items = "".join(f'<li><a href="/c/{n}">{dice.choice(_WORDS)} {n}</a></li>' for n in range(dice.randrange(5, 40)))
    return f"<ul class=m>{items}</ul>"


def _footer(dice: random.Random) -> str:
    return f"<footer><p>© 2012–2024 Lagerhaus, 12 Main St, tel. +1 555 0{dice.randrange(100, 999)}</p></footer>"


def specification(spec: Spec, dice: random.Random) -> str:
    rows = "".join(
        f"<tr><th>{dice.choice(_WORDS)}</th><td>{dice.randrange(1, 90)}.{dice.randrange(10, 99)} kg</td></tr>"
        for _ in range(6)
    )
    return f"<table>{rows}</table>"


def popup(spec: Spec, dice: random.Random) -> str:
    return f'<div class="modal" style="display: none"><h3>{spec.money(spec.others[0])} off your first order</h3><button>OK</button></div>'


def visible_popup(spec: Spec, dice: random.Random) -> str:
    return f'<div class="newsletter-signup"><p>Subscribe and get {spec.money(spec.others[0])} off</p><button>Subscribe</button></div>'


def questions(spec: Spec, dice: random.Random) -> str:
    return f"<section><h2>Questions</h2><p>Is it worth {spec.money(spec.others[3])}? It was, for me, after 2 years.</p></section>"


def opinions(spec: Spec, dice: random.Random) -> str:
    each = "<div><b>Ann</b> <time>2019-04-0{}</time><p>Bought two of them, {} stars from me.</p></div>"
    return f'<div id="comments"><h2>12 reviews</h2>{"".join(each.format(n, n) for n in range(1, 5))}</div>'


def shelf(spec: Spec, dice: random.Random) -> str:
    """Other products: a picture, a link, an old and a new price, a button."""
    card = (
        '<div class="col"><a href="/x{n}"><img src="/{n}.jpg" alt=""></a><p><a href="/x{n}">{word} {n}</a></p><p><s>{old}</s> '
        "<b>{new}</b></p><button>{cart}</button></div>"
    )
    cards = "".join(
        card.format(
            n=n, word=dice.choice(_WORDS), old=spec.money(m * 2), new=spec.money(m), cart=escape(spec.country.cart)
        )
        for n, m in enumerate(spec.others)
    )
    return f"<div><h2>{escape(spec.country.related)}</h2><div class=row>{cards}</div></div>"


def text_shelf(spec: Spec, dice: random.Random) -> str:
    """Other products as lines of a list."""
    lines = "".join(
        f'<li><a href="/x{n}">{dice.choice(_WORDS)} {n}</a> {spec.money(m)}</li>' for n, m in enumerate(spec.others)
    )
    return f"<ul>{lines}</ul>"


def vouchers(spec: Spec, dice: random.Random) -> str:
    links = "".join(f'<a href="/voucher/{n}">{spec.money(m)}</a> ' for n, m in enumerate(spec.others))
    return f"<p>{links}</p>"


def delivery_table(spec: Spec, dice: random.Random) -> str:
    rows = "".join(
        f"<tr><td>Zone {n}</td><td>{n + 1}-{n + 3} days</td><td>{spec.money(m)}</td></tr>"
        for n, m in enumerate(spec.others)
    )
    return (
        f"<h3>{escape(spec.country.shipping)}</h3><table><tr><th>Zone</th><th>Time</th><th>Cost</th></tr>{rows}</table>"
    )


def sizes(spec: Spec, dice: random.Random) -> str:
    return "<table><tr><th>EU</th><th>US</th><th>cm</th></tr><tr><td>42</td><td>9.5</td><td>27.0</td></tr></table>"


def cookie_bar(spec: Spec, dice: random.Random) -> str:
    return "<div id=cookies><p>We and our 842 partners store data for 13 months.</p><button>Accept</button></div>"


def articles(spec: Spec, dice: random.Random) -> str:
    return f'<div class="blog"><h3><a href="/blog/1">10 ideas under {spec.money(5000)}</a></h3><p>Read more</p></div>'


def drawer(spec: Spec, dice: random.Random) -> str:
    return (
        f'<div id="cart-drawer"><h2>Your cart</h2><p>Subtotal <span class="price">{spec.money(spec.others[1])}</span></p>'
        f"<button>Checkout</button></div>"
    )


_PARTS = [
    specification, popup, visible_popup, questions, opinions, shelf, text_shelf, vouchers, delivery_table, sizes, cookie_bar,
    articles, drawer,
]  # fmt: skip
