"""What Prefect shows of a run: the funnel, the crawl's figures, the metrics, the way to the report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from prefect.artifacts import create_link_artifact, create_table_artifact


def crawl(report: Mapping[str, Mapping[str, Any]]) -> None:
    """One row per site, see ``crawl_rows``."""
    create_table_artifact(
        table=crawl_rows(report), key="crawl", description="What the crawl of each site brought, and how it ended"
    )


def crawl_rows(report: Mapping[str, Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return one row of text per site: end, pages, products, photos, failures by kind (most first), bytes, waits.

    Figures that a site's report lacks, since its process died, count as 0.
    """
    return [{"site": site, **_told(Counter(figures), figures)} for site, figures in report.items()]


def _told(count: Mapping[str, Any], figures: Mapping[str, Any]) -> dict[str, str]:
    failures = sorted(figures.get("errors", {}).items(), key=lambda pair: (-pair[1], pair[0]))
    products = (f"{count[f'products_{name}']:,} {name}" for name in ("new", "changed", "relisted", "delisted"))
    return {
        "ended": str(figures.get("ended", "died")),
        "pages": f"{count['pages']:,}: {count['pages_unchanged']:,} unchanged, {count['rendered']:,} rendered, "
        f"{count['pages_over_limit']:,} left for another night",
        "products": f"{count['products']:,}: " + ", ".join(products),
        "photos": f"{count['photos']:,}: {count['photos_new']:,} new ({count['photo_bytes'] / 1e6:,.1f} MB)",
        "looks": f"{count['looks']:,}",
        "failures": ", ".join(f"{kind} {number:,}" for kind, number in failures) or "none",
        "loaded": f"{count['bytes'] / 1e6:,.1f} MB in {count['requests']:,} requests",
        "politeness": f"waited {count['waits']:,.0f} s for a busy server, robots.txt kept {count['robots_refused']:,} "
        f"requests back and asked for {count['crawl_delay_s']:,} s between two",
    }


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
