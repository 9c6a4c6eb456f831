"""robots.txt: the matcher agrees with Google's published rules, both groups must allow, and no answer fails open."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fetch.fault_server import FaultServer
from tests.fetch.fetching import LONG_MS, SHORT_MS, Fetch
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchResult, Outcome, failed
from winnow.fetch.robots.file import MAX_LINE
from winnow.fetch.robots.rules import (
    CACHE_S,
    MAX_BYTES,
    RobotsKind,
    RobotsRules,
    RobotsState,
    parse,
    refresh_in_s,
    robots_url,
    state_of,
)


def allows(text: str | bytes, target: str, agent: str = "FooBot") -> bool:
    body = text if isinstance(text, bytes) else text.encode()
    return parse(body).decide(target, agent).allowed


# --- Google's rules for one agent -------------------------------------------------------------------------


def test_an_empty_file_allows_everything() -> None:
    assert allows("", "/")
    assert allows("", "/x", "")
    assert allows("user-agent: FooBot\ndisallow: /\n", "/x", "")
    assert not allows("user-agent: FooBot\ndisallow: /\n", "")


def test_lines_need_a_known_key_and_may_miss_the_colon() -> None:
    assert not allows("user-agent: FooBot\ndisallow: /\n", "/x/y")
    assert allows("foo: FooBot\nbar: /\n", "/x/y")
    assert not allows("user-agent FooBot\ndisallow /\n", "/x/y")
    assert allows("user-agent: FooBot\ndisallow / and more\n", "/x/y")


GROUPS = """allow: /foo/bar/

user-agent: FooBot
disallow: /
allow: /x/
user-agent: BarBot
disallow: /
allow: /y/


allow: /w/
user-agent: BazBot

