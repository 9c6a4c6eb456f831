"""A language model over HTTP, in either protocol: batched, metered, never in the way of what asks it (E-008, E-064)."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from winnow.db.engine import Database
from winnow.errors import ServiceFailed, Trouble
from winnow.services.calls import Budget, Ended
from winnow.services.client import ServiceClient
from winnow.services.llm.dialects import DIALECTS
from winnow.services.llm.questions import (
    Llm,
    ModelAnswer,
    NoLlm,
    Question,
    Read,
    batches,
    read_reply,
    system_prompt,
    user_prompt,
)
from winnow.services.meter import Meter
from winnow.services.settings import ServiceSettings

log = structlog.get_logger(__name__)
SERVICE = "llm"
# After one of these the other batches of the same call are not sent: they would meet the same.
_STOPPING = (Trouble.AWAY, Trouble.BUSY, Trouble.SPENT, Trouble.REFUSED)


def llm_of(database: Database, settings: ServiceSettings, client: ServiceClient) -> Llm:
    """The model of the settings, or none."""
    return NoLlm() if settings.llm_url is None else HttpLlm(database, settings, client)


def budget_of(settings: ServiceSettings) -> Budget:
    return Budget(requests=settings.llm_requests_per_day, tokens=settings.llm_tokens_per_day)


class HttpLlm:
    is_on = True

    def __init__(self, database: Database, settings: ServiceSettings, client: ServiceClient) -> None:
        assert settings.llm_url is not None
        assert settings.llm_model is not None
        self._dialect = DIALECTS[settings.llm_api]
        self._address = self._dialect.address(settings.llm_url, settings.llm_model)
        key = settings.llm_key
        self._headers = self._dialect.headers(None if key is None else key.get_secret_value())
        self._settings = settings
        self._model = settings.llm_model
        self._client = client
        self._meter = Meter(database, SERVICE, budget_of(settings), settings.llm_model)

    async def ask(self, questions: Sequence[Question]) -> list[ModelAnswer]:
        answers: list[ModelAnswer] = [ModelAnswer(trouble=Trouble.AWAY)] * len(questions)
        stopped: ModelAnswer | None = None
        for positions in batches(questions, self._settings.llm_batch):
            batch = [questions[n] for n in positions]
            found = await self._ask(batch) if stopped is None else [stopped] * len(batch)
            for n, answer in zip(positions, found, strict=True):
                answers[n] = answer
            stopped = stopped or next((one for one in found if one.trouble in _STOPPING), None)
        return answers

    async def _ask(self, batch: Sequence[Question]) -> list[ModelAnswer]:
        purpose = batch[0].purpose
        try:
            read, _ = await self._meter.measure(purpose, len(batch), lambda: self._send(batch), _ended)
        except ServiceFailed as failed:
            log.warning("llm_failed", purpose=purpose, questions=len(batch), trouble=failed.trouble, error=str(failed))
            answer = ModelAnswer(trouble=failed.trouble, detail=str(failed), retry_after_s=failed.retry_after_s)
            return [answer] * len(batch)
        if read.discarded:
            log.warning("llm_answers_discarded", purpose=purpose, count=len(read.discarded), sample=read.discarded[0])
        return read.answers

    async def _send(self, batch: Sequence[Question]) -> tuple[Read, int]:
        body = self._dialect.body(self._model, system_prompt(batch[0]), user_prompt(batch))
        answer = await self._client.post(self._address, body, self._headers, seconds=self._settings.llm_timeout_seconds)
        reply = self._dialect.reply(answer)
        return read_reply(reply.text, batch, self._model), reply.tokens


def _ended(done: tuple[Read, int]) -> Ended:
    read, tokens = done
    useful = sum(answer.value is not None for answer in read.answers)
    outcome = "ok" if useful else Trouble.NONSENSE
    return Ended(outcome=outcome, answered=useful, tokens=tokens, discarded=list(read.discarded[:10]))
