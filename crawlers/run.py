"""Crawling sites into a catalog: one child process per site, a report per site, one error for all that went wrong."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from catalog import tables
from catalog.ids import sha256
from catalog.store import Catalog
from crawlers import job
from crawlers.errors import CrawlError
from crawlers.limits import CrawlLimits
from crawlers.sites import Site

_UNWRITABLE = "the catalog could not be written (disk full or read-only); free space and run the crawl again to go on"
EARLY = frozenset({"page_limit", "byte_limit", "time_limit"})
"""Ends of a crawl whose rest waits for the next night."""
__all__ = ["CrawlLimits", "CrawlResult", "crawl"]


@dataclass(frozen=True)
class CrawlResult:
    """What a crawl did: ``report`` by site name, and one ledger row per page, photo address and product."""

    report: dict[str, dict[str, Any]]
    ledger: pa.Table


class IncompleteCrawlError(CrawlError):
    """Some site gave nothing; ``result`` holds what the crawl did all the same."""

    def __init__(self, message: str, result: CrawlResult) -> None:
        super().__init__(message)
        self.result = result


def crawl(
    catalog: Catalog,
    sites: Sequence[Site],
    *,
    now: datetime,
    limits: CrawlLimits | None = None,
    log: Path | None = None,
    state: Path | None = None,
) -> CrawlResult:
    """Crawl ``sites`` and append what is new to the tables products, photos, sightings and ledger of ``catalog``.

    ``now`` (aware) is the clock of every ``first_seen`` and ``seen_at``; the same ``now`` again changes nothing, a
    later one adds sightings and what is new. A crawl that was killed goes on where it was when it is started with
    the same ``now``: its frontiers lie in ``state`` (default: ``crawl/`` in the catalog's folder, or the user's cache
    for a catalog that is no folder). ``log`` is a file that the log lines are appended to (default: standard error).

    Raises CrawlError for a site that names no contact, and one that names each site that is down, gave no product or no
    photo, or whose process died; what the others gave is kept, and so is what such a site gave before.
    """
    state = state or state_folder(catalog)
    limits = limits or CrawlLimits()
    if now.tzinfo is None:
        raise CrawlError(
            f"now is {now.isoformat()}, a time without zone; pass an aware datetime such as datetime.now(UTC)"
        )
    wanted = [site for site in sites if site.enabled]
    if not wanted:
        raise CrawlError(f"no site to crawl: {len(sites)} given, none enabled; write a site file or enable one")
    if nameless := [site.name for site in wanted if not (site.allow_loopback or site.names_contact)]:
        raise CrawlError(
            f"site {nameless[0]!r} names no contact; set user_agent in its file, "
            "such as 'LookBenchBot/0.1 (+https://your.site/; you@your.site)'"
        )
    with tempfile.TemporaryDirectory(prefix="lookbench-crawl-") as folder, _opened(log) as stream:
        jobs = [job.write(Path(folder), catalog, site, now, limits, state) for site in wanted]
        with ThreadPoolExecutor(min(limits.parallel_sites, len(wanted))) as pool:
            failures = list(pool.map(lambda path: _child(path, limits, stream), jobs))
        reports, ledgers, problems = {}, [], []
        for site, failure in zip(wanted, failures, strict=True):
            report, ledger = _collected(Path(folder), site)
            reports[site.name] = report
            ledgers.append(ledger)
            if problem := failure or _problem(site, report, ledger):
                problems.append(f"site {site.name!r}: {problem}")
    result = CrawlResult(reports, pa.concat_tables(ledgers))
    if problems:
        raise IncompleteCrawlError("; ".join(problems), result)
    return result


@contextlib.contextmanager
def _opened(log: Path | None) -> Iterator[IO[bytes] | None]:
    if log is None:
        yield None
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as stream:
        yield stream


def state_folder(catalog: Catalog) -> Path:
    """Return where the frontiers of a catalog's sites lie: in its folder, or in the user's cache when it is none."""
    if catalog.is_local:
        return Path(catalog.path) / "crawl"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "lookbench" / sha256(catalog.root.encode())[:16]


def _child(path: Path, limits: CrawlLimits, stream: IO[bytes] | None) -> str | None:
    root = str(Path(__file__).resolve().parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}
    command = [sys.executable, "-m", "crawlers.run", str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=stream or 2, stderr=stream or 2, env=environment
    ) as child:
        try:
            status = child.wait(limits.seconds + 600)
        except subprocess.TimeoutExpired:
            child.kill()
            return f"the crawl did not end within {limits.seconds:.0f} s and was stopped; run it again to go on"
        except BaseException:
            child.kill()
            raise
    if status == job.UNWRITABLE:
        return _UNWRITABLE
    return (
        None
        if status == 0
        else f"the crawl process ended with status {status}; the log says why, run it again to go on"
    )


def _collected(folder: Path, site: Site) -> tuple[dict[str, Any], pa.Table]:
    report = folder / f"{site.name}.report.json"
    if not report.exists():
        return {}, tables.empty("ledger")
    ledger = Catalog(folder).read_table(str(folder / f"{site.name}.ledger.parquet"), "ledger")
    return json.loads(report.read_text(encoding="utf-8")), ledger


def _problem(site: Site, report: dict[str, Any], ledger: pa.Table) -> str | None:
    if report["ended"] == "switched_off":
        return None
    errors = ", ".join(f"{kind} {count}" for kind, count in report["errors"].items()) or "no error"
    if "disk" in report["errors"]:
        return _UNWRITABLE
    if not report["pages"]:
        where = site.start_urls[0]
        said = next(
            (row["reason"] for row in ledger.to_pylist() if row["outcome"] == "dropped" and row["subject"] == "page"),
            "nothing answered",
        )
        return f"no page could be read at {where} ({said}; all: {errors}); check the address, or disable the site"
    if report["ended"] in EARLY:
        return None
    if not report["products"]:
        return f"{report['pages']} pages answered but none sells a product ({errors}); check start_urls and render"
    if not report["photos"]:
        return f"{report['products']} products but no photo could be fetched ({errors}); see the ledger for the reasons"
    return None


if __name__ == "__main__":
    sys.exit(job.run(Path(sys.argv[1])))
