from __future__ import annotations

import pytest

from winnow.schedule.scope import matches, scope_of

START = "https://www.shop.example.com/"


@pytest.mark.parametrize(
    ("options", "url", "inside"),
    [
        ({}, "https://shop.example.com/p/1", True),
        ({}, "http://www.shop.example.com/p/1", True),
        ({}, "https://blog.example.com/p/1", False),
        ({}, "https://shop.example.org/p/1", False),
        ({}, "https://shop.example.com.evil.test/", False),
        ({"whole_domain": True}, "https://blog.example.com/p/1", True),
        ({"whole_domain": True}, "https://other.com/p/1", False),
        ({"path": "/en/"}, "https://shop.example.com/en/p/1", True),
        ({"path": "/en/"}, "https://shop.example.com/english", False),
        ({"include": ["/p/", "/c/*"]}, "https://shop.example.com/c/1", True),
        ({"include": ["/p/", "/c/*"]}, "https://shop.example.com/about", False),
        ({"exclude": ["*?color="]}, "https://shop.example.com/c/1?color=red", False),
        ({"exclude": ["*?color="]}, "https://shop.example.com/c/1?page=2", True),
        ({"include": ["/p/"], "exclude": ["/p/old"]}, "https://shop.example.com/p/old-1", False),
    ],
)
def test_what_belongs_to_a_crawl(options: dict[str, object], url: str, inside: bool):
    assert scope_of(START, **options).contains(url) is inside  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pattern", "target", "found"),
    [
        ("/p", "/p/1", True),
        ("/p$", "/p/1", False),
        ("/p/1$", "/p/1", True),
        ("*.pdf$", "/files/a.pdf", True),
        ("*.pdf$", "/files/a.pdf?x", False),
        ("/a*b*c", "/a1b2c3", True),
        ("/a*b*c$", "/abcbc", True),
        ("/a*a$", "/a", False),
        ("*", "/", True),
        ("/x", "/", False),
    ],
)
def test_patterns_are_those_of_robots_txt(pattern: str, target: str, found: bool):
    assert matches(pattern, target) is found


def test_a_pattern_of_many_stars_takes_no_time():
    assert not matches("*a" * 200 + "$", "/" + "a" * 5_000 + "b")
