"""The model that compares titles is the real one: wordllama is among the pinned requirements of the tests."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from winnow.actions import doctor
from winnow.store.events.matching import vectors

REPHRASED = ("Jazz in the Park", "Jazz @ Park")
UNRELATED = ("Jazz in the Park", "Council meeting")


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that has not loaded the model yet, on a machine without a network."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("the model asked for the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    vectors._model.cache_clear()
    yield
    vectors._model.cache_clear()


async def test_e073_titles_are_compared_offline_by_the_model_in_its_package(unloaded: None) -> None:
    rephrased, unrelated, same = await vectors.offline().similarities([REPHRASED, UNRELATED, ("Jazz", "Jazz")])
    assert rephrased is not None
    assert unrelated is not None
    assert same is not None
    assert rephrased.cosine > 0.9
    assert unrelated.cosine < 0.3
    assert same.cosine == pytest.approx(1.0, abs=1e-5)


async def test_without_pairs_the_model_is_not_even_loaded(unloaded: None) -> None:
    assert await vectors.offline().similarities([]) == []
    assert vectors._model.cache_info().currsize == 0


def test_the_doctor_names_the_model() -> None:
    assert doctor.embeddings().says == "wordllama, offline"


async def test_without_the_extra_words_decide_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors.importlib.util, "find_spec", lambda name: None)
    assert await vectors.offline().similarities([REPHRASED, UNRELATED]) == [None, None]
    assert "winnow[embeddings]" in doctor.embeddings().says
