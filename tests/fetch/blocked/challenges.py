"""Challenges and refusals of the services that keep bots away, in the shape they send them."""

from __future__ import annotations

from tests.fetch.blocked.responses import WORDS, fetched, html
from winnow.fetch.blocked.detect import WallKind
from winnow.fetch.outcome import FetchResult

CF_SCRIPT = (
    "<script>(function(){window._cf_chl_opt={cvId:'3',cZone:'shop.example',cType:'managed',cRay:'8a1b',cH:'x'};"
    "var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8a1b';"
    "document.getElementsByTagName('head')[0].appendChild(a);}());</script>"
)
CHALLENGES: dict[str, tuple[FetchResult, WallKind]] = {
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
}
