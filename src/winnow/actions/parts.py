"""What every face works with (API, command line, console), so that all do the same.

Each part is made, and its modules are imported, when it is first asked for: a command that lists sources does not wait
for the SFTP client and the extractors.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from winnow.actions.arrivals import Arrivals
    from winnow.actions.catalogue.reads import Reads
    from winnow.actions.domains import Politeness
    from winnow.actions.feeds import Setup as FeedSetup
    from winnow.actions.intake import Intake
    from winnow.actions.replays import Background
    from winnow.actions.scraping import SubmissionRules as ScrapeRules
    from winnow.actions.submits import Submits
    from winnow.db.engine import Database
    from winnow.extract.adapter import Registry
    from winnow.fetch.egress.allow import AllowList
    from winnow.publish.keys import Secrets
    from winnow.run.admission.proxy_choice import Exits
    from winnow.settings import Settings
    from winnow.store.search.server.client import SearchServer


class Parts:
    def __init__(self, database: Database, settings: Settings) -> None:
        self.database, self.settings = database, settings

    @property
    def gated(self) -> list[str]:
        """Adapters made for a site: their sources are visited once the terms were reviewed (P-103)."""
        return sorted(set(self.registry.list()) - self.registry.shared())

    @cached_property
    def allow(self) -> AllowList:
        from winnow.fetch.egress.allow import AllowList

        return AllowList(self.settings.fetch.egress_allow)

    @cached_property
    def registry(self) -> Registry:
        from winnow.kinds.adapters import registry

        return registry(self.settings.run.adapters_dir)

    @cached_property
    def intake(self) -> Intake:
        from winnow.actions.intake import Intake

        return Intake(self.allow, lambda: self.registry)

    @cached_property
    def politeness(self) -> Politeness:
        from winnow.actions.domains import Politeness
        from winnow.schedule.ledger import policies
        from winnow.schedule.ledger.ledger import PostgresLedger

        rules = policies.load(self.settings.schedule.domain_policies_path)
        return Politeness(PostgresLedger(self.database), self.settings.schedule, rules)

    @cached_property
    def exits(self) -> Exits:
        from winnow.fetch.egress.guard import EgressGuard
        from winnow.run.admission.proxy_choice import Exits

        return Exits(self.database, self.settings.db, self.settings.fetch, EgressGuard(self.allow))

    @cached_property
    def secrets(self) -> Secrets:
        from winnow.publish.keys import Secrets

        return Secrets(self.database, self.settings.db, self.settings.publish)

    @cached_property
    def scrape_rules(self) -> ScrapeRules:
        from winnow.actions.scraping import SubmissionRules
        from winnow.kinds.registry import all_kinds
        from winnow.run import settings_check

        callback = self.settings.publish.default_webhook_url
        settings_check.default_callback(callback, self.allow)
        known = self.settings.credentials
        hosts = None if known.backend_api_url is None else known.hosts_by_provider
        return SubmissionRules(self.allow, all_kinds(), self.settings.schedule, callback, hosts)

    @cached_property
    def submits(self) -> Submits:
        from winnow.actions.submits import Submits

        return Submits(self.database, self.settings.schedule)

    @cached_property
    def arrivals(self) -> Arrivals:
        from winnow.actions.arrivals import Arrivals

        return Arrivals(self.database)

    @cached_property
    def reads(self) -> Reads:
        from winnow.actions.catalogue.reads import Reads

        return Reads(self.database)

    @cached_property
    def feed_setup(self) -> FeedSetup:
        from winnow.actions.feeds import Setup
        from winnow.feeds.credentials import FeedSecrets

        credentials = FeedSecrets(self.database, self.settings.db)
        return Setup(self.intake, credentials, self.settings.feeds.allow_plain_ftp)

    @cached_property
    def search_server(self) -> SearchServer | None:
        """None where PostgreSQL answers searches."""
        from winnow.store.search.server.client import server_of

        return server_of(self.settings.search)

    async def close(self) -> None:
        """What was opened beside the database, which stays the caller's."""
        if "search_server" in self.__dict__ and self.search_server is not None:
            await self.search_server.close()

    @cached_property
    def running_replays(self) -> Background:
        return set()


def assemble(database: Database, settings: Settings) -> Parts:
    """Build every part at the start of a long-lived process, so that a broken file is reported then."""
    parts = Parts(database, settings)
    for name, made in vars(Parts).items():
        if isinstance(made, cached_property):
            getattr(parts, name)
    return parts
