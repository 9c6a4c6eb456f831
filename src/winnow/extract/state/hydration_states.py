"""Finds and decodes the state a page carries for its own scripts: Next.js (pages and app router), Nuxt 2 and
3, Redux and
Apollo, Shopify, BigCommerce, WooCommerce and PrestaShop attributes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.state.devalue import revive
from winnow.extract.state.nuxt_state import read_nuxt_call
from winnow.extract.structured.tolerant_json import Number, Unreadable, read_tolerantly

MAX_SCRIPT = 4 * 1024 * 1024
MAX_SCRIPTS = 80
_ASSIGNED = re.compile(
    r"(?:window(?:\.|\[[\"'])|self\.|globalThis\.|var\s+|let\s+|const\s+|;|^|\s)"
    r"(__INITIAL_STATE__|__PRELOADED_STATE__|__APOLLO_STATE__|__STATE__|__REDUX_STATE__|__INITIAL_DATA__|__APP_STATE__|"
    r"__INITIAL_PROPS__|__PRODUCT__|__DATA__|__APP_DATA__|__SERVER_DATA__|__REACT_QUERY_STATE__|__NUXT__|"
    r"ShopifyAnalytics\.meta|BCData|meta|product(?:Data|Json|Info)?|initialState|pageData|__appData|__remixContext|_initialData|runParams|digitalData|utag_data|__PRELOADED_DATA__|"
    r"__INITIAL_CONFIG__|__[A-Z][A-Z0-9_]*__|__PAGE_DATA__|pageConfig|productDetail|currentProduct|product_data)"
    r"(?:[\"']\])?\s*=\s*"
)
_PARSED = re.compile(r"JSON\.parse\(\s*(?=[\"'`])")
_FLIGHT = re.compile(r"__next_f\.push\(\s*")
_FLIGHT_LINE = re.compile(r"(?:^|\n)[0-9a-f]+:(?=[\[{])")
# A string that does not end reaches to the end of the text, so that it is walked once and not from every quote in it.
_BRACKETS = re.compile(r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)|[{}\[\]]", re.DOTALL)
_JSON_TYPES = ("application/json", "text/json", "application/vnd.api+json", "text/x-magento-init")
_ATTRIBUTES = (
    ("form[data-product_variations]", "data-product_variations"),
    ("#product-details[data-product]", "data-product"),
)

_decoder = json.JSONDecoder(parse_float=Number, strict=False)


class PageState(msgspec.Struct, frozen=True):
    """`name` is where the state stood, `data` what it held."""

    name: str
    data: Any


# The properties a server hands to the component that draws the page.
_PROPERTIES = (
    ("[data-component][data-props]", "data-props"),
    ("[data-react-class][data-react-props]", "data-react-props"),
    ("#app[data-page]", "data-page"),
)
MAX_COMPONENTS = 20


def _may_hold_product(text: str) -> bool:
    return "rice" in text or "variants" in text or "centAmount" in text


def states(tree: LexborHTMLParser, wanted: Callable[[str], bool] = _may_hold_product) -> Iterator[PageState]:
    """Only of scripts whose text `wanted` accepts: decoding all of them costs more than the rest of the page."""
    for selector, attribute in _ATTRIBUTES:
        node = tree.css_first(selector)
        data = _decoded((node.attributes.get(attribute) or "") if node is not None else "")
        if data is not None:
            yield PageState(attribute, data)
    flight: list[str] = []
    for node in tree.css("script")[: MAX_SCRIPTS * 4]:
        text = node.text() or ""
        if not text or len(text) > MAX_SCRIPT:
            continue
        if "__next_f" in text:
            flight += _flight_parts(text)
        elif wanted(text):
            yield from _of_script(node.attributes, text)
    yield from _of_flight("".join(flight), wanted)


def attribute_states(tree: LexborHTMLParser, wanted: Callable[[str], bool]) -> Iterator[PageState]:
    """State in attributes of components: Recruitee, react-rails, Inertia."""
    for selector, attribute in _PROPERTIES:
        for node in tree.css(selector)[:MAX_COMPONENTS]:
            text = node.attributes.get(attribute) or ""
            data = _decoded(text) if wanted(text) else None
            if isinstance(data, dict | list):
                yield PageState(attribute, data)


def _of_script(own: dict[str, str | None], text: str) -> Iterator[PageState]:
    kind, name = (own.get("type") or "").lower(), own.get("id") or ""
    if name == "__NUXT_DATA__" or "data-nuxt-data" in own:
        data = _decoded(text)
        if isinstance(data, list):
            yield PageState("__NUXT_DATA__", revive(data))
    elif kind.startswith(_JSON_TYPES):
        data = _decoded(text)
        if data is not None:
            yield PageState(name or next((key for key in own if key.startswith("data-")), kind), data)
    elif kind in ("", "text/javascript", "application/javascript", "module"):
        yield from _assigned(text)


def _assigned(text: str) -> Iterator[PageState]:
    for match in list(_ASSIGNED.finditer(text))[:20]:
        data = value_at(text, match.end())
        if isinstance(data, dict | list):
            yield PageState(match[1], data)


def value_at(text: str, at: int) -> Any:
    if text.startswith(("(function", "function", "(()=>", "(("), at):
        return read_nuxt_call(text[at:])
    if parsed := _PARSED.match(text, at):
        return _parsed_string(text, parsed.end())
    if text[at : at + 1] not in ("{", "["):
        return None
    try:
        return _decoder.raw_decode(text, at)[0]
    except (ValueError, RecursionError):
        return _tolerant(_literal(text, at))


def _parsed_string(text: str, at: int) -> Any:
    """JSON.parse("…"): a string literal that holds JSON; decodeURIComponent inside is not undone."""
    quote = text[at]
    literal = re.compile(rf"{quote}((?:[^{quote}\\]|\\.)*){quote}", re.DOTALL).match(text, at)
    if literal is None:
        return None
    inner = literal[1].replace("\\'", "'") if quote != '"' else literal[1]
    try:
        return _decoded(json.loads(f'"{inner}"' if quote == '"' else '"' + re.sub(r'(?<!\\)"', r"\"", inner) + '"'))
    except ValueError:
        return None


def _literal(text: str, at: int) -> str:
    """From the bracket to the one that closes it, strings skipped; "" when none does."""
    depth = 0
    for match in _BRACKETS.finditer(text, at):
        if match[0] in "{[":
            depth += 1
        elif match[0] in "}]":
            depth -= 1
            if depth == 0:
                return text[at : match.end()]
    return ""


def _decoded(text: str) -> Any:
    text = text.strip()
    if not text or len(text) > MAX_SCRIPT:
        return None
    try:
        return _decoder.decode(text)
    except (ValueError, RecursionError):
        return _tolerant(text) if text[:1] in ("{", "[") else None


def _tolerant(text: str) -> Any:
    try:
        found = read_tolerantly(text) if text else []
    except (Unreadable, RecursionError):
        return None
    return found[0] if found else None


def _flight_parts(text: str) -> list[str]:
    """The string chunks of self.__next_f.push([1,"…"]): the app router's stream, cut anywhere."""
    found: list[str] = []
    for match in _FLIGHT.finditer(text):
        try:
            pushed = _decoder.raw_decode(text, match.end())[0]
        except (ValueError, RecursionError):
            continue
        found += (
            [part for part in pushed if isinstance(part, str) and not isinstance(part, Number)]
            if isinstance(pushed, list)
            else []
        )
    return found


def _of_flight(stream: str, wanted: Callable[[str], bool]) -> Iterator[PageState]:
    """Each row is `id:value`; rows that are plain data or element trees are JSON."""
    for match in list(_FLIGHT_LINE.finditer(stream))[:500]:
        try:
            data = _decoder.raw_decode(stream, match.end())[0]
        except (ValueError, RecursionError):
            continue
        if wanted(stream[match.end() : match.end() + 200_000]):
            yield PageState("__next_f", data)
