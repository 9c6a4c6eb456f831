"""R-26, S-131: canaries in every input, none in the output."""

from __future__ import annotations

import io
import json
import logging

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from winnow.observe import logs, mask
from winnow.observe.settings import ObserveSettings

CANARY = "c4n4ry5ecret"


@pytest.mark.parametrize(
    "text",
    [
        f"GET https://shop.example/p?session={CANARY}&x=1 failed",
        f"https://user:{CANARY}@shop.example/p",
        f"postgresql://winnow:{CANARY}@127.0.0.1:5432/winnow",
        f"host=db password={CANARY} user=winnow",
        f"socks5://proxy:{CANARY}@10.0.0.1:1080",
        f"https://shop.example/#access_token={CANARY}",
        f"Authorization: Bearer {CANARY}",
        f"wk_0123abcd_{CANARY}",
        f"mail {CANARY}@example.com about it",
        f'{{"api_key": "{CANARY}"}}',
        f"X-Service-Key={CANARY}",
    ],
)
def test_text_loses_what_carries_secrets(text: str) -> None:
    assert CANARY not in mask.text(text)


def test_what_is_useful_stays() -> None:
    assert mask.text("GET https://shop.example/p/1?x=2 took 3 s") == "GET https://shop.example/p/1?*** took 3 s"
    assert mask.text("wk_0123abcd_ffff") == "wk_0123abcd_***"
    assert mask.value({"tokens": 2, "tokens_per_interval": 5}) == {"tokens": 2, "tokens_per_interval": 5}


@pytest.mark.parametrize(
    "name", ["password", "proxy_password", "Authorization", "set-cookie", "api_key", "X-Service-Key", "customHeaders"]
)
def test_a_value_named_like_a_secret_is_never_shown(name: str) -> None:
    assert CANARY not in json.dumps(mask.value({"outer": [{name: CANARY}, {name: {"deep": CANARY}}]}))


def test_bytes_are_never_shown() -> None:
    assert mask.value(CANARY.encode()) == f"<{len(CANARY)} bytes>"


@given(
    st.recursive(
        st.none() | st.text() | st.integers() | st.binary(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)
    )
)
def test_any_value_can_be_masked(given_value: object) -> None:
    mask.value(given_value)


@pytest.fixture
def written() -> object:
    out = io.StringIO()
    before = structlog.get_config()
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield out
    structlog.configure(**before)
    root.handlers, root.level = handlers, level


def lines(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_s130_every_line_is_json_with_request_id_level_and_timestamp(written: io.StringIO) -> None:
    logs.configure(ObserveSettings(), written)
    with logs.context(request_id="r1", run_id=7):
        structlog.get_logger("a").info("one", source_id=3)
        logging.getLogger("library").warning("two %s", "words")
    structlog.get_logger("a").debug("not shown")
    structlog.get_logger("a").warning("three")
    found = lines(written)
    assert [line["event"] for line in found] == ["one", "two words", "three"]
    assert all({"request_id", "level", "timestamp"} <= set(line) for line in found)
    assert [(line["request_id"], line.get("run_id")) for line in found] == [("r1", 7), ("r1", 7), (None, None)]


def test_r26_tracebacks_and_library_lines_are_masked_too(written: io.StringIO) -> None:
    logs.configure(ObserveSettings(), written)
    try:
        raise ValueError(f"https://shop.example/?k={CANARY}")
    except ValueError:
        structlog.get_logger("a").exception("failed", url=f"https://x.example/?{CANARY}", cookie=CANARY)
        logging.getLogger("library").exception("token=%s", CANARY)
    assert CANARY not in written.getvalue()
    assert "ValueError" in written.getvalue()


def test_text_format_is_for_people(written: io.StringIO) -> None:
    logs.configure(ObserveSettings(log_format="text"), written)
    structlog.get_logger("a").info("hello", task_id="t")
    assert "hello" in written.getvalue()
    assert "request_id" not in written.getvalue()
