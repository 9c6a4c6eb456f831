"""The language model's seam, beside a server that is away, slow, rate-limited and lies (E-008, E-064, E-065, E-092)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from tests.services.conftest import FAST, Opened
from tests.services.model_server import ModelServer, dribbles, drops, floods, hangs, says, talks
from winnow.db.engine import Database
from winnow.errors import Trouble
from winnow.run.services import Services
from winnow.schedule.ledger.ledger import PostgresLedger
from winnow.schedule.ledger.policy import Limits
from winnow.services import calls
from winnow.services.calls import Budget
from winnow.services.llm.agenda import judge_agendas
from winnow.services.llm.questions import Question
from winnow.services.llm.selectors import propose_selectors
from winnow.services.settings import ServiceSettings


class Word(msgspec.Struct, frozen=True):
    word: str


def question(text: str = "first of all", purpose: str = "test") -> Question:
    return Question(purpose=purpose, instructions="Give the first word.", fields='"word": "…"', text=text, shape=Word)


async def book(database: Database) -> list[Any]:
    async with database.connection() as conn:
        found = await conn.execute(
            "SELECT outcome, questions, answered, tokens, discarded FROM service_calls ORDER BY id"
        )
        return await found.fetchall()


@pytest.mark.parametrize("api", ["openai", "gemini"])
async def test_e064_questions_go_out_in_batches_in_either_protocol(
    opened: Opened, pace: Any, server: ModelServer, database: Database, api: str
) -> None:
    async with opened(llm_api=api, llm_batch=2, llm_key="sk-secret") as services:
        answers = await services.llm.ask([question(text) for text in ("one a", "two b", "three c")])
    assert [answer.value.word for answer in answers] == ["one", "two", "three"]
    assert [[item["text"] for item in asked.items] for asked in server.asked] == [["one a", "two b"], ["three c"]]
    path, header = {
        "openai": ("/v1/chat/completions", ("Authorization", "Bearer sk-secret")),
        "gemini": ("/v1/models/small:generateContent", ("x-goog-api-key", "sk-secret")),
    }[api]
    assert {asked.path for asked in server.asked} == {path}
    assert server.asked[0].headers[header[0]] == header[1]
    assert await book(database) == [("ok", 2, 2, 40, []), ("ok", 1, 1, 40, [])]


async def test_e064_no_model_is_asked_where_none_is_set_up(opened: Opened, server: ModelServer) -> None:
    async with opened(llm_url=None, llm_model=None) as services:
        (answer,) = await services.llm.ask([question()])
    assert (answer.value, answer.trouble, services.llm.is_on) == (None, Trouble.OFF, False)
    assert server.asked == []


@pytest.mark.parametrize(
    ("fault", "trouble"),
    [
        (hangs, Trouble.AWAY),
        (drops, Trouble.AWAY),
        (dribbles, Trouble.AWAY),
        (floods, Trouble.NONSENSE),
        (says(500, "oops"), Trouble.AWAY),
        (says(503), Trouble.AWAY),
        (says(429, "slow down"), Trouble.BUSY),
        (says(429, '{"error": {"code": "insufficient_quota"}}'), Trouble.SPENT),
        (says(402), Trouble.SPENT),
        (says(401, "wrong key"), Trouble.REFUSED),
        (says(302, Location="http://127.0.0.1:1/"), Trouble.REFUSED),
        (says(200, "<html>maintenance</html>"), Trouble.NONSENSE),
        (says(200, "[]"), Trouble.NONSENSE),
        (says(200, '{"choices": [{"message": {"content": null}}]}'), Trouble.NONSENSE),
        (talks("I cannot help with that."), Trouble.NONSENSE),
        (talks('{"answers": "none"}'), Trouble.NONSENSE),
        (talks('{"answers": [{"n": 7, "word": "x"}, {"n": true, "word": "x"}, 4]}'), Trouble.NONSENSE),
        (talks('{"answers": [{"n": 0, "word": 12}]}'), Trouble.NONSENSE),
    ],
)
async def test_e008_e092_whatever_the_model_does_is_an_answer_and_the_next_one_is_good(
    services: Services, server: ModelServer, database: Database, fault: Any, trouble: Trouble
) -> None:
    server.faults.append(fault)
    (bad,) = await services.llm.ask([question()])
    assert (bad.value, bad.trouble) == (None, trouble)
    async with database.connection() as conn:  # the pace it asked for is not what this is about
        await conn.execute("UPDATE lanes SET slowed_until = NULL, held_until = NULL")
    (good,) = await services.llm.ask([question()])
    assert good.value == Word("first")
    assert [row[0] for row in await book(database)] == [trouble, "ok"]


async def test_e065_useless_answers_are_kept_and_the_good_ones_of_the_batch_count(
    services: Services, server: ModelServer, database: Database
) -> None:
    server.faults.append(talks('```json\n{"answers": [{"n": 1, "word": "b"}, {"n": 0, "word": ["a"]}]}\n```'))
    first, second = await services.llm.ask([question("a"), question("b")])
    assert (first.trouble, second.value) == (Trouble.NONSENSE, Word("b"))
    assert await book(database) == [("ok", 2, 1, 40, ['{"n":0,"word":["a"]}'])]


async def test_e008_a_rate_limit_stops_the_other_batches_and_holds_the_lane(
    opened: Opened, pace: Any, server: ModelServer, database: Database
) -> None:
    server.faults.append(says(429, "slow down", Retry_After="120"))
    async with opened(llm_batch=1) as services:
        answers = await services.llm.ask([question("a"), question("b"), question("c")])
        assert [answer.trouble for answer in answers] == [Trouble.BUSY] * 3
        assert answers[0].retry_after_s == 120
        (later,) = await services.llm.ask([question("d")])
    assert later.trouble is Trouble.BUSY  # by the ledger, which every process asks
    assert len(server.asked) == 1
    state = await PostgresLedger(database).state(server.lane)
    assert state is not None
    assert state.held_until is not None


async def test_e123_the_budget_of_a_day_is_kept_by_all_processes_together(
    opened: Opened, pace: Any, server: ModelServer, database: Database
) -> None:
    async with opened(llm_requests_per_day=2) as one, opened(llm_requests_per_day=2) as other:
        answers = [(await services.llm.ask([question()]))[0] for services in (one, other, one, other)]
    assert [answer.trouble for answer in answers] == [None, None, Trouble.SPENT, Trouble.SPENT]
    assert len(server.asked) == 2
    async with database.connection() as conn:
        assert await calls.is_spent(conn, "llm", Budget(requests=2))
        await conn.execute("UPDATE service_calls SET created_at = created_at - interval '25 hours'")
        assert not await calls.is_spent(conn, "llm", Budget(requests=2))
    async with opened(llm_tokens_per_day=30) as services:
        answers = [(await services.llm.ask([question()]))[0] for _ in range(2)]
    assert [answer.trouble for answer in answers] == [None, Trouble.SPENT]


async def test_e083_an_account_without_credit_counts_as_spent_until_it_answers_again(
    services: Services, server: ModelServer, database: Database
) -> None:
    budget = Budget(requests=100)
    server.faults.append(says(402, "no credit"))
    await services.llm.ask([question()])
    async with database.connection() as conn:
        assert await calls.is_spent(conn, "llm", budget)
    await services.llm.ask([question()])
    async with database.connection() as conn:
        assert not await calls.is_spent(conn, "llm", budget)


async def test_requests_wait_for_the_ledger_and_are_refused_when_it_has_no_room(
    services: Services, server: ModelServer, pace: Any
) -> None:
    await pace(Limits(tokens=1, interval_seconds=60, spacing_seconds=0, max_concurrent=1))
    answers = [(await services.llm.ask([question()]))[0] for _ in range(2)]
    assert [answer.trouble for answer in answers] == [None, Trouble.BUSY]
    assert len(server.asked) == 1
    await pace(FAST)


async def test_nothing_inside_the_network_is_asked(
    opened: Opened, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINNOW_EGRESS_ALLOW", "")
    async with opened() as services:
        (answer,) = await services.llm.ask([question()])
    assert answer.trouble is Trouble.REFUSED
    assert server.asked == []


async def test_e017_e021_opinions_about_candidates_and_none_where_the_model_is_of_no_use(
    services: Services, server: ModelServer
) -> None:
    server.answering = lambda items: [
        {"n": item["n"], "is_agenda": "agenda" in item["text"], "confidence": 0.9, "why": "a list of dates"}
        for item in items
        if "shop" not in item["text"]
    ]
    pages = [("https://a.test/agenda", "Agenda"), ("https://b.test/", "About us"), ("https://c.test/", "shop")]
    agenda, other, silent = await judge_agendas(services.llm, pages)
    assert agenda is not None
    assert other is not None
    assert (agenda.is_agenda, other.is_agenda, silent) == (True, False, None)
    server.faults.append(talks('{"answers": [{"n": 0, "is_agenda": true, "confidence": 7}]}'))
    assert await judge_agendas(services.llm, pages[:1]) == [None]


async def test_e058_selectors_are_proposed_or_not(services: Services, server: ModelServer) -> None:
    server.answering = lambda items: [{"n": 0, "item": "li.show", "title": "h3", "date": "time"}]
    found = await propose_selectors(services.llm, '<li class="show"><h3>Nachtvlinders</h3><time>12 mei</time></li>')
    assert found is not None
    assert (found.item, found.title, found.venue) == ("li.show", "h3", None)
    server.faults.append(hangs)
    assert await propose_selectors(services.llm, "<li>") is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"llm_url": "https://m.test/v1"}, "WINNOW_LLM_MODEL is needed"),
        ({"llm_url": "http://m.test/v1", "llm_model": "m"}, "WINNOW_LLM_URL has to be https"),
        ({"geocoder_url": "https://user:pw@m.test/"}, "WINNOW_GEOCODER_URL is a plain address"),
        ({"embeddings_url": "https://m.test/v1"}, "WINNOW_EMBEDDINGS_MODEL is needed"),
    ],
)
def test_settings_of_a_service_that_cannot_be_used_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ServiceSettings(_env_file=None, **given)
