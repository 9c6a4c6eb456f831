"""Log-in pages, paid articles and shells without content, in the shape sites send them."""

from __future__ import annotations

from tests.fetch.blocked.responses import WORDS, fetched, html
from winnow.fetch.blocked.detect import WallKind
from winnow.fetch.outcome import FetchResult

GATES: dict[str, tuple[FetchResult, WallKind]] = {
    # log-in walls
    "linkedin authwall": (
        fetched(
            200,
            html(
                "Sign Up | LinkedIn",
                f"<h1>Join LinkedIn</h1><p>{WORDS * 20}</p><form class=authwall-join-form><input type=password></form>",
            ),
            led_to="https://www.linkedin.com/authwall?trk=bf&original_referer=&sessionRedirect=x",
        ),
        WallKind.LOGIN_WALL,
    ),
    "linkedin authwall without a redirect": (
        fetched(
            200,
            "<html><head><script>window.onload=function(){window.location.href='https://www.linkedin.com/authwall?x=1'}"
            "</script></head><body></body></html>",
        ),
        WallKind.LOGIN_WALL,
    ),
    "a members' area": (
        fetched(
            200,
            html(
                "Log in - Club",
                "<h1>Log in</h1><form action='/login'><input name='user'><input type=\"password\" name='p'>"
                "<a href='/forgot'>Forgot your password?</a></form>",
            ),
        ),
        WallKind.LOGIN_WALL,
    ),
    "instagram": (
        fetched(
            200, html("Login • Instagram", "<p>x</p>"), led_to="https://www.instagram.com/accounts/login/?next=/a/"
        ),
        WallKind.LOGIN_WALL,
    ),
    # consent walls
    "google consent": (
        fetched(
            200,
            html(
                "Before you continue to Google Search",
                "<h1>Before you continue to Google</h1><p>We use cookies and data to</p>"
                "<form action='https://consent.google.com/save' method='POST'><button>Reject all</button></form>",
            ),
            led_to="https://consent.google.com/ml?continue=https://www.google.com/",
        ),
        WallKind.CONSENT_WALL,
    ),
    "yahoo consent": (
        fetched(
            200,
            html(
                "Yahoo is part of the Yahoo family of brands",
                "<form method='post' class='consent-form collect-consent' action='/v2/collectConsent?sessionId=x'>"
                "<button name='reject'>Reject all</button></form>",
            ),
            led_to="https://consent.yahoo.com/v2/collectConsent?sessionId=x",
        ),
        WallKind.CONSENT_WALL,
    ),
    "a publisher's gate": (
        fetched(
            200,
            html(
                "DPG Media Privacy Gate",
                "<h1>Privacy gate</h1><iframe src='/privacy-gate/consent'></iframe><script src='/cmp.js'></script>",
                lang="nl",
            ),
        ),
        WallKind.CONSENT_WALL,
    ),
    "a paper's pay or consent": (
        fetched(
            200,
            html(
                "Zustimmung erforderlich",
                "<h1>Mit Werbung weiterlesen</h1><p>Besuchen Sie uns wie gewohnt mit Werbung.</p><button>Ja</button>",
                lang="de",
            ),
        ),
        WallKind.CONSENT_WALL,
    ),
    # shells
    "create-react-app": (
        fetched(
            200,
            html(
                "React App",
                '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
                '<script defer="defer" src="/static/js/main.1f.js"></script><link href="/static/main.css">',
            ),
        ),
        WallKind.EMPTY_SHELL,
    ),
    "vite with a spinner": (
        fetched(
            200,
            html(
                "Shop", '<div id="app"><div class="spinner">Loading…</div></div>', '<script type="module" src="/a.js">'
            ),
        ),
        WallKind.EMPTY_SHELL,
    ),
    "a shell whose script will add structured data": (
        fetched(
            200,
            html(
                "Shop",
                "<div id=root></div><script>let s=document.createElement('p');s.type='application/ld+json'</script>",
            ),
        ),
        WallKind.EMPTY_SHELL,
    ),
    "angular": (
        fetched(200, html("Shop", "<app-root></app-root><script src='runtime.js' type='module'></script>")),
        WallKind.EMPTY_SHELL,
    ),
    "nothing at all": (fetched(200, ""), WallKind.EMPTY_SHELL),
}
