"""``lookbench history``: what no edition may repeat, past editions and listed public sets."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from flows.options import Json, Root, Settings, emit, workshop

history = typer.Typer(no_args_is_help=True, help="What no edition may repeat: past editions and listed public sets.")


@history.command("add")
def history_add(
    name: Annotated[str, typer.Argument(help="Name of the set, like deepfashion-2016; ledgers show it.")],
    source: Annotated[
        Path, typer.Argument(metavar="DIR_OR_HASHES", help="Folder of pictures (parquet too), or a CSV of hashes.")
    ],
    published: Annotated[
        datetime | None, typer.Option(help="Day the set was public: its pictures are that old.")
    ] = None,
    root: Root = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """List a public set; again with more pictures, the set grows."""
    from flows.remember import add

    day = published.replace(tzinfo=UTC) if published else None
    told = add(name, source, day, workshop(root, settings))
    missed = "".join(f"\n  skipped {place}: {reason}" for place, reason in list(told["skipped"].items())[:10])
    text = f"{name}: {told['added']} entries added, {told['entries']} in all, {len(told['skipped'])} files skipped"
    emit(told, as_json, text + missed)


@history.command("rebuild")
def history_rebuild(
    releases: Annotated[list[Path], typer.Argument(metavar="RELEASE...")],
    root: Root = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Make the history of past editions anew from their releases; listed sets stay."""
    from flows.remember import rebuild

    rows = rebuild(releases, workshop(root, settings).catalog)
    emit(rows, as_json, "\n".join(f"{row['name']}: {row['entries']} entries, {row['digest']}" for row in rows))


@history.command("show")
def history_show(root: Root = None, settings: Settings = None, as_json: Json = False) -> None:
    """Read every byte of the history, and say what it consists of."""
    from curation.history import check

    rows = check(workshop(root, settings).catalog)
    lines = [f"{row['name']}: {row['entries']} entries, {row['digest']}" for row in rows]
    emit(rows, as_json, "\n".join(lines) or "no history yet")
