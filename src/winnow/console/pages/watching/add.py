"""Watch a page: what would be read and judged is shown before anything is saved."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from winnow.actions import domains, target_choice
from winnow.actions import targets as target_actions
from winnow.actions.scrape_url import Scraped, preview
from winnow.console.act import ActionContext, act
from winnow.console.choice_picker import ChoicePicker
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.form import area_field, text_field
from winnow.console.widgets.html import div, link, quiet, tag
from winnow.console.widgets.parts import badge, button, card, columns, facts, row
from winnow.console.widgets.progress import ProgressBar
from winnow.console.widgets.times import CadenceInputs
from winnow.errors import InvalidInput
from winnow.kinds.assess import Assessment
from winnow.normalise.record import Offer
from winnow.observe.users import UserRole
from winnow.queries import targets

LABELS = {
    "accept": "This would be stored as a price.",
    "hold": "This would be held in quarantine for review.",
    "reject": "This would be rejected.",
}


@page("/add", "Watch a page", group="Watching", icon="add_link", order=30, key="w", role=UserRole.OPERATOR)
async def build(view: View) -> None:
    AddPage(view)


class AddPage:
    def __init__(self, view: View) -> None:
        self.view = view
        with heading(
            "Watch a page", "The page is fetched once, within the site's limits, and you see what would be read."
        ):
            link("Import many", "/import", cls="w-button")
        with card("Page"):
            self.url = text_field(
                "URL",
                view.query("url") or "",
                kind="url",
                placeholder="https://shop.example/p/1",
                help_text="The page of one product.",
            )
            self.currency = text_field(
                "Currency",
                "",
                placeholder="USD",
                maxlength=3,
                help_text="Only needed if the page shows an ambiguous symbol such as $ or kr.",
            )
            look = act(view, UserRole.OPERATOR, "look at a page", self._look)
            with row():
                button("Preview", look, view=view, needs=UserRole.OPERATOR, kind="primary")
        self.found = div("w-stack", aria_live="polite")

    def _currency(self) -> str | None:
        return (self.currency.value or "").strip().upper() or None

    async def _look(self, context: ActionContext) -> str:
        url = (self.url.value or "").strip()
        if not url:
            raise InvalidInput("enter the URL of a page first", field="url")
        checked = context.parts.intake.check(url)
        currency = self._currency()
        self.found.clear()
        with self.found:
            progress = ProgressBar("Waiting for the site's next slot, then reading the page")
        seen: list[Scraped] = []

        async def work(_: Any) -> None:
            seen.append(await preview(context.parts.database, context.parts.settings, checked.url, currency))

        await progress.track(work)
        async with self.view.reading() as conn:
            there = await targets.of_url(conn, checked.url_hash)
        with self.found:
            self._show(seen[0], [target["id"] for target in there])
        return ""

    def _show(self, scraped: Scraped, there: list[int]) -> None:
        self.picker = ChoicePicker(self.view, scraped, self.url.value.strip(), self._currency())
        with columns():
            with div("w-stack"):
                with card("What would be read"):
                    self.picker.draw_result(_read)
                if scraped.result.body:
                    self.picker.draw()
                with card("How it was fetched"):
                    result = scraped.result
                    facts(
                        {
                            "Ended": lambda: badge(result.outcome.value),
                            "Status": result.status_code,
                            "robots.txt": scraped.robots,
                            "Took": f"{result.duration_ms} ms",
                            "Final URL": result.final_url,
                            "Error": result.error,
                        }
                    )
            with card("Save", "The first visit starts as soon as a worker is free."):
                if there:
                    quiet("This page is already watched.")
                    link(f"Target {there[0]}", f"/targets/{there[0]}", cls="w-button")
                else:
                    self._form()

    def _form(self) -> None:
        times = CadenceInputs(None, None)
        priority = text_field(
            "Priority", "0", kind="number", help_text="Higher values are visited first within the site."
        )
        notes = area_field("Notes", "", rows=2)

        async def save(context: ActionContext) -> str:
            when = times.value
            async with context.parts.database.transaction() as conn:
                watched = await target_actions.watch(
                    conn,
                    context.actor,
                    context.parts.intake,
                    self.url.value.strip(),
                    when,
                    priority=priority.value or 0,
                    notes=notes.value or None,
                )
                if self.picker.choice:
                    await target_choice.choose(conn, context.actor, watched.target_id, self.picker.choice)
            await domains.refresh(
                context.parts.database, context.parts.politeness, context.parts.intake.check(self.url.value).domain
            )
            ui.navigate.to(f"/targets/{watched.target_id}")  # below the console's own root
            return "This page is now watched." if watched.created else "This page was already watched."

        button(
            "Watch this page",
            act(self.view, UserRole.OPERATOR, "watch a page", save),
            view=self.view,
            needs=UserRole.OPERATOR,
            kind="primary",
        )


def _read(scraped: Scraped) -> None:
    seen = scraped.assessment
    if seen is None:
        badge("failed", "Nothing was read")
        quiet("The page was not fetched; see the reason beside. You can still watch it; every visit tries again.")
    elif not seen.records:
        badge("failed", "No values found")
        quiet(f"{formatting.humanize(str(seen.failure or 'nothing'))}. {seen.details}")
    else:
        _verdict(seen)
        _offer(seen.records[0].decode(Offer))


def _verdict(seen: Assessment) -> None:
    assert seen.verdict is not None
    decision = seen.verdict.decision.value
    with row():
        badge(decision, {"accept": "Accept", "hold": "Hold", "reject": "Reject"}[decision])
        tag("span", LABELS[decision])
    for finding in seen.verdict.findings:
        quiet(f"{formatting.humanize(finding.reason.lower())}{': ' if finding.details else ''}{finding.details}")


def _offer(offer: Offer) -> None:
    price = None if offer.price is None else formatting.money(offer.price.minor, offer.price.currency)
    listed = None if offer.list_price is None else formatting.money(offer.list_price.minor, offer.list_price.currency)
    values = {
        "title": ("Title", offer.title),
        "price": ("Price", price),
        "currency": ("Currency", None if offer.price is None else offer.price.currency),
        "list_price": ("List price", listed),
        "availability": ("Stock", formatting.humanize(offer.availability.value.lower())),
        "identity": ("Identity", offer.identity.key),
        "brand": ("Brand", offer.brand),
        "sku": ("SKU", offer.sku),
        "gtin": ("GTIN", offer.gtin),
        "mpn": ("MPN", offer.mpn),
    }
    facts({label: _stood(value, offer.provenance.get(field)) for field, (label, value) in values.items() if value})


def _stood(value: str, where: str | None) -> Any:
    """The value, and where on the page it stood."""

    def draw() -> None:
        tag("span", value)
        if where:
            tag("span", where, cls="w-sub w-mono")

    return draw
