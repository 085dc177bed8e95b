"""When a page needs a browser, and how the browser is set up."""

import os
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crawlers.limits import CrawlLimits
from crawlers.readers.reading import Reading

FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",  # WebRTC knows of no proxy otherwise
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its name in older builds
    "--js-flags=--max-old-space-size=384",  # MB for the scripts of a page: one that wants more crashes
)
BLOCKED = frozenset({"image", "media", "font", "websocket", "eventsource", "ping", "texttrack", "manifest"})
_TRACKERS = re.compile(
    r"google-analytics|googletagmanager|doubleclick|facebook\.(?:net|com)/tr|hotjar|segment\.(?:io|com)|clarity\.ms|criteo|"
    r"bing\.com/bat|tiktok|pinterest\.com/ct|newrelic|sentry|datadog|optimizely|klaviyo",
    re.IGNORECASE,
)
_TRIES = 3


class Memory:
    """Which sections of a site need a browser, learnt by comparing: a section is the first part of the path.

    ``known`` is what ``told`` said of the sections in earlier nights. It is believed, and checked each night: one page
    of a section that needed the browser is fetched plain, one page of a section that it did not help is rendered.
    """

    def __init__(self, known: Mapping[str, Sequence[int]] | None = None) -> None:
        self.helped: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.plain: Counter[str] = Counter()
        self.unchecked: set[str] = set()
        self.needing: set[str] = set()
        for part, (helped, failed, plain) in (known or {}).items():
            self.failed[part] = min(failed, _TRIES - 1)
            if helped and not plain:
                self.needing.add(part)
                self.unchecked.add(part)

    def told(self, url: str) -> tuple[str, list[int]]:
        """Return the section of an address and what this night learnt about it: helped, failed, plain."""
        part = self.section(url)
        helped = self.helped[part] or int(part in self.needing)
        return part, [helped, self.failed[part], self.plain[part]]

    @staticmethod
    def section(url: str) -> str:
        """Return the part of a site that an address belongs to."""
        return urlsplit(url).path.strip("/").split("/", 1)[0] if urlsplit(url).path.count("/") > 1 else ""

    def worth(self, url: str) -> bool:
        """Return whether a page without a product should be rendered: its section gained by it, or was not tried
        enough."""
        part = self.section(url)
        return self.helped[part] > 0 or part in self.needing or self.failed[part] < _TRIES

    def at_once(self, url: str) -> bool:
        """Return whether a section always needed the browser so far, so that the plain fetch can be spared.

        The first question about a section that is only remembered to need it is answered no: that is the check.
        """
        part = self.section(url)
        if part in self.unchecked:
            self.unchecked.discard(part)
            return False
        return (self.helped[part] >= 2 or part in self.needing) and not self.plain[part]

    def learn(self, url: str, *, rendered: bool, read: bool) -> None:
        """Remember whether a plain or rendered page could be read."""
        part = self.section(url)
        if rendered:
            (self.helped if read else self.failed)[part] += 1
        elif read:
            self.plain[part] += 1


def lacks_content(reading: Reading, html: str) -> bool:
    """Return whether plain HTML looks like the shell of a scripted page: nothing read, scripts there, few words."""
    if reading.page_type != "other" or "<script" not in html.casefold():
        return False
    bare = re.sub(r"(?is)<(script|style|template|noscript)\b.*?</\1>|<[^>]+>", " ", html[:400_000])
    return len(bare.split()) < 250


def browser() -> str | None:
    """Return the path of the browser: LOOKBENCH_CHROMIUM, or a Chromium of the system, or None."""
    named = os.environ.get("LOOKBENCH_CHROMIUM")
    if named:
        return named if Path(named).is_file() else None
    return next(
        (
            found
            for name in ("chromium", "chromium-browser", "google-chrome", "chrome")
            if (found := shutil.which(name))
        ),
        None,
    )


def launch_flags(proxy: int) -> list[str]:
    """Return the flags of a browser that goes through the proxy on port ``proxy`` for every address."""
    through = (f"--proxy-server=http://127.0.0.1:{proxy}", "--proxy-bypass-list=<-loopback>")
    return [*FLAGS, *through, *(["--no-sandbox"] if os.geteuid() == 0 else [])]


def settings(path: str, proxy: int, limits: CrawlLimits) -> dict[str, Any]:
    """Return the Scrapy settings that render with the browser at ``path`` through the proxy on port ``proxy``."""
    flags = launch_flags(proxy)
    handler = "crawlers.browser.Browser"
    return {
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "PLAYWRIGHT_BROWSER_TYPE": "chromium",
        "PLAYWRIGHT_LAUNCH_OPTIONS": {"executable_path": path, "headless": True, "args": flags, "timeout": 60_000},
        "PLAYWRIGHT_CONTEXTS": {},
        "LOOKBENCH_PAGES_PER_CONTEXT": limits.pages_per_context,
        "LOOKBENCH_BROWSER_BYTES": limits.browser_bytes,
        "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": 30_000,
        "PLAYWRIGHT_ABORT_REQUEST": "crawlers.rendering.unwanted",
        "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": "scrapy_playwright.headers.use_scrapy_headers",
    }


def unwanted(request: Any) -> bool:
    """Return whether the browser should drop a request: pictures, trackers, other schemes than http(s)."""
    url: str = request.url
    return request.resource_type in BLOCKED or not url.startswith(("http:", "https:")) or bool(_TRACKERS.search(url))


async def settle(page: Any) -> None:
    """Wait until a page has loaded what its scripts ask for, five seconds at most."""
    from playwright.async_api import Error

    try:
        await page.wait_for_load_state("networkidle", timeout=5000)
    except Error:
        return


async def dismiss(popup: Any) -> None:
    """Close a window that a page opens: nobody reads it, and it would stay as long as its context."""
    await popup.close()


def meta() -> dict[str, Any]:
    """Return the request meta that makes Scrapy fetch a page through the browser."""
    from scrapy_playwright.page import PageMethod

    return {
        "playwright": True,
        "playwright_page_goto_kwargs": {"wait_until": "domcontentloaded"},
        "playwright_page_methods": [PageMethod(settle)],
        "playwright_page_event_handlers": {"popup": dismiss},
        "playwright_context_kwargs": {"service_workers": "block", "accept_downloads": False},
    }


async def render(path: str, url: str, user_agent: str, loopback_hosts: frozenset[str] = frozenset()) -> str | None:
    """Return the HTML of one page after its scripts, by the browser at ``path`` behind the guard; None when it fails.

    The browser asks for nothing that ``unwanted`` names and may connect to public addresses and ``loopback_hosts``
    only.
    """
    from playwright.async_api import Error, Route, async_playwright

    from crawlers.proxy import GuardProxy, listen

    async def pick(route: Route) -> None:
        await (route.abort() if unwanted(route.request) else route.continue_())

    listening, proxy = listen(), GuardProxy(loopback_hosts)
    await proxy.start(listening)
    try:
        async with async_playwright() as playwright:
            flags = launch_flags(listening.getsockname()[1])
            chromium = await playwright.chromium.launch(executable_path=path, args=flags)
            page = await chromium.new_page(user_agent=user_agent, service_workers="block")
            await page.route("**/*", pick)
            await page.goto(url, wait_until="domcontentloaded", timeout=30_000)
            await settle(page)
            html: str = await page.content()
            await chromium.close()
            return html
    except Error:
        return None
    finally:
        proxy.close()
