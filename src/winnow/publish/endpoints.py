"""Endpoints: webhook receivers and Slack channels, each with its topics and its sealed secret."""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec
from psycopg import AsyncConnection, sql
from psycopg.errors import UniqueViolation
from psycopg.rows import class_row

from winnow.db.sealed import KeyRing, seal, unseal
from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.publish import alerts, deliveries
from winnow.publish.attempt import Channel
from winnow.publish.settings import PublishSettings

SEVERITIES = (alerts.PAGE, alerts.SLACK, alerts.NOTE)
AUDIENCES = ("operator", "consumer")  # a consumer receives only messages about offers that consumers may see (P-092)
SETTINGS_SLACK = "slack"  # the name of the channel that WINNOW_SLACK_WEBHOOK_URL gives
MIN_SECRET_LENGTH = 16
UNSEALABLE = "sealed"  # how the error of a delivery begins whose secret could not be opened
_TOPIC = re.compile(r"\*|[a-z0-9_]+(\.[a-z0-9_]+)*(\.\*)?")
_COLUMNS = """id, name, channel, url, topics, severities, source_ids, audience, enabled, disabled_at, disabled_reason,
consecutive_failures, secret_ciphertext IS NOT NULL AS has_secret, created_at, updated_at, created_by"""

_FOLLOW = """
INSERT INTO webhook_endpoints AS e (name, channel, url, topics, severities, created_by)
VALUES (%s, 'slack', %s, %s, %s, 'settings')
ON CONFLICT (name) DO UPDATE
SET url = excluded.url, topics = excluded.topics, severities = excluded.severities, enabled = true,
    disabled_at = NULL, disabled_reason = NULL, updated_at = now()
WHERE e.created_by = 'settings'
    AND (e.url, e.topics, e.severities, e.enabled)
        IS DISTINCT FROM (excluded.url, excluded.topics, excluded.severities, true)
"""

Connection = AsyncConnection[Any]


class WebhookEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    channel: str
    url: str
    topics: list[str]
    severities: list[str]
    source_ids: list[int]
    audience: str
    enabled: bool
    disabled_at: Any
    disabled_reason: str | None
    consecutive_failures: int
    has_secret: bool
    created_at: Any
    updated_at: Any
    created_by: str | None


