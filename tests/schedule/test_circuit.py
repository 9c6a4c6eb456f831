"""The circuits' decisions, without a database (S-063, E-085, E-086; properties 27 … 29)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from winnow.schedule import circuit, source_circuit
from winnow.schedule.circuit import CLOSED, CircuitRules, CircuitState, DomainCircuit
from winnow.schedule.settings import ScheduleSettings

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RULES = CircuitRules()
LATER = NOW + RULES.cooldown
answers = st.lists(st.booleans(), max_size=40)
rules = st.integers(1, 12).flatmap(lambda w: st.builds(CircuitRules, st.just(w), st.integers(1, w)))


def told(answers: list[bool], before: DomainCircuit = CLOSED, rules: CircuitRules = RULES) -> DomainCircuit:
    for ok in answers:
        before = circuit.after(before, ok, NOW, NOW, rules)
    return before


OPEN = told([False] * 5)


def would_open(answers: list[bool], rules: CircuitRules) -> bool:
    """Property 27, written as the requirement says it."""
    windows = [answers[max(0, end - rules.window) : end] for end in range(1, len(answers) + 1)]
    return any(window.count(False) >= rules.failures for window in windows)


@given(answers, rules)
def test_s119_property_27_it_opens_exactly_when_the_latest_answers_hold_too_many_failures(answers, rules):
    assert (told(answers, rules=rules).state is CircuitState.OPEN) == would_open(answers, rules)


def test_s063_five_failures_among_ten_open_it_and_older_ones_do_not_count():
    four = [False] * 4
    assert told([*four, *[True] * 5, False]).state is CircuitState.OPEN
    assert told([*four, *[True] * 6, False]).state is CircuitState.CLOSED
    assert told(four).state is CircuitState.CLOSED


@given(answers)
def test_s120_property_28_open_lets_nothing_through_whatever_comes_in_late(answers):
    late = told(answers, OPEN)
    assert late == OPEN
    just_before = LATER - timedelta(microseconds=1)
    assert not circuit.can_call(late, just_before, probing=False)


def test_s063_after_the_cooldown_exactly_one_probe():
    assert circuit.state_at(OPEN, LATER) is CircuitState.HALF_OPEN
    assert circuit.can_call(OPEN, LATER, probing=False)
    assert not circuit.can_call(OPEN, LATER, probing=True)


@given(answers)
def test_s121_property_29_a_probe_that_succeeds_closes_and_forgets(answers):
    closed = circuit.after(OPEN, True, LATER, LATER, RULES)
    assert closed == CLOSED
    assert told(answers, closed) == told(answers)


def test_s121_property_29_a_probe_that_fails_opens_for_another_cooldown():
    again = circuit.after(OPEN, False, LATER, LATER, RULES)
    assert (again.state, again.open_until) == (CircuitState.OPEN, LATER + RULES.cooldown)
    assert circuit.after(again, True, LATER, LATER, RULES) == again


@pytest.mark.parametrize("ok", [True, False])
def test_an_answer_to_a_request_from_before_the_opening_is_no_probe(ok):
    sent = LATER - timedelta(seconds=1)
    assert circuit.after(OPEN, ok, sent, LATER, RULES) == OPEN
    assert circuit.after(OPEN, ok, None, LATER, RULES) != OPEN


def test_half_open_written_down_is_the_same_as_by_time():
    written = DomainCircuit(CircuitState.HALF_OPEN, (), NOW, LATER)
    assert circuit.after(written, True, LATER, LATER, RULES) == CLOSED
    assert circuit.can_call(written, LATER, probing=False)


def test_s007_the_settings_of_the_enrichment_service(monkeypatch):
    monkeypatch.setenv("SCRAPER_CB_WINDOW_SIZE", "4")
    monkeypatch.setenv("SCRAPER_CB_FAILURE_THRESHOLD", "2")
    monkeypatch.setenv("SCRAPER_CB_COOLDOWN_SECONDS", "9")
    assert ScheduleSettings(_env_file=None).circuit_rules == CircuitRules(4, 2, timedelta(seconds=9))
    monkeypatch.setenv("SCRAPER_CB_FAILURE_THRESHOLD", "5")
    with pytest.raises(ValidationError, match="no circuit could ever open"):
        ScheduleSettings(_env_file=None)


def test_s007_without_settings():
    assert ScheduleSettings(_env_file=None).circuit_rules == RULES


# sources


def visits(
    ends: str, before: source_circuit.SourceCircuit = source_circuit.CLOSED, bad=True
) -> source_circuit.SourceCircuit:
    """`f` failed, `s` succeeded."""
    for end in ends:
        before = source_circuit.after(before, end == "s", NOW, NOW, mostly_failing=bad)
    return before


def test_e085_five_failures_in_a_row_open_a_source():
    assert visits("ffff").state == "CLOSED"
    assert visits("ffffsffff").failure_count == 4
    opened = visits("fffff")
    assert (opened.state, opened.cooldown_until) == ("OPEN", NOW + timedelta(minutes=30))


def test_five_failures_at_the_end_of_a_good_run_do_not_open_its_source():
    assert visits("ffffffff", bad=False).state == "CLOSED"


def test_e086_each_opening_without_a_success_doubles_the_cooldown():
    hours = [source_circuit.cooldown(n) / timedelta(hours=1) for n in (*range(8), 10_000)]
    assert hours == [0.5, 1, 2, 4, 8, 16, 24, 24, 24]


def test_e085_the_probe_of_a_source_decides():
    opened = visits("fffff")
    over = opened.cooldown_until
    assert source_circuit.state_at(opened, over) == "HALF_OPEN"
    assert source_circuit.after(opened, True, over, over, mostly_failing=True) == source_circuit.CLOSED
    again = source_circuit.after(opened, False, over, over, mostly_failing=False)
    assert (again.state, again.consecutive_opens) == ("OPEN", 2)
    assert again.cooldown_until == over + timedelta(hours=1)


@given(st.text("fs", max_size=20))
def test_what_ends_while_a_source_is_open_changes_nothing(ends):
    opened = visits("fffff")
    assert visits(ends, opened) == opened
    left_over = source_circuit.after(opened, True, NOW, opened.cooldown_until, mostly_failing=True)
    assert left_over == opened
