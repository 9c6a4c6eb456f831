"""One domain: its limits and where each comes from, its robots.txt as it was understood, its circuit."""

from __future__ import annotations

from typing import Any

from winnow.actions import domains as domain_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.pages.watching.domains import FROM, PAUSE_TEXT, is_paused, pause_handler, rate, slot, state_of
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.form import text_field
from winnow.console.widgets.html import div, link, mono, quiet, tag
from winnow.console.widgets.parts import badge, button, card, columns, confirmed, facts, figure, row, when
from winnow.console.widgets.refreshable import Refreshable
from winnow.errors import InvalidInput, NotFound
from winnow.fetch.robots.rules import parse
from winnow.observe.users import UserRole
from winnow.queries import domains, robots
from winnow.schedule.ledger.policy import rate_of

Row = dict[str, Any]
CIRCUITS = {
    "closed": "Requests are sent. Too many failures among the last ones stop them for a while.",
    "open": "Too many of the last requests failed: no requests are sent during the pause.",
    "half_open": "The pause is over: one request tests whether the site answers again.",
}
ROBOTS = {
    "rules": "Rules",
    "allow_all": "No robots.txt: everything is allowed",
    "unknown": "Not read yet",
    "unreachable": "Cannot be read: nothing is fetched",
}


@page("/domains/{domain}", "Domain", parent="/domains")
async def build(view: View, domain: str) -> None:
    await DomainPage(view, domain).part.refresh()


