"""One site's crawl in a process of its own: the job it is given, the Scrapy settings it runs with, the report it
leaves."""

import fcntl
import json
import logging
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from catalog import tables
from catalog.store import Catalog, StoreError
from crawlers import nights, warc
from crawlers.frontier import Frontier, FrontierError, Yield
from crawlers.limits import CrawlLimits
from crawlers.recorder import Recorder
from crawlers.sites import Site
from crawlers.warc import PageArchive

USER_AGENT = (
    "LookBenchBot/0.1 (research benchmark of fashion images; set user_agent in the site file to name a contact)"
)
UNWRITABLE = 74
"""Exit status of a crawl whose disk is full or read-only (EX_IOERR)."""
log = logging.getLogger("crawl")


def write(folder: Path, catalog: Catalog, site: Site, now: datetime, limits: CrawlLimits, state: Path) -> Path:
    """Write a job file for the child process and return its path; ``state`` is the folder of frontiers."""
    job = {
        "catalog": catalog.root,
        "site": site.model_dump(mode="json"),
        "now": now.isoformat(),
        "limits": asdict(limits),
        "folder": str(folder),
        "state": str(state),
        "file": str(site.file) if site.file else None,
    }
    path = folder / f"{site.name}.job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    return path


def settings(site: Site, limits: CrawlLimits, proxy: int = 0) -> dict[str, Any]:
    """Return the Scrapy settings for one site; ``proxy`` is the port of the browser's proxy."""
    from crawlers import rendering

    made: dict[str, Any] = {
        "USER_AGENT": site.user_agent or USER_AGENT,
        "ROBOTSTXT_OBEY": True,
        "DOWNLOADER_MIDDLEWARES": {
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": None,
            "crawlers.politeness.Guard": 50,
            "crawlers.politeness.Robots": 100,
            "crawlers.politeness.Unchanged": 110,
            "crawlers.breaker.Breaker": 120,
            "crawlers.politeness.RetryAfter": 560,
            "crawlers.politeness.Complete": 600,
        },
        "TWISTED_DNS_RESOLVER": "crawlers.guard.Resolver",
        "DOWNLOAD_VERIFY_CERTIFICATES": True,  # as the browser does: who answers is whom the address names
        "LOOKBENCH_LOOPBACK_HOSTS": sorted(site.hosts) if site.allow_loopback else [],
        "LOOKBENCH_LONGEST_WAIT": limits.longest_wait,
        "LOOKBENCH_REFUSALS": limits.refusals,
        "DOWNLOAD_DELAY": site.delay,
        "DOWNLOAD_DELAY_JITTER": 0.0,  # a delay is a promise, not a mean
        "CONCURRENT_REQUESTS_PER_DOMAIN": site.concurrency,
        "CONCURRENT_REQUESTS": max(16, site.concurrency),
        "AUTOTHROTTLE_ENABLED": site.delay > 0,
        "AUTOTHROTTLE_START_DELAY": site.delay,
        "AUTOTHROTTLE_MAX_DELAY": max(60.0, site.delay),
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(site.concurrency),
        "RETRY_TIMES": limits.retries,
        "RETRY_HTTP_CODES": [500, 502, 504, 522, 524, 408],
        "REDIRECT_MAX_TIMES": 8,
        "DOWNLOAD_TIMEOUT": limits.page_seconds,
        "DOWNLOAD_MAXSIZE": limits.photo_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "SCHEDULER": "crawlers.scheduler.FrontierScheduler",
        "DOWNLOADER": "crawlers.politeness.Downloader",
        "LOG_LEVEL": "INFO",
        "LOGSTATS_INTERVAL": 0,
        "EXTENSIONS": {
            "scrapy.extensions.throttle.AutoThrottle": None,
            "crawlers.politeness.Throttle": 0,
            "crawlers.heartbeat.Heartbeat": 0,
            "crawlers.ending.Ending": 0,
        },
    }
    path = rendering.browser() if site.render != "never" else None
    if path:
        made |= rendering.settings(path, proxy, limits)
    return made


def run(path: Path) -> int:
    """Crawl the site of a job file; the report and ledger lie beside it afterwards.

    Return the exit status: 0, or UNWRITABLE when catalog or frontier could not be written.
    """
    try:
        _crawl(path)
    except (FrontierError, StoreError) as error:
        print(error, file=sys.stderr)
        return UNWRITABLE
    return 0


