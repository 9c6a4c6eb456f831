"""What a person orders about events and venues: merge, take apart, decide a doubt, correct, hide, subscribe. All
audited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from winnow.db.engine import Connection
from winnow.kinds.writers import event_messages
from winnow.observe import audit
from winnow.publish import outbox
from winnow.store.events import doubts, edit, subscriptions, venue_edit, venues
from winnow.store.events.matching import merges
from winnow.store.events.matching.merges import Merged


async def merge(conn: Connection, actor: str, event_id: int, other_id: int, *, reason: str = "by a person") -> Merged:
    """Show two events as one."""
    merged = await merges.merge_by_person(conn, event_id, other_id, actor, reason)
    await outbox.put(conn, [event_messages.merged(merged.kept_id, merged.merged_id, reason, actor)])
    await audit.record(conn, actor, "event.merged_by_person", "event", merged.kept_id,
                       after={"merged_id": merged.merged_id}, reason=reason)  # fmt: skip
    return merged


async def unmerge(conn: Connection, actor: str, event_id: int, *, reason: str | None = None) -> Merged:
    """Take an event out of the one it is shown as. Rules never merge the two again."""
    undone = await merges.unmerge(conn, event_id, actor)
    await outbox.put(conn, [event_messages.unmerged(undone.kept_id, undone.merged_id, actor)])
    await audit.record(conn, actor, "event.unmerged_by_person", "event", undone.kept_id,
                       after={"unmerged_id": undone.merged_id}, reason=reason)  # fmt: skip
    return undone


async def decide_doubt(
    conn: Connection, actor: str, doubt_id: int, *, same: bool, reason: str | None = None
) -> Merged | None:
    """`same`: they are one event and are merged; else they are two and stay so."""
    doubt = await doubts.take(conn, doubt_id)
    merged = None
    if same:
        merged = await merge(conn, actor, doubt.low_id, doubt.high_id, reason=reason or "a doubt was decided")
    await doubts.decide(conn, doubt_id, "merged" if same else "distinct", actor)
    await audit.record(conn, actor, "event.doubt_decided", "event_doubt", doubt_id,
                       after={"same": same, "events": [doubt.low_id, doubt.high_id]}, reason=reason)  # fmt: skip
    return merged


async def correct(
    conn: Connection, actor: str, event_id: int, values: Mapping[str, Any], *, reason: str | None = None
) -> dict[str, Any]:
    """Replace what the source says, for good; returns {field: [before, after]}."""
    row, changed = await edit.correct(conn, event_id, dict(values), actor)
    if changed:
        await outbox.put(conn, [event_messages.changed(event_id, row, changed, "corrected")])
        before = {name: pair[0] for name, pair in changed.items()}
        after = {name: pair[1] for name, pair in changed.items()}
        await audit.record(conn, actor, "event.corrected", "event", event_id, before, after, reason)
    return changed


async def hide(conn: Connection, actor: str, event_id: int, *, reason: str | None = None) -> None:
    await _set_hidden(conn, actor, event_id, hidden=True, reason=reason)


async def restore(conn: Connection, actor: str, event_id: int, *, reason: str | None = None) -> None:
    await _set_hidden(conn, actor, event_id, hidden=False, reason=reason)


async def _set_hidden(conn: Connection, actor: str, event_id: int, *, hidden: bool, reason: str | None) -> None:
    row = await edit.set_hidden(conn, event_id, actor, hidden=hidden)
    cause = "hidden" if hidden else "restored"
    await outbox.put(conn, [event_messages.changed(event_id, row, {"status": [None, row["status"]]}, cause)])
    action = "event.hidden" if hidden else "event.restored"
    await audit.record(conn, actor, action, "event", event_id, after={"status": row["status"]}, reason=reason)


async def correct_venue(
    conn: Connection, actor: str, venue_id: int, values: Mapping[str, Any], *, reason: str | None = None
) -> dict[str, Any]:
    """Change what is known of a venue; its events move with its coordinates. Returns {field: [before, after]}."""
    done = await venue_edit.correct(conn, venue_id, dict(values))
    if done.changes:
        await outbox.put(conn, [event_messages.changed(m.row["id"], m.row, m.changes, "located") for m in done.moved])
        before = {name: pair[0] for name, pair in done.changes.items()}
        after = {name: pair[1] for name, pair in done.changes.items()}
        await audit.record(conn, actor, "venue.corrected", "venue", venue_id, before, after, reason)
    return done.changes


async def merge_venues(conn: Connection, actor: str, venue_id: int, into: int, *, reason: str | None = None) -> None:
    await venues.merge(conn, venue_id, into)
    await audit.record(conn, actor, "venue.merged", "venue", into, after={"merged_id": venue_id}, reason=reason)


async def unmerge_venue(conn: Connection, actor: str, venue_id: int, *, reason: str | None = None) -> None:
    into = await venues.unmerge(conn, venue_id)
    await audit.record(conn, actor, "venue.unmerged", "venue", into, after={"unmerged_id": venue_id}, reason=reason)


async def subscribe(
    conn: Connection, actor: str, name: str, filters: Mapping[str, Any], workspace: str | None = None
) -> tuple[int, str]:
    """A calendar of the chosen events: its id, and the token of its address, which is shown once."""
    stated = {key: value for key, value in filters.items() if value not in (None, (), [])}
    subscription_id, token = await subscriptions.add(conn, actor, name, stated, workspace)
    await audit.record(conn, actor, "event_subscription.added", "event_subscription", subscription_id, after=stated)
    return subscription_id, token


async def unsubscribe(conn: Connection, actor: str, subscription_id: int) -> None:
    await subscriptions.revoke(conn, subscription_id)
    await audit.record(conn, actor, "event_subscription.revoked", "event_subscription", subscription_id)
