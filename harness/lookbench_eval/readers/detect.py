"""Find out which layout a folder has, and read it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lookbench_eval.errors import ReleaseError
from lookbench_eval.readers import beir, legacy, published, release
from lookbench_eval.readers.base import Release

LAYOUTS = ("lookbench", "published", "fashion200k", "pairs", "beir")


def open_release(
    path: str | Path, *, layout: str | None = None, subsets: Sequence[str] | None = None, verify: bool = True
) -> Release:
    """Open a data set for scoring; its labels are read, its pictures stay on disk.

    `layout` is one of LAYOUTS, found out when not given. `verify` compares a release of this project with its
    manifest; other layouts have none. Raises ReleaseError.
    """
    root = Path(path)
    if not root.is_dir():
        raise ReleaseError(f"{root} is no folder; give the folder of a release")
    chosen = layout or detect(root)
    if chosen == "lookbench":
        return release.read(root, subsets=subsets, verify=verify)
    if chosen == "published":
        return published.read(root, subsets=subsets)
    if chosen == "fashion200k":
        return legacy.read_fashion200k(root, subsets=subsets)
    if chosen == "pairs":
        return legacy.read_pairs(root, subsets=subsets)
    if chosen == "beir":
        return beir.read(root, subsets=subsets)
    raise ReleaseError(f"layout {chosen!r} is unknown; choose {', '.join(LAYOUTS)}")


def detect(root: Path) -> str:
    """The layout of a folder. Raises ReleaseError when it has none that is known."""
    tests = {
        "lookbench": release.is_release,
        "published": published.is_published,
        "fashion200k": legacy.is_fashion200k,
        "pairs": legacy.is_pairs,
        "beir": beir.is_beir,
    }
    for name, test in tests.items():
        if test(root):
            return name
    inside = ", ".join(sorted(path.name for path in root.iterdir())[:8]) or "nothing"
    raise ReleaseError(f"{root} has none of the layouts {', '.join(LAYOUTS)}; it holds {inside}")
