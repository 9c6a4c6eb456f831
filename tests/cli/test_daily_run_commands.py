"""`winnow events run`, `day` and `days`, as a person uses them."""

from __future__ import annotations

from tests.cli.conftest import Winnow, one_line


def test_e024_a_daily_run_is_begun_by_hand_once_and_shown(winnow: Winnow) -> None:
    assert winnow("events", "days").out.strip() == "no daily run yet"
    one_line(winnow("events", "day"), "there was no daily run yet")
    agenda = "https://kade.example.com/agenda"
    winnow("sources", "add", "kade.example.com", agenda, "--kind", "event")
    winnow("targets", "add", agenda, "--source", "kade.example.com", "--by-hand")
    begun = winnow("events", "run", "--json").data["id"]
    one_line(winnow("events", "run"), f"a daily run is under way (existing: {begun})")
    shown = winnow("events", "day", str(begun), "--sources", "--json").data
    assert (shown["status"], shown["trigger"], shown["sources_waiting"]) == ("RUNNING", "MANUAL", 1)
    assert [source["source_name"] for source in shown["sources"]] == ["kade.example.com"]
    assert "kade.example.com" in winnow("events", "day", shown["day"], "--sources").out
    assert [run["id"] for run in winnow("events", "days", "--json").data] == [begun]
    one_line(winnow("events", "day", "soon"), "neither an id nor a day")
    one_line(winnow("events", "day", "999"), "there is no daily run 999")
