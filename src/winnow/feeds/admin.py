"""What operators do with feeds, without code changes (F-002): add, change, enable, pause; all audited (F-127)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import structlog
from psycopg import sql
from psycopg.types.json import Jsonb

from winnow.errors import Conflict, InvalidInput
from winnow.feeds import feed as feeds
from winnow.feeds.feed import Connection, Feed
from winnow.feeds.read.columns import NETWORKS, ROLES
from winnow.feeds.read.url_template import check_template
from winnow.normalise.money.currencies import CODES
from winnow.observe import audit
from winnow.schedule import cadence

log = structlog.get_logger(__name__)

FREQUENCIES = (1, 2, 4, 6, 12, 24)  # F-037
MAX_VALUES = {"port": 65_535, "max_file_size_bytes": 10**13, "max_row_count": 2_000_000_000, "heartbeat_hours": 8_760}
_HOST = re.compile(r"[^\s/:@]*|\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*\]?")  # a name, or an address of IPv6
_KEY = re.compile(r"(SHA256:[A-Za-z0-9+/]{43})?")
TRANSPORTS = ("SFTP", "FTPS", "FTP", "HTTPS", "FILE")
UPDATE_MODES = ("FULL", "INCREMENTAL")
CHANGEABLE = frozenset({
    "network", "schedule_frequency_hours", "schedule_cron", "keep_files", "expiry_hours",
    "heartbeat_hours", "transport", "host", "port", "path",
    "username", "format", "compression", "encoding", "delimiter", "default_currency", "column_overrides",
    "max_file_size_bytes", "max_row_count", "refresh_unchanged", "url_normalization_mode", "host_key_fingerprint",
    "url_template", "update_mode",
})  # fmt: skip


def check(values: Mapping[str, Any], *, allow_plain_ftp: bool, confirmed_insecure: bool) -> None:
    """Refuses an expiry, a schedule or a transport that a feed may not have (F-035, F-037, F-093)."""
    hours = values.get("expiry_hours", 48)
    if type(hours) is not int or not 1 <= hours <= 168:
        raise InvalidInput("expiry_hours must be an integer between 1 and 168 hours", "expiry_hours")
    frequency = values.get("schedule_frequency_hours")
    if frequency is not None and frequency not in FREQUENCIES:
        raise InvalidInput("schedule_frequency_hours must be one of 1, 2, 4, 6, 12, 24, or nothing",
                           "schedule_frequency_hours")  # fmt: skip
    if values.get("schedule_cron") is not None:
        if frequency is not None:
            raise InvalidInput("a feed has schedule_frequency_hours or schedule_cron, not both", "schedule_cron")
        cadence.check_cron(values["schedule_cron"])
    _check_reading(values)
    for name, maximum in MAX_VALUES.items():
        if values.get(name) is not None and not 1 <= values[name] <= maximum:
            raise InvalidInput(f"{name} must be a number from 1 to {maximum}", name)
    if values.get("network", "IMPACT") not in NETWORKS:
        raise InvalidInput(f"network must be one of {', '.join(NETWORKS)}", "network")
    transport = values.get("transport", "SFTP")
    if transport not in TRANSPORTS:
        raise InvalidInput(f"transport must be one of {', '.join(TRANSPORTS)}", "transport")
    if transport == "FTP" and not allow_plain_ftp:
        raise InvalidInput("plain FTP is not allowed here (AFFILIATE_FEED_ALLOW_PLAIN_FTP)", "transport")
    if transport == "FTP" and not confirmed_insecure:
        raise InvalidInput("FTP sends the password in clear text: confirm that you understand FTP is insecure",
                           "transport")  # fmt: skip
    if not values.get("path"):
        raise InvalidInput("path must name the file", "path")
    if transport in ("SFTP", "FTPS", "FTP") and not values.get("host"):
        raise InvalidInput("host must name the server", "host")
    _check_place(transport, values)


def _check_place(transport: str, values: Mapping[str, Any]) -> None:
    """What every run would fail with, told to whoever types it. A line end in a path would be a second command to an
    FTP server."""
    for name in ("path", "host", "username"):
        if not str(values.get(name) or "").isprintable():
            raise InvalidInput(f"{name} holds a line end or another sign that cannot be printed", name)
    if not _HOST.fullmatch(str(values.get("host") or "")):
        raise InvalidInput("host must be the name of the server alone, as in sftp.example.com", "host")
    if not _KEY.fullmatch(str(values.get("host_key_fingerprint") or "")):
        raise InvalidInput("host_key_fingerprint must be SHA256: and 43 letters and digits, as ssh-keygen shows it",
                           "host_key_fingerprint")  # fmt: skip
    address = str(values["path"])
    if transport == "FILE" and (address.startswith("/") or ".." in address.split("/")):
        raise InvalidInput("path must be relative to the folder for local catalogues", "path")
    if transport == "HTTPS" and not (address.startswith("https://") or ("://" not in address and values.get("host"))):
        raise InvalidInput("path must be the whole address and begin with https://", "path")
    if transport == "HTTPS" and "@" in address.partition("://")[2].partition("/")[0]:
        raise InvalidInput("user name and password do not belong into the address: say them apart", "path")


def _check_reading(values: Mapping[str, Any]) -> None:
    """What is said about the file, as far as it can be wrong without it."""
    if values.get("encoding") is not None:
        try:
            "".encode(values["encoding"])  # some encodings are of bytes, and no text comes of them
        except (LookupError, ValueError):
            raise InvalidInput(f"there is no encoding {values['encoding']!r}", "encoding") from None
    if values.get("delimiter") is not None and len(values["delimiter"]) != 1:
        raise InvalidInput("delimiter must be one character", "delimiter")
    if values.get("default_currency", "USD") not in CODES:
        raise InvalidInput("default_currency must be a code of ISO 4217 such as USD", "default_currency")
    if values.get("url_template"):
        check_template(values["url_template"])
    if values.get("update_mode", "FULL") not in UPDATE_MODES:
        raise InvalidInput(f"update_mode must be one of {', '.join(UPDATE_MODES)}", "update_mode")
    unknown = sorted(values.get("column_overrides", {}).keys() - set(ROLES))
    if unknown:
        raise InvalidInput(f"column_overrides names {', '.join(unknown)}; fields are {', '.join(ROLES)}",
                           "column_overrides")  # fmt: skip


async def add(conn: Connection, actor: str, source_id: int, values: Mapping[str, Any]) -> Feed:
    """A draft (F-004); `values` were checked. The source becomes an affiliate's."""
    known = {name: values[name] for name in sorted(values.keys() & CHANGEABLE)}
    taken = await conn.execute("SELECT id FROM affiliate_feeds WHERE source_id = %s", (source_id,))
    if (row := await taken.fetchone()) is not None:
        raise Conflict(f"source {source_id} has a feed already", existing=str(row[0]))
    columns = ["source_id", "created_by", *known]
    query = sql.SQL("INSERT INTO affiliate_feeds ({}) VALUES ({}) RETURNING id").format(
        sql.SQL(", ").join(map(sql.Identifier, columns)), sql.SQL(", ").join(sql.Placeholder() * len(columns))
    )
    made = await (await conn.execute(query, (source_id, actor, *map(_stored, known.values())))).fetchone()
    assert made is not None
    await _reschedule(conn, made[0])  # F-055; a draft does not run, whatever it says
    feed = await feeds.get(conn, made[0])
    await audit.record(
        conn, actor, "FEED_CREATED", "feed", feed.id, None, {"source_id": source_id, "network": feed.network, **known}
    )
    log.info("FEED_CREATED", feed_id=feed.id, source_id=source_id, network=feed.network, actor=actor)
    await _warn_insecure(conn, actor, feed, None)
    return feed


