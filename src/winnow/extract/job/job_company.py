"""Who offers the job a page shows: what its system or a label says, the page's title, or the site it stands on."""

from __future__ import annotations

import re

from winnow.extract.company.company_name import name_values
from winnow.extract.company.name_words import alphanumeric, fits_label, has_legal_form
from winnow.extract.dom.labelled import first_labelled, pairs_of
from winnow.extract.draft import Value
from winnow.extract.job.job_boards import Board, is_board_name, publishes_others, text_at
from winnow.extract.job.job_title import LABELS, employer_name, is_job_title
from winnow.extract.parsed_page import ParsedPage, in_frame, label_of, text_in

_AT_COMPANY = re.compile(r"\s+(?:at|@|bei|chez|bij|presso)\s+(?P<company>[^|–—]{2,60}?)\s*(?:$|[|–—]|\s-\s)")
_IN_PLACE = re.compile(
    r"\s+(?:in|à|te|en|w|i|på)\s+(?P<place>[A-ZÀ-ÝŁŚŻČŠŽ][\w'’.-]*(?:[ -][A-ZÀ-Ý(][\w'’.)-]*){0,2})$"
)
_CALLED_COMPANY = '[class*="job-company" i], [class*="company-name" i], [class*="companyName" i], [class*="company_name" i], [class~="company"], [class*="employer" i]'
# An employer who does not want to be named.
HIDDEN = re.compile(
    r"^(?:company )?confidential|confidential$|^anonym|vertraulich|^n/a$|not (?:disclosed|specified|available)",
    re.IGNORECASE,
)


def company_of(board: Board | None, named: dict[str, str], parsed: ParsedPage) -> str:
    shown_name = text_at(parsed, board.company) if board else ""
    shown_name = re.sub(r"^(?:at|bei|@)\s+|\s*(?:o firmie|about the company)$", "", shown_name, flags=re.I)
    name = shown_name or named.get("company", "")
    if name and not is_board_name(name):
        return employer_name(name)
    labelled = first_labelled(pairs_of(parsed), LABELS["company"])
    for stated in (labelled, _called_company(parsed)):
        if stated and len(stated) <= 80 and not is_board_name(stated) and not HIDDEN.search(stated):
            return stated.strip(" |-–")  # "Alpha Recruitment" is called so
    entitled = _entitled(parsed)
    if entitled and not is_board_name(entitled):
        return employer_name(entitled)
    parts = [part.strip() for part in re.split(r"\s+[|–—-]\s+", parsed.title)]
    legal = [part for part in parts[1:] if has_legal_form(part)]
    if len(legal) == 1 and board is None:
        return employer_name(legal[0])
    return next(iter(_site_names(parsed)), "") if board is None and not publishes_others(parsed) else ""


def is_own_site(names: list[Value], parsed: ParsedPage) -> bool:
    labels = [alphanumeric(label_of(domain)) for domain in parsed.own_domains]
    return all(any(fits_label(value.raw, label) for label in labels if label) for value in names)


def _site_names(parsed: ParsedPage) -> list[str]:
    """What an employer's own site is called."""
    own = [employer_name(value.raw) for value in name_values(parsed)]
    return [name for name in own if name and not is_board_name(name) and not _OF_JOBS.search(name)]


def _entitled(parsed: ParsedPage) -> str:
    """ "Engineer at Acme - Data | Board" and "Acme: Engineer", with the heading saying which part is the job."""
    shared = parsed.meta.get("og:title", "")
    for heading in parsed.own_headings:
        tail = shared.removeprefix(heading) if shared and parsed.title.startswith(shared) else ""
        match = re.fullmatch(r"\s+(?:at|@|bei|chez|bij|presso)\s+(.{2,80})", tail)
        if match:
            return match[1]
    match = _AT_COMPANY.search(parsed.title) or _AT_COMPANY.search(shared)
    if match:
        return _IN_PLACE.sub("", match["company"])
    heads = [parsed.title.removesuffix(heading) for heading in parsed.own_headings if parsed.title.endswith(heading)]
    named = [head.removesuffix(": ") for head in heads if re.fullmatch(r"[^|:–—]{2,60}(?<! -): ", head)]
    return next((name for name in named if is_job_title(name) and not _OF_JOBS.search(name)), "")


# A site that is called after jobs publishes those of others.
_OF_JOBS = re.compile(
    r"jobs?\b|jobb[oö]rse|stellenmarkt|vacanc|vacature|\bemplois?\b|empleos?\b|trabajo|\bvagas\b|\blavoro\b|\bpraca\b|práce|работа|求人|転職|採用|채용|招聘",
    re.IGNORECASE,
)


def _called_company(parsed: ParsedPage) -> str:
    nodes = [node for node in parsed.clean_tree.css(_CALLED_COMPANY)[:12] if not in_frame(node)]
    texts = {
        re.sub(r"^(?:at|bei|@|chez|bij)\s+", "", text, flags=re.I)
        for text in map(text_in, nodes)
        if 1 < len(text) <= 60
    }
    return texts.pop() if len(texts) == 1 else ""