def _crawl(path: Path) -> None:
    from scrapy.crawler import CrawlerProcess

    from crawlers import guard, proxy
    from crawlers.spiders import ShopSpider

    _die_with_parent()
    guard.limit_heads()
    job: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    site, limits = Site.model_validate(job["site"]), CrawlLimits(**job["limits"])
    site.found_in(Path(job["file"]) if job["file"] else None)
    catalog, now = Catalog(job["catalog"]), datetime.fromisoformat(job["now"])
    alone = _alone(Path(job["state"]), site.name)
    listening = proxy.listen()
    made = settings(site, limits, listening.getsockname()[1])
    frontier = Frontier(Path(job["state"]) / f"{site.name}.sqlite")
    try:
        process = CrawlerProcess(made)
        _begin(frontier, catalog, Path(job["state"]), now, limits)
        recorder = Recorder(catalog, site, now, made["USER_AGENT"])
        recorder.resume(frontier)
        crawler = process.create_crawler(ShopSpider)
        stem = f"{site.name}-{now:%Y%m%dT%H%M%SZ}-{frontier.owner[:8]}"
        spent = sum(note["total"] for note in frontier.notes("archive").values())
        archive = PageArchive(catalog, Path(job["state"]), stem, limits.evidence_bytes - spent)
        process.crawl(
            crawler,
            site=site,
            recorder=recorder,
            frontier=frontier,
            limits=limits,
            listening=listening,
            archive=archive,
        )
        process.start()
        counts = frontier.counts()
        if counts["frontier"] + counts["leased"]:
            early = "page_limit" if frontier.postponed else "unfinished"
            recorder.close_reason = early if recorder.close_reason == "finished" else recorder.close_reason
        elif recorder.close_reason == "finished":
            frontier.note(Yield(notes={("crawl", "state"): "finished"}))
        folder = Path(job["folder"])
        ledger = tables.from_rows("ledger", frontier.ledger())
        Catalog(folder).write_table(str(folder / f"{site.name}.ledger.parquet"), ledger)
        figures = report(recorder, crawler.stats.get_stats())
        nights.remember(frontier, now.isoformat(), figures)
        (folder / f"{site.name}.report.json").write_text(json.dumps(figures), encoding="utf-8")
    finally:
        listening.close()
        frontier.close()
        alone.close()


def _alone(folder: Path, site: str) -> IO[str]:
    """Wait until no other process crawls the site, and keep others waiting: two would be twice as fast as is polite."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = (folder / f"{site}.lock").open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        log.warning("%s is being crawled by another process; waiting until that ends", site)
        fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def _begin(frontier: Frontier, catalog: Catalog, folder: Path, now: datetime, limits: CrawlLimits) -> None:
    """Go on with an unfinished crawl of the same time; begin another otherwise, after writing what an older one left.

    Pages and photos that the older one did not get to come first.
    """
    known = frontier.notes("crawl")
    rows = Recorder.writer(catalog)
    frontier.export(rows)
    for owner, left in frontier.notes("archive").items():
        if not frontier.is_alive(owner):
            warc.salvage(catalog, folder, left)
    if known.get("now") == now.isoformat() and known.get("state") != "finished":
        log.info("going on with a crawl that was stopped: %s", frontier.counts())
        return
    if known and not frontier.recall("night", known["now"]):
        nights.remember(frontier, known["now"], nights.unfinished(frontier))
    frontier.clear()
    for kind in ("page", "photo"):
        frontier.forget(kind, limits.forget_days)
    frontier.note(Yield(notes={("crawl", "now"): now.isoformat()}))


def report(recorder: Any, stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of one site's crawl."""
    names = (
        "pages",
        "products",
        "looks",
        "photos",
        "photos_new",
        "rendered",
        "photo_bytes",
        "pages_over_limit",
        "photos_over_limit",
        "pages_unchanged",
        "pages_without_bytes",
        "products_new",
        "products_changed",
        "products_relisted",
        "products_delisted",
        "crawl_delay_s",
    )
    return {
        **{name: recorder.figures[name] for name in names},
        "errors": dict(sorted(recorder.errors.items())),
        **recorder.traffic_with(stats),
        "ended": recorder.close_reason,
    }


def _die_with_parent() -> None:
    """Ask Linux to end this process with the one that started it, so that a killed crawl leaves no crawler behind."""
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
