"""Amounts that stand in rows of alike elements: other products, variants, tiers, sellers. None of them is the price.

Names cannot be trusted for this (many are generated), structure can: cards of other products hang side by side, and
the way from each card to its price is the same.
"""

from __future__ import annotations

from collections import defaultdict
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, text_of
from winnow.extract.page_facts import absolute, same_path

_LEVELS = 8  # from an amount up to its card
MAX_CARD, MAX_CARD_LINKS = 480, 8  # characters and links of the card of one product
MIN_NAME = 10  # characters of a product's name as a link
MIN_ROWS = 3  # alike rows without a link or a picture: fewer can be "was" and "now"
Key = tuple[int, tuple[str, ...]]


def exclude_cards(area: Area, nodes: list[LexborNode]) -> None:
    """Links to other pages with an amount inside, rows of alike elements with a link or picture in each, and single
    cards of another product."""
    away = [link.mem_id for node in nodes if (link := _link_away(node, area)) is not None]
    away += [card.mem_id for node in nodes if (card := _card_of_other(node, area)) is not None]
    cards = [
        element.mem_id
        for group in _alike(nodes, area).values()
        if len(group) > 1 and sum(map(_is_card, group)) > 1
        for element in group
    ]
    area.exclude(away + cards)


def is_listed(nodes: list[LexborNode], area: Area) -> set[int]:
    """Amounts (by mem_id) in three or more alike rows, whatever else is in those."""
    rows = {element.mem_id for group in _alike(nodes, area).values() if len(group) >= MIN_ROWS for element in group}
    return {node.mem_id for node in nodes if any(above.mem_id in rows for above in ancestors(node, _LEVELS))}


def _alike(nodes: list[LexborNode], area: Area) -> dict[Key, list[LexborNode]]:
    """Elements outside the heading's own line, by their parent and by the way from them down to the amount."""
    groups: dict[Key, dict[int, LexborNode]] = defaultdict(dict)
    for node in nodes:
        way: list[str] = []
        for above in ancestors(node, _LEVELS):
            if above.mem_id in area.spine or above.tag == "body" or above.parent is None:
                break
            way.append(_kind(above))
            groups[(above.parent.mem_id, tuple(way))].setdefault(above.mem_id, above)
    return {key: list(group.values()) for key, group in groups.items()}


def _kind(node: LexborNode) -> str:
    return f"{node.tag}.{(node.attributes.get('class') or '').partition(' ')[0]}"


def _is_card(node: LexborNode) -> bool:
    return node.tag == "a" or node.css_first("a[href], img") is not None


def _link_away(node: LexborNode, area: Area) -> LexborNode | None:
    """The link to another page around an amount. (Not a button in the shape of a link: those lead nowhere.)"""
    for above in ancestors(node, 6):
        if above.tag == "a":
            href = (above.attributes.get("href") or "").strip()
            return above if _leads_away(href, area) else None
    return None


def _card_of_other(node: LexborNode, area: Area) -> LexborNode | None:
    """The card of another product around an amount: "There is a newer model of this item", the box of an affiliate in
    an article. Its picture and its name are links to one other page."""
    for above in ancestors(node, _LEVELS):
        if above.mem_id in area.spine or above.tag in ("body", "form", "main"):
            return None
        links = above.css("a[href]")
        if len(links) > MAX_CARD_LINKS:
            return None
        if len(links) > 1 and (_has_picture_and_name(links, area) or _is_row_of_shelf(above, area)):
            return above if len(area.spaced(above)) <= MAX_CARD else None
    return None


def _is_row_of_shelf(row: LexborNode, area: Area) -> bool:
    """An entry of a list whose heading is a link to another page."""
    if row.tag != "li":
        return False
    return any(_leads_away(_href(link), area) for link in row.css("h2 a[href], h3 a[href], h4 a[href]")[:2])


def _has_picture_and_name(links: list[LexborNode], area: Area) -> bool:
    pictured = [link for link in links if link.css_first("img") is not None]
    if len({_href(link).partition("?")[0] for link in pictured}) > 1:
        return False  # logos of ways to pay, each with its link
    named = [link for link in links if len(text_of(link)) >= MIN_NAME]
    return any(
        picture.mem_id != name.mem_id and _same_target(_href(picture), _href(name)) and _leads_away(_href(name), area)
        for picture in pictured
        for name in named
    )


def _href(link: LexborNode) -> str:
    return (link.attributes.get("href") or "").strip()


def _same_target(one: str, other: str) -> bool:
    """The same address but for its last part, where shops note which of the links was followed (`/ref=sr_1_2`)."""
    one, other = one.partition("?")[0].rstrip("/"), other.partition("?")[0].rstrip("/")
    if one == other:
        return True
    (start, _, last), (other_start, _, other_last) = one.rpartition("/"), other.rpartition("/")
    return start.count("/") > 1 and start == other_start and "=" in last + other_last


def _leads_away(href: str, area: Area) -> bool:
    if not href or href.startswith(("#", "javascript:")) or not area.facts.urls:
        return False
    url = absolute(area.facts.urls[0], href)
    try:
        path = urlsplit(url).path
    except ValueError:
        return False
    return bool(path) and not same_path(url, area.facts)
