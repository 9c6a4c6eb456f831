"""Venues, events, and what is remembered of them between readings. Written by `store/events/` only."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CHAR,
    BigInteger,
    Boolean,
    CheckConstraint,
    Computed,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table
from winnow.vocabulary.event_categories import categories
from winnow.vocabulary.event_status import STATUSES

# How near coordinates are to the event: only the first two are used to say that two events are at one place.
PRECISIONS = "'exact','street','postcode','town'"
CATEGORIES = ",".join(f"'{name}'" for name in sorted(categories()))  # E-063
EVENT_STATUSES = ",".join(f"'{name}'" for name in STATUSES)
# An hour of the place itself, or that none is known (E-060).
HOUR = "event_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' OR event_time = 'TBD'"

# By the clock of UTC, so that it does not depend on a setting: a day of 23 or 25 hours ends an hour early or late.
OVER_AT = (
    "coalesce(ends_at, (starts_at AT TIME ZONE 'UTC' + make_interval(days => coalesce(end_date - event_date, 0) "
    "+ (event_time = 'TBD')::integer)) AT TIME ZONE 'UTC')"
)
LONG = "over_at - starts_at > interval '2 days'"  # exhibitions and festivals: few, and found by an index of their own


class Venue(Table):
    """A place where events happen. `merged_into`: a person found that it is that one under another name."""

    __tablename__ = "venues"

    id: Mapped[Serial]
    name: Mapped[str]
    name_key: Mapped[str]
    street: Mapped[str | None]
    postal_code: Mapped[str | None]
    town: Mapped[str | None]
    town_key: Mapped[str] = mapped_column(server_default="")
    country: Mapped[str | None] = mapped_column(CHAR(2))
    latitude: Mapped[float | None] = mapped_column(Double)
    longitude: Mapped[float | None] = mapped_column(Double)
    coordinates_from: Mapped[str | None]
    precision: Mapped[str | None]
    merged_into: Mapped[int | None] = mapped_column(ForeignKey("venues.id"))
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("btrim(name) <> ''", name="name"),
        CheckConstraint("latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180", name="coordinates"),
        CheckConstraint("(latitude IS NULL) = (longitude IS NULL)", name="coordinates_pair"),
        CheckConstraint("latitude IS NULL OR (coordinates_from IS NOT NULL AND precision IS NOT NULL)", name="origin"),
        CheckConstraint(
            "coordinates_from IN ('stated','geocoder','gazetteer','source','person')", name="coordinates_from"
        ),
        CheckConstraint(f"precision IN ({PRECISIONS})", name="precision"),
        CheckConstraint("merged_into <> id", name="merged_into"),
        Index("idx_venues_name_key", "name_key", "town_key"),
        Index("idx_venues_merged_into", "merged_into", postgresql_where=text("merged_into IS NOT NULL")),
        # What the geocoder still has to look up.
        Index("idx_venues_unlocated", "id", postgresql_where=text("latitude IS NULL AND merged_into IS NULL")),
    )


class VenueAlias(Table):
    """A name under which a venue is listed in a town. Where no town is known, `town_key` names the source instead: two
    sources that write "Grote Kerk" may mean two towns."""

    __tablename__ = "venue_aliases"

    alias_key: Mapped[str] = mapped_column(primary_key=True)
    town_key: Mapped[str] = mapped_column(primary_key=True)
    venue_id: Mapped[int] = mapped_column(ForeignKey("venues.id", ondelete="CASCADE"))
    # The venue it named before a person merged that one, so that the merge can be taken back.
    merged_from: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[Moment]

    __table_args__ = (Index("idx_venue_aliases_venue_id", "venue_id"),)


class EventIdentity:
    """What makes it this event and no other (DESIGN §11.30), and where it was read."""

    id: Mapped[Serial]
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    source_key: Mapped[str]
    occurrence: Mapped[str]
    record_key: Mapped[str]
    event_fingerprint: Mapped[str] = mapped_column(CHAR(64))
    digest: Mapped[str]
    target_id: Mapped[int | None] = mapped_column(BigInteger)
    page_id: Mapped[UUID | None]
    task_id: Mapped[UUID | None]


class EventContent:
    """What the source says of it, with a person's corrections. `starts_at` is local midnight when no hour is known."""

    title: Mapped[str]
    description: Mapped[str] = mapped_column(server_default="")
    event_date: Mapped[date] = mapped_column(Date)
    event_time: Mapped[str] = mapped_column(server_default="TBD")
    starts_at: Mapped[datetime]
    ends_at: Mapped[datetime | None]
    end_date: Mapped[date | None] = mapped_column(Date)
    # Until when it is one to come: its end, else the end of its last day where that is all that is known.
    over_at: Mapped[datetime] = mapped_column(Computed(OVER_AT, persisted=True))
    time_zone: Mapped[str | None]
    doors: Mapped[str | None]
    timing: Mapped[str] = mapped_column(server_default="single")
    recurrence: Mapped[str | None]
    structured_date: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    category: Mapped[str] = mapped_column(server_default="community")
    event_type: Mapped[str] = mapped_column(server_default="anchor")
    event_status: Mapped[str] = mapped_column(server_default="scheduled")
    sold_out: Mapped[bool | None] = mapped_column(Boolean)
    organiser: Mapped[str | None]
    performers: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'::text[]"))
    price_low_minor: Mapped[int | None] = mapped_column(BigInteger)
    price_high_minor: Mapped[int | None] = mapped_column(BigInteger)
    currency: Mapped[str | None] = mapped_column(CHAR(3))
    image_url: Mapped[str | None]
    url: Mapped[str | None]
    ticket_url: Mapped[str | None]
    uid: Mapped[str | None]
    language: Mapped[str | None]
    confidence: Mapped[float] = mapped_column(Double, server_default="1")
    normalization_method: Mapped[str] = mapped_column(server_default="rules")
    provenance: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    corrections: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))