async def change(conn: Connection, actor: str, feed_id: int, values: Mapping[str, Any]) -> Feed:
    before = await feeds.get(conn, feed_id, lock=True)
    known = {n: values[n] for n in sorted(values.keys() & CHANGEABLE) if getattr(before, n, None) != values[n]}
    if not known:
        return before
    moved = sql.SQL(", ").join(sql.SQL("{} = {}").format(sql.Identifier(n), sql.Placeholder()) for n in known)
    await conn.execute(
        sql.SQL("UPDATE affiliate_feeds SET {}, updated_at = now() WHERE id = {}").format(moved, sql.Placeholder()),
        (*map(_stored, known.values()), feed_id),
    )
    if known.keys() & {"schedule_frequency_hours", "schedule_cron"} and before.status in ("DRAFT", "ENABLED"):
        await _reschedule(conn, feed_id)
    if not known.keys().isdisjoint(feeds.READING):
        await forget_file(conn, feed_id)
    await _record_changes(conn, actor, before, known)
    return await feeds.get(conn, feed_id)


async def _record_changes(conn: Connection, actor: str, before: Feed, known: Mapping[str, Any]) -> None:
    old = {n: getattr(before, n, None) for n in known}
    await audit.record(conn, actor, "FEED_UPDATED", "feed", before.id, old, known)
    log.info("FEED_UPDATED", feed_id=before.id, changed_fields=sorted(known), actor=actor)
    if "expiry_hours" in known:
        await audit.record(conn, actor, "EXPIRY_HOURS_CHANGED", "feed", before.id,
                           {"expiry_hours": before.expiry_hours}, {"expiry_hours": known["expiry_hours"]})  # fmt: skip
        log.warning("EXPIRY_HOURS_CHANGED", feed_id=before.id, old=before.expiry_hours, new=known["expiry_hours"],
                    actor=actor)  # fmt: skip
    if "transport" in known:
        await _warn_insecure(conn, actor, await feeds.get(conn, before.id), before.transport)


