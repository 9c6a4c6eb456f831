"""E-039: walls in the shape the services send them, with their statuses, and pages that only look like walls.

Everything here was written for these tests, after the structure of the real ones: their scripts, ids and words, none of
their texts as a whole.
"""

from __future__ import annotations

import pytest

from winnow.fetch.blocked.detect import WallKind
from winnow.fetch.blocked.walls import mark_blocked
from winnow.fetch.failure import FailureCode, of_status
from winnow.fetch.outcome import FetchResult, Outcome

WORDS = "A kettle of brushed steel for a litre and a half of water, quiet, with a handle that stays cool. "


def html(title: str, body: str, head: str = "", lang: str = "en") -> str:
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body>{body}</body></html>"
    )


def fetched(
    status: int, text: str, *, kept: dict[str, str] | None = None, media: str = "text/html", led_to: str | None = None
) -> FetchResult:
    """As the fetchers hand it on: a body with 2xx, otherwise an error body."""
    ok, body = 200 <= status < 300, text.encode()
    return FetchResult(
        outcome=Outcome.OK if ok else Outcome.BLOCKED if status in (401, 403, 451) else Outcome.ERROR,
        url="https://shop.example/p/1",
        final_url=led_to or "https://shop.example/p/1",
        redirects=[led_to] if led_to else [],
        duration_ms=3,
        status_code=status,
        body=body if ok else None,
        error_body=None if ok else body,
        error_class=None if ok else of_status(status),
        content_type=media,
        kept=kept or {},
    )


