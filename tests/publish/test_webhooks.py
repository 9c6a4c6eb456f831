"""The verifier receivers import (R-24, S-073, property 40)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow import webhooks

NOW = 1_800_000_000


@given(secret=st.text(min_size=1), body=st.binary(), message_id=st.uuids().map(str))
def test_s073_the_plain_signature_is_the_hmac_of_the_exact_body(secret: str, body: bytes, message_id: str) -> None:
    secret = secret.encode("utf-8", "ignore").decode() or "x"
    headers = webhooks.headers(secret, message_id, NOW, body)
    assert headers["X-Webhook-Signature"] == hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    assert webhooks.verify_plain(secret, body, headers["X-Webhook-Signature"])
    assert not webhooks.verify_plain(secret, body + b" ", headers["X-Webhook-Signature"])
    assert webhooks.verify(secret, headers, body, now=NOW).id == message_id


def test_r24_the_timed_signature_covers_id_timestamp_and_body() -> None:
    key = b"0123456789abcdef0123456789abcdef"
    secret = "whsec_" + base64.b64encode(key).decode()
    headers = webhooks.headers(secret, "msg_1", NOW, b'{"a":1}')
    wanted = base64.b64encode(hmac.new(key, b'msg_1.%d.{"a":1}' % NOW, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{wanted}"
    for name, value in (("webhook-id", "msg_2"), ("webhook-timestamp", str(NOW + 1))):
        with pytest.raises(webhooks.NotGenuine):
            webhooks.verify(secret, {**headers, name: value}, b'{"a":1}', now=NOW)
    with pytest.raises(webhooks.NotGenuine):
        webhooks.verify(secret, headers, b'{"a":2}', now=NOW)


@pytest.mark.parametrize(("late", "genuine"), [(0, True), (300, True), (-300, True), (301, False), (-301, False)])
def test_r24_the_window_is_300_seconds_both_ways(late: int, genuine: bool) -> None:
    headers = webhooks.headers("a secret", "m", NOW, b"{}")
    if genuine:
        assert webhooks.verify("a secret", headers, b"{}", now=NOW + late)
    else:
        with pytest.raises(webhooks.NotGenuine):
            webhooks.verify("a secret", headers, b"{}", now=NOW + late)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"webhook-id": "m"},
        {"webhook-id": "m", "webhook-timestamp": "x", "webhook-signature": "v1,a"},
        {"webhook-id": "\udcff", "webhook-timestamp": str(NOW), "webhook-signature": "v1,a"},
        {"webhook-id": "m", "webhook-timestamp": str(NOW), "webhook-signature": "v1,\udcff"},
        {"webhook-id": "m", "webhook-timestamp": "١٢", "webhook-signature": "v1,a"},
        {"webhook-id": "m", "webhook-timestamp": "9" * 40, "webhook-signature": "v1,a"},
        {"webhook-id": "m", "webhook-timestamp": str(NOW), "webhook-signature": "v1,é ü"},
    ],
)
def test_anything_else_is_not_genuine(headers: dict[str, str]) -> None:
    with pytest.raises(webhooks.NotGenuine):
        webhooks.verify("a secret", headers, b"{}", now=NOW)


def test_two_secrets_are_good_while_one_is_replaced() -> None:
    headers = webhooks.headers("the old one", "m", NOW, b"{}")
    assert webhooks.verify(["the new one", "the old one"], headers, b"{}", now=NOW)
    with pytest.raises(webhooks.NotGenuine):
        webhooks.verify(["the new one"], headers, b"{}", now=NOW)


def test_the_verifier_needs_nothing_but_the_standard_library() -> None:
    heavy = "('psycopg', 'aiohttp', 'msgspec', 'pydantic', 'structlog')"
    code = f"import sys, winnow.webhooks; print([m for m in sys.modules if m.split('.')[0] in {heavy}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_plain_signature_that_is_no_text_is_no_signature() -> None:
    assert not webhooks.verify_plain("a secret", b"{}", "\udcff")