user-agent: FooBot
allow: /z/
disallow: /
"""


def test_groups_of_the_same_agent_are_one_and_agents_share_rules() -> None:
    assert allows(GROUPS, "/x/b", "FooBot")
    assert allows(GROUPS, "/z/d", "FooBot")
    assert not allows(GROUPS, "/y/c", "FooBot")
    assert allows(GROUPS, "/y/c", "BarBot")
    assert allows(GROUPS, "/w/a", "BarBot")
    assert not allows(GROUPS, "/z/d", "BarBot")
    assert allows(GROUPS, "/z/d", "BazBot")
    for agent in ("FooBot", "BarBot", "BazBot"):
        assert not allows(GROUPS, "/foo/bar/", agent)


@pytest.mark.parametrize("between", ["Sitemap: https://foo.bar/sitemap", "Invalid-Unknown-Line: unknown", "# note", ""])
def test_only_rules_end_a_list_of_agents(between: str) -> None:
    text = f"User-agent: BarBot\n{between}\nUser-agent: *\nDisallow: /\n"
    assert not allows(text, "/x", "FooBot")
    assert not allows(text, "/x", "BarBot")


@pytest.mark.parametrize("case", [str.upper, str.lower, str.title, str.swapcase])
def test_keys_and_agents_ignore_case_but_paths_do_not(case) -> None:  # type: ignore[no-untyped-def]
    text = f"{case('user-agent')}: {case('FooBot')}\n{case('allow')}: /x/\n{case('disallow')}: /\n"
    assert allows(text, "/x/y")
    assert not allows(text, "/X/y")
    assert not allows(text, "/a/b")


@pytest.mark.parametrize("key", ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"])
def test_misspelled_disallows_are_obeyed(key: str) -> None:
    assert not allows(f"useragent: FooBot\n{key}: /x\n", "/x")
    assert not allows(f"user agent: FooBot\n{key} : /x\n", "/x")


def test_agents_are_compared_up_to_the_first_character_that_is_no_name() -> None:
    for named in ("Foo Bar", "FOO/2.1", "foo", "Foo;x"):
        assert allows(f"User-Agent: *\nDisallow: /\nUser-Agent: {named}\nAllow: /x/\nDisallow: /\n", "/x/y", "Foo")
    text = "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n"
    assert not allows(text, "/x/y", "Foo Bar")
    assert not allows(text, "/x/y", "FooBar")
    assert not allows(text, "/x/y", "xFoo")


def test_an_agent_with_digits_finds_its_group() -> None:
    assert not allows("User-agent: Scout2/1.0\nDisallow: /\n", "/", "Scout2")


@pytest.mark.parametrize(
    ("star", "is_global"), [("*", True), ("* ", True), ("* baz", True), ("*bot", False), ("**", False), ("*/x", False)]
)
def test_what_counts_as_everybody(star: str, is_global: bool) -> None:
    assert allows(f"user-agent: {star}\ndisallow: /\n", "/") is not is_global


def test_an_agent_with_its_own_group_ignores_the_others() -> None:
    everybody = "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n"
    assert not allows(everybody, "/x/y", "FooBot")
    assert allows(everybody, "/x/y", "BarBot")
    specific = "user-agent: FooBot\nallow: /\nuser-agent: BarBot\ndisallow: /\nuser-agent: BazBot\ndisallow: /\n"
    assert allows(specific, "/x/y", "QuxBot")
    assert allows("user-agent: *\ndisallow: /\nuser-agent: FooBot\n", "/x", "FooBot")


LONGEST = [
    ("disallow: /x/page.html\nallow: /x/", "/x/page.html", False),
    ("allow: /x/page.html\ndisallow: /x/", "/x/page.html", True),
    ("allow: /x/page.html\ndisallow: /x/", "/x/", False),
    ("disallow: \nallow: ", "/x/page.html", True),
    ("disallow: /\nallow: /", "/x/page.html", True),
    ("disallow: /x\nallow: /x/", "/x", False),
    ("disallow: /x\nallow: /x/", "/x/", True),
    ("disallow: /x/page.html\nallow: /x/page.html", "/x/page.html", True),
    ("allow: /page\ndisallow: /*.html", "/page.html", False),
    ("allow: /page\ndisallow: /*.html", "/page", True),
    ("allow: /x/page.\ndisallow: /*.html", "/x/page.html", True),
    ("allow: /x/page.\ndisallow: /*.html", "/x/y.html", False),
    ("allow: /p\ndisallow: /", "/page", True),
    ("allow: /folder\ndisallow: /folder", "/folder/page", True),
    ("allow: /page\ndisallow: /*.htm", "/page.htm", False),
    ("allow: /$\ndisallow: /", "/", True),
    ("allow: /$\ndisallow: /", "/page.htm", False),
    ("disallow: /foo/bar/quz\nallow: /foo/*/qux", "/foo/bar/quz", False),
    ("disallow: /foo/bar/quz\nallow: /foo/*/qux", "/foo//quz", True),
    ("disallow: /foo/bar$\nallow: /foo/bar/qux", "/foo/bar", False),
    ("disallow: /foo/bar$\nallow: /foo/bar/qux", "/foo/bar/", True),
    ("disallow: /foo/bar$\nallow: /foo/bar/qux", "/foo/bar/baz", True),
    ("# disallow: /\ndisallow: /foo/quz#qux\nallow: /", "/foo/quz", False),
    ("# disallow: /\ndisallow: /foo/quz#qux\nallow: /", "/foo/bar", True),
    ("disallow: /a$b", "/a$b/c", False),
    ("disallow: /a$b", "/a", True),
    ("disallow: foo", "/foo", True),
    ("disallow: *", "/anything", False),
    ("disallow: /*?", "/a?b", False),
    ("disallow: /*?", "/a", True),
    ("disallow: /*/x/*/y$", "/1/x/2/x/3/y", False),
    ("disallow: /*/x/*/y$", "/1/x/y", True),
]


@pytest.mark.parametrize(("rules", "target", "allowed"), LONGEST)
def test_the_longest_match_wins_and_allow_wins_a_tie(rules: str, target: str, allowed: bool) -> None:
    assert allows(f"user-agent: FooBot\n{rules}\n", target) is allowed
    assert allows("user-agent: FooBot\n" + "\n".join(reversed(rules.split("\n"))) + "\n", target) is allowed


def test_the_more_specific_group_is_not_a_question_of_length() -> None:
    text = "User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n"
    assert allows(text, "/x/page")
    assert not allows(text, "/y/page")
    assert not allows(text, "/x/page", "Other")


FISH = (
    "/fish /fish.html /fish/salmon.html /fishheads /fishheads/yummy.html /fish.html?id=anything /fish.php?id=anything"
)
NO_FISH = "/bar /Fish.asp /catfish /?id=fish /desert/fish"
DOCUMENTED = {
    "/fish": (FISH, NO_FISH),
    "/fish*": (FISH, NO_FISH),
    "/fish/": (
        "/fish/ /fish/salmon /fish/?salmon /fish/salmon.html /fish/?id=anything",
        "/bar /fish /fish.html /animals/fish/ /Fish/Salmon.asp",
    ),
    "/*.php": (
        "/filename.php /folder/filename.php /folder/filename.php?parameters /folder//any.php.file.html /filename.php/ "
        "/index?f=filename.php/ /php/index.php",
        "/bar / /windows.PHP /index?php",
    ),
    "/*.php$": (
        "/filename.php /folder/filename.php",
        "/bar /filename.php?parameters /filename.php/ /filename.php5 /php/ /filename?php /aaaphpaaa /windows.PHP",
    ),
    "/fish*.php": ("/fish.php /fishheads/catfish.php?parameters", "/bar /Fish.PHP"),
}


@pytest.mark.parametrize("pattern", DOCUMENTED)
def test_the_documented_examples(pattern: str) -> None:
    text = f"user-agent: FooBot\ndisallow: /\nallow: {pattern}\n"
    matching, other = (paths.split() for paths in DOCUMENTED[pattern])
    assert all(allows(text, path) for path in matching)
    assert not any(allows(text, path) for path in other)


ENCODED = "User-agent: FooBot\nDisallow: /\nAllow: {}\n"


@pytest.mark.parametrize(
    ("pattern", "target", "allowed"),
    [
        ("/foo/bar?qux=taz&baz=http://foo.bar?tar&par", "/foo/bar?qux=taz&baz=http://foo.bar?tar&par", True),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/ツ", "/foo/bar/ツ", False),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", False),
        ("/foo/bar/%62%61%7A", "/foo/bar/%62%61%7A", True),
    ],
)
def test_percent_encoding_is_compared_as_google_does(pattern: str, target: str, allowed: bool) -> None:
    assert allows(ENCODED.format(pattern), target) is allowed


def test_an_allowed_index_page_is_its_directory() -> None:
    text = "User-Agent: *\nAllow: /allowed-slash/index.html\nDisallow: /\n"
    assert allows(text, "/allowed-slash/")
    assert allows(text, "/allowed-slash/index.html")
    assert not allows(text, "/allowed-slash/index.htm")
    assert not allows(text, "/anyother-url")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_every_line_ending(end: str, last: bool) -> None:
    text = end.join(["User-Agent: foo", "Allow: /some/path", "User-Agent: FooBot", "", "", "Disallow: /"]) + end * last
    assert not allows(text, "/x")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_a_byte_order_mark_is_skipped_even_in_part(mark: bytes) -> None:
    assert not allows(mark + b"User-Agent: FooBot\nDisallow: /\n", "/x")


def test_a_broken_byte_order_mark_spoils_its_line_only() -> None:
    assert allows(b"\xef\x11\xbfUser-Agent: FooBot\nDisallow: /\n", "/x")
    assert not allows(b"\xef\x11\xbfUser-Agent: FooBot\nUser-agent: *\nDisallow: /\n", "/x")


def test_overlong_lines_are_cut() -> None:
    longest = "/x/" + "a" * MAX_LINE
    kept = longest[: MAX_LINE - len("disallow: ")]
    text = f"user-agent: FooBot\ndisallow: {longest}/qux\n"
    assert not allows(text, kept + "/fux")
    assert allows(text, "/fux")


def test_only_cr_and_lf_end_a_line() -> None:
    assert allows(b"user-agent: FooBot\ndisallow: /x\x0b\x0cdisallow: /y\n", "/y")
    assert allows("user-agent: FooBot\ndisallow: /x\u2028disallow: /y\n", "/y")
    assert not allows(b"user-agent: FooBot\ndisallow: /x\0y\n", "/x")  # nothing after a NUL is read
    assert not allows(b"user-agent: FooBot\ndisallow\x0bx /x\n", "/x")  # two words: only blanks part them


def test_robots_txt_itself_is_always_allowed() -> None:
    assert allows("user-agent: *\ndisallow: /\n", "/robots.txt")
    assert not allows("user-agent: *\ndisallow: /\n", "/robots.txt.bak")


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


# --- what an answer means ---------------------------------------------------------------------------------


def answer(outcome: Outcome, **more: object) -> FetchResult:
    return FetchResult(outcome=outcome, url="u", final_url="u", duration_ms=1, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [401, 403, 407, 408, 425, 429, 451, 500, 501, 502, 503, 504, 520, 302, 304])
async def test_r22_these_answers_close_the_domain(fetch: Fetch, code: int) -> None:
    path = "/no_location" if code == 302 else f"/status?code={code}"
    state = state_of(await fetch(path))
    assert (state.kind, state.reason, state.body) == (RobotsKind.UNREACHABLE, f"http_{code}", None)


@pytest.mark.parametrize("code", [400, 404, 405, 410, 414])
async def test_pn08_there_is_none_means_allowed_unless_configured(fetch: Fetch, code: int) -> None:
    result = await fetch(f"/status?code={code}")
    assert state_of(result).kind is RobotsKind.ALLOW_ALL
    assert state_of(result, missing_blocks=True).kind is RobotsKind.UNREACHABLE


@pytest.mark.parametrize(
    "path",
    [
        "/chain?n=6",
        "/loop_a",
        "/silent",
        "/drip",
        "/reset",
        "/truncated",
        "/garbage",
        "/endless",
        "/gzip_bomb",
        "/not_gzip",
        "/part",
        "/to?url=http%253A//169.254.169.254/",
        "/to?url=file%253A///x",
    ],
)
async def test_r22_network_trouble_redirects_and_excess_close_the_domain(fetch: Fetch, path: str) -> None:
    timeout_ms = SHORT_MS if path in ("/silent", "/drip") else LONG_MS
    assert state_of(await fetch(path, timeout_ms=timeout_ms)).kind is RobotsKind.UNREACHABLE


@pytest.mark.parametrize("word", ["dns", "tls", "connect", "connect_timeout"])
def test_r22_no_connection_closes_the_domain(word: str) -> None:
    assert state_of(failed("u", FailureCode(word))).kind is RobotsKind.UNREACHABLE


async def test_r22_a_redirected_answer_counts_for_the_origin_that_asked(fetch: Fetch, faults: FaultServer) -> None:
    state = state_of(await fetch("/chain?n=5"))
    assert state.kind is RobotsKind.RULES
    assert parse(state.body or b"").decide("/x", "a").allowed
    assert state_of(await fetch("/to?url=/nowhere")).kind is RobotsKind.ALLOW_ALL


def test_a_status_met_on_the_way_is_not_the_answer() -> None:
    cut_short = answer(Outcome.INCOMPLETE, status_code=404, error_class=FailureCode.INCOMPLETE)
    assert state_of(cut_short).kind is RobotsKind.UNREACHABLE


def test_the_stored_body_is_no_larger_than_what_is_parsed() -> None:
    state = state_of(answer(Outcome.OK, body=b"user-agent: *\n" + b"#" * MAX_BYTES))
    assert len(state.body or b"") == len("user-agent: *\n")


def test_p048_three_tries_then_minutes_and_never_before_retry_after() -> None:
    gone = RobotsState(RobotsKind.UNREACHABLE, "http_503")
    assert [refresh_in_s(gone, n) for n in (1, 2, 3, 4, 5, 6, 7, 50)] == [1, 2, 300, 600, 1200, 2400, 3600, 3600]
    asked = RobotsState(RobotsKind.UNREACHABLE, "http_429", retry_after_s=900.0)
    assert refresh_in_s(asked, 1) == 900
    assert refresh_in_s(RobotsState(RobotsKind.RULES, "ok", b""), 0) == CACHE_S == 86_400
    assert refresh_in_s(RobotsState(RobotsKind.ALLOW_ALL, "http_404"), 0) == CACHE_S


def test_robots_are_asked_for_per_origin() -> None:
    assert robots_url("https://example.com:8443") == "https://example.com:8443/robots.txt"


def test_rules_can_be_made_of_nothing() -> None:
    assert RobotsRules({}, []).decide_both("/x", "Winnow").allowed


@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
def test_r22_a_file_saved_as_utf_16_is_not_read_as_no_rules(code: str) -> None:
    mark = b"\xff\xfe" if code.endswith("le") else b"\xfe\xff"
    rules = parse(mark + "User-agent: *\r\nDisallow: /private".encode(code))
    assert not rules.decide_both("/private/x", "winnow").allowed
    assert rules.decide_both("/public", "winnow").allowed


def test_r22_a_rule_with_a_space_is_about_the_path_as_it_is_sent() -> None:
    rules = parse(b"User-agent: *\nDisallow: /my files/\n")
    assert not rules.decide_both("/my%20files/a", "winnow").allowed


# Written after the published rules: (file, path, allowed).
MORE = [
    ("Disallow: /*.php$", "/a.php?x", True),
    ("Disallow: /*.php$", "/a.php5", True),
    ("Disallow: /*?", "/a?b", False),
    ("Disallow: /*?", "/a", True),
    ("Disallow: /a$b", "/a$b", False),
    ("Disallow: /**/x", "/q/w/x", False),
    ("Disallow: *a", "/xxa", False),
    ("Disallow: a", "/a", True),
    ("Disallow: http://x.example/a", "/a", True),
    ("Disallow: /\nAllow: /a/*/c$", "/a/b/c", True),
    ("Allow: /$\nDisallow: /", "/", True),
    ("Allow: /$\nDisallow: /", "/a", False),
    ("Disallow: /a%2Fb", "/a/b", True),
    ("Noindex: /a", "/a", True),
    ("disallow : /a", "/a", False),
    ("Disallow: /a # not this", "/a", False),
    ("\n\n\nDisallow: /a", "/a", False),
]


@pytest.mark.parametrize(("lines", "path", "allowed"), MORE)
def test_p045_more_rules_as_site_owners_write_them(lines: str, path: str, allowed: bool) -> None:
    assert parse(f"User-agent: *\n{lines}".encode()).decide_both(path, "winnow").allowed is allowed


def test_r22_a_page_served_as_robots_txt_holds_no_rules() -> None:
    assert parse(b"<!doctype html><html><body>Not found</body></html>").decide_both("/x", "winnow").allowed