def new_secret() -> str:
    """In the form Standard Webhooks libraries take: base64 of 32 random bytes."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"


def checked_topics(topics: Sequence[str]) -> list[str]:
    for topic in topics:
        if not _TOPIC.fullmatch(topic) or len(topic) > 100:
            raise InvalidInput(f"{topic!r} is no topic: name one, `prefix.*` or `*`", field="topics")
    return sorted(set(topics))


def checked_severities(severities: Sequence[str]) -> list[str]:
    wanted = sorted({severity.upper() for severity in severities})
    if not set(wanted) <= set(SEVERITIES):
        raise InvalidInput("a severity is P1, P2 or P3", field="severities")
    return wanted


async def checked_sources(conn: Connection, ids: Sequence[int]) -> list[int]:
    """Validate the source ids; None: all sources."""
    wanted = sorted(set(ids))
    found = await (await conn.execute("SELECT id FROM sources WHERE id = ANY(%s)", (wanted,))).fetchall()
    if missing := set(wanted) - {row[0] for row in found}:
        raise InvalidInput(f"there is no source {min(missing)}", field="source_ids")
    return wanted


async def add(
    conn: Connection,
    ring: KeyRing,
    *,
    name: str,
    url: str,
    topics: Sequence[str],
    channel: str = Channel.WEBHOOK,
    severities: Sequence[str] = SEVERITIES,
    source_ids: Sequence[int] = (),
    audience: str = "operator",
    secret: str | None = None,
    actor: str | None = None,
) -> tuple[WebhookEndpoint, str | None]:
    """The endpoint and the secret it signs with, which is shown this once. `url` was checked by the egress guard."""
    wanted, heard = checked_topics(topics), checked_severities(severities)
    sources = await checked_sources(conn, source_ids)
    if audience not in AUDIENCES:
        raise InvalidInput("an audience is operator or consumer", field="audience")
    hidden = url if channel == Channel.SLACK else _secret(secret)
    try:
        async with conn.transaction(), conn.cursor(row_factory=class_row(WebhookEndpoint)) as cursor:
            await cursor.execute(
                "INSERT INTO webhook_endpoints (name, channel, url, topics, severities, source_ids, audience, "
                f"created_by) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) "
                f"RETURNING {_COLUMNS}",
                (name, channel, masked_url(channel, url), wanted, heard, sources, audience, actor),
            )
            made = await cursor.fetchone()
            assert made is not None
            await _seal(conn, ring, made.id, hidden)
    except UniqueViolation:
        there = await named(conn, name)
        raise Conflict(f"there is a webhook {name!r} already", existing=str(there.id)) from None
    return msgspec.structs.replace(made, has_secret=True), hidden if channel == Channel.WEBHOOK else None


async def change(
    conn: Connection, ring: KeyRing, endpoint_id: int, changes: dict[str, Any]
) -> tuple[WebhookEndpoint, WebhookEndpoint]:
    """Change an endpoint; return it before and after. Enabling clears the reason it was disabled for."""
    before = await get(conn, endpoint_id, lock=True)
    values: dict[str, Any] = {}
    if "topics" in changes:
        values["topics"] = checked_topics(changes["topics"])
    if "severities" in changes:
        values["severities"] = checked_severities(changes["severities"])
    if "source_ids" in changes:
        values["source_ids"] = await checked_sources(conn, changes["source_ids"])
    if "url" in changes:
        values["url"] = masked_url(before.channel, changes["url"])
        if before.channel == Channel.SLACK:
            await _seal(conn, ring, endpoint_id, changes["url"])
    if "secret" in changes and before.channel == Channel.WEBHOOK:
        await _seal(conn, ring, endpoint_id, _secret(changes["secret"]))
    if changes.get("enabled") is True:
        values |= {"enabled": True, "disabled_at": None, "disabled_reason": None, "consecutive_failures": 0}
    elif changes.get("enabled") is False and before.enabled:
        values["enabled"] = False
        values["disabled_reason"] = "by hand"
        await deliveries.mark_undeliverable(conn, endpoint_id, "the receiver was disabled")
    await _update(conn, endpoint_id, values)
    return before, await get(conn, endpoint_id)


async def _update(conn: Connection, endpoint_id: int, values: dict[str, Any]) -> None:
    assignments = sql.SQL(", ").join(sql.SQL("{} = %s").format(sql.Identifier(name)) for name in values)
    disabling = sql.SQL(", disabled_at = now()") if values.get("enabled") is False else sql.SQL("")
    given = sql.SQL("UPDATE webhook_endpoints SET {}{}updated_at = now(){} WHERE id = %s").format(
        assignments, sql.SQL(", ") if values else sql.SQL(""), disabling
    )
    await conn.execute(given, [*values.values(), endpoint_id])


async def remove(conn: Connection, endpoint_id: int) -> WebhookEndpoint:
    """With its deliveries. One that watches report to stays until they are removed."""
    there = await get(conn, endpoint_id, lock=True)
    watching = await (
        await conn.execute("SELECT count(*) FROM watches WHERE endpoint_id = %s", (endpoint_id,))
    ).fetchone()
    if watching and watching[0]:
        raise Conflict(f"{watching[0]} watches report to webhook {there.name!r}: remove them first")
    await conn.execute("DELETE FROM webhook_endpoints WHERE id = %s", (endpoint_id,))
    return there


async def get(conn: Connection, endpoint_id: int, *, lock: bool = False) -> WebhookEndpoint:
    found = await _one(conn, "id = %s" + (" FOR UPDATE" if lock else ""), endpoint_id)
    if found is None:
        raise NotFound(f"there is no webhook {endpoint_id}")
    return found


async def named(conn: Connection, name: str) -> WebhookEndpoint:
    found = await _one(conn, "name = %s", name)
    if found is None:
        raise NotFound(f"there is no webhook {name!r}")
    return found


async def for_url(conn: Connection, ring: KeyRing, url: str, actor: str) -> tuple[WebhookEndpoint, str | None]:
    """Find or create the receiver at this URL; it receives only messages addressed to it."""
    found = await _one(conn, "channel = 'webhook' AND url = %s AND enabled ORDER BY id LIMIT 1", url)
    if found is not None:
        return found, None
    name = f"{urlsplit(url).netloc}#{secrets.token_hex(3)}"
    return await add(conn, ring, name=name, url=url, topics=(), actor=actor)


async def _one(conn: Connection, where: str, given: object) -> WebhookEndpoint | None:
    async with conn.cursor(row_factory=class_row(WebhookEndpoint)) as cursor:
        await cursor.execute(f"SELECT {_COLUMNS} FROM webhook_endpoints WHERE {where}".encode(), (given,))
        return await cursor.fetchone()


async def gone(conn: Connection, endpoint_id: int, why: str) -> int:
    """Disable an endpoint that answered 410 (R-24) until a person enables it."""
    await conn.execute(
        "UPDATE webhook_endpoints SET enabled = false, disabled_at = now(), disabled_reason = %s, updated_at = now() "
        "WHERE id = %s AND enabled",
        (why, endpoint_id),
    )
    return await deliveries.mark_undeliverable(conn, endpoint_id, why)


async def count_failure(conn: Connection, endpoint_id: int, ok: bool) -> bool:
    """Messages in a row that could not be delivered; whether that count changed."""
    counted = await conn.execute(
        "UPDATE webhook_endpoints SET consecutive_failures = CASE WHEN %(ok)s THEN 0 ELSE consecutive_failures + 1 END "
        "WHERE id = %(id)s AND NOT (%(ok)s AND consecutive_failures = 0)",
        {"ok": ok, "id": endpoint_id},
    )
    return counted.rowcount > 0


async def sealed_secret(conn: Connection, endpoint_id: int) -> tuple[bytes, str | None] | None:
    found = await (
        await conn.execute(
            "SELECT secret_ciphertext, secret_key_id FROM webhook_endpoints WHERE id = %s", (endpoint_id,)
        )
    ).fetchone()
    return None if found is None or found[0] is None else (bytes(found[0]), found[1])


def opened(ring: KeyRing, endpoint_id: int, sealed: tuple[bytes, str | None]) -> str:
    """SealBroken when it was altered, moved from another row, or its key is lost."""
    return unseal(ring, sealed[0], _bound_to(endpoint_id), sealed[1]).decode()


async def follow_settings(conn: Connection, settings: PublishSettings) -> None:
    """The Slack channel of the settings is a receiver like any other; its address stays in the settings."""
    url = settings.slack_webhook_url
    if url is None:
        await conn.execute(
            "UPDATE webhook_endpoints SET enabled = false, disabled_at = now(), disabled_reason = 'not configured' "
            "WHERE name = %s AND created_by = 'settings' AND enabled",
            (SETTINGS_SLACK,),
        )
        return
    await conn.execute(
        _FOLLOW,
        (
            SETTINGS_SLACK,
            masked_url(Channel.SLACK, url),
            checked_topics(settings.slack_topics),
            checked_severities(settings.slack_severities),
        ),
    )


def masked_url(channel: str, url: str) -> str:
    """The origin of a Slack URL, stored in plain text; the full URL is a credential."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/…" if channel == Channel.SLACK else url


def _secret(given: str | None) -> str:
    if given is None:
        return new_secret()
    if len(given) < MIN_SECRET_LENGTH:
        raise InvalidInput(f"a secret has at least {MIN_SECRET_LENGTH} characters", field="secret")
    return given


async def _seal(conn: Connection, ring: KeyRing, endpoint_id: int, hidden: str) -> None:
    await conn.execute(
        "UPDATE webhook_endpoints SET secret_ciphertext = %s, secret_key_id = %s, secret_version = secret_version + 1 "
        "WHERE id = %s",
        (seal(ring, hidden.encode(), _bound_to(endpoint_id)), ring.current, endpoint_id),
    )


def _bound_to(endpoint_id: int) -> str:
    return f"webhook_endpoint:{endpoint_id}"
