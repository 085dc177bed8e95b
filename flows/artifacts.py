"""What Prefect shows of a run: the funnel, the crawl's figures, the metrics, the way to the report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from prefect import get_run_logger
from prefect.artifacts import create_link_artifact, create_table_artifact


def crawl(report: Mapping[str, Mapping[str, Any]]) -> None:
    """One row per site, see ``crawl_rows``; the log of the run says the same in one line each."""
    rows = crawl_rows(report)
    for row in rows:
        get_run_logger().info("; ".join(f"{name} {told}" for name, told in row.items()))
    create_table_artifact(table=rows, key="crawl", description="What the crawl of each site brought, and how it ended")


def crawl_rows(report: Mapping[str, Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return one row of text per site: end, products, photos, failures by kind (most first), pages, bytes, waits.

    Prefect shows a cell on one line: what is zero is left out, and what matters most comes first. Figures that a site's
    report lacks, since its process died, count as 0.
    """
    return [{"site": site, **_told(Counter(figures), figures)} for site, figures in report.items()]


def _told(count: Mapping[str, Any], figures: Mapping[str, Any]) -> dict[str, str]:
    failures = sorted(figures.get("errors", {}).items(), key=lambda pair: (-pair[1], pair[0]))
    ended = str(figures.get("ended", "died"))
    products = {name: count[f"products_{name}"] for name in ("new", "changed", "relisted", "delisted")}
    pages = {"unchanged": count["pages_unchanged"], "rendered": count["rendered"], "left": count["pages_over_limit"]}
    polite = [
        (count["waits"], "{:,.0f} s waited"),
        (count["robots_refused"], "robots.txt kept {:,} back"),
        (count["crawl_delay_s"], "Crawl-delay {:g} s"),
    ]
    return {
        "ended": "nothing came" if ended == "finished" and not count["pages"] else ended,
        "products": _with(count["products"], products),
        "photos": _with(count["photos"], {"new": count["photos_new"]}),
        "failures": ", ".join(f"{kind} {number:,}" for kind, number in failures) or "none",
        "pages": _with(count["pages"], pages),
        "looks": f"{count['looks']:,}",
        "loaded": f"{_size(count['bytes'])} in {count['requests']:,} requests",
        "politeness": ", ".join(words.format(figure) for figure, words in polite if figure) or "no wait asked for",
    }


def _with(whole: int, parts: Mapping[str, int]) -> str:
    told = ", ".join(f"{number:,} {name}" for name, number in parts.items() if number)
    return f"{whole:,} ({told})" if told else f"{whole:,}"


def _size(size: float) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"


def funnel(rows: Sequence[Mapping[str, Any]]) -> None:
    """One row per step: in, kept, dropped by reason."""
    create_table_artifact(table=[dict(row) for row in rows], key="funnel", description="What became of every photo")


def report(path: str) -> None:
    """Link the report page of a release or of an edition that awaits labels."""
    create_link_artifact(link=path if "://" in path else f"file://{path}", link_text=path, key="report")


def metrics(results: Sequence[Mapping[str, Any]]) -> None:
    """One row per model and measure, with its interval."""
    rows = [
        {"model": result["model"]["name"], "measure": name, **{key: str(value) for key, value in figure.items()}}
        for result in results
        for name, figure in result["overall"]["values"].items()
    ]
    create_table_artifact(table=rows, key="metrics", description="Reference results")
