"""E-039: walls in the shape the services send them, with their statuses, and pages that only look like walls.

Everything here was written for these tests, after the structure of the real ones: their scripts, ids and words, none of
their texts as a whole.
"""

from __future__ import annotations

import pytest

from tests.fetch.blocked.challenges import CHALLENGES
from tests.fetch.blocked.gates import GATES
from tests.fetch.blocked.responses import WORDS, fetched, html
from winnow.fetch.blocked.walls import mark_blocked
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchResult, Outcome

WALLS = CHALLENGES | GATES


@pytest.mark.parametrize("name", WALLS)
def test_a_wall_ends_blocked_with_what_it_is(name: str) -> None:
    given, kind = WALLS[name]
    result = mark_blocked(given)
    assert (result.outcome, result.error_class) == (Outcome.BLOCKED, kind.value)
    assert (result.body, result.content_hash, result.etag) == (None, None, None)
    assert result.error


PRODUCT = '<script type="application/ld+json">{"@type":"Product","name":"Kettle","offers":{"price":"9"}}</script>'
LOGIN = "<form action='/login'><h2>Sign in</h2><input name='mail'><input type='password'><a>Forgot password?</a></form>"
PAGES: dict[str, FetchResult] = {
    "a product that speaks of captchas in a script": fetched(
        200,
        html(
            "Kettle",
            "<h1>Kettle</h1><p>12,50 €</p><script>var c={captcha:'recaptcha/api.js',msg:'Verify you are human'};"
            "if(blocked) location='/errors/captcha'</script>",
            PRODUCT,
        ),
    ),
    "a product behind cloudflare with its beacon": fetched(
        200,
        html(
            "Kettle",
            f"<h1>Kettle</h1><p>{WORDS}</p><p>$12.50</p><script>(function(){{window['__CF$cv$params']={{r:'8',t:'M'}};"
            "var a=document.createElement('b');a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'})()</script>",
        ),
        kept={},
    ),
    "a product behind datadome's tag": fetched(
        200,
        html(
            "Kettle",
            f"<h1>Kettle</h1><p>{WORDS * 3}</p><script>window.ddjskey='x';</script>"
            "<script src='https://js.datadome.co/tags.js'></script>",
        ),
    ),
    "a product behind perimeterx's sensor": fetched(
        200,
        html(
            "Kettle", f"<h1>Kettle</h1><p>{WORDS * 3}</p><script src='//client.px-cloud.net/PXab/main.min.js'></script>"
        ),
    ),
    "a product behind imperva's script": fetched(
        200,
        html("Kettle", f"<h1>Kettle</h1><p>{WORDS * 2}</p>", "<script src='/_Incapsula_Resource?SWJIYLWA=5'></script>"),
    ),
    "a shop with a log-in link": fetched(
        200,
        html("Kettles", "<nav><a href='/login'>Log in</a> <a>Sign up</a></nav><h1>Kettles</h1><p>Twelve kinds.</p>"),
    ),
    "a thin product beside a log-in drawer": fetched(
        200, html("Kettle 12 | Shop", f"<h1>Kettle 12</h1><p>In stock</p><div hidden>{LOGIN}</div>")
    ),
    "log in to see the price": fetched(
        200, html("Kettle 12 | Trade", f"<h1>Kettle 12</h1><p>Log in to see prices.</p><p>{WORDS}</p>{LOGIN}")
    ),
    "a shop for locks": fetched(
        200,
        html(
            "Access Denied: door locks and safes",
            f"<h1>Security check-list for your door</h1><p>{WORDS * 14}</p><p>Are you a robot? No.</p>",
        ),
    ),
    "a shop of a security company": fetched(
        200,
        html(
            "Bot protection from 99 €",
            "<h1>Bot detection</h1><p>We stop scrapers. Captcha, challenge, access denied: all in one.</p><p>99 €</p>",
        ),
    ),
    "a book": fetched(200, html("Just a Moment: Essays", "<h1>Just a Moment: Essays</h1><p>Paperback</p><p>£9.99</p>")),
    "an album": fetched(200, html("Access Denied", f"<h1>Access Denied</h1><p>CD</p>{PRODUCT}")),
    "an article about consent": fetched(
        200, html("Before you continue", f"<h1>Before you continue</h1><p>{WORDS * 14}</p><form><input></form>")
    ),
    "a page with a cookie banner": fetched(
        200,
        html(
            "Kettle",
            "<div id='cookie-banner'><h2>We value your privacy</h2><button>Accept all</button></div>"
            f"<h1>Kettle</h1><p>12.50 EUR</p><p>{WORDS}</p>",
        ),
    ),
    "a contact form with a captcha": fetched(
        200,
        html(
            "Contact",
            f"<h1>Contact</h1><p>{WORDS * 3}</p><form id=contact><div class=g-recaptcha></div><input name=mail></form>",
        ),
    ),
    "a rendered app": fetched(
        200, html("Kettle", f'<div id="root"><h1>Kettle</h1><p>{WORDS * 2}</p></div><script src="/m.js"></script>')
    ),
    "an app with its state": fetched(
        200,
        html("Shop", '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{}}</script>'),
    ),
    "microdata alone": fetched(
        200, html("", '<div itemscope itemtype="https://schema.org/Product"><meta itemprop="name" content="K"></div>')
    ),
    "a shop closed for the night": fetched(200, html("Closed", "<p>We are back at nine.</p><script>1</script>")),
    "not found, behind cloudflare": fetched(
        404, html("404", "<h1>Not found</h1><script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>")
    ),
    "not found, with words of a wall": fetched(
        404, html("Access denied", "<h1>Please log in</h1><input type=password>")
    ),
    "gone": fetched(410, ""),
    "maintenance": fetched(503, html("Please wait | Shop", "<h1>Back soon</h1><p>Maintenance.</p>")),
    "a busy server": fetched(429, html("Too Many Requests", "<h1>429 Too Many Requests</h1>")),
    "an origin that is down, told by cloudflare": fetched(
        522, html("shop.example | 522: Connection timed out", "<div id='cf-error-details'>Connection timed out</div>")
    ),
    "a broken server": fetched(500, html("Forbidden", "<h1>Internal Server Error</h1>")),
    "json": fetched(200, '{"title":"Access denied"}', media="application/json"),
    "a feed": fetched(200, "<rss><channel><title>Just a moment</title></channel></rss>", media="application/rss+xml"),
    "plain text": fetched(200, "Access denied", media="text/plain"),
    "chinese": fetched(
        200, html("水壶", "<h1>不锈钢水壶</h1><p>" + "容量一升半，安静，把手不烫。" * 10 + "</p><p>¥99</p>", lang="zh")
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_no_other_page_is_called_a_wall(name: str) -> None:
    assert mark_blocked(PAGES[name]) == PAGES[name]


@pytest.mark.parametrize("status", [401, 403, 451])
def test_what_only_the_status_says_keeps_its_word(status: int) -> None:
    result = mark_blocked(fetched(status, ""))
    assert (result.outcome, result.error_class) == (Outcome.BLOCKED, f"http_{status}")


def test_a_page_that_is_unchanged_or_never_came_is_left_alone() -> None:
    unchanged = FetchResult(
        outcome=Outcome.OK, url="u", final_url="u", duration_ms=1, status_code=304, not_modified=True
    )
    broken = FetchResult(outcome=Outcome.ERROR, url="u", final_url="u", duration_ms=1, error_class=FailureCode.DNS)
    refused = FetchResult(
        outcome=Outcome.ERROR, url="u", final_url="u", duration_ms=1, status_code=302, error_class=FailureCode.HOP_BUSY
    )
    assert [mark_blocked(unchanged), mark_blocked(broken), mark_blocked(refused)] == [unchanged, broken, refused]
