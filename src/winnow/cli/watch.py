"""`winnow watch URL` and `winnow watches …`: watch a page and get notifications about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run
from winnow.cli.targets import ByHand, Every, Schedule, cadence

if TYPE_CHECKING:
    from winnow.actions.intake import Cadence
    from winnow.actions.parts import Parts
    from winnow.actions.watches import WatchConditions, Watching

app = typer.Typer(help="Watch rules: notifications about single pages.", no_args_is_help=True)

COLUMNS = {
    "ID": "id",
    "TARGET": "target_id",
    "WHEN": "condition",
    "BELOW": "threshold",
    "": "currency",
    "DROP %": "drop_percent",
    "MET": "fired_count",
    "RECEIVERS": "receivers",
    "LAST (UTC)": "last_fired_at",
    "URL": "url",
}


def watch(
    url: Annotated[str, typer.Argument(help="The page.", show_default=False)],
    schedule: Schedule = None,
    every: Every = None,
    by_hand: ByHand = False,
    priority: Annotated[int, typer.Option(help="Higher runs first.")] = 0,
    below: Annotated[str | None, typer.Option(help="Notify when the price is below this, e.g. 20 or 19.99.")] = None,
    currency: Annotated[str | None, typer.Option(help="Currency of --below. Default: that of the page.")] = None,
    drop: Annotated[str | None, typer.Option(help="Notify when the price dropped by this much, e.g. 10%.")] = None,
    back_in_stock: Annotated[bool, typer.Option("--back-in-stock", help="Notify when it is back in stock.")] = False,
    any_change: Annotated[
        bool, typer.Option("--any-change", help="Notify of every change of price or availability.")
    ] = False,
    webhook: Annotated[str | None, typer.Option(help="URL to notify. Default: receivers of watch.fired.")] = None,
    sku: Annotated[str | None, typer.Option(help="Read the variant with this SKU.")] = None,
    size: Annotated[str | None, typer.Option(help="Read the variant of this size.")] = None,
    colour: Annotated[str | None, typer.Option("--colour", "--color", help="Read the variant of this colour.")] = None,
    selector: Annotated[str | None, typer.Option(help="Read the price at this CSS selector.")] = None,
    slack: Annotated[bool, typer.Option("--slack", help="Notify the Slack channel of the settings.")] = False,
    as_json: AsJson = False,
) -> None:
    """Watches a page from now on, every 4 hours by default.

    Creates source, retailer and target, named after the domain. A rule notifies once each time its condition is met,
    again only after the price was back above it or the page was out of stock."""
    from winnow.actions.watches import WatchConditions

    wish = WatchConditions(
        below=below,
        currency=currency,
        drop=drop,
        back_in_stock=back_in_stock,
        any_change=any_change,
        webhook_url=webhook,
        slack=slack,
    )
    when = cadence(schedule, every, by_hand) if schedule or every or by_hand else None
    choice = {"sku": sku, "size": size, "colour": colour, "selector": selector}
    run(_watch(url, when, priority, wish, {name: value for name, value in choice.items() if value}, as_json))


async def _watch(
    url: str, when: Cadence | None, priority: int, wish: WatchConditions, choice: dict[str, str], as_json: bool
) -> None:
    from winnow.actions import target_choice, watches
    from winnow.actions import targets as target_actions
    from winnow.cli import show
    from winnow.errors import InvalidInput
    from winnow.extract.target_choice import Choice
    from winnow.publish import endpoints
    from winnow.sources import sources

    if not wish.wanted and (wish.webhook_url or wish.slack):
        raise InvalidInput("name a condition: --below, --drop, --back-in-stock or --any-change")
    rules: Watching | None = None
    async with assembled() as parts:
        ring = await parts.secrets.key_ring() if wish.wanted else None
        async with parts.database.transaction() as conn:
            await endpoints.follow_settings(conn, parts.settings.publish)
            watched = await target_actions.watch(conn, actor(), parts.intake, url, when, priority=priority)
            if choice:
                await target_choice.choose(conn, actor(), watched.target_id, Choice(**choice))
            waiting = await sources.unreviewed(conn, watched.source_id, parts.gated)
            if ring is not None:
                rules = await watches.add(conn, actor(), ring, parts.allow, watched.target_id, wish)
        receivers = await _receivers(parts, watched.target_id) if rules is not None else 0
    facts = {"id": watched.target_id, "source_id": watched.source_id, "created": watched.created}
    if as_json:
        show.as_json(
            facts | ({} if rules is None else {"watches": rules.ids, "fired": rules.fired, "secret": rules.secret})
        )
    elif waiting is not None:
        source = watched.source_id
        show.message(
            f"target {watched.target_id} of source {source} waits: its adapter {waiting} may visit the site only after"
        )
        show.message(f"its terms were reviewed: `winnow sources approve {source}`")
    elif watched.created:
        show.message(f"target {watched.target_id} of source {watched.source_id}. Start `winnow up` to fetch it.")
    else:
        show.message(f"already watched, as target {watched.target_id}")
    if rules is not None and not as_json:
        _report_rules(rules, receivers)


async def _receivers(parts: Parts, target_id: int) -> int:
    """The fewest receivers that any rule of the target reaches."""
    from winnow.queries import watches as queries
    from winnow.queries.reading import reader

    async with reader(parts.database) as conn:
        found, _ = await queries.listed(conn, target_id=target_id)
    return min((row["receivers"] for row in found), default=0)


def _report_rules(rules: Watching, receivers: int) -> None:
    from winnow.cli import show

    met = "; the condition is already met" if rules.fired else ""
    show.message(f"watch {', '.join(map(str, rules.ids))}{met}")
    if not receivers:
        show.message("no receiver is subscribed, so no notification is sent: add one with `winnow webhooks add URL`")
    if rules.secret is not None:
        show.message(f"messages are signed with {rules.secret} (shown only once)")


@app.command("list")
def list_(limit: Limit = 50, as_json: AsJson = False) -> None:
    """Shows watch rules."""
    run(_list(limit, as_json))


async def _list(limit: int, as_json: bool) -> None:
    from winnow.api.models.watches import WatchResponse
    from winnow.cli import show
    from winnow.queries import watches as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.listed(conn, limit=limit)
    shown = [WatchResponse.of(row) for row in found]
    if as_json:
        show.models(shown)
    else:
        rows: list[dict[str, Any]] = [one.model_dump() for one in shown]
        show.table(COLUMNS, rows, "no watches yet: `winnow watch URL --below 20`")


@app.command("remove")
def remove(
    ids: Annotated[list[int], typer.Argument(help="Ids of watches.", show_default=False)], as_json: AsJson = False
) -> None:
    """Removes watch rules; the page is visited as before."""
    run(_remove(ids, as_json))


async def _remove(ids: list[int], as_json: bool) -> None:
    from winnow.actions import watches
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        for watch_id in ids:
            await watches.remove(conn, actor(), watch_id)
    show.done(as_json, f"{len(ids)} removed", removed=ids)
