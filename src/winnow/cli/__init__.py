"""The `winnow` command.

Commands import what they need when they run: `winnow --help` answers at once, without the database, the
parsers or the web framework.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from winnow import __version__
from winnow.cli import (
    adapters,
    alerts,
    api_keys,
    corrections,
    crawls,
    db,
    dead_letters,
    doctor,
    domains,
    events,
    feed_more,
    pages,
    prices,
    processes,
    products,
    proxies,
    quarantine,
    runs,
    scrape,
    sources,
    targets,
    users,
    watch,
)
from winnow.cli.adapters import replay
from winnow.cli.agendas import discovery
from winnow.cli.audits import monitors
from winnow.cli.catalogue import crawl_jobs, crawling
from winnow.cli.delivery import clickhouse, deliveries, export, webhooks
from winnow.cli.search import find, index
from winnow.errors import WinnowError

app = typer.Typer(
    name="winnow",
    help="Harvests structured data from the web and keeps only what can be trusted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # Rich's help takes a second to import
)

# In the order a newcomer meets them.
app.command()(processes.up)
app.command()(processes.demo)
app.command()(doctor.doctor)
app.command()(scrape.scrape)
app.command()(watch.watch)
app.add_typer(watch.app, name="watches")
app.command()(crawls.crawl)
app.add_typer(crawls.app, name="crawls")
app.add_typer(crawl_jobs.app, name="crawl-jobs")
app.add_typer(crawl_jobs.batches, name="batches")
app.add_typer(crawling.app, name="crawling")
app.command("prices")(prices.prices)
app.command()(find.search)
app.add_typer(index.app, name="search-index")
app.add_typer(products.app, name="products")
app.add_typer(corrections.app, name="corrections")
app.command()(events.agenda)
app.add_typer(events.app, name="events")
app.add_typer(discovery.app, name="discover")
app.add_typer(sources.app, name="sources")
app.add_typer(targets.app, name="targets")
app.add_typer(runs.app, name="runs")
app.add_typer(feed_more.app, name="feed")
app.add_typer(feed_more.app, name="feeds", hidden=True)  # like the other nouns
app.add_typer(domains.app, name="domains")
app.add_typer(adapters.app, name="adapters")
app.add_typer(adapters.app, name="adapter", hidden=True)  # an earlier name, kept for scripts
app.command()(replay.replay)
app.add_typer(replay.app, name="shadow")
app.add_typer(pages.app, name="pages")
app.add_typer(quarantine.app, name="quarantine")
app.add_typer(monitors.app, name="monitors")
app.add_typer(alerts.app, name="alerts")
app.command()(export.export)
app.add_typer(clickhouse.app, name="clickhouse")
app.add_typer(proxies.app, name="proxies")
app.add_typer(dead_letters.app, name="dead-letters")
app.add_typer(webhooks.app, name="webhooks")
app.add_typer(deliveries.app, name="deliveries")
app.add_typer(api_keys.app, name="keys")
app.add_typer(users.app, name="users")
app.add_typer(db.app, name="db")
app.command()(processes.worker)
app.command()(processes.scheduler)
app.command()(processes.upkeep)
app.command()(processes.api)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"winnow {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


INSECURE = "FTP sends the password in clear text: confirm that you understand FTP is insecure"
# Hints added on a terminal. The API leaves them out: its callers are not the operator.
HINTS = {
    "the host is not a public one": "open one of your own with WINNOW_EGRESS_ALLOW=HOST:PORT",
    "only http:// and https:// URLs can be fetched": "begin it with https://",
    INSECURE: "add --i-understand-ftp-is-insecure",
    "plain FTP is not allowed here (AFFILIATE_FEED_ALLOW_PLAIN_FTP)": "use SFTP, or set it to true",
}


def _sentence(error: WinnowError) -> str:
    """The error in one line, with the id of the existing object where the message does not name it."""
    text = " ".join(str(error).split())
    text = f"{text}: {HINTS[text]}" if text in HINTS else text
    existing = getattr(error, "existing", None)
    return text if existing is None or f"{existing} already" in text else f"{text} (existing: {existing})"


def main() -> None:
    """One line and exit code 1 for what goes wrong; 130 for Ctrl-C; 2 for wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a letter shows a ? for it
    try:
        app()
    except WinnowError as error:
        print(f"winnow: {_sentence(error)}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # `winnow targets list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
