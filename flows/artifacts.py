"""What Prefect shows of a run: the funnel, the crawl's figures, the metrics, the way to the report."""

from collections.abc import Mapping, Sequence
from typing import Any

from prefect.artifacts import create_link_artifact, create_table_artifact


def crawl(report: Mapping[str, Mapping[str, Any]]) -> None:
    """One row per site: pages, products, photos, errors, bytes."""
    rows = [{"site": site, **{key: str(value) for key, value in figures.items()}} for site, figures in report.items()]
    create_table_artifact(table=rows, key="crawl", description="What the crawl of each site brought")


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
