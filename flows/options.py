"""What all verbs of the command share: options, and how results are printed."""

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from flows.workshop import Workshop

Root = Annotated[str | None, typer.Option(help="Catalog: a folder or an fsspec URL such as s3://bucket/path.")]
Settings = Annotated[Path | None, typer.Option(help="Settings file; ./lookbench.yaml when there is one.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]
Now = Annotated[datetime | None, typer.Option(help="Clock to work by, for replays; the wall clock when not given.")]


def open_workshop(root: str | None = None, settings: Path | None = None) -> "Workshop":
    """Open the settings, clock and catalog of this command."""
    from flows.workshop import Workshop

    return Workshop.open(root=root, settings=settings)


def emit(result: Any, as_json: bool, text: str) -> None:
    """Print ``result`` as JSON to stdout, or ``text`` for people to stderr."""
    if as_json:
        print(json.dumps(result, default=str, ensure_ascii=False, indent=1))
    else:
        print(text, file=sys.stderr)


def line(row: Any) -> str:
    """Return a row on one line, without its empty values."""
    return "  ".join(f"{key}={value}" for key, value in row.items() if value not in (None, [], ""))
