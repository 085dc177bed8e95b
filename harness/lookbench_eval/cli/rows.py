"""`lookbench-eval rows RELEASE`: which row of --embeddings belongs to which sample."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path


def run(words: Sequence[str]) -> int:
    """List the rows; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="lookbench-eval rows",
        description="List the samples in the order of the rows that --embeddings expects. Prints file (query or "
        "gallery), row, subset and id, separated by tabs.",
    )
    parser.add_argument("release", type=Path)
    parser.add_argument("--subset", nargs="+", action="extend", metavar="NAME")
    parser.add_argument("--layout")
    parser.add_argument("--no-verify", action="store_true")
    options = parser.parse_args(list(words))
    from lookbench_eval.readers import NOISE, open_release

    release = open_release(options.release, layout=options.layout, subsets=options.subset, verify=not options.no_verify)
    queries = [(part.name, part.query) for part in release.subsets]
    galleries = [(part.name, part.gallery) for part in release.subsets]
    if release.noise:
        galleries.append((NOISE, release.noise))
    for file, splits in (("query", queries), ("gallery", galleries)):
        row = 0
        for subset, split in splits:
            for name in split.samples.ids:
                print(f"{file}\t{row}\t{subset}\t{name}")
                row += 1
    return 0
