"""A job's title where no heading says it: behind a label, or as the line that the page's own title repeats."""

from __future__ import annotations

import re
from itertools import pairwise

from winnow.extract.company.name_words import FIRM, alphanumeric
from winnow.extract.dom.labelled import headed_pairs, pairs_of
from winnow.extract.job.job_boards import is_board_name
from winnow.extract.job.job_title import is_job_page, is_job_title, is_of_this_page, is_section, lists_jobs
from winnow.extract.parsed_page import ParsedPage

MIN_LINE = 5
# What only a posting calls its title; the others count where the page's title says the same.
_TITLE_LABELS = frozenset([
    "job title", "job posting title", "posting title", "position title", "title of position", "title of the position", "job name", "stellenbezeichnung", "stellentitel",
    "berufsbezeichnung", "intitulé du poste", "titre du poste", "título del puesto", "nombre del puesto", "título da vaga",
    "titolo della posizione", "functietitel", "functienaam", "nazwa stanowiska", "název pozice", "názov pozície",
])  # fmt: skip
_WEAK_TITLE_LABELS = frozenset(["title", "position", "role", "poste", "puesto", "cargo", "posizione", "functie", "stanowisko", "pozice", "pozícia", "titel", "stelle"])  # fmt: skip


def labelled_title(parsed: ParsedPage) -> str:
    """The one that a label and the page's own title both say."""
    labelled = {
        value for label, value in headed_pairs(parsed) if label.strip(" :*") in _WEAK_TITLE_LABELS | _TITLE_LABELS
    }
    stated = {value for value in labelled if is_job_title(value) and _is_in(value, parsed.title)}
    return _fullest(stated.pop(), parsed) if len(stated) == 1 and is_job_page(parsed) else ""


def _fullest(title: str, parsed: ParsedPage) -> str:
    """The line that says more of it, where the page's title says that too: "Senior Clerk" for "Clerk"."""
    longer = [line for line in parsed.lines if title in line and is_job_title(line) and _is_in(line, parsed.title)]
    return max(longer, key=len, default=title)


# The number a posting has in its system. Under its title, where the facts begin; a list has one per entry.
_NUMBER = re.compile(
    r"(?:job|req(?:uisition)?|position|posting|vacancy|stellen|kennziffer)[ -]?(?:id|number|no\.?|nr\.?|code)?\s*:?",
    re.IGNORECASE,
)


_BUTTON = re.compile(
    r"(?:similar|back|return|print|save|share|e-?mail|apply|search|view|see|log ?in|sign ?in|home)\b", re.IGNORECASE
)


def title_above_number(parsed: ParsedPage) -> str:
    at = [i for i, line in enumerate(parsed.lines) if _NUMBER.fullmatch(line) and len(line.split()) > 1]
    if len(at) != 1 or at[0] < 1 or not re.search(r"\d", "".join(parsed.lines[at[0] + 1 : at[0] + 2])):
        return ""
    above = parsed.lines[at[0] - 1]
    is_fact = (
        above.endswith(":")
        or lists_jobs(above)
        or _BUTTON.match(above) is not None
        or any(value == above for _, value in pairs_of(parsed))
    )
    return above if len(above.split()) > 1 and is_job_title(above) and not is_fact else ""


def only_labelled_title(parsed: ParsedPage) -> str:
    """A list labels every entry so: then none is the page's."""
    sure = {value for label, value in pairs_of(parsed) if label.strip(" :*") in _TITLE_LABELS and is_job_title(value)}
    return sure.pop() if len(sure) == 1 else ""


