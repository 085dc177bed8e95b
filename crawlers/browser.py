"""Loaded by name, by Scrapy: the download handler that renders pages, with what a browser may keep, take and last.

A context (cookies, storage, cache) is thrown away after some pages; a browser that takes too much memory, or does not
end with a page, is killed, and the next page starts another one. Pages that were open in it are rendered again, alone,
so that a page which brings its browser down takes no other with it.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import psutil
from playwright.async_api import Error
from scrapy.http import Request, Response
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

log = logging.getLogger("crawl")
PAGES = 2
"""Pages open at a time."""
LOOK_SECONDS = 1.0
_DIED = "Target page, context or browser has been closed"


class BrowserDiedError(Error):  # type: ignore[misc]  # Playwright is untyped
    """The browser ended while a page was open in it."""


class Browser(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]  # Scrapy is untyped
    """Renders the requests whose meta says ``playwright``; one for all schemes of a crawl."""

    _of: ClassVar[WeakKeyDictionary[Any, "Browser"]] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Browser":
        """Return the handler of this crawl: http and https go through one browser."""
        if crawler not in cls._of:
            cls._of[crawler] = cls(crawler)
        return cls._of[crawler]

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self.config.target_closed_max_retries = 0  # tried again here
        self.per_context = crawler.settings.getint("LOOKBENCH_PAGES_PER_CONTEXT")
        self.most_bytes = crawler.settings.getint("LOOKBENCH_BROWSER_BYTES")
        self.seconds = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._places, self._entry = asyncio.Semaphore(PAGES), asyncio.Lock()
        self._begun = 0
        self._open: Counter[str] = Counter()
        self._guard: asyncio.Task[None] | None = None

    async def _launch(self) -> None:
        await super()._launch()
        self._guard = asyncio.create_task(self._watch())

    async def _close(self) -> None:
        if self._guard:
            self._guard.cancel()
        await super()._close()

    async def _download_request(self, request: Request, spider: Any = None) -> Response:
        with suppress(BrowserDiedError):
            return await self._rendered(request, spider, places=1)
        with suppress(BrowserDiedError):
            return await self._rendered(request, spider, places=PAGES)
        return await self._rendered(request, spider, places=PAGES)

    async def _rendered(self, request: Request, spider: Any, places: int) -> Response:
        async with self._room(places), self._context() as name:
            request.meta["playwright_context"] = name
            before = _browsers()
            try:
                async with asyncio.timeout(self.seconds):
                    response = await super()._download_request(request, spider)
            except TimeoutError:
                log.info("%s: still not rendered after %.0f s; the browser is started anew", request.url, self.seconds)
                self._kill()
                raise
            except Error as error:
                if _DIED in str(error):
                    await asyncio.sleep(1)  # until the handler, too, knows that its browser is gone
                    raise BrowserDiedError(str(error)) from error
                raise
            after = _browsers()
            if before - after or not after:
                # A page may outlive its browser by a moment, without what its scripts still waited for.
                raise BrowserDiedError(_DIED)
            return response

    async def _get_response_and_download(self, request: Request, page: Any, spider: Any) -> Any:
        """Return the page's answer; a download that its scripts began beside it is refused and no failure of it."""
        response, download = await super()._get_response_and_download(request, page, spider)
        return response, None if response else download

    @asynccontextmanager
    async def _room(self, places: int) -> AsyncIterator[None]:
        """Wait for ``places`` of the PAGES places; those who need all of them are not overtaken."""
        held = 0
        try:
            async with self._entry:
                while held < places:
                    await self._places.acquire()
                    held += 1
            yield
        finally:
            for _ in range(held):
                self._places.release()

    @asynccontextmanager
    async def _context(self) -> AsyncIterator[str]:
        """Name the context of the next page; one that had its share of pages is closed after the last of them.

        The number of contexts needs no limit: those before the newest have open pages, of which there are PAGES.
        """
        name = f"pages-{self._begun // self.per_context}"
        self._begun += 1
        self._open[name] += 1
        try:
            yield name
        finally:
            self._open[name] -= 1
            if not self._open[name] and name != f"pages-{self._begun // self.per_context}":
                del self._open[name]
                if wrapper := self.context_wrappers.get(name):
                    with suppress(Error):
                        await wrapper.context.close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            taken = sum(map(_bytes, _processes())) if hasattr(self, "browser") else 0
            if taken > self.most_bytes:
                log.warning("the browser takes %.0f MB; it is started anew", taken / 1e6)
                self.stats.inc_value("lookbench/browser_too_large")
                self._kill()

    def _kill(self) -> None:
        for process in _processes():
            with suppress(psutil.Error):
                process.kill()


def _processes() -> list[psutil.Process]:
    """Return the processes of this crawl's browsers: what the driver, the only child of a crawl, has started."""
    found = []
    with suppress(psutil.Error):
        for driver in psutil.Process().children():
            found += driver.children(recursive=True)
    return found


def _browsers() -> set[int]:
    """Return the ids of this crawl's browsers that run: the children of its drivers."""
    found = set()
    with suppress(psutil.Error):
        for driver in psutil.Process().children():
            found |= {child.pid for child in driver.children() if child.status() != psutil.STATUS_ZOMBIE}
    return found


def _bytes(process: psutil.Process) -> int:
    """Return the memory that would be free if a process ended; what processes share is not counted."""
    try:
        return int(process.memory_full_info().uss)
    except psutil.Error:
        return 0
