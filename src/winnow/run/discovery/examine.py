"""Examines whether an address leads to an agenda: fetch it, read it, and ask a language model where there is one
(E-017, E-021, E-022)."""

from __future__ import annotations

import msgspec

from winnow.kinds.agenda_survey import AgendaVerdict, PageSurvey, decide
from winnow.normalise.urls import url_hash
from winnow.run.discovery.pages import PageReader
from winnow.services.llm.agenda import judge_agendas
from winnow.services.llm.questions import Llm
from winnow.sources.discovery import NewCandidate
from winnow.sources.domain import domain_of

MAX_ATTEMPTS_AT_SITE = 2  # pages of a site that are looked at besides the one that was named
NO_OPINION = "the language model gave no opinion on it; rules decided"
UNREACHABLE = "unreachable"


class Lead(msgspec.Struct, frozen=True, kw_only=True):
    """An address that may be an agenda, and the query or page that named it."""

    url: str
    found_by: str
    found_at: str


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader or model makes of a page; `doubt`: why a person should look twice."""

    verdict: AgendaVerdict
    judged_by: str
    doubt: str | None = None


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a lead; a candidate with status `pending` is an agenda."""

    candidate: NewCandidate
    doubt: str | None = None


class Examiner:
    def __init__(self, reader: PageReader, llm: Llm) -> None:
        self._reader = reader
        self._llm = llm

    async def examine(self, lead: Lead) -> Found:
        """The page itself, else the pages of its site that call themselves an agenda."""
        url, seen = await self._reader.survey(lead.url)
        own = await self.judge(lead, url, seen)
        if seen.failure is not None or own.candidate.status == "pending":
            return own
        for other in seen.own_links[:MAX_ATTEMPTS_AT_SITE]:
            there, its = await self._reader.survey(other)
            if its.failure is None and (found := await self._judge(there, its)).verdict.is_agenda:
                return _found(lead, there, its, found)
        return own

    async def judge(self, lead: Lead, url: str, seen: PageSurvey) -> Found:
        """Judge a page that was read already."""
        if seen.failure is not None:
            return Found(candidate=_candidate(lead, lead.url, seen, None, f"{UNREACHABLE}: {seen.failure}"))
        return _found(lead, url, seen, await self._judge(url, seen))

    async def _judge(self, url: str, seen: PageSurvey) -> Opinion:
        """The model decides where it has an opinion. A page that shows neither a day nor a word is not worth asking."""
        verdict = decide(seen)
        if not self._llm.is_on or not (seen.upcoming or seen.says_agenda):
            return Opinion(verdict=verdict, judged_by="rules")
        (opinion,) = await judge_agendas(self._llm, [(url, f"{seen.title}\n{seen.text}")])
        if opinion is None:
            return Opinion(verdict=verdict, judged_by="rules", doubt=NO_OPINION)
        judged = AgendaVerdict(
            is_agenda=opinion.is_agenda, confidence=opinion.confidence, why=opinion.why or verdict.why
        )
        return Opinion(verdict=judged, judged_by="llm")


def _found(lead: Lead, url: str, seen: PageSurvey, opinion: Opinion) -> Found:
    return Found(candidate=_candidate(lead, url, seen, opinion, opinion.verdict.why), doubt=opinion.doubt)


def _candidate(lead: Lead, url: str, seen: PageSurvey, opinion: Opinion | None, reason: str) -> NewCandidate:
    return NewCandidate(
        url=url,
        url_hash=url_hash(url),
        domain=domain_of(url),
        found_by=lead.found_by,
        found_at=lead.found_at,
        status="pending" if opinion is not None and opinion.verdict.is_agenda else "not_added",
        reason=reason,
        title=seen.title,
        confidence=None if opinion is None else opinion.verdict.confidence,
        judged_by=None if opinion is None else opinion.judged_by,
        events=seen.upcoming,
    )
