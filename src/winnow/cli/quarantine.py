"""`winnow quarantine …`: held records, and what you decide about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, one_of, run

if TYPE_CHECKING:
    from winnow.actions.parts import Parts
    from winnow.db.engine import Connection

app = typer.Typer(help="Quarantine: records held by a check until you decide.", no_args_is_help=True)

MOST = 10_000  # entries in one command
Ids = Annotated[list[int] | None, typer.Argument(help="Ids of entries.", show_default=False)]
All = Annotated[bool, typer.Option("--all", help="All open ones that match.")]
Why = Annotated[str | None, typer.Option("--reason", help="Only entries with this reason, e.g. AMBIGUOUS_PRICE.")]
Source = Annotated[int | None, typer.Option(help="Only of this source (its id).")]
Note = Annotated[str | None, typer.Option(help="Why; kept with the entry and in the audit trail.")]
COLUMNS = {
    "ID": "id",
    "REASON": "reason",
    "PRICE": "price",
    "STOCK": "availability",
    "TITLE": "title",
    "DETAILS": "details",
    "SINCE (UTC)": "created_at",
    "BECAME": "resolution",
    "BY": "resolved_by",
}


@app.command("list")
def list_(
    status: Annotated[str, typer.Option(help="open, resolved or all.")] = "open",
    reason: Why = None,
    source: Source = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Shows entries, newest first."""
    run(_list(one_of("open resolved all", status, "status"), reason, source, limit, as_json))


async def _list(status: str | None, reason: str | None, source: int | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.quarantine import HeldResponse
    from winnow.cli import show
    from winnow.queries import quarantine as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        wanted = None if status == "all" else status
        found, _ = await queries.listed(conn, status=wanted, reason=reason, source_id=source, limit=limit)
    if as_json:
        show.models([HeldResponse.of(row) for row in found])
    else:
        show.table(COLUMNS, [_priced(row) for row in found], "no held records")


@app.command("show")
def show_(entry: Annotated[int, typer.Argument(help="Id of the entry.")], as_json: AsJson = False) -> None:
    """Shows one entry: the values that were read, every finding, and the current price of the offer."""
    run(_show(entry, as_json))


async def _show(entry: int, as_json: bool) -> None:
    from winnow.api.models.quarantine import HeldDetail
    from winnow.cli import show
    from winnow.errors import NotFound
    from winnow.queries import quarantine as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        row = await queries.one(conn, entry)
    if row is None:
        raise NotFound(f"there is no quarantine entry {entry}")
    if as_json:
        show.as_json(HeldDetail.of(row).model_dump(mode="json"))
        return
    payload = row.pop("payload")
    show.fields(_priced(row) | {"provenance": payload.get("provenance"), "identity": payload.get("identity")})


@app.command("accept")
def accept(
    ids: Ids = None,
    everything: All = False,
    reason: Why = None,
    source: Source = None,
    price: Annotated[str | None, typer.Option(help="The correct price, e.g. 19.99, if it was misread.")] = None,
    currency: Annotated[str | None, typer.Option(help="Its currency. Default: the one that was read.")] = None,
    note: Note = None,
    as_json: AsJson = False,
) -> None:
    """Accepts entries: each is stored as a price, with your name in the audit trail."""
    run(_accept(ids, everything, reason, source, price, currency, note, as_json))


async def _accept(
    ids: list[int] | None,
    everything: bool,
    reason: str | None,
    source: int | None,
    price: str | None,
    currency: str | None,
    note: str | None,
    as_json: bool,
) -> None:
    from winnow.actions import quarantine as quarantine_actions
    from winnow.actions.quarantine import parse_price
    from winnow.errors import InvalidInput
    from winnow.queries import quarantine as queries
    from winnow.queries.reading import reader

    if price is not None and (everything or len(ids or []) != 1):
        raise InvalidInput("--price needs exactly one entry id")
    async with assembled() as parts:
        money = None
        if price is not None:
            async with reader(parts.database) as reading:
                read = await queries.one(reading, (ids or [0])[0])
            money = parse_price(price, currency or (read or {}).get("currency"))

        async def decide(conn: Connection, entry: int) -> None:
            await quarantine_actions.accept(conn, actor(), entry, note=note, price=money)

        await _each(parts, ids, everything, reason, source, decide, "accepted", as_json)


@app.command("reject")
def reject(
    ids: Ids = None,
    everything: All = False,
    reason: Why = None,
    source: Source = None,
    note: Note = None,
    as_json: AsJson = False,
) -> None:
    """Rejects entries. They stay listed; the same price is refused when it is seen again."""
    run(_reject(ids, everything, reason, source, note, as_json))


async def _reject(
    ids: list[int] | None, everything: bool, reason: str | None, source: int | None, note: str | None, as_json: bool
) -> None:
    from winnow.actions import quarantine as quarantine_actions

    async def decide(conn: Connection, entry: int) -> None:
        await quarantine_actions.reject(conn, actor(), entry, note=note)

    async with assembled() as parts:
        await _each(parts, ids, everything, reason, source, decide, "rejected", as_json)


@app.command("note")
def note_(
    entry: Annotated[int, typer.Argument(help="Id of the entry.")],
    text: Annotated[str, typer.Argument(help="What.")],
    as_json: AsJson = False,
) -> None:
    """Adds a note to an entry."""
    run(_note(entry, text, as_json))


async def _note(entry: int, text: str, as_json: bool) -> None:
    from winnow.actions import quarantine as quarantine_actions
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        await quarantine_actions.annotate(conn, actor(), entry, text)
    show.done(as_json, f"entry {entry}: noted", id=entry, noted=True)


async def _each(
    parts: Parts,
    ids: list[int] | None,
    everything: bool,
    reason: str | None,
    source: int | None,
    decide: Any,
    word: str,
    as_json: bool,
) -> None:
    """Exit code 1 when one of them was refused, each with its sentence."""
    from winnow.actions import quarantine as quarantine_actions
    from winnow.cli import show
    from winnow.errors import InvalidInput
    from winnow.queries import quarantine as queries
    from winnow.queries.reading import reader

    if bool(ids) == everything:
        raise InvalidInput("name entries by their ids, or use --all")
    if everything:
        async with reader(parts.database) as conn:
            ids, _ = await queries.open_ids(conn, reason=reason, source_id=source, adapter_id=None, limit=MOST)
    done = await quarantine_actions.decide_each(parts.database, ids or [], decide)
    for refused in done.refused:
        typer.echo(f"winnow: {refused.message}", err=True)
    show.done(as_json, f"{len(done.done)} of {len(ids or [])} entries {word}", changed=done.done, of=len(ids or []))
    if done.refused:
        raise typer.Exit(1)


def _priced(row: dict[str, Any]) -> dict[str, Any]:
    from winnow.normalise.money.display import format_money

    shown = dict(row)
    for name, minor, currency in (("price", "price_minor", "currency"), ("price_now", "last_minor", "last_currency")):
        if row.get(minor) is not None and row.get(currency):
            shown[name] = format_money(row[minor], row[currency])
        shown.pop(minor, None)
    shown.pop("last_currency", None)
    return shown
