"""`winnow feed …`: affiliate catalogues."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from winnow.cli import session
from winnow.cli.session import AsJson, Limit, actor, assembled, run
from winnow.errors import Conflict

app = typer.Typer(help="Feeds: catalogue files of affiliate networks.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(help="Name or id of the feed.", show_default=False)]
Confirmed = Annotated[bool, typer.Option("--i-understand-ftp-is-insecure", help="Needed for FTP.")]
Encoding = Annotated[str | None, typer.Option(help="Encoding of the file, when it is guessed wrongly: cp1251.")]
Delimiter = Annotated[str | None, typer.Option(help="What separates its columns (; or tab), when not guessed.")]
Currency = Annotated[str | None, typer.Option(help="Of prices that name none; USD unless you say so.")]
Template = Annotated[str | None, typer.Option(help="Address of rows that have none: https://SHOP/products/{Handle}.")]
Format = Annotated[str | None, typer.Option("--format", help="CSV, TSV, XML or JSON, when not recognised.")]
Mode = Annotated[str | None, typer.Option(help="full, or incremental: offers not in the file are kept.")]
Columns = Annotated[list[str] | None, typer.Option(help="FIELD=COLUMN, as in price=Net; may be repeated.")]
DEFAULTS: dict[str, Any] = {"default_currency": "USD", "format": "CSV", "update_mode": "FULL"}  # '' means these
LIST = {"ID": "id", "NAME": "name", "NETWORK": "network", "STATUS": "status", "EVERY (H)": "schedule_frequency_hours",
        "NEXT RUN": "next_run_at", "LAST RUN": "last_run_at", "LAST RESULT": "last_run_status",
        "TO APPROVE": "waiting_run_id", "STALE AT": "goes_stale_at"}  # fmt: skip
RUNS = {"RUN": "id", "TRIGGER": "trigger", "RESULT": "result", "STARTED": "started_at", "ROWS": "rows_read",
        "OFFERS": "products_upserted", "PRICES": "prices_written", "ERRORS": "error_count", "BLOCKED":
        "expiry_blocked_reason", "ACTIVATED": "activated", "SKIPPED": "skipped_reason",
        "ERROR": "error_message"}  # fmt: skip


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(help="A name of your choice.", show_default=False)],
    shop_url: Annotated[str, typer.Argument(help="The shop's address.", show_default=False)],
    path: Annotated[str, typer.Option(help="The file: a path on the server, or its whole URL for HTTPS.")],
    retailer: Annotated[str, typer.Option(help="The retailer's name. Created if it does not exist.")],
    transport: Annotated[str, typer.Option(help="SFTP, FTPS, FTP, HTTPS or FILE.")] = "SFTP",
    host: Annotated[str | None, typer.Option(help="The server.")] = None,
    port: Annotated[int | None, typer.Option(help="Its port, when it is not the usual one.")] = None,
    username: Annotated[str | None, typer.Option(help="For logging in.")] = None,
    ask_password: Annotated[bool, typer.Option("--password", help="Ask for the password.")] = False,
    network: Annotated[str, typer.Option(help="IMPACT, AVANTLINK, CJ, RAKUTEN, SHAREASALE, AWIN, GOOGLE.")] = "IMPACT",
    every: Annotated[int | None, typer.Option(help="Hours between runs: 1, 2, 4, 6, 12, 24.")] = None,
    cron: Annotated[str | None, typer.Option(help="Or when it runs, as five cron fields in UTC.")] = None,
    expiry: Annotated[int, typer.Option(help="Hours an offer stays active unseen: 1 to 168.")] = 48,
    template: Annotated[str | None, typer.Option(help="Tracking address; {url} is filled in.")] = None,
    primary: Annotated[bool, typer.Option("--primary", help="Show this source of the retailer.")] = False,
    confirm_insecure: Confirmed = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    currency: Currency = None,
    column: Columns = None,
    format_: Format = None,
    url_template: Template = None,
    mode: Mode = None,
    as_json: AsJson = False,
) -> None:
    """Adds a feed as a draft: test it, then enable it."""
    password = session.password(ask_password)
    values = {
        "name": name, "url": shop_url, "path": path, "retailer": retailer, "transport": transport.upper(),
        "host": host, "port": port, "username": username, "password": password, "network": network.upper(),
        "schedule_frequency_hours": every, "schedule_cron": cron, "expiry_hours": expiry, "tracking_template": template,
        "display_primary": primary, "confirm_insecure": confirm_insecure,
        **_reading(encoding, delimiter, currency, column),
        **_layout(format_, url_template, mode),
    }  # fmt: skip
    run(_add(values, as_json))


async def _add(values: dict[str, Any], as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        feed = await feeds.add(conn, actor(), parts.feed_setup, values)
    if as_json:
        show.as_json(feeds.to_dict(feed))
    else:
        show.message(
            f"feed {feed.id}: {feed.name} (draft). Next: winnow feed test {feed.id}, winnow feed enable {feed.id}"
        )


def _reading(
    encoding: str | None, delimiter: str | None, currency: str | None, column: list[str] | None
) -> dict[str, Any]:
    """The reading options that were given."""
    mark = {"\\t": "\t", "tab": "\t"}.get(delimiter or "", delimiter)  # a word that can be typed
    found: dict[str, Any] = {"encoding": encoding, "delimiter": mark, "default_currency": currency and currency.upper()}
    if column:
        found["column_overrides"] = {} if column == [""] else dict(_column(option) for option in column)
    return {name: value for name, value in found.items() if value is not None}


def _layout(format_: str | None, url_template: str | None, mode: str | None) -> dict[str, Any]:
    found = {"format": format_ and format_.upper(), "url_template": url_template, "update_mode": mode and mode.upper()}
    return {name: value for name, value in found.items() if value is not None}


def without_empty(values: dict[str, Any]) -> dict[str, Any]:
    """Options without those set to '', which reset a setting to its default."""
    kept = ("password", "path", "transport", "network")  # a feed cannot be without these
    return values | {name: DEFAULTS.get(name) for name, value in values.items() if value == "" and name not in kept}


def _number(text: str | None, option: str) -> int | str | None:
    if not text:
        return text
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number", param_hint=option) from None


def _column(options: str) -> tuple[str, str]:
    field, mark, name = options.partition("=")
    if not mark or not field or not name:
        raise typer.BadParameter("FIELD=COLUMN is wanted, as in price=Net", param_hint="--column")
    return field.strip(), name.strip()


@app.command("change")
def change(
    feed: Which,
    path: Annotated[str | None, typer.Option(help="The file.")] = None,
    transport: Annotated[str | None, typer.Option(help="SFTP, FTPS, FTP, HTTPS or FILE.")] = None,
    host: Annotated[str | None, typer.Option(help="The server.")] = None,
    port: Annotated[str | None, typer.Option(help="Its port; '': the usual one.")] = None,
    username: Annotated[str | None, typer.Option(help="For logging in.")] = None,
    ask_password: Annotated[bool, typer.Option("--password", help="Ask for another password.")] = False,
    every: Annotated[int | None, typer.Option(help="Hours between runs: 1, 2, 4, 6, 12, 24; 0: by hand only.")] = None,
    cron: Annotated[str | None, typer.Option(help="Or when it runs, as five cron fields in UTC.")] = None,
    keep_files: Annotated[
        bool | None, typer.Option("--keep-files/--no-keep-files", help="Keep each run's file.")
    ] = None,
    expiry: Annotated[int | None, typer.Option(help="Hours an offer stays active unseen: 1 to 168.")] = None,
    refresh: Annotated[
        bool | None,
        typer.Option("--refresh-unchanged/--no-refresh-unchanged", help="An unchanged file counts as seen."),
    ] = None,
    host_key: Annotated[str | None, typer.Option(help="The server's new host key; '' trusts the next one.")] = None,
    network: Annotated[str | None, typer.Option(help="Whose layout the file has.")] = None,
    max_rows: Annotated[str | None, typer.Option(help="Most rows a file may have; '': 500,000.")] = None,
    max_bytes: Annotated[str | None, typer.Option(help="Maximum file size in bytes; '': 500 MB.")] = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    currency: Currency = None,
    column: Columns = None,
    format_: Format = None,
    url_template: Template = None,
    mode: Mode = None,
    primary: Annotated[bool, typer.Option("--primary", help="Show this source of the retailer.")] = False,
    confirm_insecure: Confirmed = False,
    as_json: AsJson = False,
) -> None:
    """Changes a feed. Options that are not given are unchanged; '' resets a setting."""
    password = session.password(ask_password)
    options: dict[str, Any] = {
        "path": path, "transport": transport and transport.upper(), "confirm_insecure": confirm_insecure or None,
        "host": host, "port": _number(port, "--port"), "username": username, "password": password,
        "schedule_cron": cron, "keep_files": keep_files, "expiry_hours": expiry, "refresh_unchanged": refresh,
        "host_key_fingerprint": host_key, "network": network and network.upper(),
        "max_row_count": _number(max_rows, "--max-rows"),
        "max_file_size_bytes": _number(max_bytes, "--max-bytes"),
    }  # fmt: skip
    values = {name: value for name, value in options.items() if value is not None}
    if every is not None:
        values |= {"schedule_frequency_hours": every or None, "schedule_cron": cron}
    elif cron is not None:
        values["schedule_frequency_hours"] = None
    values |= _reading(encoding, delimiter, currency, column) | _layout(format_, url_template, mode)
    run(_change(feed, without_empty(values), primary, as_json))


async def _change(which: str, values: dict[str, Any], primary: bool, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show
    from winnow.feeds import feed as stored

    async with assembled() as parts, parts.database.transaction() as conn:
        feed = await stored.find(conn, which)
        feed = await feeds.change(conn, actor(), parts.feed_setup, feed.id, values)
        if primary:
            feed = await feeds.make_primary(conn, actor(), feed.id)
    changed = sorted(values.keys() - {"confirm_insecure"} | ({"display_primary"} if primary else set()))
    if as_json:
        show.as_json(feeds.to_dict(feed))
    else:
        show.message(f"feed {feed.id}: changed {', '.join(changed) or 'nothing'}")


@app.command("list")
def list_(limit: Limit = 100, as_json: AsJson = False) -> None:
    """Shows the feeds."""
    run(_list(limit, as_json))


async def _list(limit: int, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show
    from winnow.feeds import feed as stored

    async with assembled() as parts, parts.database.connection() as conn:
        found = [feeds.to_dict(feed) for feed in await stored.listed(conn, 0, limit)]
    if as_json:
        show.as_json(found)
    else:
        show.table(LIST, found, "no feeds yet: `winnow feed add NAME URL --path … --retailer …`")


@app.command("show")
def show_(feed: Which, limit: Limit = 10, as_json: AsJson = False) -> None:
    """Shows a feed and its last runs."""
    run(_show(feed, limit, as_json))


async def _show(which: str, limit: int, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import feed_result, show
    from winnow.feeds import feed as stored
    from winnow.feeds.run_result import result_of
    from winnow.queries import feeds as queries
    from winnow.queries.reading import reader

    async with assembled() as parts:
        async with parts.database.connection() as conn:
            feed = await stored.find(conn, which)
        async with reader(parts.database) as reading:
            runs, _ = await queries.runs(reading, feed.id, limit=limit)
    if as_json:
        show.as_json({**feeds.to_dict(feed), "runs": [{**one, "result": result_of(one)} for one in runs]})
        return
    show.fields(feeds.to_dict(feed))
    show.table(
        RUNS,
        [{**one, "result": result_of(one), "activated": feed_result.activated(one)} for one in runs],
        "no runs yet",
    )


@app.command("enable")
def enable(
    feed: Which,
    acknowledge: Annotated[bool, typer.Option("--acknowledge", help="You know why it was disabled.")] = False,
    as_json: AsJson = False,
) -> None:
    """Lets it run: by its schedule, and by hand."""
    run(_enable(feed, acknowledge, as_json))


async def _enable(which: str, acknowledged: bool, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show
    from winnow.feeds import feed as stored

    async with assembled() as parts, parts.database.transaction() as conn:
        feed = await stored.find(conn, which)
        try:
            feed = await feeds.enable(conn, actor(), feed.id, acknowledged=acknowledged)
        except Conflict as refused:
            raise Conflict(f"{refused}: winnow feed enable {feed.id} --acknowledge") from None
    when = f"next run {show.cell(feed.next_run_at)}" if feed.next_run_at else f"by hand: winnow feed run {feed.id}"
    message = f"feed {feed.id}: enabled, {when}"
    show.done(as_json, message, id=feed.id, status="ENABLED", next_run_at=feed.next_run_at)


@app.command("pause")
def pause(feed: Which, as_json: AsJson = False) -> None:
    """No run begins until it is enabled again; one that is under way finishes."""
    run(_pause(feed, as_json))


async def _pause(which: str, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show
    from winnow.feeds import feed as stored

    async with assembled() as parts, parts.database.transaction() as conn:
        feed = await stored.find(conn, which)
        await feeds.pause(conn, actor(), feed.id)
    show.done(as_json, f"feed {feed.id}: paused", id=feed.id, status="PAUSED")


@app.command("run")
def run_(
    feed: Which,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Watch it until it has ended.")] = True,
    as_json: AsJson = False,
) -> None:
    """Runs it now, or right after the run that is under way. A worker has to be there."""
    run(_run(feed, wait, as_json))


async def _run(which: str, wait: bool, as_json: bool) -> None:
    from uuid import UUID

    from winnow.actions import feeds
    from winnow.cli import feed_result, feed_watch, show
    from winnow.feeds import feed as stored

    async with assembled() as parts:
        async with parts.database.transaction() as conn:
            feed = await stored.find(conn, which)
            try:
                task_id = await feeds.run_now(conn, actor(), feed.id)
            except Conflict as refused:
                raise Conflict(f"{refused}: winnow feed enable {feed.id}") from None
        done = await feed_watch.wait_for_run(parts.database, UUID(task_id), as_json) if wait else None
        async with parts.database.connection() as conn:
            feed = await stored.get(conn, feed.id)
    if as_json:
        show.as_json(done or {"task_id": task_id, "status": "queued"})
    elif done is None:
        show.message("Run queued")
    else:
        feed_result.print_run(done, feed)
    if done is not None and done.get("status") == "FAILED":
        raise typer.Exit(1)


@app.command("test")
def try_(feed: Which, as_json: AsJson = False) -> None:
    """Lets a worker read its first 100 rows; nothing is written."""
    run(_test(feed, as_json))


async def _test(which: str, as_json: bool) -> None:
    from uuid import UUID

    from winnow.actions import feeds
    from winnow.cli import feed_result, feed_watch, show
    from winnow.feeds import feed as stored

    async with assembled() as parts:
        async with parts.database.transaction() as conn:
            feed = await stored.find(conn, which)
            task_id = UUID(await feeds.test(conn, feed.id))
        job = await feed_watch.wait_for_test(parts.database, task_id)
    result = job["result"] or {"success": False, "error": job["error"]}
    if as_json:
        show.as_json(result)
    else:
        feed_result.print_test(result)
    if not result["success"]:
        raise typer.Exit(1)
