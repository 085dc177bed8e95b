"""What the commands have in common: their options, the workshop they open, and how they answer."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from flows.workshop import Workshop

Root = Annotated[str | None, typer.Option(help="Catalog: a folder or an fsspec URL such as s3://bucket/path.")]
Settings = Annotated[Path | None, typer.Option(help="Settings file; ./lookbench.yaml when there is one.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]


def workshop(root: str | None = None, settings: Path | None = None) -> "Workshop":
    """Open the workshop that the options name."""
    from flows.workshop import Workshop

    return Workshop.open(root=root, settings=settings)


def emit(result: Any, as_json: bool, text: str) -> None:
    """Print ``result`` as JSON to stdout, or ``text`` for people to stderr."""
    if as_json:
        print(json.dumps(result, default=str, ensure_ascii=False, indent=1))
    else:
        print(text, file=sys.stderr)
