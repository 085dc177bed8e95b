"""`lookbench-eval compare A.json B.json`: are two models different, and where?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from lookbench_eval.cli.evaluate import positive

if TYPE_CHECKING:
    from lookbench_eval.paired import Comparison


def run(words: Sequence[str]) -> int:
    """Compare two results; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="lookbench-eval compare",
        description="Compare two results on the queries that both hold. Differences are second minus first, in "
        "percentage points, with an interval and a p-value: the larger one of flipping whole looks and whole products.",
    )
    parser.add_argument("first", type=Path, help="result.json of a model")
    parser.add_argument("second", type=Path, help="result.json of another model on the same release")
    parser.add_argument("--measure", nargs="+", action="extend", metavar="M", help="default: all that both hold")
    parser.add_argument("--resamples", type=positive, default=9999, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON, with the subsets, instead of a table")
    options = parser.parse_args(list(words))
    from lookbench_eval.intervals import Bootstrap
    from lookbench_eval.paired import compare
    from lookbench_eval.result import load

    found = compare(
        load(options.first),
        load(options.second),
        options.measure,
        Bootstrap(resamples=options.resamples, seed=options.seed),
    )
    if options.json:
        print(json.dumps(asdict(found), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print(_table(found))
    return 0


def _table(found: Comparison) -> str:
    from lookbench_eval.table import grid

    heads = ["", found.first, found.second, "difference", "p", "gained", "lost", "of"]
    rows = []
    for one in found.overall:
        figures = (one.first, one.second, one.difference, one.low, one.high)
        if one.p_value is None or None in figures:
            rows.append([one.measure, "-", "-", "-", "-", "0", "0", "0"])
            continue
        first, second, difference, low, high = (100 * figure for figure in figures if figure is not None)
        rows.append(
            [
                one.measure,
                f"{first:.2f}",
                f"{second:.2f}",
                f"{difference:+.2f} [{low:+.1f}, {high:+.1f}]",
                f"{one.p_value:.4f}",
                str(one.gained),
                str(one.lost),
                str(one.queries),
            ]
        )
    said = [f"{found.common} queries in both results"]
    if found.only_first or found.only_second:
        said.append(f"left out: {found.only_first} only in the first, {found.only_second} only in the second")
    return f"{grid(heads, rows)}\n\n{'; '.join(said)}."