async def _warn_insecure(conn: Connection, actor: str, feed: Feed, before: str | None) -> None:
    if feed.transport == "FTP" and before != "FTP":
        await audit.record(conn, actor, "INSECURE_TRANSPORT_SELECTED", "feed", feed.id, None, {"transport": "FTP"})
        log.warning("INSECURE_TRANSPORT_SELECTED", feed_id=feed.id, transport="FTP", actor=actor)


async def forget_file(conn: Connection, feed_id: int) -> None:
    """The next run reads the file, whatever it looks like from outside. What is remembered of its records stays: it is
    never used for another way of reading (reading.salt_of), and a run that ends now holds it and waits for our row."""
    await conn.execute(
        "UPDATE affiliate_feeds SET last_remote_mtime = NULL, last_remote_size = NULL, last_content_hash = NULL"
        " WHERE id = %s",
        (feed_id,),
    )


async def enable(conn: Connection, actor: str, feed_id: int, *, acknowledged: bool = False) -> Feed:
    """Enable a feed (F-055, F-104). One that the system disabled needs the confirmation that its failure was
    reviewed."""
    feed = await feeds.get(conn, feed_id, lock=True)
    check(_as_values(feed), allow_plain_ftp=True, confirmed_insecure=True)
    if feed.status == "DISABLED" and not acknowledged:
        raise Conflict(f"feed {feed_id} was disabled due to repeated failures: acknowledge that to enable it again")
    if feed.status != "ENABLED":
        await conn.execute(
            "UPDATE affiliate_feeds SET consecutive_failures = 0, status_reason = NULL WHERE id = %s", (feed_id,)
        )
        await _set_status(conn, actor, feed, "ENABLED")
        await _reschedule(conn, feed_id)
    return await feeds.get(conn, feed_id)


async def pause(conn: Connection, actor: str, feed_id: int, *, reason: str | None = None) -> Feed:
    """Pause a feed: a run in progress finishes and no further one starts. `reason` is set when the system pauses it."""
    feed = await feeds.get(conn, feed_id, lock=True)
    if feed.status == "DISABLED":
        raise Conflict(f"feed {feed_id} is disabled already")
    if feed.status != "PAUSED":
        await conn.execute(
            "UPDATE affiliate_feeds SET next_run_at = NULL, status_reason = %s WHERE id = %s", (reason, feed_id)
        )
        await _set_status(conn, actor, feed, "PAUSED", reason)
    return await feeds.get(conn, feed_id)