def line_title(known: list[str], parsed: ParsedPage) -> str:
    """ "Clerk Jobs in Boise - Acme" and a line "Clerk": the only line of the title that is neither company nor place."""
    if not is_job_page(parsed) or is_section(parsed):
        return ""
    phrases = [line for line in dict.fromkeys(parsed.lines) if len(line) >= MIN_LINE and _is_in(line, parsed.title)]
    taken = [alphanumeric(text) for text in known if text]
    own = [
        line
        for line in phrases
        if is_job_title(line) and not lists_jobs(line) and not any(alphanumeric(line) in text for text in taken)
    ]
    parts = [part.strip() for part in re.split(r"\s+[|–—:-]\s+", parsed.title)]
    own = [line for line in own if not all(map(is_board_name, re.split(r"[\s+]+", line)))]
    own = [line for line in own if " " in line or line in parts]  # "details" of "Job details" is nothing
    whole = [line for line in own if not any(line != other and line in other for other in own)]
    return whole[0] if len(whole) == 1 and is_of_this_page(whole[0], parsed) else ""


def _is_in(line: str, title: str) -> bool:
    return line in title and re.search(rf"(?<!\w){re.escape(line)}(?!\w)", title) is not None


def company_beside(title: str, parsed: ParsedPage) -> str:
    """The line above or below the job's title that is a whole part of the page's title, and no place."""
    parts = [part.strip(" '\"") for part in re.split(r"\s+(?:[|–—-]|(?:job )?(?:posted )?by|at)\s+", parsed.title)]
    around = [at for at, line in enumerate(parsed.lines) if line == title]
    beside = [parsed.lines[i] for at in around[:3] for i in (at - 1, at + 1) if 0 <= i < len(parsed.lines)]
    names = {line for line in beside if line in parts and line != title and not _PLACE.search(line)}
    return names.pop() if len(names) == 1 else ""


_ADVERTISER_LABELS = frozenset(["contact information", "company information", "employer information", "advertiser", "posted by", "recruiter", "about the company",
                    "firmenkontakt", "kontaktinformation", "inserent", "annonceur", "anunciante", "inserzionista"])  # fmt: skip


def firm_below_label(parsed: ParsedPage) -> str:
    """A firm with its legal form under what a board calls its customer: "Contact Information:", "Acme Search LLC"."""
    firms = {
        below
        for line, below in pairwise(parsed.lines)
        if line.lower().rstrip(": ") in _ADVERTISER_LABELS and FIRM.search(below)
    }
    return firms.pop() if len(firms) == 1 else ""


_PLACE = re.compile(r",\s*[A-Z]{2}\b|,\s*[A-Z]\w+,\s*[A-Z]\w+|^\W")

# How long somebody works, and for how long, as a line of facts says it and nothing else.
_HOURS = (
    r"full[- ]?time|part[- ]?time|vollzeit|teilzeit|voltijds?|deeltijds?|fulltime|parttime|temps plein|temps partiel|cdi|cdd|stage|alternance|tiempo completo|tiempo parcial|"
    r"jornada completa|media jornada|tempo pieno|tempo parziale|tempo determinato|tempo integral|tempo parcial|freelance|freiberuflich|contract(?:or)?|temporary|befristet|seasonal|"
    r"intern(?:ship)?|praktikum|werkstudent(?:in|:in|\*in)?|ausbildung|apprenticeship|trainee|tijdelijk|volunteer"
)
_FILLERS = (
    r"permanent(?: employee| position| contract)?|regular|festanstellung|unbefristet|feste anstellung|employee|fixed[- ]term|vast|vaste baan|indefinido|indeterminato|contrat|contratto|vertrag|"
    r"employment|position|job|m/w/d|oder|or|and|und|ou|et|of|o|y|e"
)
_EMPLOYMENT = re.compile(
    rf"(?=.*(?<!\w)(?:{_HOURS})(?!\w))(?:(?:{_HOURS}|{_FILLERS})(?:[\s,/&+()–-]+|$))+", re.IGNORECASE
)
MAX_EMPLOYMENT = 60


def is_employment(part: str) -> bool:
    return len(part) <= MAX_EMPLOYMENT and _EMPLOYMENT.fullmatch(part) is not None
