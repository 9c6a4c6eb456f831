"""Parts of a page that a heading says are about other products: "You may also like", "Podobne produkty"."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, text_of

MAX_HEADINGS = 200
MAX_HEADING = 70  # characters of such a heading
_HEADINGS = 'h2, h3, h4, h5, h6, [class*="heading" i], [class*="title" i]'
_RELATED = re.compile(
    r"related (?:products|items)|similar (?:products|items|item$)|newer (?:model|version)|neuere(?:s modell| version)|"
    r"nouveau modèle|nuovo modello|nuevo modelo|nieuwer model|新しいモデル|新型|"
    r"you (?:may|might|\'ll) (?:also )?(?:like|love|need)|"
    r"customers (?:also|who)|"
    r"frequently bought|recently viewed|people also|recommended (?:for|products)|recommendations|more from|"
    r"(?:our |top )?best ?-?sellers?\b|"
    r"complete the|shop the look|pairs well|goes well with|other (?:products|offers|sellers)|"
    r"(?:andere|weitere) verkäufer|autres vendeurs|otros vendedores|altri venditori|andere verkopers|"
    r"also (?:bought|viewed|like)|"
    r"ähnliche|passend(?:e|es|er)? (?:dazu|zubehör)|könnte (?:ihnen|dir|sie|dich)|kunden (?:kauften|haben|kaufen)|"
    r"zuletzt angesehen|"
    r"^zubehör|weitere (?:artikel|produkte|angebote|objekte)|gerelateerde|vergelijkbare|anderen (?:kochten|bekeken)|"
    r"ook interessant|"
    r"produits (?:similaires|associés|liés|complémentaires)|vous (?:aimerez|pourriez)|clients ont|"
    r"productos (?:relacionados|similares)|"
    r"también (?:te|compraron|le)|puede(?:n)? (?:gustar|interesar)|otros productos|prodotti (?:correlati|simili)|"
    r"potrebbe\w* (?:interessar|piacer)|"
    r"produtos (?:relacionados|similares|semelhantes)|podobne produkty|polecane|inni klienci|podobné|související|"
    r"liknande|relaterade|"
    r"andra (?:köpte|kunder)|lignende|relaterte|andre (?:kjøpte|kunder)|saattaisit|samankaltaiset|"
    r"この商品を(?:見た|買った)|おすすめ|関連|함께 본|추천|관련 상품|"
    r"похожие|сопутствующие|с этим товаром|benzer ürün|相关|相關|推荐|推薦|猜你喜欢",
    re.IGNORECASE,
)


def exclude_related(area: Area) -> None:
    """What follows such a heading, up to the next heading of its kind, never what holds the page's own."""
    found = [node for node in area.tree.css(_HEADINGS)[:MAX_HEADINGS] if node.mem_id not in area.spine]
    area.exclude([mine for node in found if _is_related(text_of(node)) for mine in _following(node, area)])


def _is_related(text: str) -> bool:
    return len(text) <= MAX_HEADING and _RELATED.search(text) is not None


def _following(heading: LexborNode, area: Area) -> list[int]:
    alone = [above for above in ancestors(heading, 4) if text_of(above) == text_of(heading)][-1]
    found: list[int] = []
    after = alone.next
    while after is not None and not (after.tag == heading.tag and after.tag != "div"):
        if after.mem_id not in area.spine:
            found.append(after.mem_id)
        after = after.next
    return found
