"""Why a page that gave nothing gave nothing (P-010)."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Reason
from winnow.extract.page_facts import PageFacts
from winnow.extract.visible_text import VisibleText

# Titles of challenge and refusal pages. The fetcher recognises most of them; a page that reaches extraction
# and holds no product is looked at once more, so that a block is not counted as a changed structure.
_BLOCKED = re.compile(
    r"just a moment|attention required|access (?:to this page has been )?denied|robot check"
    r"|are you (?:a )?(?:human|robot)|captcha"
    r"|pardon our interruption|verify(?:ing)? (?:that )?you are (?:a )?human|security check|ddos|403 forbidden"
    r"|request blocked|unusual traffic|bot detection|human verification|one more step",
    re.IGNORECASE,
)
# Pages about no product of their own.
_ABOUT_MANY = re.compile(
    r"\d (?:results|ergebnisse|résultats|resultados|risultati|resultaten)\b|"
    r"^(?:search results|results for|suchergebnis|ergebnisse für|"
    r"résultats? (?:de|pour)|resultados (?:de|para)|risultati|"
    r"zoekresultaten|wyniki wyszukiwania|sökresultat|your (?:shopping )?(?:cart|basket|bag)|shopping (?:cart|bag)|"
    r"(?:ihr |mein )?warenkorb|(?:mon |votre )?panier|winkelwagen|(?:tu |mi )?(?:carrito|cesta)|carrello|koszyk)",
    re.IGNORECASE,
)
# Sentences of pages that answer 200 but state that the requested page does not exist.
_NOT_THERE = re.compile(
    r"(?:page|product|item|article) (?:was |could )?not (?:be )?found|^404\b|\berror 404|"
    r"404 (?:error|not found|page)|no longer available|"
    r"(?:does not|doesn't) exist|gibt es (?:leider )?nicht mehr|nicht gefunden|nicht mehr verfügbar|existiert nicht|"
    r"introuvable|"
    r"n'existe (?:plus|pas)|n'est plus disponible|no (?:se ha )?encontrad[ao]|non (?:è stata )?trovat[ao]|"
    r"niet gevonden|bestaat niet|"
    r"não encontrad[ao]|nie (?:została )?znalezion\w+|nie istnieje|hittades inte|finns inte|ikke fundet|finnes ikke|"
    r"nebyla? nalezen|"
    r"не найден|見つかりません|찾을 수 없|未找到|找不到",
    re.IGNORECASE,
)
_FEW_CHARACTERS = 20  # an application shell says "Loading…" and nothing else


def refusal(tree: LexborHTMLParser, facts: PageFacts, has_title: bool) -> tuple[Reason, str]:
    blocked = next((title for title in facts.titles if _BLOCKED.search(title)), None)
    if blocked is not None and not has_title:
        return Reason.BLOCKED_PAGE, f"the title says: {blocked[:80]}"
    if len(str(VisibleText(tree)).strip()) < _FEW_CHARACTERS:
        return Reason.EMPTY_PAGE, "no visible text"
    return Reason.PRICE_NOT_FOUND, "no strategy found the page's own price"


def find_not_found_phrase(facts: PageFacts) -> str:
    """The title or heading that says that there is no product, or that there are many; "" when none does."""
    phrases = (title for title in facts.titles if _NOT_THERE.search(title) or _ABOUT_MANY.search(title))
    return next((title[:80] for title in phrases), "")
