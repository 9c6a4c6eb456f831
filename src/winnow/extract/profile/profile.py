"""A person's public profile page, in the shape LinkedIn shows it to everybody -> one draft (S-053).

Only what the page shows: names and employers hidden behind stars stay hidden. Login walls never get here.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.candidates import Collected, extracted
from winnow.extract.draft import Extraction, Failure, Reason, Strategy
from winnow.extract.page import Page
from winnow.extract.parsed_page import ParsedPage, host_of, open_page, text_in
from winnow.extract.structured.main_item import name_overlap
from winnow.extract.structured.schema_graph import as_list
from winnow.extract.structured.schema_items import Item
from winnow.extract.structured.schema_price import text_of

KIND = "profile"
MAX_ENTRIES = 30
_PERSON = frozenset(["person"])
_WALL = re.compile(
    r"^(?:sign (?:up|in)|log ?in|join linkedin|security verification|anmelden|inloggen|s.identifier|inscrivez-vous)\b.{0,40}$",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?P<name>[^|]{2,80}?) - (?P<headline>.+?)(?: - (?P<company>[^-|]+))? \| LinkedIn")
# Where the layouts of a public profile write each field, newest first; the last ones are those of 2013 to 2016.
_SHOWN = {
    "name": (".top-card-layout__title", ".top-card__title", "h1.text-heading-xlarge", "h1.profile-name", ".profile-header h1",
             ".pv-top-card h1", "h1.pv-top-card-section__name", "h1.fn", "h1 .full-name", "#name h1"),
    "headline": (".top-card-layout__headline", ".top-card__headline", ".profile-headline", "[data-section='headline']",
                 ".text-body-medium.break-words", ".pv-top-card-section__headline", "#topcard p.headline", "#headline p.title", "p.headline-title"),
    "location": (".profile-info-subheader .not-first-middot > span:first-child", ".top-card__subline-item--location",
                 ".top-card__subline-item", ".top-card-layout__first-subline > span:first-child", ".top-card-layout__first-subline > div",
                 ".text-body-small.inline.t-black--light.break-words", ".pv-top-card-section__location", "#demographics .locality",
                 "#headline.demographic-info .locality"),
    "current_company": ("[data-section='currentPositionsDetails'] .top-card-link__description",
                        "[data-section='currentPositions'] .top-card-link__description",
                        ".top-card-link--current-company .top-card-link__description",
                        "a[data-tracking-control-name='public_profile_topcard_current_company']",
                        "a[data-tracking-control-name='public_profile_topcard-current-company']",
                        "[aria-label='Current company']", "[aria-label^='Current company:']", ".pv-top-card-v2-section__company-name", ".pv-top-card-section__company",
                        "[data-section='currentPositionsDetails'] li", "[data-section='currentPositions'] li",
                        "#overview-summary-current li", ".extra-info .org", ".summary-current .org"),
    "summary": ("section.summary .core-section-container__content", "[data-section='summary'] p", "section.summary p"),
}  # fmt: skip
_PRESENT = re.compile(
    r"\b(?:present|heute|heden|aujourd.hui|actualidad|presente|atualmente|o momento|today|current)\b", re.IGNORECASE
)


def extract_profile(page: Page) -> Extraction:
    parsed = open_page(page)
    if isinstance(parsed, Failure):
        return parsed
    person = _own(parsed)
    if person is None and (_WALL.match(parsed.title) or "/authwall" in parsed.url or "/uas/login" in parsed.url):
        return Failure(Reason.BLOCKED_PAGE, f"login wall: {parsed.title[:80]}")
    into = Collected()
    if person is not None:
        _from_schema(into, person, parsed)
    _from_dom(into, parsed)
    _from_title(into, parsed)
    into.add("profile_url", parsed.facts.urls[-1], Strategy.DOM, "link[rel=canonical]")
    return extracted([into.draft(KIND, parsed)], parsed, "name")


def _own(parsed: ParsedPage) -> Item | None:
    """The person the page is about: named so by a ProfilePage, or like its heading."""
    people = [
        item
        for item in parsed.schema.of(_PERSON)
        if not item.listed and item.key not in ("author", "creator", "employee", "colleague", "knows")
    ]
    main = [item for item in people if item.main or item.key == "mainEntity"]
    titles = [*parsed.headings, *([parsed.title] if "LinkedIn" in parsed.title else [])]
    named = [p for p in people if any(name_overlap(text_of(p.node.get("name")), title)[0] >= 1 for title in titles)]
    alone = people if len(people) == 1 and not parsed.is_article else []  # an article's only person is its author
    for found in (main, named, alone):
        if len({text_of(item.node.get("name")) for item in found}) == 1:
            return max(found, key=lambda item: len(item.node))
    return None


def _from_schema(into: Collected, item: Item, parsed: ParsedPage) -> None:
    node, schema = item.node, parsed.schema
    into.add_key("name", item, "name")
    if not isinstance(node.get("jobTitle"), list):
        into.add_key("headline", item, "jobTitle")
    for company in as_list(node.get("worksFor"))[:MAX_ENTRIES]:
        into.add("current_company", schema.name(company), item.strategy, f"{item.path}.worksFor")
    for place in as_list(node.get("address"))[:1]:
        address = schema.node(place)
        if address:
            into.add_node("location", address, item.strategy, f"{item.path}.address")
        else:
            into.add("location", text_of(place), item.strategy, f"{item.path}.address")
    into.add_key("summary", item, "description")
    image = schema.node(node.get("image"))
    into.add(
        "image_url",
        text_of(image.get("contentUrl") or image.get("url")) or text_of(node.get("image")),
        item.strategy,
        f"{item.path}.image",
    )
    for school in as_list(node.get("alumniOf"))[:MAX_ENTRIES]:
        if (
            "organization" not in str(schema.node(school).get("@type", "")).lower()
            or "educational" in str(schema.node(school).get("@type", "")).lower()
        ):
            into.add_node("education", {"school": schema.name(school)}, item.strategy, f"{item.path}.alumniOf")


def _from_dom(into: Collected, parsed: ParsedPage) -> None:
    tree = parsed.clean_tree
    for field, selectors in _SHOWN.items():
        selector = ", ".join(selectors)
        if not into.has(field):
            into.add(field, text_in(tree.css_first(selector)).rstrip(" ,"), Strategy.DOM, selectors[0])
    for index, entry in enumerate(
        tree.css(".experience__list > li, .experience-item, [data-section='experience'] li")[:MAX_ENTRIES]
    ):
        _experience(into, entry, index)
    if not into.has("education"):
        for index, entry in enumerate(
            tree.css(".education__list > li, [data-section='educations'] li, [data-section='education'] li")[
                :MAX_ENTRIES
            ]
        ):
            lines = {
                "school": _part(entry, "h3, .profile-section-card__title"),
                "degree": _part(entry, "h4, .profile-section-card__subtitle"),
            }
            if lines["school"]:
                into.add_node("education", lines, Strategy.DOM, f"education[{index}]")
    if not into.has("name") and len(parsed.headings) == 1 and not host_of(parsed.url).endswith("linkedin.com"):
        into.add("name", parsed.headings[0], Strategy.DOM, "h1") if "profile" in parsed.meta.get(
            "og:type", ""
        ) else None


def _experience(into: Collected, entry: LexborNode, index: int) -> None:
    title, company = _part(entry, "h3, .experience-item__title"), _part(entry, "h4, .experience-item__subtitle")
    period = _part(entry, ".date-range, .experience-item__duration, .experience-item__meta-item")
    if not (title or company):
        return
    into.add_node(
        "experience", {"title": title, "company": company, "period": period}, Strategy.DOM, f"experience[{index}]"
    )
    if company and _PRESENT.search(period) and not into.has("current_company"):
        into.add("current_company", company, Strategy.DOM, f"experience[{index}]")


def _part(entry: LexborNode, selector: str) -> str:
    return text_in(entry.css_first(selector))


def _from_title(into: Collected, parsed: ParsedPage) -> None:
    """ "Jane Doe - Engineer - Acme | LinkedIn": with two parts the second may be job or employer."""
    for text in (parsed.title, parsed.meta.get("og:title", "")):
        match = _TITLE.fullmatch(text)
        if match is None:
            continue
        into.add("name", match["name"], Strategy.MICRODATA, "title")
        if match["company"]:
            into.add("headline", match["headline"], Strategy.MICRODATA, "title")
            into.add("current_company", match["company"], Strategy.MICRODATA, "title")
        return