async def delete(conn: Connection, actor: str, feed_id: int) -> None:
    """Removes the feed and its runs. Its offers are hidden with it; their prices stay in the history (F-002)."""
    feed = await feeds.get(conn, feed_id, lock=True)
    if not await feeds.try_transaction_lock(conn, feed):
        raise Conflict(f"a run of feed {feed_id} is under way: pause the feed and wait for its end")
    corrected = await conn.execute(
        "SELECT FROM price_corrections AS c JOIN affiliate_feed_runs AS r ON r.id = c.affiliate_feed_run_id"
        " WHERE r.feed_id = %s LIMIT 1",
        (feed_id,),
    )
    if await corrected.fetchone() is not None:
        raise Conflict(f"prices of a run of feed {feed_id} were corrected: the record of that run has to stay")
    for statement in (
        "UPDATE sources SET is_display_primary = false, updated_at = now() WHERE id = %(source_id)s",
        "UPDATE source_product_presence AS s SET last_seen_success_at = NULL, updated_at = now()"
        " FROM source_products AS o"
        " WHERE o.id = s.source_product_id AND o.source_id = %(source_id)s AND o.feed_run_id IS NOT NULL",
        "DELETE FROM affiliate_feed_runs WHERE feed_id = %(id)s",
        "DELETE FROM affiliate_feeds WHERE id = %(id)s",
    ):
        await conn.execute(statement, {"id": feed_id, "source_id": feed.source_id})
    before = {"name": feed.name, **{name: getattr(feed, name, None) for name in sorted(CHANGEABLE)}}
    await audit.record(conn, actor, "FEED_DELETED", "feed", feed_id, before, None)
    log.info("FEED_DELETED", feed_id=feed_id, source_id=feed.source_id, actor=actor)


async def _set_status(conn: Connection, actor: str, feed: Feed, status: str, reason: str | None = None) -> None:
    await conn.execute("UPDATE affiliate_feeds SET status = %s, updated_at = now() WHERE id = %s", (status, feed.id))
    await audit.record(conn, actor, "FEED_STATUS_CHANGED", "feed", feed.id, {"status": feed.status}, {"status": status},
                       reason)  # fmt: skip
    log.info("FEED_STATUS_CHANGED", feed_id=feed.id, old=feed.status, new=status, actor=actor, reason=reason)


async def _reschedule(conn: Connection, feed_id: int) -> None:
    found = await conn.execute(
        "SELECT schedule_cron, schedule_frequency_hours, now() FROM affiliate_feeds WHERE id = %s", (feed_id,)
    )
    row = await found.fetchone()
    assert row is not None
    due = cadence.next_due(row[0], timedelta(hours=row[1]) if row[1] else None, row[2])
    await conn.execute("UPDATE affiliate_feeds SET next_run_at = %s WHERE id = %s", (due, feed_id))


def _stored(value: Any) -> Any:
    return Jsonb(value) if isinstance(value, dict) else value


def _as_values(feed: Feed) -> dict[str, Any]:
    checked = ("expiry_hours", "schedule_frequency_hours", "schedule_cron", "network", "transport", "path", "host",
               "port", "username", "host_key_fingerprint", "encoding", "heartbeat_hours")  # fmt: skip
    return {n: getattr(feed, n) for n in checked}


async def record_primary_change(conn: Connection, actor: str, feed: Feed) -> None:
    await audit.record(conn, actor, "DISPLAY_PRIMARY_CHANGED", "feed", feed.id, None, {"source_id": feed.source_id})


def expires_between_runs(values: dict[str, Any]) -> bool:
    """FN-07: between two runs everything would expire."""
    frequency = values.get("schedule_frequency_hours")
    return frequency is not None and frequency >= values.get("expiry_hours", 48)
