"""What Winnow obeys beyond Google's rules: the stricter group, odd spellings, delays, limits (P-046, P-047, R-22)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fetch.robots.matching import allows
from winnow.fetch.robots.rules import (
    MAX_BYTES,
    parse,
)

# --- what Winnow obeys ----------------------------------------------------------------------------------


def both(text: str, target: str) -> bool:
    return parse(text.encode()).decide_both(target, "Winnow").allowed


def test_p046_a_disallow_in_either_group_blocks() -> None:
    text = "User-agent: *\nDisallow: /a\nUser-agent: winnow\nDisallow: /b\nAllow: /a\n"
    assert not both(text, "/a")
    assert not both(text, "/b")
    assert both(text, "/c")
    assert not both("User-agent: Winnow\nDisallow: /\n", "/x")
    assert both("User-agent: Other\nDisallow: /\n", "/x")


@pytest.mark.parametrize(
    ("rule", "target"),
    [
        ("/private", "/%70rivate"),
        ("/%70rivate", "/private"),
        ("/~me", "/%7Eme"),
        ("/%7eme", "/~me"),
        ("/ツ", "/ツ"),
        ("/%e3%83%84", "/%e3%83%84"),
        ("/a%2Fb", "/a%2fb"),
    ],
)
def test_no_spelling_of_a_path_gets_around_a_rule(rule: str, target: str) -> None:
    assert not both(f"user-agent: *\ndisallow: {rule}\n", target)


def test_an_encoded_slash_is_not_a_slash() -> None:
    assert both("user-agent: *\ndisallow: /a/b\n", "/a%2Fb")


@pytest.mark.parametrize("star", ["*\xa0", "*/", "*/x"])
def test_p046_a_star_with_something_odd_behind_it_is_still_obeyed(star: str) -> None:
    rules = parse(f"user-agent: {star}\ncrawl-delay: 7\ndisallow: /a\n".encode("latin-1"))
    assert rules.decide("/a", "Winnow").allowed  # nobody is named, as Google reads it
    assert not rules.decide_both("/a", "Winnow").allowed
    assert rules.crawl_delay("Winnow") == 7.0


def test_the_deciding_rule_and_group_are_told() -> None:
    rules = parse(b"User-agent: *\nDisallow: /cart\nAllow: /cart/public\n")
    blocked = rules.decide_both("/cart/1", "Winnow")
    assert (blocked.allowed, blocked.rule, blocked.group) == (False, "disallow: /cart", "*")
    allowed = rules.decide_both("/cart/public", "Winnow")
    assert (allowed.allowed, allowed.rule, allowed.group) == (True, "allow: /cart/public", "*")
    assert rules.decide_both("/x", "Winnow") == parse(b"").decide("/", "Winnow")


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("", None),
        ("user-agent: *\ncrawl-delay: 5", 5.0),
        ("user-agent: *\ncrawl-delay: 0.2", 1.0),
        ("user-agent: *\ncrawl-delay: 0", 1.0),
        ("user-agent: *\ncrawl-delay: 3600", 60.0),
        ("user-agent: *\ncrawl-delay: 1e9", 1.0),
        ("user-agent: *\ncrawl-delay: " + "9" * 400, 60.0),
        ("user-agent: *\ncrawl-delay: 10s", 10.0),
        ("user-agent: *\ncrawl-delay: .5", 1.0),
        ("user-agent: *\ncrawl-delay: soon", None),
        ("user-agent: *\ncrawl-delay: -3", None),
        ("user-agent: *\ncrawl-delay: nan", None),
        ("user-agent: *\ncrawl-delay: ٣", None),
        ("crawl-delay: 5", None),
        ("user-agent: Winnow\ncrawl-delay: 3\nuser-agent: *\ncrawl-delay: 8", 8.0),
        ("user-agent: Winnow\ncrawl-delay: 9\nuser-agent: *\ncrawl-delay: 2", 9.0),
        ("user-agent: Other\ncrawl-delay: 9\nuser-agent: *\ncrawl-delay: 2", 2.0),
        ("user-agent: Other\ndisallow: /x\ncrawl-delay: 9\nuser-agent: *\ndisallow: /", None),
        ("user-agent: a\nuser-agent: *\ndisallow: /x\ncrawl-delay: 4", 4.0),
    ],
)
def test_p047_crawl_delay_is_the_stricter_one_within_1_and_60_seconds(text: str, delay: float | None) -> None:
    assert parse(text.encode()).crawl_delay("Winnow") == delay


def test_sitemaps_are_collected_from_anywhere() -> None:
    text = (
        "Sitemap: https://a.example/1.xml\nuser-agent: x\nsite-map: https://a.example/2.xml\nSITEMAP:/3.xml\nsitemap:\n"
    )
    assert parse(text.encode()).sitemaps == ["https://a.example/1.xml", "https://a.example/2.xml", "/3.xml"]


def test_r22_the_first_500_kib_count_and_a_cut_line_is_dropped() -> None:
    start = b"user-agent: *\ndisallow: /early\n"
    filler = b"#" * (MAX_BYTES - len(start) - len(b"\ndisallow: /cut")) + b"\ndisallow: /cut"
    assert len(start + filler) == MAX_BYTES
    cut = start + filler + b"-off/here\ndisallow: /late\n"
    whole = start + filler + b"\ndisallow: /late\n"
    assert not allows(cut, "/early")
    assert allows(cut, "/cut-off/here")
    assert allows(cut, "/cut-only")
    assert allows(whole, "/late")
    assert not allows(whole, "/cut")


@given(st.binary(max_size=300), st.text(max_size=20))
def test_any_bytes_parse(body: bytes, target: str) -> None:
    rules = parse(body)
    assert rules.decide_both("/" + target, "Winnow").allowed <= rules.decide("/" + target, "*").allowed


_piece = st.sampled_from(["a", "b", "/", "*", "$", "%41", "x"])


@given(st.lists(_piece, max_size=8).map("".join), st.lists(_piece, max_size=10).map("".join))
def test_patterns_match_like_a_plain_reading_of_the_rules(pattern: str, path: str) -> None:
    """Against the definition, written the slow way."""

    def reads(rest: str, text: str) -> bool:
        if not rest or rest == "$":
            return not rest or not text
        if rest[0] == "*":
            return any(reads(rest[1:], text[n:]) for n in range(len(text) + 1))
        return bool(text) and rest[0] == text[0] and reads(rest[1:], text[1:])

    rules = parse(f"user-agent: *\ndisallow: /{pattern}\n".encode())
    assert rules.decide("/" + path, "x").allowed is not reads("/" + pattern, "/" + path)


def test_a_hostile_pattern_costs_nothing() -> None:
    rules = parse(b"user-agent: *\ndisallow: /" + b"*a" * 4000 + b"$\n")
    assert rules.decide("/" + "a" * 8000 + "b", "x").allowed
