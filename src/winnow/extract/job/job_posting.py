"""A page with one job posting -> one draft. A list of jobs is not a posting."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.candidates import Collected, extracted
from winnow.extract.dom.area import names_of, words_of
from winnow.extract.dom.labelled import first_labelled, headed_pairs, lines_labelled
from winnow.extract.draft import Extraction, Failure, Reason, Strategy
from winnow.extract.job.job_boards import Board, board_of, is_board_name, text_at
from winnow.extract.job.job_company import HIDDEN, company_of, is_own_site
from winnow.extract.job.job_json import extract_from_data, is_data
from winnow.extract.job.job_lines import (
    company_beside,
    firm_below_label,
    is_employment,
    labelled_title,
    line_title,
    only_labelled_title,
    title_above_number,
)
from winnow.extract.job.job_states import read_states
from winnow.extract.job.job_title import (
    ALL_LABELS,
    APPLY,
    LABELS,
    heading_of,
    is_job_title,
    is_of_this_page,
    titled,
    without_step,
)
from winnow.extract.page import Page
from winnow.extract.page_facts import same_page
from winnow.extract.parsed_page import ParsedPage, open_page, text_in
from winnow.extract.structured.main_item import name_overlap
from winnow.extract.structured.schema_graph import Node, as_list
from winnow.extract.structured.schema_items import Item
from winnow.extract.structured.schema_price import text_of
from winnow.fetch.blocked.words import LOGIN
from winnow.vocabulary.currencies import pattern_of

KIND = "job_posting"
_POSTING = frozenset(["jobposting"])
# A sentence about pay, up to where the amounts begin.
_PAY = re.compile(
    r"^.*\b(?:salary|pay range|base pay|compensation|gehalt|vergütung|salaire|rémunération|salario|stipendio|retribuzione|salário|salaris)\b[^\d€$£]{0,60}(?=[€$£\d])",
    re.IGNORECASE,
)
_PERIOD = r"(?:year|annum|yr|month|week|hour|hr|jahr|monat|woche|stunde|maand|uur|jaar|an(?:nuel)?|mois|heure|año|mes|hora|mese|anno|ora|mies\w*|rok|godz\w*|månad|måned|timme|time|kk|tunti|měsíc\w*|hod\w*|hó|óra|ay|lună|месяц|мес)"
_PAID_IN = ("EUR", "USD", "GBP", "JPY", "CHF", "PLN", "SEK", "NOK", "DKK", "CZK", "HUF", "RON", "RUB")
_SALARY_PART = re.compile(rf"{pattern_of(_PAID_IN)}|만원", re.IGNORECASE)
_PER = re.compile(
    rf"(?:\bper|/|\ba|\bpro|\bpar|\bpor|\bal|\bbrutto|\bbrut\w*|\bi|\bp\.)\s?\.?\s?{_PERIOD}\b|\bp\.?a\.?\b|annual|年収|月給|時給",
    re.IGNORECASE,
)
_PLACE_PART = re.compile(
    r"(?:(?:remote|hybrid|on-?site)\s*[-–(,/]?\s*)?[A-ZÀ-ÝŁŚŻČŠŽ][\w.'’ -]{1,40},\s*[A-ZÀ-Ý][\w. ]{1,30}(?:,\s*[A-ZÀ-Ý][\w. ]{1,30})?\)?"
)
_SENTENCE_END = re.compile(r"[^\W\dA-Z_]{4,}\.$")  # not "U.S." or "St."
_ABOUT_MAP = re.compile(
    r"\b(?:map|maps|loading|karte|carte|mapa|mappa|kaart|view|show|more|directions)\b|…|\.\.\.", re.IGNORECASE
)
# Behind "City" in a form stands what is asked next.
_NEXT_FIELD = re.compile(
    r"\W*(?:land|country|state|region|canton|plz|postleitzahl|post ?code|postal code|zip(?: code)?|street|stra(?:ß|ss)e|phone|telefon|e-?mail|pays|code postal|país|provincia|stato)\W*",
    re.IGNORECASE,
)
_FACTS = re.compile(r"\s+[|·•]\s+")  # "Rosenheim | Vollzeit | ab sofort" is three
MAX_PLACES = 10
_UNDER_HEADING = 14  # lines in which a posting says where, how long and for how much


def extract_job_posting(page: Page) -> Extraction:
    if is_data(page):
        return extract_from_data(page, KIND)
    parsed = open_page(page)
    if isinstance(parsed, Failure):
        return parsed
    postings = parsed.schema.of(_POSTING)
    own = _own(postings, parsed)
    if postings and own is None:
        return Failure(Reason.SELECTOR_NOT_FOUND, f"{len(postings)} postings, none clearly the page's own")
    collected = Collected()
    if own is not None:
        _from_schema(collected, own, parsed)
    else:
        read_states(collected, parsed)
    _from_page(collected, parsed)
    if not collected.has("job_title") and LOGIN.search(parsed.title):
        return Failure(Reason.BLOCKED_PAGE, f"login wall: {parsed.title[:80]}")
    return extracted([collected.draft(KIND, parsed)], parsed, "job_title")


def _own(postings: list[Item], parsed: ParsedPage) -> Item | None:
    titles = {text_of(item.node.get("title") or item.node.get("name")).lower() for item in postings}
    if len(titles) == 1:
        return max(postings, key=lambda item: len(item.node))
    here = [p for p in postings if same_page(text_of(p.node.get("url")), parsed.facts)]
    if len(here) == 1:
        return here[0]
    named = [p for p in postings if any(name_overlap(text_of(p.node.get("title")), h)[0] >= 1 for h in parsed.headings)]
    return named[0] if len(named) == 1 else None


def _from_schema(into: Collected, item: Item, parsed: ParsedPage) -> None:
    node, schema = item.node, parsed.schema
    into.add_key("job_title", item, "title", "name")
    company = schema.name(node.get("hiringOrganization"))
    if company and not is_board_name(company) and not HIDDEN.search(company):
        into.add("company_name", company, item.strategy, f"{item.path}.hiringOrganization.name")
    _locations(into, item, parsed)
    into.add_key("employment_type", item, "employmentType")
    into.add_key("date_posted", item, "datePosted")
    into.add_key("valid_through", item, "validThrough")
    into.add_key("description", item, "description")
    into.add_key("posting_url", item, "url")
    into.add_key("remote", item, "jobLocationType")
    for key in ("baseSalary", "estimatedSalary"):
        for salary in schema.nodes(node.get(key)):
            into.add_node(
                "salary", _salary(salary, schema.node(salary.get("value")), node), item.strategy, f"{item.path}.{key}"
            )
        if not schema.nodes(node.get(key)):
            _salary_text(into, item, key)


def _salary_text(into: Collected, item: Item, key: str) -> None:
    text, currency = text_of(item.node.get(key)), text_of(item.node.get("salaryCurrency"))
    into.add("salary", f"{text} {currency}".strip() if text else "", item.strategy, f"{item.path}.{key}")


def _salary(salary: Node, value: Node, posting: Node) -> dict[str, str]:
    low = text_of(value.get("minValue")) or text_of(salary.get("minValue"))
    high = text_of(value.get("maxValue")) or text_of(salary.get("maxValue"))
    single = text_of(value.get("value")) or ("" if value else text_of(salary.get("value")))
    currency = (
        text_of(salary.get("currency")) or text_of(value.get("currency")) or text_of(posting.get("salaryCurrency"))
    )
    unit = text_of(value.get("unitText")) or text_of(salary.get("unitText")) or text_of(salary.get("duration"))
    return {"low": low or single, "high": high or single, "currency": currency, "unit": unit}


def _locations(into: Collected, item: Item, parsed: ParsedPage) -> None:
    for index, place in enumerate(as_list(item.node.get("jobLocation"))):
        path = f"{item.path}.jobLocation[{index}]"
        node = parsed.schema.graph.resolve(place)
        if not isinstance(node, dict):
            into.add("location", text_of(node), item.strategy, path)
            continue
        address = parsed.schema.node(node.get("address"))
        if address:
            into.add_node("location", address, item.strategy, f"{path}.address")
        else:
            into.add("location", text_of(node.get("address")) or text_of(node.get("name")), item.strategy, path)
            if "addressLocality" in node:
                into.add_node("location", node, item.strategy, path)


def _from_page(into: Collected, parsed: ParsedPage) -> None:
    board = board_of(parsed)
    named = _named(board, parsed)
    title = text_at(parsed, board.title) if board else ""
    if not into.has("job_title"):
        into.add(
            "job_title",
            title if is_job_title(title) and is_of_this_page(title, parsed) else named.get("title", ""),
            Strategy.DOM,
            f"{board.name if board else 'page'}:title",
        )
        into.add("job_title", heading_of(parsed), Strategy.DOM, "h1")
    if not into.has("job_title"):
        into.add("job_title", labelled_title(parsed), Strategy.DOM, "label:title")
    if not into.has("company_name"):
        into.add(
            "company_name", company_of(board, named, parsed), Strategy.DOM, f"{board.name if board else 'page'}:company"
        )
    if not into.has("job_title"):
        _title_without_heading(into, parsed)
    if into.has("job_title"):
        _details(into, board, parsed)  # a place or a salary on a page without a job is somebody else's
    elif not is_own_site(into.values.get("company_name", []), parsed):
        into.values.pop("company_name", None)  # so is a company, unless the site is its own
    into.add("posting_url", parsed.facts.urls[-1], Strategy.DOM, "link[rel=canonical]")
    into.add("description", text_at(parsed, board.description) if board else "", Strategy.DOM, "description")
    into.add_all("description", parsed.metas("og:description", "description"))
    _apply_url(into, parsed)


def _title_without_heading(into: Collected, parsed: ParsedPage) -> None:
    company = next((value.raw for value in into.values.get("company_name", [])), "")
    place = first_labelled(headed_pairs(parsed), LABELS["location"])
    title = (
        titled(company, parsed)
        or line_title([company, place], parsed)
        or only_labelled_title(parsed)
        or title_above_number(parsed)
    )
    into.add("job_title", title, Strategy.DOM, "title")


def _details(into: Collected, board: Board | None, parsed: ParsedPage) -> None:
    pairs = [
        pair for pair in headed_pairs(parsed) if pair[1].lower().rstrip(": ") not in ALL_LABELS
    ]  # of an empty field
    if not into.has("location") and not (board and board.location):
        for line in lines_labelled(parsed, LABELS["location"])[:MAX_PLACES]:
            into.add(
                "location",
                line if len(line) <= 60 and not _ABOUT_MAP.search(line) and not _NEXT_FIELD.fullmatch(line) else "",
                Strategy.DOM,
                "label:location",
            )
    for field, label, selector in (
        ("location", "location", board.location if board else ""),
        ("employment_type", "employment", board.employment if board else ""),
        ("salary", "salary", board.salary if board else ""),
        ("date_posted", "posted", board.posted if board else ""),
        ("valid_through", "until", ""),
    ):
        if into.has(field):
            continue
        text = text_at(parsed, selector).split(" · ")[0] or _FACTS.split(first_labelled(pairs, LABELS[label]))[0]
        is_value = len(text) <= 120 and not text.endswith(("*", ":"))  # the label of a form's next field
        into.add(field, text if is_value else "", Strategy.DOM, f"label:{label}")
    if not into.has("salary"):
        for line in parsed.lines:
            if len(line) <= 160 and _PAY.search(line):
                into.add("salary", _PAY.sub("", line, count=1), Strategy.DOM, "text")
    facts = text_at(parsed, board.facts).split(" · ") if board else []
    if len(facts) > 1 and not into.has("location"):
        into.add("location", facts[-1].strip(), Strategy.DOM, "facts")
    if not into.has("location"):
        into.add("location", _placed(parsed), Strategy.DOM, ".location")
    _company_beside(into, pairs, parsed)
    companies = [value.raw for value in into.values["company_name"]]
    for part in _parts_under_heading(text_at(parsed, board.title) if board else "", into, parsed):
        if not into.has("salary") and len(part) <= 90 and _SALARY_PART.search(part) and _PER.search(part):
            into.add("salary", part, Strategy.DOM, "line under the heading")
        elif is_employment(part):
            if not into.has("employment_type"):
                into.add("employment_type", part, Strategy.DOM, "line under the heading")
        elif (
            not into.has("location")
            and _PLACE_PART.fullmatch(part)
            and not _SENTENCE_END.search(part)
            and not _in_title(part, parsed)
            and part not in companies
        ):
            into.add("location", part, Strategy.DOM, "line under the heading")


def _company_beside(into: Collected, pairs: list[tuple[str, str]], parsed: ParsedPage) -> None:
    if not into.has("company_name"):
        company = first_labelled(pairs, LABELS["company"])
        is_name = len(company) <= 80 and not HIDDEN.search(company)
        into.add("company_name", company if is_name else "", Strategy.DOM, "label:company")
    if not into.has("company_name"):
        beside = company_beside(into.values["job_title"][0].raw, parsed) or firm_below_label(parsed)
        into.add("company_name", beside if not is_board_name(beside) else "", Strategy.DOM, "title")


def _in_title(part: str, parsed: ParsedPage) -> bool:
    """ "Developer | Node, React" phrases again below: tools, not a town."""
    return any(part in heading for heading in parsed.headings)


def _parts_under_heading(shown_title: str, into: Collected, parsed: ParsedPage) -> list[str]:
    """ "Leeds, UK · Full-time · £55,000 a year" is three facts."""
    found = into.values["job_title"][0].raw
    title = found if found in parsed.lines else next(iter(parsed.headings), shown_title)
    if title not in parsed.lines:
        return []
    at = parsed.lines.index(title)
    lines = [line for line in parsed.lines[at + 1 : at + 1 + _UNDER_HEADING] if len(line) <= 160]
    return [part.strip() for line in lines for part in re.split(r"\s+[·•|∙–—]\s+|\s*[·•|∙]\s*", line) if part.strip()]


def _named(board: Board | None, parsed: ParsedPage) -> dict[str, str]:
    """What the page's title says, in the form its system writes titles."""
    if board is None or not board.named:
        return {}
    title = text_at(parsed, board.title)
    for text in map(without_step, (parsed.title, parsed.meta.get("og:title", ""))):
        rest = _beside(text, title)
        if rest:
            return {"title": title, "company": rest}
        match = re.fullmatch(board.named, re.sub(r"\s*[|]\s*(?:LinkedIn|Lever|Greenhouse)\s*$", "", text))
        if match:
            return {key: value.strip() for key, value in match.groupdict().items()}
    return {}