class DomainPage:
    def __init__(self, view: View, domain: str) -> None:
        self.view, self.name = view, domain
        self.part = Refreshable(self._load, self._draw)

    async def _load(self) -> tuple[Row, list[Row]]:
        async with self.view.reading() as conn:
            found = await domains.one(conn, self.name)
            files = await robots.of_domain(conn, self.name)
        if found is None:
            raise NotFound(f"there is no domain {self.name}")
        return found, files

    def _draw(self, loaded: tuple[Row, list[Row]]) -> None:
        domain, files = loaded
        self._head(domain)
        with columns():
            with div("w-stack"):
                self._limits(domain)
                self._circuit(domain)
            self._change(domain)
        with card(
            "robots.txt",
            "As fetched and parsed, per origin. Rules for all agents and for Winnow both apply.",
            wide=True,
        ):
            if not files:
                quiet("It is read before the first page of this domain is fetched.")
            for file in files:
                self._robots(file)

    def _head(self, domain: Row) -> None:
        with heading(self.name, domain["notes"] or ""):
            shown = state_of(domain)
            badge("", shown["text"], tone=shown["tone"])
            if is_paused(domain):
                button(
                    "Resume",
                    self.part.after(pause_handler(self.view, self.name, False)),
                    view=self.view,
                    needs=UserRole.OPERATOR,
                    kind="primary",
                )
            else:
                ask = confirmed(
                    f"Pause {self.name}?", PAUSE_TEXT, "Pause it", pause_handler(self.view, self.name, True)
                )
                button("Pause", self.part.after(ask), view=self.view, needs=UserRole.OPERATOR)
            link("Its targets", "/targets", cls="w-button", domain=self.name)
        with div("w-figures"):
            figure("Next request", slot(domain))
            figure("Queued", formatting.number(domain["queued"]))
            figure("Running", formatting.number(domain["in_flight"]))

    def _limits(self, domain: Row) -> None:
        origin = domain["limits_from"]
        rated = origin.get("rate", "platform")
        spaced = origin.get("spacing_seconds") or ("platform" if rated == "platform" else "rate")
        held = domain["hours_start"] is not None
        with card(
            "Limits", "Limits in effect now and their origin. The strictest applies; while slowed down, half the rate."
        ):
            facts(
                {
                    "Rate": _from(rate(domain), rated),
                    "Apart": _from(f"{domain['spacing_now']:g} s", spaced),
                    "Concurrent requests": _from(
                        str(domain["max_concurrent"]), origin.get("max_concurrent", "platform")
                    ),
                    "Hours (UTC)": _from(
                        f"{domain['hours_start']}:00 to {domain['hours_end']}:00" if held else "any time",
                        origin.get("allowed_hours", "platform"),
                    ),
                    "robots.txt": "obeyed" if domain["respect_robots_txt"] else "ignored: this domain has an exception",
                    "Slowed down until": lambda: when(domain["slowed_until"]),
                    "Held until": lambda: when(domain["held_until"]),
                }
            )

    def _change(self, domain: Row) -> None:
        with card("Change the limits", "Only filled-in limits are set here. “Reset” restores the inherited limits."):
            per_second = text_field("Requests per second", "", kind="number", step="any", min="0", placeholder="0.5")
            apart = text_field("Seconds between requests", "", kind="number", step="any", min="0")
            at_once = text_field("Concurrent requests", "", kind="number", min="1")
            reason = text_field("Why", "", help_text="Kept in the audit trail.")

            async def save(context: ActionContext) -> str:
                changes: Row = {}
                if per_second.value:
                    rule = rate_of(_positive(per_second.value, "requests per second", 10_000))
                    changes |= {
                        "tokens_per_interval": rule.tokens_per_interval,
                        "interval_seconds": rule.interval_seconds,
                    }
                if apart.value:
                    changes["crawl_delay_seconds"] = _positive(apart.value, "seconds apart", 86_400, zero=True)
                if at_once.value:
                    changes["max_concurrent_requests"] = int(_positive(at_once.value, "at the same time", 10_000))
                if not changes:
                    raise InvalidInput("fill in at least one limit")
                return await self._limit(context, changes, reason.value or None)

            async def back(context: ActionContext) -> str:
                nothing = dict.fromkeys(
                    ("tokens_per_interval", "interval_seconds", "crawl_delay_seconds", "max_concurrent_requests")
                )
                return await self._limit(context, nothing, reason.value or None)

            description = "It takes effect at once for every process. Raising a limit is marked in the audit trail."
            ask = confirmed(
                f"Change the limits of {self.name}?",
                description,
                "Change limits",
                act(self.view, UserRole.ADMIN, "change the limits of a domain", save, about=self.name),
            )
            undo = confirmed(
                "Reset these limits?",
                "The limits of the source, the policy file or the platform apply again.",
                "Reset",
                act(self.view, UserRole.ADMIN, "change the limits of a domain", back, about=self.name),
            )
            with row():
                button("Save", self.part.after(ask), view=self.view, needs=UserRole.ADMIN, kind="primary")
                button("Reset", self.part.after(undo), view=self.view, needs=UserRole.ADMIN)

    async def _limit(self, context: ActionContext, changes: Row, reason: str | None) -> str:
        now = await domain_actions.change_limits(
            context.parts.database, context.actor, context.parts.politeness, self.name, changes, reason
        )
        return f"Now {now.tokens} in {now.interval_seconds:g} s, {now.spacing_seconds:g} s apart."

    def _circuit(self, domain: Row) -> None:
        with card("Circuit"):
            badge(domain["circuit"])
            quiet(CIRCUITS[domain["circuit"]])
            link("Audit trail of this domain", "/audit", object_type="domain", object_id=self.name)

    def _robots(self, file: Row) -> None:
        with div("w-stack"):
            tag("h3", file["origin"])
            facts(
                {
                    "State": ROBOTS[file["state"]],
                    "Read": lambda: when(file["fetched_at"]),
                    "Read again": lambda: when(file["expires_at"]),
                    "Answer": file["status_code"] or file["error_class"],
                }
            )
            if file["state"] != "rules":
                return
            rules = parse(bytes(file["body"]))
            for agent, told in rules.listed().items():
                tag("span", "For all agents" if agent == "*" else f"For {agent}", cls="w-label")
                mono("\n".join(told) or "nothing is disallowed")
            self._try(file["origin"], rules)

    def _try(self, origin: str, rules: Any) -> None:
        agent = self.view.settings.fetch.agent_name

        def decide() -> None:
            wanted = (path.value or "").strip().removeprefix(origin)
            found = rules.decide_both(wanted if wanted.startswith("/") else f"/{wanted}", agent)
            by = f" by “{found.rule}”" if found.rule else ""
            message.set_text(f"{'Allowed' if found.allowed else 'Forbidden'}{by}.")

        path = text_field("Would this path be fetched?", "", placeholder="/p/1", on_change=decide)
        message = tag("span", "", role="status")


def _from(value: str, origin: str) -> Any:
    def draw() -> None:
        tag("span", value)
        tag("span", f"from {FROM[origin]}" if origin in FROM else "follows from the rate", cls="w-sub")

    return draw


def _positive(given: str, what: str, most: float, *, zero: bool = False) -> float:
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not (0 < value <= most or (zero and value == 0)):
        raise InvalidInput(f"{what} must be a number up to {most:g}")
    return value
