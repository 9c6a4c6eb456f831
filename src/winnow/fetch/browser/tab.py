"""One page of its own: a fresh browser context (cookies, storage, cache), its own way out, one profile.

Everything is gone when it closes. Events of the page go to one listener; commands can be sent at any time.
"""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from winnow.fetch.browser.chromium import PROXY_BYPASS
from winnow.fetch.browser.devtools import DevTools, Event
from winnow.fetch.browser.profile import Profile

CLOSE_SECONDS = 5.0  # a context that takes longer to go hangs; its browser is replaced
_BUFFER = 64 * 1024  # Chromium would keep answers for us to ask for; we never do
# What would outlive the page or go around the proxy does not exist in it.
_WITHOUT = """(() => {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'WebTransport', 'SharedWorker'])
    delete globalThis[name];
  const workers = globalThis.ServiceWorkerContainer && ServiceWorkerContainer.prototype;
  if (workers) workers.register = function register() {
    return Promise.reject(new DOMException('Service workers are not available', 'SecurityError'));
  };
})()"""
_HTML = """(limit => {
  const kind = document.doctype, root = document.documentElement;
  if (!root) return '';
  const html = (kind ? '<!DOCTYPE ' + kind.name + '>' : '') + root.outerHTML;
  return html.length > limit ? null : html;
})(%d)"""


class Tab:
    def __init__(self, devtools: DevTools, context: str) -> None:
        self._devtools = devtools
        self._context = context
        self._session = ""
        self.frame = ""
        self.crashed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.listener: Event = lambda method, params: None

    def send(self, method: str, **params: Any) -> asyncio.Future[dict[str, Any]]:
        return self._devtools.send(method, self._session, **params)

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        if method == "Inspector.targetCrashed" and not self.crashed.done():
            self.crashed.set_result(None)
        elif method == "Page.javascriptDialogOpening":
            self.send("Page.handleJavaScriptDialog", accept=False)
        self.listener(method, params)

    async def attach(self, profile: Profile, patterns: list[dict[str, str]]) -> None:
        """Everything is set before the first byte is asked for."""
        target = (await self._devtools.send("Target.createTarget", url="about:blank", browserContextId=self._context))[
            "targetId"
        ]
        self.frame = target  # a page target has the number of its main frame
        attached = await self._devtools.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._devtools.listen(self._session, self._on_event)
        await asyncio.gather(*self._prepare(profile, patterns))

    def _prepare(self, profile: Profile, patterns: list[dict[str, str]]) -> list[asyncio.Future[dict[str, Any]]]:
        size = {"width": profile.width, "height": profile.height}
        asked = [
            self.send("Inspector.enable"),
            self.send("Page.enable"),
            self.send("Page.setLifecycleEventsEnabled", enabled=True),
            self.send("Page.addScriptToEvaluateOnNewDocument", source=_WITHOUT, runImmediately=True),
            self.send("Network.enable", maxTotalBufferSize=_BUFFER, maxResourceBufferSize=_BUFFER),
            self.send("Network.setBypassServiceWorker", bypass=True),
            self.send("Fetch.enable", patterns=patterns),
            self.send("Emulation.setUserAgentOverride", **_agent(profile)),
            self.send("Emulation.setDeviceMetricsOverride", deviceScaleFactor=1, mobile=False, **size),
            self.send("Emulation.setTimezoneOverride", timezoneId=profile.timezone),
            self.send("Emulation.setLocaleOverride", locale=profile.locale),
            self._devtools.send("Browser.setDownloadBehavior", behavior="deny", browserContextId=self._context),
        ]
        return asked + (self._place(*profile.geolocation) if profile.geolocation else [])

    def _place(self, latitude: float, longitude: float) -> list[asyncio.Future[dict[str, Any]]]:
        ours = self._context
        return [
            self._devtools.send("Browser.grantPermissions", permissions=["geolocation"], browserContextId=ours),
            self.send("Emulation.setGeolocationOverride", latitude=latitude, longitude=longitude, accuracy=100),
        ]

    async def evaluate(self, expression: str, *, wait: bool = False) -> Any:
        """In a world of our own: the page's scripts can change neither what we call nor what we get."""
        world = await self.send("Page.createIsolatedWorld", frameId=self.frame, worldName="winnow")
        answer = await self.send(
            "Runtime.evaluate",
            expression=expression,
            contextId=world["executionContextId"],
            returnByValue=True,
            awaitPromise=wait,
        )
        return answer["result"].get("value")

    async def html(self, limit: int) -> str | None:
        """The page as it is now, or None when it is longer than `limit` characters."""
        found = await self.evaluate(_HTML % limit)
        return None if found is None else str(found)

    async def screenshot(self) -> bytes:
        shot = await self.send("Page.captureScreenshot", format="jpeg", quality=60)
        return base64.b64decode(shot["data"])

    async def close(self) -> None:
        """BrowserGone or TimeoutError when the browser has to go instead."""
        self._devtools.forget(self._session)
        async with asyncio.timeout(CLOSE_SECONDS):
            await self._devtools.send("Target.disposeBrowserContext", browserContextId=self._context)


async def open_tab(devtools: DevTools, profile: Profile, proxy: str, patterns: list[dict[str, str]]) -> Tab:
    made = await devtools.send(
        "Target.createBrowserContext", proxyServer=proxy, proxyBypassList=PROXY_BYPASS, disposeOnDetach=True
    )
    tab = Tab(devtools, made["browserContextId"])
    await tab.attach(profile, patterns)
    return tab


def _agent(profile: Profile) -> dict[str, Any]:
    """The user agent and the client hints that go with it."""
    brands = [("Chromium", str(profile.major)), ("Not)A;Brand", "24")]
    listed = [{"brand": name, "version": version} for name, version in brands]
    return {
        "userAgent": profile.user_agent,
        "acceptLanguage": profile.accept_language,
        "platform": profile.platform.navigator,
        "userAgentMetadata": {
            "brands": listed,
            "fullVersionList": [{**one, "version": one["version"] + ".0.0.0"} for one in listed],
            "platform": profile.platform.hint,
            "platformVersion": profile.platform.hint_version,
            "architecture": "x86",
            "bitness": "64",
            "model": "",
            "mobile": False,
        },
    }
