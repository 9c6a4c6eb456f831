"""Acts about events: three agendas become one calendar, a merge is taken back, an evening is cancelled, a redesign is
caught before anything is taken for gone."""

from __future__ import annotations

from winnow.actions import events
from winnow.demo.scene import Scene
from winnow.demo.stage import ACTOR
from winnow.demo.town import CANCELLED, CARRIED_OVER, CLUB, CONCERTS, OUTDOORS, PLAYS

LISTED = len(CONCERTS) + len(PLAYS) + len(OUTDOORS)
SHOWN = LISTED - 1  # one of them is in two agendas

_READ = "SELECT count(*) FROM events HAVING count(*) >= %s"
_SHOWN = "SELECT count(*) FROM shown_events"
_MERGE = """
SELECT m.merged_id, m.kept_id, a.title, b.title, m.reason FROM event_merges AS m
JOIN events AS a ON a.id = m.kept_id JOIN events AS b ON b.id = m.merged_id
WHERE m.undone_at IS NULL AND m.decided_by = 'rules'
"""
_CANCELLED = "SELECT id, sequence FROM shown_events WHERE title = %s AND event_status = 'cancelled'"
_NOTIFIED = "SELECT count(*) FROM outbox WHERE topic = 'event.cancelled' HAVING count(*) > 0"
_HELD = """
SELECT q.id, jsonb_array_length(q.payload -> 'records') FROM quarantine AS q JOIN sources AS s ON s.id = q.source_id
WHERE q.reason = 'DRIFT_DETECTED' AND q.resolved_at IS NULL AND s.name = %s
"""
_SETTLED = "SELECT resolution FROM quarantine WHERE id = %s AND resolved_at IS NOT NULL"
_LOST = """
SELECT count(*) FROM events AS e JOIN sources AS s ON s.id = e.source_id
WHERE s.name = %s AND (e.status <> 'published' OR e.missing_since IS NOT NULL)
"""


async def agendas_become_one(scene: Scene) -> str:
    await scene.wait_until(f"{LISTED} events of three agendas", lambda: scene.value(_READ, LISTED))
    (merge, *more) = await scene.wait_until("an event on two agendas to be merged", lambda: scene.rows(_MERGE))
    _, _, title, other, reason = merge
    scene.claim(not more and await scene.value(_SHOWN) == SHOWN, "each event is shown once")
    same = f"{title!r} and {other!r} of another agenda are one ({reason})"
    return f"{SHOWN} events from a list, a table and a calendar file, each once: {same}"


async def a_merge_is_taken_back(scene: Scene) -> str:
    ((merged, kept, *_),) = await scene.rows(_MERGE)
    scene.say("a person separates the two, and then finds that they are one after all")
    await scene.pause_briefly()
    async with scene.database.transaction() as conn:
        await events.unmerge(conn, ACTOR, merged, reason="asked the venue")
    scene.claim(await scene.value(_SHOWN) == SHOWN + 1, "both are shown on their own")
    await scene.pause_briefly()
    async with scene.database.transaction() as conn:
        await events.merge(conn, ACTOR, merged, kept, reason="the venue says it is one evening")
    scene.claim(await scene.value(_SHOWN) == SHOWN, "they are one again")
    return f"event {merged} was shown on its own, and is event {kept} again; both decisions are in the audit trail"


async def an_evening_is_cancelled(scene: Scene) -> str:
    scene.say(f"the theatre writes AFGELAST (Dutch: cancelled) beside {CANCELLED.title!r}")
    await scene.pause_briefly()
    scene.town.hall.cancelled = True
    row = await scene.wait_until("the event as cancelled", lambda: scene.rows(_CANCELLED, CANCELLED.title))
    ((event, sequence),) = row
    await scene.wait_until("the message for consumers", lambda: scene.value(_NOTIFIED))
    scene.claim(sequence > 0, "calendars see a newer version of the entry")
    return f"event {event} is cancelled, not gone: calendars get version {sequence} of it, webhooks event.cancelled"


async def a_list_is_redesigned(scene: Scene) -> str:
    scene.say(f"the club is redesigned: {CARRIED_OVER} of {len(CONCERTS)} evenings are left as text")
    await scene.pause_briefly()
    scene.town.hall.redesigned = True
    ((entry, held),) = await scene.wait_until("the page in quarantine", lambda: scene.rows(_HELD, CLUB))
    scene.claim(await scene.value(_LOST, CLUB) == 0, "no event of it is taken for gone")
    scene.say(f"the page waits in quarantine with {held} events; the calendar still has all {len(CONCERTS)}")
    await scene.pause_briefly()
    scene.town.hall.redesigned = False
    how = await scene.wait_until("the full page to settle it", lambda: scene.value(_SETTLED, entry))
    return f"the redesigned page was held and lost no event; the next full page settled it ({how})"