CF_SCRIPT = (
    "<script>(function(){window._cf_chl_opt={cvId:'3',cZone:'shop.example',cType:'managed',cRay:'8a1b',cH:'x'};"
    "var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8a1b';"
    "document.getElementsByTagName('head')[0].appendChild(a);}());</script>"
)
WALLS: dict[str, tuple[FetchResult, WallKind]] = {
    # Cloudflare
    "cloudflare managed challenge": (
        fetched(
            403,
            html(
                "Just a moment...",
                "<noscript><div class='h2'>Enable JavaScript and cookies to continue</div></noscript>" + CF_SCRIPT,
                '<meta name="robots" content="noindex,nofollow"><meta http-equiv="refresh" content="390">',
            ),
            kept={"cf-mitigated": "challenge"},
        ),
        WallKind.CHALLENGE,
    ),
    "cloudflare without its header": (fetched(403, html("Just a moment...", CF_SCRIPT)), WallKind.CHALLENGE),
    "cloudflare in french": (fetched(403, html("Un instant…", CF_SCRIPT, lang="fr")), WallKind.CHALLENGE),
    "cloudflare of old, 503": (
        fetched(
            503,
            html(
                "Just a moment...",
                "<h1>Checking your browser before accessing shop.example.</h1><p>This process is automatic.</p>"
                "<form id='challenge-form' action='/?__cf_chl_f_tk=x'><input name='jschl_answer'></form>"
                "<script>setTimeout(go, 4000)</script>",
            ),
        ),
        WallKind.CHALLENGE,
    ),
    "cloudflare turnstile": (
        fetched(
            200,
            html(
                "shop.example",
                "<h1>Verify you are human</h1><p>shop.example needs to review the security of your connection.</p>"
                "<div class='cf-turnstile' data-sitekey='0x4'></div>"
                "<script src='https://challenges.cloudflare.com/turnstile/v0/api.js'></script>",
            ),
        ),
        WallKind.CAPTCHA,
    ),
    "cloudflare block": (
        fetched(
            403,
            html(
                "Attention Required! | Cloudflare",
                "<div id='cf-wrapper'><div id='cf-error-details'><h1>Sorry, you have been blocked</h1><h2>You are "
                "unable to access shop.example</h2><p>It uses a security service to protect itself.</p></div></div>",
            ),
        ),
        WallKind.ACCESS_DENIED,
    ),
    "cloudflare rate limit": (
        fetched(429, html("Access denied | shop.example", "<div id='cf-error-details'><h1>Error 1015</h1></div>")),
        WallKind.ACCESS_DENIED,
    ),
    # Akamai
    "akamai denied": (
        fetched(
            403,
            "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n \nYou don't have "
            'permission to access "http&#58;&#47;&#47;shop&#46;example&#47;" on this server.<P>\nReference&#32;&#35;18'
            "&#46;6f\n<P>\nhttps&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;6f\n</BODY>\n</HTML>",
        ),
        WallKind.ACCESS_DENIED,
    ),
    "akamai behavioural": (
        fetched(
            200,
            html(
                "",
                "<div id='sec-if-cpt-container' style='display:none'></div><script>var i=0;</script>",
                "<script src='/_sec/cp_challenge/crypto_message-4-3.js'></script>",
            ),
        ),
        WallKind.CHALLENGE,
    ),
    "akamai bm-verify": (
        fetched(
            200,
            "<html><head><meta http-equiv='refresh' content='5; URL=/p?bm-verify=AAQAAA'></head>"
            "<body><script>var i = 17; var j = i + Number('1' + '2');</script></body></html>",
        ),
        WallKind.CHALLENGE,
    ),
    # DataDome
    "datadome interstitial": (
        fetched(
            403,
            "<html lang='en'><head><title>shop.example</title><style>#cmsg{animation: A 1.5s;}</style></head><body>"
            "<p id='cmsg'>Please enable JS and disable any ad blocker</p><script data-cfasync='false'>var dd={'rt':'i',"
            "'cid':'AHrlq','hsh':'F27','b':1,'s':4,'host':'geo.captcha-delivery.com'}</script>"
            "<script src='https://ct.captcha-delivery.com/i.js'></script></body></html>",
        ),
        WallKind.CAPTCHA,
    ),
    "datadome json": (
        fetched(403, '{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=x"}', media="application/json"),
        WallKind.CAPTCHA,
    ),
    # PerimeterX / HUMAN
    "perimeterx": (
        fetched(
            403,
            html(
                "Access to this page has been denied.",
                "<div class='px-captcha-container'><div class='px-captcha-header'>Before we continue...</div>"
                "<div class='px-captcha-message'>Press &amp; Hold to confirm you are<br>a human (and not a bot).</div>"
                "<div id='px-captcha'></div></div><script>window._pxUuid='7';window._pxAppId='PXab';"
                "var pxCaptchaSrc='/ab/captcha/captcha.js';</script>",
            ),
        ),
        WallKind.CAPTCHA,
    ),
    "perimeterx json": (
        fetched(403, '{"appId":"PXab","blockScript":"/ab/captcha/PXab/captcha.js"}', media="application/json"),
        WallKind.CAPTCHA,
    ),
    "robot or human": (
        fetched(
            200,
            html("Robot or human?", "<h1>Robot or human?</h1><p>Activate and hold the button.</p><div id=px-captcha>"),
        ),
        WallKind.CAPTCHA,
    ),
    # Imperva
    "imperva iframe": (
        fetched(
            200,
            '<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head><body>'
            '<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=5-1&incident_id=1-2&edet=12" '
            "frameborder=0>Request unsuccessful. Incapsula incident ID: 1-2</iframe></body></html>",
        ),
        WallKind.CHALLENGE,
    ),
    "imperva hcaptcha": (
        fetched(
            200,
            html(
                "",
                "<div class='h-captcha' data-sitekey='x'></div><h1>Additional security check is required</h1>"
                "<p>I'm not a robot</p>",
                "<script src='https://hcaptcha.com/1/api.js'></script>",
            ),
        ),
        WallKind.CAPTCHA,
    ),
    "pardon our interruption": (
        fetched(
            403,
            html(
                "Pardon Our Interruption",
                "<h1>Pardon Our Interruption...</h1><p>As you were browsing something about your browser made us think "
                "you were a bot. There are a few reasons this might happen:</p><ul><li>You're a power user</li></ul>",
            ),
        ),
        WallKind.CAPTCHA,
    ),
    # Amazon, AWS, Google, Yandex, Radware, Kasada, F5, Sucuri, Vercel, Wordfence, DDoS-Guard, Qrator
    "amazon robot check": (
        fetched(
            503,
            html(
                "Robot Check",
                "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot.</p>"
                "<form method='get' action='/errors/validateCaptcha'><input id='captchacharacters'></form>",
            ),
        ),
        WallKind.CAPTCHA,
    ),
    "amazon continue": (
        fetched(
            200,
            html(
                "Amazon.com",
                "<h4>Click the button below to continue shopping</h4>"
                "<form method='get' action='/errors/validateCaptcha'><button>Continue shopping</button></form>",
            ),
        ),
        WallKind.CAPTCHA,
    ),
    "aws waf challenge": (
        fetched(
            202,
            html(
                "",
                "<div id='challenge-container'></div><script>window.awsWafCookieDomainList=[];"
                "window.gokuProps={key:'k'};</script>",
            ),
            kept={"x-amzn-waf-action": "challenge"},
        ),
        WallKind.CHALLENGE,
    ),
    "aws waf captcha": (fetched(405, html("Human Verification", "<h1>x</h1>")), WallKind.CAPTCHA),
    "google sorry": (
        fetched(
            429,
            html(
                "https://www.google.com/search?q=kettle",
                "<form id='captcha-form' action='index' method='post'><div id='recaptcha' class='g-recaptcha'></div>"
                "</form><p>Our systems have detected unusual traffic from your computer network.</p>",
            ),
        ),
        WallKind.CAPTCHA,
    ),
    "google sorry by its address": (
        fetched(200, html("Sorry", f"<p>{WORDS * 20}</p>"), led_to="https://www.google.com/sorry/index?continue=x"),
        WallKind.CAPTCHA,
    ),
    "yandex smartcaptcha": (
        fetched(
            200,
            html(
                "Вы не робот?",
                "<h1>Подтвердите, что запросы отправляли вы, а не робот</h1><form class='CheckboxCaptcha'>",
            ),
        ),
        WallKind.CAPTCHA,
    ),
    "radware": (
        fetched(
            200, html("Radware Bot Manager Captcha", "<p>x</p>"), led_to="https://validate.perfdrive.com/ab/?ssa=x"
        ),
        WallKind.CAPTCHA,
    ),
    "kasada": (
        fetched(
            429,
            "<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK.now=Date.now;</script>"
            "<script src='/149e9513/ips.js?tkrm_alpekz_s1.3=x'></script></body></html>",
        ),
        WallKind.CHALLENGE,
    ),
    "f5": (
        fetched(
            200,
            "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult "
            "with your administrator.<br><br>Your support ID is: 123<br><a href='/'>[Go Back]</a>",
        ),
        WallKind.ACCESS_DENIED,
    ),
    "sucuri": (
        fetched(
            403,
            html("Sucuri WebSite Firewall - Access Denied", "<h1>Access Denied - Sucuri Website Firewall</h1>"),
            kept={"x-sucuri-block": "BNP001"},
        ),
        WallKind.ACCESS_DENIED,
    ),
    "vercel checkpoint": (
        fetched(
            429,
            html("Vercel Security Checkpoint", "<p>We're verifying your browser</p><script>1</script>"),
            kept={"x-vercel-mitigated": "challenge"},
        ),
        WallKind.CHALLENGE,
    ),
    "wordfence": (
        fetched(
            503,
            html("Your access to this site has been limited", "<p>Generated by Wordfence at Mon</p><script>1</script>"),
        ),
        WallKind.ACCESS_DENIED,
    ),
    "ddos-guard": (
        fetched(403, html("DDoS-Guard", "<script src='/.well-known/ddos-guard/js-challenge/index.js'></script>")),
        WallKind.CHALLENGE,
    ),
    "anubis": (
        fetched(
            200,
            html(
                "Making sure you&#39;re not a bot!",
                "<h1>Making sure you&#39;re not a bot!</h1><p>Calculating...</p>"
                "<script id='anubis_challenge' type='application/json'>{\"difficulty\":4}</script>",
            ),
        ),
        WallKind.CHALLENGE,
    ),
    "a wall of somebody's own with recaptcha": (
        fetched(
            200,
            html(
                "shop.example",
                "<p>Please verify that you are not a robot.</p><form><div class='g-recaptcha' data-sitekey='x'></div>"
                "<script src='https://www.google.com/recaptcha/api.js'></script></form>",
            ),
        ),
        WallKind.CAPTCHA,
    ),
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
