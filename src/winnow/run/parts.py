"""What every face works with (API, command line, console), made once at start-up, so that all do the same."""

from __future__ import annotations

from dataclasses import dataclass

from winnow.db.engine import Database
from winnow.extract.adapter import Registry
from winnow.fetch.allow import AllowList
from winnow.fetch.egress import EgressGuard
from winnow.publish.keys import Secrets
from winnow.run.adapters import registry
from winnow.run.arrivals import Arrivals
from winnow.run.domains import DomainDesk
from winnow.run.exits import Exits
from winnow.run.feed_desk import FeedDesk
from winnow.run.intake import Intake
from winnow.run.preview import PreviewDesk
from winnow.run.proxy_desk import ProxyDesk
from winnow.run.publishing import ReceiverDesk
from winnow.run.replay_desk import ReplayDesk
from winnow.run.scraping import ScrapeDesk
from winnow.run.target_types import target_types
from winnow.run.watching import WatchDesk
from winnow.schedule import policies
from winnow.schedule.ledger import PostgresLedger
from winnow.settings import Settings


@dataclass(frozen=True, slots=True)
class Parts:
    database: Database
    settings: Settings
    intake: Intake
    domains: DomainDesk
    proxies: ProxyDesk
    registry: Registry
    receivers: ReceiverDesk
    scraping: ScrapeDesk
    arrivals: Arrivals
    watches: WatchDesk
    feeds: FeedDesk
    replays: ReplayDesk
    previews: PreviewDesk

    @property
    def gated(self) -> list[str]:
        """Adapters made for a site: their sources are visited once the terms were reviewed (P-103)."""
        return sorted(set(self.registry.list()) - self.registry.shared())


def assemble(database: Database, settings: Settings) -> Parts:
    adapters = registry(settings.run.adapters_dir)
    allow = AllowList(settings.fetch.egress_allow)
    exits = Exits(database, settings.db, settings.fetch, EgressGuard(allow))
    rules = policies.load(settings.schedule.domain_policies_path)
    receivers = ReceiverDesk(allow, Secrets(database, settings.db, settings.publish))
    intake = Intake(allow, adapters)
    return Parts(
        database=database,
        settings=settings,
        intake=intake,
        domains=DomainDesk(database, PostgresLedger(database), settings.schedule, rules),
        proxies=ProxyDesk(database, settings.db, allow, exits),
        registry=adapters,
        scraping=ScrapeDesk(
            allow,
            target_types(),
            settings.schedule,
            settings.publish.default_webhook_url,
            credentials=settings.credentials.backend_api_url is not None,
        ),
        arrivals=Arrivals(database),
        receivers=receivers,
        watches=WatchDesk(receivers),
        feeds=FeedDesk(database, settings, intake),
        replays=ReplayDesk(database, settings, adapters),
        previews=PreviewDesk(database, settings),
    )
