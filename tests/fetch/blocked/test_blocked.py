"""E-039, DESIGN §5: walls are recognised in every language they come in, and no normal page is called one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.fetch.blocked.detect import WallKind, recognise
from winnow.fetch.blocked.marks import has_content

WORDS = "A kettle of brushed steel for a litre and a half of water, quiet, with a handle that stays cool. " * 20


def html(title: str = "", body: str = "", head: str = "") -> bytes:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


# name: status, headers, page, kind. In the shape of the real ones.
WALLS: dict[str, tuple[int, dict[str, str], bytes, WallKind]] = {
    "cloudflare header": (403, {"CF-Mitigated": "challenge"}, html("Just a moment..."), WallKind.CHALLENGE),
    "cloudflare header, long page": (503, {"cf-mitigated": "challenge"}, html("x", WORDS), WallKind.CHALLENGE),
    "cloudflare script": (
        403,
        {},
        html("Just a moment...", "<div id=a></div><script>window._cf_chl_opt={cvId:'3'};</script>"),
        WallKind.CHALLENGE,
    ),
    "cloudflare with 200": (200, {}, html("Just a moment...", "<p>Checking your browser</p>"), WallKind.CHALLENGE),
    "cloudflare denied": (
        403,
        {},
        html("Attention Required! | Cloudflare", "<div id='cf-error-details'></div>"),
        WallKind.ACCESS_DENIED,
    ),
    "aws challenge": (202, {"x-amzn-waf-action": "challenge"}, b"", WallKind.CHALLENGE),
    "aws captcha": (405, {"x-amzn-waf-action": "captcha"}, html("Human Verification"), WallKind.CAPTCHA),
    "aws script": (202, {}, html("", "<script>window.gokuProps = {key: 'x'}</script>"), WallKind.CHALLENGE),
    "datadome": (
        403,
        {},
        html("shop.example", "<p>Please enable JS and disable any ad blocker</p><script>var dd={'rt':'c'}</script>"),
        WallKind.CAPTCHA,
    ),
    "datadome json": (
        403,
        {"Content-Type": "application/json"},
        b'{"url":"https://geo.captcha-delivery.com/captcha/?x=1"}',
        WallKind.CAPTCHA,
    ),
    "perimeterx": (
        403,
        {},
        html("Access to this page has been denied", "<div id='px-captcha'></div><p>Press &amp; Hold to confirm</p>"),
        WallKind.CAPTCHA,
    ),
    "incapsula": (
        200,
        {},
        b"<html><head></head><body><iframe src='/_Incapsula_Resource?SWUDNSAI=31&incident_id=1-2' height='100%'>"
        b"Request unsuccessful. Incapsula incident ID: 1-2</iframe></body></html>",
        WallKind.CHALLENGE,
    ),
    "incapsula script only": (
        200,
        {},
        b"<html><head><script src='/_Incapsula_Resource?SWJIYLWA=71'></script></head><body></body></html>",
        WallKind.CHALLENGE,
    ),
    "kasada": (
        429,
        {},
        b"<html><body><script src='/149e/ips.js?KP_UIDz=x'></script></body></html>",
        WallKind.CHALLENGE,
    ),
    "akamai denied": (
        403,
        {},
        b"<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to"
        b" access this.<P>Reference #18.1 <P>https://errors.edgesuite.net/18.1</BODY></HTML>",
        WallKind.ACCESS_DENIED,
    ),
    "akamai challenge": (
        200,
        {},
        html("", "<div id='sec-if-cpt-container'></div><script src=/x></script>"),
        WallKind.CHALLENGE,
    ),
    "amazon": (
        200,
        {},
        html("Amazon.com", "<h4>Enter the characters you see below</h4><form action='/errors/validateCaptcha'></form>"),
        WallKind.CAPTCHA,
    ),
    "google": (
        429,
        {},
        html(
            "https://www.google.com/search", "<form id='captcha-form'>Our systems have detected unusual traffic</form>"
        ),
        WallKind.CAPTCHA,
    ),
    "imperva": (
        200,
        {},
        html("Pardon Our Interruption", "<p>As you were browsing something made us think</p>"),
        WallKind.CAPTCHA,
    ),
    "recaptcha": (
        200,
        {},
        html("shop.example", "<p>Please confirm that you are not a robot</p><div class='g-recaptcha'></div>"),
        WallKind.CAPTCHA,
    ),
    "cookie script": (
        200,
        {},
        b"<html><body><script>document.cookie='__test='+toHex(slowAES.decrypt(c,2,a,b))</script></body></html>",
        WallKind.CHALLENGE,
    ),
    "anubis": (
        200,
        {},
        html("Making sure you're not a bot!", "<script id='anubis_challenge'>{}</script>"),
        WallKind.CHALLENGE,
    ),
    "nginx 403": (
        403,
        {},
        html("403 Forbidden", "<center><h1>403 Forbidden</h1></center><hr>nginx"),
        WallKind.ACCESS_DENIED,
    ),
    "bare 403": (403, {}, b"", WallKind.ACCESS_DENIED),
    "legal": (451, {}, html("Unavailable", "<p>no</p>"), WallKind.ACCESS_DENIED),
    "basic auth": (401, {"WWW-Authenticate": "Basic"}, b"", WallKind.LOGIN_WALL),
    "linkedin": (
        999,
        {},
        b"<html><head><script>window.onload=function(){}</script></head></html>",
        WallKind.LOGIN_WALL,
    ),
    "login": (
        200,
        {},
        html("Log in - Club", "<h1>Log in</h1><form><input name=u><input type=password></form>"),
        WallKind.LOGIN_WALL,
    ),
    "login German": (
        200,
        {},
        html("Anmelden | Verein", "<form><input name=u><input name=p type='password'></form>"),
        WallKind.LOGIN_WALL,
    ),
    "login Japanese": (200, {}, html("ログイン", "<form><input type=password></form>"), WallKind.LOGIN_WALL),
    "react shell": (
        200,
        {},
        html(
            "Shop",
            "<noscript>You need to enable JavaScript to run this app.</noscript>"
            "<div id=root></div><script src=/m.js></script>",
        ),
        WallKind.EMPTY_SHELL,
    ),
    "vue shell": (
        200,
        {},
        html("Shop", "<div id='app'></div><script type=module src=/m.js></script>"),
        WallKind.EMPTY_SHELL,
    ),
    "angular shell": (
        200,
        {},
        html("Shop", "<app-root>Loading...</app-root><script src=/m.js></script>"),
        WallKind.EMPTY_SHELL,
    ),
    "German shell": (
        200,
        {},
        html(
            "Laden",
            "<noscript>Bitte aktivieren Sie JavaScript.</noscript><div class=x></div><script src=/m.js></script>",
        ),
        WallKind.EMPTY_SHELL,
    ),
    "nothing": (200, {}, b"  \n ", WallKind.EMPTY_SHELL),
    "denied, no title": (
        200,
        {},
        b"Access denied. Your address is on a list. Please write to us.",
        WallKind.ACCESS_DENIED,
    ),
    "denied, one word": (200, {}, b"Forbidden", WallKind.ACCESS_DENIED),
    "request denied": (200, {}, html("Request denied.", "<p>You may not see this page.</p>"), WallKind.ACCESS_DENIED),
    "denied by a web server": (200, {}, html("403 - Forbidden: Access is denied."), WallKind.ACCESS_DENIED),
    "denied by country": (
        200,
        {},
        html("", "<h1>This website is not available in your area</h1>"),
        WallKind.ACCESS_DENIED,
    ),
    "a job board's check": (
        200,
        {},
        html("Security Check - Boardly.com", "<h1>Additional Verification Required</h1>"),
        WallKind.CHALLENGE,
    ),
    "a review site's check": (
        200,
        {},
        html(
            "Security | Boardly",
            "<h1>Help Us Protect Boardly</h1><p>Please help us by verifying that you're a real person.</p>",
        ),
        WallKind.CAPTCHA,
    ),
    "waiting room": (
        200,
        {},
        html("Waiting Room page", "<p>Many people are here. Please wait.</p>"),
        WallKind.CHALLENGE,
    ),
}
for language, (title, kind) in {
    "de": ("Zugriff verweigert", WallKind.ACCESS_DENIED),
    "fr": ("Accès refusé", WallKind.ACCESS_DENIED),
    "es": ("Acceso denegado", WallKind.ACCESS_DENIED),
    "it": ("Accesso negato", WallKind.ACCESS_DENIED),
    "pt": ("Acesso negado", WallKind.ACCESS_DENIED),
    "nl": ("Toegang geweigerd", WallKind.ACCESS_DENIED),
    "ru": ("Доступ запрещён", WallKind.ACCESS_DENIED),
    "ja": ("アクセスが拒否されました", WallKind.ACCESS_DENIED),
    "zh": ("访问被拒绝", WallKind.ACCESS_DENIED),
    "de challenge": ("Nur einen Moment…", WallKind.CHALLENGE),
    "fr challenge": ("Un instant…", WallKind.CHALLENGE),
    "es challenge": ("Un momento…", WallKind.CHALLENGE),
    "pt challenge": ("Um momento…", WallKind.CHALLENGE),
    "pl challenge": ("Chwileczkę…", WallKind.CHALLENGE),
    "tr challenge": ("Bir dakika lütfen...", WallKind.CHALLENGE),
    "ja challenge": ("しばらくお待ちください...", WallKind.CHALLENGE),
    "zh challenge": ("请稍候…", WallKind.CHALLENGE),
    "ko challenge": ("잠시만 기다리십시오…", WallKind.CHALLENGE),
    "ru captcha": ("Вы не робот?", WallKind.CAPTCHA),
    "de captcha": ("Bestätigen Sie, dass Sie ein Mensch sind", WallKind.CAPTCHA),
    "fr captcha": ("Vérifiez que vous êtes humain", WallKind.CAPTCHA),
}.items():
    WALLS[f"words {language}"] = (200, {}, html(title, "<p>…</p><script>1</script>"), kind)


@pytest.mark.parametrize("name", WALLS)
def test_walls_are_recognised(name: str) -> None:
    status, headers, body, kind = WALLS[name]
    found = recognise(status, headers, body)
    assert found is not None
    assert found.kind is kind


PRODUCT = '<script type="application/ld+json">{"@type":"Product","name":"Kettle"}</script>'
PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "a shop": (200, {}, html("Kettle", f"<h1>Kettle</h1><p>{WORDS}</p><p>€ 12,50</p>")),
    "a thin product": (200, {}, html("Kettle", "<h1>Kettle</h1><p>12,50 €</p>")),
    "a shop behind cloudflare": (
        200,
        {"Server": "cloudflare", "cf-ray": "1"},
        html("Kettle", f"<p>{WORDS}</p><script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>"),
    ),
    "a thin page behind cloudflare": (
        200,
        {},
        html("Open", f"<p>{WORDS[:300]}</p><script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>"),
    ),
    "a thin page behind incapsula": (
        200,
        {},
        html("Open", f"<p>{WORDS[:300]}</p><script src='/_Incapsula_Resource?SWJIYLWA=719d'></script>"),
    ),
    "a page with a recaptcha form": (
        200,
        {},
        html("Contact", f"<p>{WORDS[:400]}</p><form><div class=g-recaptcha></div><input name=mail></form>"),
    ),
    "a shop with a login form in its header": (
        200,
        {},
        html("Kettles", f"<form>Log in <input type=password></form><h1>Kettles</h1><p>{WORDS}</p>"),
    ),
    "a thin shop page with a login form": (
        200,
        {},
        html("Kettle 12", "<form>Log in <input type=password></form><h1>Kettle 12</h1><p>In stock</p>"),
    ),
    "an article about captchas": (200, {}, html("Are you a robot? How captchas work", f"<p>{WORDS}</p>")),
    "an article about denied access": (200, {}, html("Access denied: the story of a hacker", f"<p>{WORDS}</p>")),
    "an album": (200, {}, html("Access Denied", f"<h1>Access Denied</h1>{PRODUCT}<p>CD</p>")),
    "a cheap album": (200, {}, html("Access Denied", "<h1>Access Denied</h1><p>CD $9.99</p>")),
    "a film": (200, {}, html("Just a Moment (1998 film)", f"<p>{WORDS}</p>")),
    "a spa with its state": (
        200,
        {},
        html("Shop", "<div id=__next></div><script id='__NEXT_DATA__'>{}</script><script src=/m.js></script>"),
    ),
    "a plain short page": (200, {}, html("", "<p>ok</p>")),
    "a short page with a script": (200, {}, html("Closed", "<p>We are closed until Monday.</p><script>1</script>")),
    "a picture": (200, {}, html("Poster", "<img src=/poster.jpg><script src=/stats.js></script>")),
    "not found": (404, {}, html("Not found", "<h1>Page not found</h1>")),
    "a busy server": (503, {}, html("Maintenance", "<h1>Back soon</h1>")),
    "too many": (429, {"Retry-After": "5"}, html("Too many requests")),
    "gone": (410, {}, b""),
    "no content": (204, {}, b""),
    "unchanged": (304, {}, b""),
    "json": (200, {"Content-Type": "application/json"}, b'{"title": "Access denied"}'),
    "empty json": (200, {"Content-Type": "application/json"}, b"[]"),
    "a feed": (200, {"Content-Type": "application/rss+xml"}, b"<rss><title>Access denied</title></rss>"),
    "Japanese": (200, {}, html("ケトル", "<h1>ケトル</h1><p>" + "静かで軽いステンレス製のケトルです。" * 40 + "</p>")),
    "an event": (200, {}, html("Login Festival 2025", "<h1>Login Festival 2025</h1><p>Sat 12 May, Town Hall</p>")),
    "a sign-in shop": (200, {}, html("Sign in neon, 40 cm", "<h1>Sign in neon, 40 cm</h1><p>Blue or red</p>")),
    "a head without an end": (
        200,
        {},
        f"<html><head><title>Kettle</title><script>1</script><body id=main>{WORDS}".encode(),
    ),
    "neither head nor body ends": (200, {}, f"<head><title>x</title><div id=app>{WORDS}<script>1</script>".encode()),
    "a comment begun in a script": (
        200,
        {},
        html("Kettle", f"<script>cut('<!--')</script><div id=app>{WORDS}</div>"),
    ),
    "an empty comment": (200, {}, html("Kettle", f"<!--><div id=app>{WORDS}</div><script>1</script>")),
    "a head longer than what is read": (
        200,
        {},
        html("Kettle", f"<div id=app>{WORDS}</div><script>1</script>", f"<style>{'a{}' * 200_000}</style>"),
    ),
    "a log-in dialog on a small home page": (
        200,
        {},
        html("Kettles", f"<h2>Sign in</h2><form><input type=password></form><p>{WORDS[:500]}</p>"),
    ),
    "noscript beside content": (
        200,
        {},
        html("Shop", f"<noscript>Please enable JavaScript</noscript><p>{WORDS[:400]}</p><script src=/m.js></script>"),
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_no_normal_page_is_called_blocked(name: str) -> None:
    assert recognise(*PAGES[name]) is None


@given(st.binary(max_size=2_000), st.sampled_from([200, 403, 500]), st.sampled_from(["utf-8", "nonsense", "utf-16"]))
def test_no_bytes_break_it(body: bytes, status: int, charset: str) -> None:
    recognise(status, {}, body, charset)


@pytest.mark.parametrize(
    "piece", [b"<script>", b"<", b"<!--", b"<h1>", b"<noscript><", b"<input type=", b"</script", b"java script "]
)
def test_hostile_pages_take_no_longer_than_others(piece: bytes) -> None:
    begun = time.process_time()
    recognise(200, {}, piece * (1_000_000 // len(piece)))
    assert time.process_time() - begun < 10.0


@pytest.mark.parametrize(
    ("body", "is_content"),
    [
        (b"<p>itemprop= and application/ld+json in words</p>", False),
        (b"<p>itemprop first</p><p class=x itemprop = name>", True),
        (b"<p title='itemprop' itemprop=name>", True),
        (b"<p title='itemprop'>", False),
        (b"itemprop=" * 1_000, False),
        (b"<p " + b"itemprop " * 1_000 + b"itemprop=x>", True),
        (b"<script>add('application/ld+json')</script><SCRIPT type='application/ld+json'>", True),
        (b"<script>add('application/ld+json')</script>", False),
    ],
)
def test_only_a_tag_is_structured_data(body: bytes, is_content: bool) -> None:
    assert has_content(body) is is_content
