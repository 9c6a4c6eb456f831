"""Which Chromium runs, and how it is started. Pure but for looking at the disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from winnow.errors import WinnowError

# In this order: headless-shell starts in 0.15 s with half the memory (DESIGN §9). Programs before the wrapper
# scripts of the same name, which would stand between us and the process.
_PROGRAMS = (
    "/usr/lib/chromium/chromium-headless-shell",
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
    "/usr/lib/chromium/chromium",
    "chromium",
    "chromium-browser",
    "/opt/google/chrome/chrome",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
MISSING = (
    "no Chromium found: install chromium-headless-shell or chromium (as root on Debian: .ci/install-chromium), "
    "or name the program in SCRAPER_BROWSER_EXECUTABLE"
)

_OFF = (
    "AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,"
    "DestroyProfileOnBrowserClose,GlobalMediaControls,HttpsUpgrades,LensOverlay,MediaRouter,OptimizationHints,"
    "PaintHolding,Translate,WebRtcHideLocalIpsWithMdns,"
    # One renderer for all frames of a page: our scripts reach every frame, and nothing outlives the task anyway.
    "IsolateOrigins,site-per-process"
)
_FLAGS = (
    "--headless",
    "--disable-dev-shm-usage",  # S-042
    "--disable-gpu",  # S-042
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--no-pings",
    "--mute-audio",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-search-engine-choice-screen",
    "--disable-site-isolation-trials",
    "--disable-sync",
    "--block-new-web-contents",  # window.open opens nothing
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--export-tagged-pdf",
    f"--disable-features={_OFF}",
    "--enable-features=NetworkServiceInProcess2",  # a process fewer for each browser, and its share of the CPU
    # UDP would not go through the proxy.
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Names are resolved by the guard alone; Chromium may only know the address of the pinning proxy.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",  # a pipe, because other users of the machine could connect to a port
)
PROXY_BYPASS = "<-loopback>"  # loopback goes through the proxy as well


class ChromiumMissing(WinnowError):
    """Nothing to start. Everything else works without it."""

    code = "browser_missing"


def find_chromium(named: Path | None = None, which: Callable[[str], str | None] = shutil.which) -> Path | None:
    """The program to start. One named on purpose is never replaced by another."""
    if named is not None:
        found = which(str(named.expanduser()))
        return Path(found) if found else None
    return next((Path(found) for name in _PROGRAMS if (found := which(name))), None)


def flags(*, proxy: str, profile_folder: Path, root: bool, pictures: bool) -> list[str]:
    """`proxy` is where traffic of no particular task goes. Chromium's sandbox does not start as root."""
    own = [
        f"--proxy-server={proxy}",
        f"--proxy-bypass-list={PROXY_BYPASS}",
        f"--user-data-dir={profile_folder}",
    ]
    if root:
        own.append("--no-sandbox")
    if not pictures:
        own.append("--blink-settings=imagesEnabled=false")
    return [*_FLAGS, *own, "about:blank"]
