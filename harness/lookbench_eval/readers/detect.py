"""Find out which layout a folder has, and read it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lookbench_eval.errors import ReleaseError
from lookbench_eval.readers import release
from lookbench_eval.readers.base import Release

LAYOUTS = ("lookbench",)


def open_release(
    path: str | Path, *, layout: str | None = None, subsets: Sequence[str] | None = None, verify: bool = True
) -> Release:
    """Open a data set for scoring; its labels are read, its pictures stay on disk.

    `layout` is one of LAYOUTS, found out when not given. Raises ReleaseError.
    """
    root = Path(path)
    if not root.is_dir():
        raise ReleaseError(f"{root} is no folder; give the folder of a release")
    if release.is_release(root):
        return release.read(root, subsets=subsets, verify=verify)
    raise ReleaseError(f"{root} has no layout that is known here ({', '.join(LAYOUTS)})")