class EventPlace:
    """Where it is. `location_flagged`: the coordinates are the source's own, to be geocoded later (E-062). `cell` is
    the square of about 500 m it lies in, where its coordinates are of a street or better; `area` one of about 25 km."""

    venue_id: Mapped[int | None] = mapped_column(ForeignKey("venues.id"))
    venue_name: Mapped[str]
    venue_key: Mapped[str] = mapped_column(server_default="")
    town_key: Mapped[str] = mapped_column(server_default="")
    structured_location: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    latitude: Mapped[float | None] = mapped_column(Double)
    longitude: Mapped[float | None] = mapped_column(Double)
    precision: Mapped[str | None]
    location_flagged: Mapped[bool] = mapped_column(server_default=text("false"))
    online: Mapped[bool | None] = mapped_column(Boolean)
    cell: Mapped[int | None] = mapped_column(BigInteger)
    area: Mapped[int | None] = mapped_column(Integer)


class EventLife:
    """When it was seen, missed, changed and merged. `sequence` is the SEQUENCE of its calendar entry; `merged_into` the
    event it is shown as; `match_requested_at`: other sources' events have yet to be compared with it."""

    status: Mapped[str] = mapped_column(server_default="published")
    last_seen_run_id: Mapped[int | None] = mapped_column(BigInteger)
    first_seen_at: Mapped[Moment]
    last_seen_at: Mapped[Moment]
    missing_since: Mapped[datetime | None]
    misses: Mapped[int] = mapped_column(server_default="0")
    gone_at: Mapped[datetime | None]
    sequence: Mapped[int] = mapped_column(server_default="0")
    merged_into: Mapped[int | None] = mapped_column(ForeignKey("events.id"))
    match_requested_at: Mapped[datetime | None]
    search_text: Mapped[str] = mapped_column(server_default="")
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]


class Event(EventIdentity, EventContent, EventPlace, EventLife, Table):
    """One event of one source (E-106). What several sources list is one row for each, and one of them is shown.

    The key (source_id, source_key, occurrence) replaces E-072's (source_id, event_fingerprint), which stands beside it:
    a title that is corrected is the same event, and a matinee is another one than the evening (DESIGN §11.30).
    """

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("source_id", "source_key", "occurrence", name="events_source_key_occurrence_key"),
        CheckConstraint("btrim(title) <> ''", name="title"),
        CheckConstraint(HOUR, name="event_time"),
        CheckConstraint("end_date >= event_date", name="end_date"),
        CheckConstraint("ends_at >= starts_at", name="ends_at"),
        CheckConstraint("timing IN ('single','multiple','periodic','permanent')", name="timing"),
        CheckConstraint(f"category IN ({CATEGORIES})", name="category"),
        CheckConstraint("status IN ('published','hidden','gone')", name="status"),
        CheckConstraint(f"event_status IN ({EVENT_STATUSES})", name="event_status"),
        CheckConstraint("(latitude IS NULL) = (longitude IS NULL)", name="coordinates_pair"),
        CheckConstraint("latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180", name="coordinates"),
        CheckConstraint(f"precision IN ({PRECISIONS})", name="precision"),
        CheckConstraint("(latitude IS NULL) = (precision IS NULL)", name="precision_known"),
        CheckConstraint("(price_low_minor IS NULL) = (price_high_minor IS NULL)", name="price_pair"),
        CheckConstraint("price_low_minor BETWEEN 0 AND price_high_minor", name="price"),
        CheckConstraint("normalization_method IN ('rules','ai','hybrid')", name="normalization_method"),
        CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence"),
        CheckConstraint("(status = 'gone') = (gone_at IS NOT NULL)", name="gone_at"),
        CheckConstraint("merged_into <> id", name="merged_into"),
        Index("idx_events_fingerprint", "source_id", "event_fingerprint"),
        # Candidates of another source's event: the same day, and the same venue, the square around it, or its area.
        Index("idx_events_day_venue", "event_date", "venue_key"),
        Index("idx_events_day_cell", "event_date", "cell", postgresql_where=text("cell IS NOT NULL")),
        Index("idx_events_day_area", "event_date", "area", postgresql_where=text("cell IS NULL")),
        # Feeds and lists: what comes next, anywhere or around a place.
        Index("idx_events_starts_at", "starts_at", "id"),
        Index("idx_events_long", "over_at", postgresql_where=text(LONG)),
        Index("idx_events_area", "area", "starts_at", postgresql_where=text("area IS NOT NULL")),
        Index("idx_events_venue_id", "venue_id", "starts_at"),
        Index("idx_events_category", "category", "starts_at"),
        Index("idx_events_source_missing", "source_id", postgresql_where=text("missing_since IS NOT NULL")),
        Index("idx_events_flagged", "id", postgresql_where=text("location_flagged")),
        Index("idx_events_merged_into", "merged_into", postgresql_where=text("merged_into IS NOT NULL")),
        Index("idx_events_unmatched", "match_requested_at", postgresql_where=text("match_requested_at IS NOT NULL")),
        Index("idx_events_search_text", text("to_tsvector('simple'::regconfig, search_text)"), postgresql_using="gin"),
        Index("idx_events_title", "title", postgresql_using="gin", postgresql_ops={"title": "gin_trgm_ops"}),
        # Every sighting rewrites the row: room for it on its own page, so that no index is touched.
        {"postgresql_with": {"fillfactor": "85"}},
    )


