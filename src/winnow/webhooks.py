"""Signing and verifying webhooks. Imports nothing but the standard library, so receivers can use it as it is:

    from winnow.webhooks import verify

    received = verify(secret, request.headers, request.body)   # raises NotGenuine
    if already_seen(received.id): return 200                   # a repeat carries the same id

Two signatures go with every message, over the exact bytes of the body:
    X-Webhook-Signature   hex of HMAC-SHA256(secret, body)                                        (S-073)
    webhook-signature     "v1," + base64 of HMAC-SHA256(key, id.timestamp.body), as the Standard
                          Webhooks convention has it, so its libraries verify it too              (R-24)
Only the second one detects a replayed message, because it covers the time: `verify` needs it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PLAIN = "X-Webhook-Signature"
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
TOLERANCE_SECONDS = 300
_VERSION = "v1"
_ENCODED = "whsec_"  # a secret with this prefix is base64 of the key


class NotGenuine(ValueError):
    """The message was not signed with this secret, or not lately. Answer with 401 and do nothing else."""


@dataclass(frozen=True, slots=True)
class Received:
    """`id` is the same on every repeat of one message."""

    id: str
    timestamp: int


def plain_signature(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def timed_signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    signed = b".".join([message_id.encode(), str(timestamp).encode(), body])
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return f"{_VERSION},{base64.b64encode(digest).decode()}"


def headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """What the sender adds."""
    return {
        ID: message_id,
        TIMESTAMP: str(timestamp),
        SIGNATURE: timed_signature(secret, message_id, timestamp, body),
        PLAIN: plain_signature(secret, body),
    }


def verify(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: float | None = None,
    tolerance_seconds: float = TOLERANCE_SECONDS,
) -> Received:
    """The message's id, or NotGenuine. Several secrets: any of them, for the time while one is replaced."""
    given = {name.lower(): value for name, value in headers.items()}
    message_id, stamp, signatures = (given.get(name, "") for name in (ID, TIMESTAMP, SIGNATURE))
    if not message_id or not signatures or not _is_number(stamp) or not (message_id + signatures).isascii():
        raise NotGenuine("the message is not signed")
    timestamp = int(stamp)
    if abs((time.time() if now is None else now) - timestamp) > tolerance_seconds:
        raise NotGenuine("the message was signed too long ago, or in the future")
    secrets = [secret] if isinstance(secret, str) else secret
    if not any(_matches(s, message_id, timestamp, body, signatures) for s in secrets):
        raise NotGenuine("the signature does not fit")
    return Received(message_id, timestamp)


def verify_plain(secret: str, body: bytes, signature: str) -> bool:
    """X-Webhook-Signature alone. It says who wrote the body, not when."""
    return hmac.compare_digest(plain_signature(secret, body).encode(), _bytes(signature.strip().lower()))


def _matches(secret: str, message_id: str, timestamp: int, body: bytes, signatures: str) -> bool:
    """The header may hold several, separated by spaces. All are compared, each in constant time."""
    wanted = timed_signature(secret, message_id, timestamp, body).encode()
    found = [hmac.compare_digest(wanted, one.encode()) for one in signatures.split()]
    return any(found)


def _key(secret: str) -> bytes:
    if not secret.startswith(_ENCODED):
        return secret.encode()
    try:
        return base64.b64decode(secret[len(_ENCODED) :], validate=True)
    except binascii.Error:
        return secret.encode()


def _bytes(text: str) -> bytes:
    """Of a header as frameworks hand it on: what was no text may be in it as halves of characters."""
    return text.encode("utf-8", "surrogatepass")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 12
