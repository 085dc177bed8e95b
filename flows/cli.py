"""The ``lookbench`` command: one verb for each thing a person may want to do alone.

Machine output (``--json``) is all that goes to stdout; everything for people goes to stderr.
"""

import errno
import json
import os
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from catalog.errors import LookbenchError
from flows.history_commands import history
from flows.options import Json, Root, Settings, emit, workshop
from flows.service_commands import services
from flows.site_commands import site

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
app.add_typer(services, name="services")
app.add_typer(site, name="site")
app.add_typer(history, name="history")

Now = Annotated[datetime | None, typer.Option(help="Clock to work by, for replays; the wall clock when not given.")]
Edition = Annotated[str, typer.Argument(help="Year and month, like 2026.12.")]

# What the machine refuses wherever it is asked: a person can mend it, and a traceback would tell nothing more.
OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE}


# the edition -----------------------------------------------------------------------------------------------


@app.command()
def crawl(
    sites: Annotated[list[str] | None, typer.Argument(help="Site names or site files; all when none is given.")] = None,
    root: Root = None,
    settings: Settings = None,
    now: Now = None,
    as_json: Json = False,
) -> None:
    """Crawl sites into the catalog: products, photos and when each was first seen."""
    from flows.nightly import nightly_crawl

    report = nightly_crawl(sites or [], root=root, settings=settings, now=now)
    emit(report, as_json, "\n".join(f"{site}: {_line(figures)}" for site, figures in report.items()))


@app.command()
def refresh(
    edition: Edition, root: Root = None, settings: Settings = None, now: Now = None, as_json: Json = False
) -> None:
    """Make an edition from new photos: screen, detect, deduplicate, generate, pre-label, send to Label Studio."""
    from flows.refresh import refresh as run

    summary = run(edition, root=root, settings=settings, now=now)
    text = f"edition {edition}: {summary['items']} items, {summary['state']}"
    emit(summary, as_json, f"{_funnel(summary)}\n{text}")


@app.command()
def freeze(
    edition: Edition,
    out: Annotated[Path | None, typer.Option(help="Write a second copy of a frozen edition here.")] = None,
    root: Root = None,
    settings: Settings = None,
    now: Now = None,
    as_json: Json = False,
) -> None:
    """Pull labels, hold the gates, write and verify the release, and validate it with its own harness."""
    from flows.freeze import freeze as run

    summary = run(edition, out=out, root=root, settings=settings, now=now)
    emit(summary, as_json, _told(summary))


@app.command()
def verify(release: Path, as_json: Json = False) -> None:
    """Check a release from its own files alone."""
    from releases.verify import verify as run

    report = run(release)
    emit(report.as_dict(), as_json, str(report))


@app.command()
def validate(
    release: Path,
    model: Annotated[list[str], typer.Option(help="Encoder: onnx:FILE, transformers:ID[@revision], pixels:16, ...")],
    cutoff: Annotated[str | None, typer.Option(help="Score only samples newer than this date.")] = None,
    root: Root = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Score models on a release with the harness wheel that lies in it, in an environment of its own."""
    from flows.validate import table
    from flows.validate import validate as run

    results = run(release, model, cutoff=cutoff, root=root, settings=settings)
    emit(results, as_json, "\n\n".join(table(result) for result in results))


@app.command()
def why(id: str, root: Root = None, settings: Settings = None, as_json: Json = False) -> None:
    """Tell the whole life of a photo, item or product."""
    from flows.why import life

    events = life(workshop(root, settings).catalog, id)
    lines = [f"{e['where']}: {e['what']} {e['outcome']}, {e['reason']} {e['evidence'] or ''}".rstrip() for e in events]
    emit(events, as_json, "\n".join(lines))


@app.command()
def review(
    edition: Edition,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.")] = 0,
    root: Root = None,
    settings: Settings = None,
) -> None:
    """Walk through the contact sheets of an edition; the next refresh obeys what you keep and drop."""
    from flows import desk
    from flows import edition as editions

    desk.serve(editions.find(workshop(root, settings).catalog, edition), port)


@app.command()
def demo(
    photos: Annotated[
        Path | None, typer.Option(help="Serve this folder of real photos (photos.csv) as the shop.")
    ] = None,
    products: Annotated[int | None, typer.Option(help="How many products the shop sells.")] = None,
    port: Annotated[int, typer.Option(help="Port of the shop; the same at every run of one catalog.")] = 8930,
    root: Root = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Two editions from a live demo shop to a validated release, with every part real."""
    from flows.demo import run

    result = run(root=root, settings=settings, photos=photos, products=products, port=port)
    emit(result, as_json, "\n\n".join(_told(summary) for summary in result))


@app.command()
def publish(
    release: Path,
    target: Annotated[str, typer.Argument(help="Folder, fsspec URL, or hf://datasets/OWNER/NAME.")],
    as_json: Json = False,
) -> None:
    """Copy a verified release to where others find it; on Hugging Face as a commit with a tag."""
    from releases.publish import publish as run

    published = asdict(run(release, target))
    emit(published, as_json, _line(published))


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True}, add_help_option=False)
def leaderboard(context: typer.Context) -> None:
    """Make the leaderboard page from results, or check results for it: build or check, as lookbench-eval has them."""
    from lookbench_eval.cli import main as harness

    sys.exit(harness(["leaderboard", *context.args]))


