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


def test_e097_an_agenda_is_added_with_its_page_for_the_daily_run(winnow: Winnow) -> None:
    agenda = "https://kade.example.com/agenda"
    place = ("--timezone", "Europe/Amsterdam", "--coordinates", "52.01,4.36")
    added = winnow("sources", "add", "De Kade", agenda, "--kind", "event", "--watch", *place)
    assert "visited by the daily run" in added.out
    (target,) = winnow("targets", "list", "--json").data
    assert (target["url"], target["schedule"], target["next_crawl_at"]) == (agenda, None, None)
    stored = winnow("sources", "set", "De Kade", "--json").data
    assert (stored["timezone"], stored["default_latitude"], stored["default_longitude"]) == (place[1], 52.01, 4.36)
    begun = winnow("events", "run", "--json").data["id"]
    assert winnow("events", "day", str(begun), "--json").data["sources_waiting"] == 1


def test_an_agenda_with_a_cron_or_of_another_kind_has_its_own_time(winnow: Winnow) -> None:
    agenda = "https://kade.example.com/agenda"
    made = winnow("sources", "add", "Kade", agenda, "--kind", "event", "--watch", "--schedule", "0 9 * * *", "--json")
    assert made.data["target_id"] == 1
    winnow("sources", "add", "Shop", "https://shop.example.com/p/1", "--watch")
    assert all(target["next_crawl_at"] for target in winnow("targets", "list", "--json").data)
    assert "winnow targets add" in winnow("sources", "add", "Other", "https://other.example.com").out