def _beside(text: str, title: str) -> str:
    """ "Acme - Engineer" and "Engineer | Acme" with the title known: what is left is the company, when it is one part."""
    if not title or title not in text or text == title:
        return ""
    rest = re.sub(r"\s*[|]\s*(?:LinkedIn|Lever|Greenhouse|Workable|Personio)\s*$", "", text.replace(title, " | ", 1))
    parts = [part.strip() for part in re.split(r"\s*[|@–—]\s*|\s+-\s+|\s+-$|^-\s+", rest) if part.strip(" -")]
    return parts[0] if len(parts) == 1 and not re.match(r"job application|at |bei ", parts[0], re.IGNORECASE) else ""


def _placed(parsed: ParsedPage) -> str:
    """An element called location that stands alone, in the part of the page that is about the job."""
    nodes = parsed.clean_tree.css(
        '[class*="job-location" i], [class*="job_location" i], [class*="jobLocation" i], [data-testid*="location" i], [itemprop="jobLocation"], [class*="location" i]'
    )
    nodes = [node for node in nodes if "location" in (words := words_of(names_of(node))) and not words & _NOT_A_PLACE]
    texts = [text for text in (place_text(node) for node in nodes[:12]) if text]
    return texts[0] if len(texts) <= 2 and len(set(texts)) == 1 else ""


_NOT_A_PLACE = frozenset(["icon", "filter", "search", "list", "map", "select", "input", "picker", "menu", "label"])


def place_text(node: LexborNode) -> str:
    text = re.sub(r"^(?:location|standort|lieu|ort|plaats)\s*:?\s*", "", text_in(node), flags=re.I)
    return text if 1 < len(text) <= 80 and not _ABOUT_MAP.search(text) else ""


def _apply_url(into: Collected, parsed: ParsedPage) -> None:
    for node in parsed.tree.css("a[href]")[:2_000]:
        label = " ".join((node.text(deep=True) or "").split()).lower()
        href = node.attributes.get("href") or ""
        if APPLY.fullmatch(label) and href.startswith(("http", "/", "?")):
            into.add("apply_url", href, Strategy.DOM, "a")
            return