# plain files -----------------------------------------------------------------------------------------------


@app.command()
def read(
    source: Annotated[str, typer.Argument(metavar="FILE_OR_URL")],
    base_url: Annotated[str | None, typer.Option(help="Address the file was fetched from.")] = None,
    allow_loopback: Annotated[bool, typer.Option(help="Fetch from this machine too.")] = False,
    as_json: Json = False,
) -> None:
    """Read the product on one page, with the source of each field."""
    from flows.plain import read_page

    result = read_page(source, base_url, allow_loopback=allow_loopback)
    emit(result, as_json, json.dumps(result, indent=1, ensure_ascii=False))


@app.command()
def inspect(images: Annotated[list[Path], typer.Argument(metavar="IMAGE...")], as_json: Json = False) -> None:
    """Say of each file whether it decodes, its upright size and what was done to it."""
    from flows.plain import inspect_images

    rows = inspect_images(images)
    emit(rows, as_json, "\n".join(_line(row) for row in rows))


@app.command()
def detect(
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE...")], settings: Settings = None, as_json: Json = False
) -> None:
    """Find the garments in pictures: boxes, categories, scores."""
    from flows.plain import detect_images

    rows = detect_images(images, workshop(settings=settings))
    emit(rows, as_json, "\n".join(_line(row) for row in rows))


@app.command()
def duplicates(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    against: Annotated[Path | None, typer.Option(help="Compare with this folder instead of inside the first.")] = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Find pictures that repeat each other, with tier and distance."""
    from flows.plain import duplicate_pairs

    def skipped(name: str, reason: str) -> None:
        print(f"skipped {name}: {reason}", file=sys.stderr)

    pairs = duplicate_pairs(folder, against, workshop(settings=settings), skipped)
    emit(pairs, as_json, "\n".join(_line(pair) for pair in pairs) or "no duplicates")


@app.command()
def generate(
    image: Path,
    out: Annotated[Path, typer.Option(help="Folder to write to.")],
    recipe: Annotated[str, typer.Option(help="studio or street.")] = "studio",
    count: Annotated[int, typer.Option("-n", min=1, help="How many pictures.")] = 1,
    seed: Annotated[int, typer.Option(help="Random seed: the same seed, the same bytes.")] = 0,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Make AI fashion pictures from the garment in one picture."""
    from flows.plain import generate_images

    rows = generate_images(image, out, recipe, count, seed, workshop(settings=settings))
    emit(rows, as_json, "\n".join(_line(row) for row in rows))


def _told(summary: dict[str, Any]) -> str:
    from flows.validate import table

    tables = "\n\n".join(table(result) for result in summary["results"])
    head = f"edition {summary['edition']}\n{_funnel(summary)}\n"
    return f"{head}\n{tables}\n\nrelease  {summary['release']}\nreport   {summary['report']}"


def _funnel(summary: dict[str, Any]) -> str:
    from flows.funnel import table

    return table(summary["funnel"])


def _line(row: Any) -> str:
    return "  ".join(f"{key}={value}" for key, value in row.items() if value not in (None, [], ""))


def main() -> None:
    """Run the command; a failure that a person can act on is one sentence on stderr and a non-zero exit."""
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")  # the command itself tells what failed
    try:
        app()
    except Exception as error:
        from lookbench_eval.errors import HarnessError
        from taxonomy import TaxonomyError

        if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
            print(
                f"error: {error.strerror}: {error.filename or 'while writing'}; mend that and run again",
                file=sys.stderr,
            )
        elif isinstance(error, LookbenchError | HarnessError | TaxonomyError):
            print(f"error: {error}", file=sys.stderr)
        else:
            raise
        sys.exit(1)


if __name__ == "__main__":
    main()