class EventChange(Table):
    """What changed of an event: {field: [before, after]}, and what made it change."""

    __tablename__ = "event_changes"

    id: Mapped[Serial]
    event_id: Mapped[int] = mapped_column(BigInteger)
    changed_at: Mapped[Moment]
    task_id: Mapped[UUID | None]
    changes: Mapped[dict[str, Any]]
    cause: Mapped[str]
    actor: Mapped[str | None]

    __table_args__ = (
        CheckConstraint(
            "cause IN ('listed','renamed','moved','returned','gone','located','corrected','hidden','restored')",
            name="cause",
        ),
        Index("idx_event_changes_event_id", "event_id", "id"),
    )


class EventPage(Table):
    """The last reading of a page that lists events: what the next one is compared with (DESIGN §11.31)."""

    __tablename__ = "event_pages"

    source_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    page_hash: Mapped[str] = mapped_column(CHAR(64), primary_key=True)
    url: Mapped[str]
    target_id: Mapped[int | None] = mapped_column(BigInteger)
    run_id: Mapped[int | None] = mapped_column(BigInteger)
    read_at: Mapped[Moment]
    events: Mapped[int]
    # The events it listed, past ones too: a page may list what others list as well.
    event_ids: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default=text("'{}'::bigint[]"))
    records_cut: Mapped[int] = mapped_column(server_default="0")
    held: Mapped[bool] = mapped_column(server_default=text("false"))

    __table_args__ = (Index("idx_event_pages_run_id", "run_id"),)


class EventListing(Table):
    """One reading of all the pages of a source: a run that has ended. Only `complete` ones may say what is gone."""

    __tablename__ = "event_listings"

    run_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    source_id: Mapped[int] = mapped_column(BigInteger)
    read_at: Mapped[datetime]
    pages: Mapped[int]
    events: Mapped[int]
    # How many events of days to come the source listed before, of which `events` is compared with.
    expected: Mapped[int]
    first_day: Mapped[date | None] = mapped_column(Date)
    last_day: Mapped[date | None] = mapped_column(Date)
    complete: Mapped[bool] = mapped_column(Boolean)
    why: Mapped[str | None]
    missing: Mapped[int] = mapped_column(server_default="0")
    gone: Mapped[int] = mapped_column(server_default="0")

    __table_args__ = (
        CheckConstraint("complete = (why IS NULL)", name="why"),
        Index("idx_event_listings_source_id", "source_id", "read_at"),
    )


class EventReactions(Table):
    """How often an event was opened and kept by people, as consumers report it (E-114)."""

    __tablename__ = "event_reactions"

    event_id: Mapped[int] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    clicks: Mapped[int] = mapped_column(BigInteger, server_default="0")
    saves: Mapped[int] = mapped_column(BigInteger, server_default="0")
    updated_at: Mapped[Moment]

    __table_args__ = (CheckConstraint("clicks >= 0 AND saves >= 0", name="counts"),)


class EventSubscription(Table):
    """A calendar address for one choice of events. The token is kept as its hash and shown once."""

    __tablename__ = "event_subscriptions"

    id: Mapped[Serial]
    token_hash: Mapped[str] = mapped_column(CHAR(64), unique=True)
    name: Mapped[str]
    filters: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
    workspace: Mapped[str | None]
    created_by: Mapped[str]
    created_at: Mapped[Moment]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]

    __table_args__ = (CheckConstraint("btrim(name) <> ''", name="name"),)
