"""robots.txt: the matcher agrees with Google's published rules, both groups must allow, and no answer fails open."""

from __future__ import annotations

import pytest

from tests.fetch.robots.matching import allows
from winnow.fetch.robots.file import MAX_LINE
from winnow.fetch.robots.rules import (
    RobotsRules,
    parse,
)

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
