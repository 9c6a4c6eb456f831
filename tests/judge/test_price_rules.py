"""Rows of the list that are rules about the code itself (P-006, P-008, P-012, P-017, P-056, P-102)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import winnow
from tests.kinds.reading import GENERIC, assess
from tests.product_pages import context, ld, offer, product
from winnow.extract.adapters import rules, selectors, template, tiers
from winnow.extract.draft import Draft, Strategy, Value
from winnow.judge.verdict import Decision, Verdict
from winnow.kinds.adapters import registry
from winnow.normalise.money.read import parse_money
from winnow.normalise.record import Money
from winnow.normalise.results.offer import normalise_offer
from winnow.normalise.stock import read_availability
from winnow.normalise.urls import canonical_url

SOURCE = Path(winnow.__file__).parent
PURE = ("extract", "normalise", "judge/gates.py", "kinds/assess.py", "judge/drift.py", "judge/compare.py")
# What would make reading a page depend on somebody else, or on chance.
FORBIDDEN = {"openai", "anthropic", "transformers", "wordllama", "requests", "httpx", "aiohttp", "socket", "random"}


def imported(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    return names


@pytest.mark.parametrize("place", PURE)
def test_p006_pages_are_read_by_rules_alone(place: str) -> None:
    files = [SOURCE / place] if place.endswith(".py") else sorted((SOURCE / place).rglob("*.py"))
    assert files
    for file in files:
        assert not {name.split(".")[0] for name in imported(file)} & FORBIDDEN, file
        assert not {name for name in imported(file) if name.startswith("winnow.services")}, file


def test_p008_a_dollar_price_is_usd_and_every_price_has_one_currency() -> None:
    assert parse_money("$19.99", "USD") == Money(1_999, "USD")
    found = assess(ld(product()), GENERIC, context()).offer
    assert found is not None
    assert found.price is not None
    assert len(found.price.currency) == 3


def test_p012_a_normalised_offer_is_accepted_held_or_dropped_and_keeps_what_was_read() -> None:
    ok = assess(ld(product()), GENERIC, context())
    held = assess(ld(product(offers=offer(price="0"))), GENERIC, context())
    dropped = assess(ld(product(offers=offer(availability=None))), GENERIC, context())
    for found, decision in ((ok, Decision.ACCEPT), (held, Decision.HOLD), (dropped, Decision.REJECT)):
        assert found.offer is not None
        assert isinstance(found.verdict, Verdict)
        assert found.verdict.decision is decision
        assert (found.verdict.reason is None) is (decision is Decision.ACCEPT)


def test_p017_every_amount_of_an_offer_is_integer_minor_units() -> None:
    def said(text: str) -> list[Value]:
        return [Value(text, Strategy.ADAPTER, "x")]

    values = {"title": said("Tent"), "price": said("$19.99"), "list_price": said("$29.99"), "shipping": said("$4.95")}
    found = normalise_offer(Draft("offer", values), context(currency="USD"), "x", "1.0.0")
    assert (found.price, found.list_price, found.shipping) == (
        Money(1_999, "USD"), Money(2_999, "USD"), Money(495, "USD")
    )  # fmt: skip
    assert all(type(money.minor) is int for money in (found.price, found.list_price, found.shipping) if money)


def test_p056_what_adapters_share_exists_and_the_template_is_an_adapter() -> None:
    for shared in (canonical_url, parse_money, read_availability, rules.read_fields, tiers.price_of_one):
        assert callable(shared)
    text = template.TOML.substitute(id="shop", domain="shop.example", path="adapters/shop", name="Shop")
    assert selectors.parse_adapter(text, Path("shop/live.toml")).version == "1.0.0"


def test_p102_the_runbooks_are_there() -> None:
    docs = SOURCE.parents[1] / "docs"
    runbook = (docs / "how-to/drift.md").read_text(encoding="utf-8")
    assert "winnow adapters enable" in runbook
    assert "scrape_adapter_enabled" in (docs / "reference/metrics.md").read_text(encoding="utf-8")


def test_p053_every_registered_adapter_has_what_an_adapter_has() -> None:
    known = registry()
    for name in known.list():
        adapter = known.get(name)
        assert adapter is not None
        facts = (adapter.id, adapter.version, adapter.domain, adapter.kind)
        assert all(isinstance(fact, str) and fact for fact in facts)
        assert isinstance(adapter.needs_browser, bool)
