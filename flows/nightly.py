"""The nightly crawl: read every site's products and photos into the catalog, and say what came."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from prefect import flow

from crawlers import run as crawler
from crawlers import sites as site_files
from crawlers.errors import SiteError
from crawlers.run import CrawlResult
from crawlers.sites import Site
from flows import artifacts
from flows.progress import say, track
from flows.workshop import Workshop


@flow(name="nightly-crawl", persist_result=False)
def nightly_crawl(
    sites: Sequence[str] = (),
    root: str | None = None,
    settings: str | Path | None = None,
    now: datetime | None = None,
) -> dict[str, Any]:
    """Crawl the named sites (all when none is named); returns the figures per site.

    Raises CrawlError for a site that is down or gave nothing: a green run has rows.
    """
    workshop = Workshop.open(root=root, settings=settings, now=now)
    chosen = _choose(site_files.load(workshop.path(workshop.settings.sites)), sites)
    with track(f"crawl {', '.join(site.name for site in chosen)}"):
        result = _crawl(chosen, workshop)
    artifacts.crawl(result.report)
    return dict(result.report)


def _crawl(sites: Sequence[Site], workshop: Workshop) -> CrawlResult:
    """Crawl, and show the figures also of a crawl in which some site failed."""
    log = workshop.state / "crawl.log"
    say(f"crawl: log in {log}")
    try:
        return crawler.crawl(workshop.catalog, sites, now=workshop.now, limits=workshop.settings.crawl, log=log)
    except crawler.IncompleteCrawlError as error:
        artifacts.crawl(error.result.report)
        raise


def _choose(known: Sequence[Site], names: Sequence[str]) -> list[Site]:
    if not names:
        return list(known)
    chosen: list[Site] = []
    by_name = {site.name: site for site in known}
    for name in names:
        if name in by_name:
            chosen.append(by_name[name])
        elif Path(name).is_file():
            chosen += site_files.load(Path(name))
        else:
            raise SiteError(f"site {name!r} is not known (known: {', '.join(sorted(by_name)) or 'none'})")
    return chosen
