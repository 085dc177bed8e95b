"""Time and memory of scoring as the gallery grows, each size in a process of its own.

    python benchmarks/harness_growth.py [--queries 1000] [--dimension 256] [--gallery 60000 600000]

Memory is what scoring adds to the peak of the process that already holds the embeddings and the labels.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))


def peak() -> float:
    """The largest resident size of this process so far, in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("this system has no VmHWM in /proc/self/status")


def one(queries: int, gallery: int, dimension: int) -> None:
    """Score once; print seconds, MiB that scoring added, and MiB of the embeddings."""
    from harness_scoring import data, harness

    from lookbench_eval.measures import DEFAULT

    left, right, asked, answers = data(queries, gallery, dimension)
    Path("/proc/self/clear_refs").write_text("5")  # start the peak afresh
    before = peak()
    start = time.perf_counter()
    harness(left, right, asked, answers, DEFAULT)
    print(time.perf_counter() - start, peak() - before, (left.nbytes + right.nbytes) / 2**20)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--gallery", type=int, nargs="+", default=[60_000, 600_000])
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.queries, options.one, options.dimension)
        return
    found = {}
    for size in options.gallery:
        words = [sys.executable, __file__, "--one", str(size)]
        words += ["--queries", str(options.queries), "--dimension", str(options.dimension)]
        said = subprocess.run(words, check=True, capture_output=True, text=True, env=dict(os.environ)).stdout
        seconds, added, embeddings = (float(word) for word in said.split())
        found[size] = seconds, added
        print(
            f"{options.queries} x {size} x {options.dimension}: {seconds:.2f} s, "
            f"{added:.0f} MiB beyond the embeddings of {embeddings:.0f} MiB (bar: 1024)"
        )
    small, large = min(found), max(found)
    if small != large:
        print(
            f"gallery x {large / small:.0f}: time x {found[large][0] / found[small][0]:.1f}, "
            f"memory x {found[large][1] / found[small][1]:.1f}"
        )


if __name__ == "__main__":
    main()
