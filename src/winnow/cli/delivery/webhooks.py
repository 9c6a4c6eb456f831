"""`winnow webhooks …`: receivers of events, and a test receiver."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from winnow.cli.session import AsJson, actor, assembled, run, settings

app = typer.Typer(help="Receivers of events: webhooks and Slack channels.", no_args_is_help=True)

COLUMNS = {
    "ID": "id",
    "NAME": "name",
    "CHANNEL": "channel",
    "URL": "url",
    "TOPICS": "topics",
    "ALERTS": "severities",
    "SOURCES": "source_ids",
    "AUDIENCE": "audience",
    "ENABLED": "enabled",
    "FAILURES": "consecutive_failures",
    "WHY": "disabled_reason",
}
Id = Annotated[int, typer.Argument(help="Its id.", show_default=False)]
Topics = Annotated[list[str] | None, typer.Option("--topic", help="Topics it gets, e.g. price.* (repeat the option).")]


@app.command("add")
def add(
    url: Annotated[str, typer.Argument(help="Where messages are sent.", show_default=False)],
    name: Annotated[str | None, typer.Option(help="Default: the host.")] = None,
    topic: Topics = None,
    severity: Annotated[
        list[str] | None, typer.Option(help="Alert severities it gets: P1, P2, P3 (repeat it). Default: all.")
    ] = None,
    source: Annotated[
        list[int] | None, typer.Option(help="Only events of these sources, by id (repeat it). Default: all.")
    ] = None,
    consumer: Annotated[bool, typer.Option("--consumer", help="Only events of offers that are public.")] = False,
    slack: Annotated[bool, typer.Option("--slack", help="It is an incoming webhook of Slack.")] = False,
    secret: Annotated[str | None, typer.Option(help="Signs the messages. Default: a generated one.")] = None,
    as_json: AsJson = False,
) -> None:
    """Adds a receiver and shows its secret, once.

    Without --topic it receives all messages."""
    given = {
        "url": url,
        "name": name or url.partition("://")[2].partition("/")[0],  # whether it is a URL is asked later
        "topics": topic or ["*"],
        "severities": severity or ["P1", "P2", "P3"],
        "source_ids": source or [],
        "audience": "consumer" if consumer else "operator",
        "channel": "slack" if slack else "webhook",
        "secret": secret,
    }
    run(_add(given, as_json))


async def _add(given: dict[str, Any], as_json: bool) -> None:
    from winnow.actions import webhooks
    from winnow.cli import show

    async with assembled() as parts:
        ring = await parts.secrets.key_ring()
        async with parts.database.transaction() as conn:
            made, shown = await webhooks.add(conn, actor(), ring, parts.allow, **given)
    if as_json:
        show.as_json({"id": made.id, "name": made.name, "topics": made.topics, "secret": shown})
        return
    if shown is not None:
        typer.echo(shown)
        typer.echo(f"webhook {made.id}. This is the only time its secret is shown.", err=True)
    else:
        show.message(f"webhook {made.id}")


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """Shows the receivers, not their secrets."""
    run(_list(as_json))


async def _list(as_json: bool) -> None:
    from winnow.api.models.publish import WebhookResponse
    from winnow.cli import show
    from winnow.queries import publish as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.endpoints(conn, limit=10_000)
    show.listing(as_json, WebhookResponse, COLUMNS, found, "no receivers yet: `winnow webhooks add URL`")


@app.command("remove")
def remove(webhook: Id, as_json: AsJson = False) -> None:
    """Removes a receiver with its deliveries."""
    run(_remove(webhook, as_json))


async def _remove(webhook: int, as_json: bool) -> None:
    from winnow.actions import webhooks
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        await webhooks.remove(conn, actor(), webhook)
    show.done(as_json, f"webhook {webhook} is removed", id=webhook, removed=True)


@app.command("enable")
def enable(webhook: Id, as_json: AsJson = False) -> None:
    """Enables a receiver."""
    run(_enable(webhook, True, as_json))


@app.command("disable")
def disable(webhook: Id, as_json: AsJson = False) -> None:
    """Disables a receiver. Events in between are not sent later."""
    run(_enable(webhook, False, as_json))


async def _enable(webhook: int, enabled: bool, as_json: bool) -> None:
    from winnow.actions import webhooks
    from winnow.cli import show

    async with assembled() as parts:
        ring = await parts.secrets.key_ring()
        async with parts.database.transaction() as conn:
            await webhooks.change(conn, actor(), ring, parts.allow, webhook, {"enabled": enabled})
    show.done(as_json, f"webhook {webhook} is {'enabled' if enabled else 'disabled'}", id=webhook, enabled=enabled)


@app.command("secret")
def secret() -> None:
    """Shows the secret that callbacks of jobs are signed with."""
    from winnow.publish.signing_secret import platform_secret

    loaded = settings()
    typer.echo(platform_secret(loaded.publish, loaded.db.folder))


@app.command("listen")
def listen(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 means any free port.")] = 8899,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    secret: Annotated[
        list[str] | None, typer.Option(help="Signing secret (repeat it). Default: that of callbacks.")
    ] = None,
    answer: Annotated[int, typer.Option(min=200, max=599, help="Status code for genuine messages.")] = 200,
    count: Annotated[int, typer.Option(min=0, help="Stop after this many messages; 0 means never.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Shows what arrives, and whether its signature is genuine.

    A receiver to try webhooks with; Winnow sends to it when WINNOW_EGRESS_ALLOW has its address."""
    from winnow.cli.delivery.listener import listen as serve
    from winnow.publish.signing_secret import platform_secret

    if not secret:
        loaded = settings()
        secret = [platform_secret(loaded.publish, loaded.db.folder)]
    run(serve(host, port, secret, answer, count, as_json))
