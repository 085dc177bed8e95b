"""The verbs on plain files, which need no catalog."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from catalog.errors import LookbenchError

if TYPE_CHECKING:
    from flows.workshop import Workshop
    from generation.recipes import Recipe


class PlainFileError(LookbenchError):
    """A file or folder that is not there or cannot be written."""


def read_page(source: str, base_url: str | None, *, allow_loopback: bool = False) -> dict[str, Any]:
    """Read the product of one page, from a file or by one polite, guarded fetch; feeds and sitemaps too.

    Returns ``{"product": {...}, "evidence": {field: source}, "category": ...}`` (the taxonomy's category by the name,
    or None for what is no garment), ``{"product": None, "reason": ...}``, or what ``crawlers.readers.document`` says of
    the other kinds.
    """
    import taxonomy
    from crawlers import readers

    if source.startswith(("http://", "https://")):
        from crawlers.fetch import Visitor
        from crawlers.job import USER_AGENT

        page = Visitor(USER_AGENT, allow_loopback=allow_loopback).get(source)
        body, url = page.body, page.url
    else:
        body, url = _file(Path(source)).read_bytes(), Path(source).resolve().as_uri()
    document = readers.document(body, base_url or url, base_url)
    if document.get("product"):
        document["category"] = taxonomy.match(document["product"]["name"], taxonomy.load()).category
    return document


def inspect_images(images: Sequence[Path]) -> list[dict[str, Any]]:
    """Return one row per file: ``file``, ``decodes``, ``reason``, ``width``, ``height`` (upright), ``done``."""
    from catalog.decode import DecodeError, decode

    rows: list[dict[str, Any]] = []
    for image in images:
        data = _file(image).read_bytes()
        try:
            decoded = decode(data)
        except DecodeError as error:
            rows.append({"file": str(image), "decodes": False, "reason": error.reason, "message": str(error)})
        else:
            size = {"width": decoded.width, "height": decoded.height}
            rows.append({"file": str(image), "decodes": True, **size, "mime": decoded.mime, "done": list(decoded.done)})
    return rows


def detect_images(images: Sequence[Path], workshop: "Workshop") -> list[dict[str, Any]]:
    """Return one row per file: ``file`` and ``items`` (box xyxy in upright pixels, category, score), or the reason."""
    from catalog.decode import DecodeError, decode

    rows: list[dict[str, Any]] = []
    for image in images:
        try:
            pixels = decode(_file(image).read_bytes()).pixels
        except DecodeError as error:
            rows.append({"file": str(image), "items": [], "reason": error.reason})
            continue
        found = workshop.detector.detect([pixels])[0]
        items = [
            {"box": [round(v, 1) for v in d.box], "category": d.category, "score": round(d.score, 4)} for d in found
        ]
        rows.append({"file": str(image), "items": items, "reason": None if items else "no_garment"})
    return rows


def duplicate_pairs(
    folder: Path, against: Path | None, workshop: "Workshop", skipped: Callable[[str, str], None]
) -> list[dict[str, Any]]:
    """Return the pairs of pictures that repeat each other: ``a``, ``b``, ``tier``, ``distance``, ``threshold``.

    Files that do not decode are told to ``skipped`` by name and reason.
    """
    from curation import duplicates

    for place in filter(None, (folder, against)):
        if not place.is_dir():
            raise PlainFileError(f"{place} is not a folder; give a folder of pictures")
    policy = workshop.settings.duplicates
    return duplicates.folders(folder, against, embedder=workshop.embedder, policy=policy, skipped=skipped)


def generate_images(
    image: Path, out: Path, recipe: str, count: int, seed: int, workshop: "Workshop"
) -> list[dict[str, Any]]:
    """Write ``count`` pictures made from the garment in ``image``; returns one provenance row per picture."""
    from generation import run
    from lookbench_eval.atomic import write_together

    if recipe not in ("studio", "street"):
        raise PlainFileError(f"--recipe {recipe!r} is unknown; use studio or street")
    policy, pipeline = workshop.settings.generation, workshop.generator
    made = run.from_image(
        _file(image).read_bytes(),
        pipeline,
        recipe=cast("Recipe", recipe),
        count=count,
        seed=seed,
        now=workshop.now,
        policy=policy,
    )
    files = {out / name: data for name, data in run.files(made).items()}
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_together(files)
    except OSError as error:
        raise PlainFileError(
            f"could not write {count} pictures into {out}: {error.strerror}; nothing is left there"
        ) from error
    return [{"file": str(path), **one.row} for path, one in zip(files, made, strict=False)]


def _file(path: Path) -> Path:
    if not path.is_file():
        raise PlainFileError(f"{path} is not a file; check the name")
    return path
