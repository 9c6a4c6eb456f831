"""`winnow watch URL` and `winnow watches …`: visit a page from now on, and be told what happens on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run
from winnow.cli.targets import ByHand, Every, Schedule, cadence

if TYPE_CHECKING:
    from winnow.actions.intake import Cadence
    from winnow.actions.watches import Watching, Wish

app = typer.Typer(help="What people are told about single pages.", no_args_is_help=True)

COLUMNS = {
    "ID": "id",
    "TARGET": "target_id",
    "WHEN": "condition",
    "BELOW": "threshold",
    "": "currency",
    "DROP %": "drop_percent",
    "TOLD": "fired_count",
    "LAST (UTC)": "last_fired_at",
    "URL": "url",
}


def watch(
    url: Annotated[str, typer.Argument(help="The page.", show_default=False)],
    schedule: Schedule = None,
    every: Every = None,
    by_hand: ByHand = False,
    priority: Annotated[int, typer.Option(help="Higher runs first.")] = 0,
    below: Annotated[str | None, typer.Option(help="Be told when it costs less than this, e.g. 20 or 19.99.")] = None,
    currency: Annotated[str | None, typer.Option(help="Of --below; default: that of the page.")] = None,
    drop: Annotated[str | None, typer.Option(help="Be told when it has dropped by so much, e.g. 10%.")] = None,
    back_in_stock: Annotated[
        bool, typer.Option("--back-in-stock", help="Be told when it can be bought again.")
    ] = False,
    any_change: Annotated[
        bool, typer.Option("--any-change", help="Be told of every new price or availability.")
    ] = False,
    webhook: Annotated[str | None, typer.Option(help="Tell this URL; default: all who hear watch.fired.")] = None,
    slack: Annotated[bool, typer.Option("--slack", help="Tell the Slack channel of the settings.")] = False,
    as_json: AsJson = False,
) -> None:
    """Watches a page from now on, every 4 hours by default.

    Source, retailer and target in one go, named after the domain. Once per crossing somebody is told: the next time
    only after the price has been back above, or the page out of stock."""
    from winnow.actions.watches import Wish

    wish = Wish(below=below, currency=currency, drop=drop, back_in_stock=back_in_stock, any_change=any_change,
                webhook_url=webhook, slack=slack)  # fmt: skip
    when = cadence(schedule, every, by_hand) if schedule or every or by_hand else None
    run(_watch(url, when, priority, wish, as_json))


async def _watch(url: str, when: Cadence | None, priority: int, wish: Wish, as_json: bool) -> None:
    from winnow.actions import targets as target_actions
    from winnow.actions import watches
    from winnow.cli import show
    from winnow.errors import InvalidInput
    from winnow.publish import endpoints
    from winnow.sources import sources

    if not wish.wanted and (wish.webhook_url or wish.slack):
        raise InvalidInput("say what to be told: --below, --drop, --back-in-stock or --any-change")
    told: Watching | None = None
    async with assembled() as parts:
        ring = await parts.secrets.ring() if wish.wanted else None
        async with parts.database.transaction() as conn:
            await endpoints.follow_settings(conn, parts.settings.publish)
            watched = await target_actions.watch(conn, actor(), parts.intake, url, when, priority=priority)
            waiting = await sources.unreviewed(conn, watched.source_id, parts.gated)
            if ring is not None:
                told = await watches.add(conn, actor(), ring, parts.allow, watched.target_id, wish)
    facts = {"id": watched.target_id, "source_id": watched.source_id, "created": watched.created}
    if as_json:
        show.as_json(
            facts | ({} if told is None else {"watches": told.ids, "fired": told.fired, "secret": told.secret})
        )
    elif waiting is not None:
        source = watched.source_id
        show.say(
            f"target {watched.target_id} of source {source}; its adapter {waiting} is made for the site, and visits"
        )
        show.say(f"it when somebody has read the site's terms: `winnow sources approve {source}`")
    elif watched.created:
        show.say(f"target {watched.target_id} of source {watched.source_id}; `winnow up` visits it")
    else:
        show.say(f"watched already, as target {watched.target_id}")
    if told is not None and not as_json:
        _say(told)


def _say(told: Watching) -> None:
    from winnow.cli import show

    show.say(f"watch {', '.join(map(str, told.ids))}" + ("; it is so already, and told now" if told.fired else ""))
    if told.secret is not None:
        show.say(f"messages are signed with {told.secret} (shown this once)")


@app.command("list")
def list_(limit: Limit = 50, as_json: AsJson = False) -> None:
    """Shows what people are told about which page."""
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
    """Stops telling; the page is visited as before."""
    run(_remove(ids, as_json))


async def _remove(ids: list[int], as_json: bool) -> None:
    from winnow.actions import watches
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        for watch_id in ids:
            await watches.remove(conn, actor(), watch_id)
    show.done(as_json, f"{len(ids)} removed", removed=ids)
