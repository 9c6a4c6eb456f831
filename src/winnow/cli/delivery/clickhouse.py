"""`winnow clickhouse …`: the copy of prices, offers, products and events in ClickHouse."""

from __future__ import annotations

import typer

from winnow.cli.session import AsJson, assembled, run

app = typer.Typer(help="ClickHouse: what is loaded into it, for analytics.", no_args_is_help=True)
COLUMNS = {"DATA": "dataset", "COMPLETE UP TO (UTC)": "since", "LOADING UP TO": "until", "ROWS SENT": "rows"}


@app.command()
def load(as_json: AsJson = False) -> None:
    """Loads what changed since the last time. `winnow up` does it every few minutes."""
    run(_load(as_json))


async def _load(as_json: bool) -> None:
    from winnow.cli import show
    from winnow.run.exports.clickhouse import open_loader

    async with assembled() as parts:
        sent = await (await open_loader(parts.database, parts.settings)).run_once()
    sentence = "sent " + ", ".join(f"{rows:,} {name}" for name, rows in sent.items())
    show.done(as_json, sentence if sent else "another process is loading; nothing was sent", sent=sent)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Shows how far each table is loaded."""
    run(_status(as_json))


async def _status(as_json: bool) -> None:
    import msgspec

    from winnow.cli import show
    from winnow.publish.exports.clickhouse import cursors
    from winnow.publish.exports.clickhouse.address import parse_address
    from winnow.publish.exports.datasets import DATASETS

    async with assembled() as parts, parts.database.connection() as conn:
        url = parts.settings.publish.clickhouse_url
        destination = None if url is None else parse_address(url.get_secret_value()).destination
        found = [
            {"dataset": name, **msgspec.structs.asdict(await cursors.find(conn, destination, name))}
            for name in DATASETS
            if destination is not None
        ]
    if as_json:
        show.as_json(found)
        return
    show.table(COLUMNS, found, "off: set WINNOW_CLICKHOUSE_URL")
