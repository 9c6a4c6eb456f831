"""Where a page's scripts get more of its list: the addresses that stand on "load more" buttons. Pure.

The names of the attributes differ from shop to shop. Where the name says enough (`data-next-url`, `hx-get`) it is
followed; where it does not (`data-url`), the element has to: by its text, its class or its id. An address without a
page takes the one that stands beside it: `data-url="/api/list" data-page="2"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborNode

from winnow.extract.links.page_role import is_for_customers
from winnow.extract.links.url_shape import clean_url, page_number
from winnow.vocabulary.next_page import leads_to_more

MAX_MORE = 50  # elements of one page
MORE_SELECTORS = (
    "[data-next-url]", "[data-next-page-url]", "[data-load-more-url]", "[data-load-more]", "[data-infinite-url]",
    "[data-next]", "[data-endpoint]", "[data-ajax-url]", "[data-load-url]", "[data-more-url]", "[hx-get]",
    "button[data-url]", "button[data-href]", "a[data-url]", "[class*='load-more' i]", "[class*='loadmore' i]",
    "[class*='show-more' i]", "[class*='infinite' i]", "[id*='load-more' i]", "[id*='loadmore' i]",
)  # fmt: skip
_MORE_NAME = re.compile(
    r"data-(?:next(?:-page)?(?:-url|-href)?|load(?:-more)?(?:-url|-href)?|more-(?:url|href)|infinite(?:-scroll)?-url)|hx-get"
)
_ANY_NAME = re.compile(r"data-(?:[\w-]*-)?(?:url|href|endpoint|src|action)")
_MORE_CLASS = re.compile(r"more|next|load|infinite|pagin", re.IGNORECASE)
_PAGE_NAME = re.compile(r"data-(?:next-?)?page(?:-?(?:number|no|index))?")
_TEMPLATE = re.compile(r"\{+\s*page\s*\}+|%7Bpage%7D|:page\b|\[page\]|__page__", re.IGNORECASE)


def more_urls(nodes: Sequence[LexborNode], base: str) -> Iterator[str]:
    for node in [node for node in nodes if _is_for_scripts(node.attributes)][:MAX_MORE]:
        for name, stated in node.attributes.items():
            named = _MORE_NAME.fullmatch(name) or (_ANY_NAME.fullmatch(name) and _loads_more(node))
            if stated and named and stated.startswith(("/", "?", "http")):
                target = _address(stated, base, node.attributes)
                if target and not is_for_customers(target):
                    yield target


def _is_for_scripts(attributes: Mapping[str, str | None]) -> bool:
    return any(name.startswith("data-") or name == "hx-get" for name in attributes)


def _loads_more(node: LexborNode) -> bool:
    called = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
    return _MORE_CLASS.search(called) is not None or leads_to_more(node.text(separator=" "))


def _address(stated: str, base: str, attributes: Mapping[str, str | None]) -> str:
    number = _page_beside(attributes)
    try:
        target = clean_url(urljoin(base, _TEMPLATE.sub(number or "2", stated)))
    except ValueError:
        return ""
    if not target or number is None or page_number(target) is not None:
        return target
    return f"{target}{'&' if urlsplit(target).query else '?'}page={number}"


def _page_beside(attributes: Mapping[str, str | None]) -> str | None:
    """The page that the script loads next; one that calls itself the page shown is followed by the next one."""
    for name, stated in attributes.items():
        if _PAGE_NAME.fullmatch(name) and stated and stated.isdecimal() and len(stated) < 6:
            return str(max(2, int(stated)))
    return None
