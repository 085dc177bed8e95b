"""Scoring speed of the harness, as ratios within one run.

    python benchmarks/harness_scoring.py [--queries 1000] [--gallery 60000] [--dimension 1024]

- against the per-query loop of the official code (look_bench 0.4.0) for Recall at four depths, which is timed on a part
  of the queries and scaled up, because it takes minutes on all of them;
- the same measures and the whole default set against a bare blockwise product with a top-20 selection in numpy.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

os.environ["TQDM_DISABLE"] = "1"  # the official loop draws a bar per call
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "harness"))

from lookbench_eval import Samples, ScoringPolicy, ask, score
from lookbench_eval.measures import DEFAULT, Measure, parse_all
from lookbench_eval.samples import objects
from lookbench_eval.search import blocks, check

BLOCK = 256
DEPTH = 20


def data(queries: int, gallery: int, dimension: int) -> tuple[np.ndarray, np.ndarray, Samples, Samples]:
    """Random unit vectors and labels: 40 categories, 12 main attributes each, 4 attributes, products of 2 to 4 rows."""
    rng = np.random.default_rng(0)

    def vectors(rows: int) -> np.ndarray:
        found = np.empty((rows, dimension), dtype=np.float32)
        for start in range(0, rows, 4096):
            part = rng.standard_normal((min(4096, rows - start), dimension), dtype=np.float32)
            found[start : start + len(part)] = part / np.linalg.norm(part, axis=1, keepdims=True)
        return found

    def samples(rows: int, letter: str) -> Samples:
        category = rng.integers(0, 40, rows)
        main = rng.integers(0, 12, rows)
        more = rng.integers(0, 30, (rows, 3))
        product = np.arange(rows) % (gallery // 3)
        text = [""] * rows
        return Samples(
            ids=objects([f"{letter}{row}" for row in range(rows)]),
            category=objects([f"c{value}" for value in category]),
            main_attribute=objects([f"m{value}" for value in main]),
            attributes=objects(
                [frozenset([f"m{m}", *(f"a{a}" for a in row)]) for m, row in zip(main, more, strict=True)]
            ),
            item=objects([f"p{value}" for value in product]),
            look=objects([f"l{row // 2}" for row in range(rows)]),
            photo=objects([f"{letter}{row}" for row in range(rows)]),
            site=objects(text),
            difficulty=objects(text),
            facets=objects([()] * rows),
            dates=np.full(rows, "2026-11-01", dtype="datetime64[D]"),
        )

    return vectors(queries), vectors(gallery), samples(queries, "q"), samples(gallery, "g")


def bare(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Blockwise product and an exact top-20, nothing else."""
    found = np.empty((len(left), DEPTH), dtype=np.intp)
    for start in range(0, len(left), BLOCK):
        similarity = left[start : start + BLOCK] @ right.T
        top = np.argpartition(similarity, -DEPTH, axis=1)[:, -DEPTH:]
        order = np.argsort(np.take_along_axis(similarity, top, axis=1), axis=1)[:, ::-1]
        found[start : start + BLOCK] = np.take_along_axis(top, order, axis=1)
    return found


def harness(
    left: np.ndarray, right: np.ndarray, queries: Samples, gallery: Samples, measures: tuple[Measure, ...]
) -> None:
    """Checks, search, and measures, as `evaluate` does them."""
    seek, held = check([left], queries.ids, "query"), check([right], gallery.ids, "gallery")
    score(ask(queries, gallery, measures, ScoringPolicy(no_positive="zero")), blocks(seek, held))


def official(left: np.ndarray, right: np.ndarray, queries: Samples, gallery: Samples, part: int) -> float:
    """Seconds that the official loop needs for all queries, from its time on a part of them."""
    import logging

    import torch
    from look_bench.metrics.rank import RankEvaluator

    logging.disable(logging.INFO)
    labels = np.array([str(value) for value in gallery.category])
    evaluator = RankEvaluator(rank_values=[1, 5, 10, 20])
    ours = torch.from_numpy(right)

    def run(rows: int) -> float:
        asked = np.array([str(value) for value in queries.category[:rows]])
        start = time.perf_counter()
        evaluator.evaluate(torch.from_numpy(left[:rows]), asked, ours, labels)
        return time.perf_counter() - start

    base = run(1)  # normalising and the product are paid once, whatever the number of queries
    return base + (run(1 + part) - base) / part * (len(left) - 1)


def best(times: int, call: Callable[[], object]) -> float:
    """Shortest of several runs, in seconds."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--gallery", type=int, default=60_000)
    parser.add_argument("--dimension", type=int, default=1024)
    parser.add_argument("--part", type=int, default=20, help="queries on which the official loop is timed")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    left, right, queries, gallery = data(options.queries, options.gallery, options.dimension)
    one = parse_all(["Coarse@1 Coarse@5 Coarse@10 Coarse@20"])
    size = f"{options.queries} x {options.gallery} x {options.dimension}"
    plain = best(options.times, lambda: bare(left, right))
    few = best(options.times, lambda: harness(left, right, queries, gallery, one))
    full = best(options.times, lambda: harness(left, right, queries, gallery, DEFAULT))
    slow = official(left, right, queries, gallery, options.part)
    print(f"{size}: bare product and top-{DEPTH} (numpy) {plain:.2f} s")
    print(f"{size}: harness, hit rate at four depths {few:.2f} s, {few / plain:.2f} x bare")
    print(f"{size}: harness, all {len(DEFAULT)} default measures {full:.2f} s, {full / plain:.2f} x bare (bar: 1.30)")
    print(f"{size}: official loop, hit rate at four depths {slow:.1f} s (timed on {options.part} queries)")
    print(f"harness is {slow / few:.0f} x faster than the official loop (bar: 50)")


if __name__ == "__main__":
    main()
