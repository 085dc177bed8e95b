"""How long the history takes to open, and what its exact search costs beside bare faiss over the same codes.

    python benchmarks/history.py --entries 1000000 --new 500

The history is synthetic: random codes and unit vectors, one in a thousand of the new codes a near copy of a past one.
Opening is timed in a fresh process. faiss gets the codes as one array and answers as arrays; ours starts from the
opened history's table and ends with pairs; both in CPU seconds, so that a busy machine does not tilt the ratio. Exit
status 1 when a bar is missed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from catalog import tables
from catalog.store import Catalog
from curation import duplicates, history, pairs
from curation.history import SCHEMA, History
from curation.pairs import DuplicatePolicy, Prints

SECONDS, RATIO = 2.0, 1.2  # bars of the design
PORTION = 100_000

OPEN = """
import sys, time
from catalog.store import Catalog
from curation.history import History
start = time.perf_counter()
rows = History.load(Catalog(sys.argv[1])).table.num_rows
print(rows, time.perf_counter() - start)
"""


def synthetic(entries: int) -> Iterator[bytes]:
    """Yield history files of random entries."""
    rng = np.random.default_rng(0)
    for first in range(0, entries, PORTION):
        count = min(PORTION, entries - first)
        ids = [f"{place:064x}" for place in range(first, first + count)]
        vectors = rng.standard_normal((count, tables.EMBEDDING_SIZE), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        offsets = pa.array(np.arange(count + 1) * tables.EMBEDDING_SIZE, pa.int64())
        codes = {name: rng.integers(0, 256, (count, size), np.uint8) for name, size in (("phash", 8), ("pdq", 32))}
        columns = {
            "id": pa.array(ids),
            "photo_id": pa.array(ids),
            "pixels": pa.array(ids),
            **{
                name: pa.array([code.tobytes() for code in made], pa.binary(made.shape[1]))
                for name, made in codes.items()
            },
            "pdq_quality": pa.array(np.full(count, 100)),
            "embedding": pa.LargeListArray.from_arrays(offsets, pa.array(vectors.astype(np.float16).ravel())),
            "model": pa.repeat(pa.scalar("m"), count),
            "date": pa.nulls(count, tables.TIME),
            "date_evidence": pa.nulls(count, pa.string()),
            "products": pa.nulls(count, pa.list_(pa.string())),
        }
        yield history.encode(pa.table(columns, schema=SCHEMA))


def queries(past: Prints, count: int) -> Prints:
    """Return ``count`` new pictures in eight orientations, each thousandth code 5 bits from a past one."""
    rng = np.random.default_rng(1)
    phash, pdq = (rng.integers(0, 256, (count, 8, size), np.uint8) for size in (8, 32))
    for code, old in ((phash, past.phash), (pdq, past.pdq)):
        flat, near = code.reshape(-1, code.shape[2]), np.arange(0, count * 8, 1000)
        flat[near] = old[rng.integers(0, len(old), len(near)), 0]
        flat[near, 0] ^= 0b11111
    names = [f"new-{place}" for place in range(count)]
    vectors: list[Any] = []
    quality = np.full(count, 100)
    return Prints(names, names, phash, pdq, quality, vectors, np.empty(0, np.int64), [frozenset()] * count)


def bare(new: Prints, past: Prints, policy: DuplicatePolicy) -> int:
    """Return the hits of faiss alone."""
    import faiss

    hits = 0
    for name, line in (("phash", policy.phash), ("pdq", policy.pdq)):
        codes = np.ascontiguousarray(getattr(past, name)[:, 0])
        index = faiss.IndexBinaryFlat(codes.shape[1] * 8)
        index.add(codes)
        wanted = np.ascontiguousarray(getattr(new, name).reshape(-1, codes.shape[1]))
        hits += len(index.range_search(wanted, line + 1)[1])
    return hits


def memory() -> dict[str, int]:
    """Return the memory of this process in MiB: what it owns, and what it has mapped from files."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines if line.startswith("Rss")}
    return {"own": sizes["RssAnon"], "mapped": sizes["RssFile"]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--new", type=int, default=500)
    options = parser.parse_args(arguments)
    policy = DuplicatePolicy()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        catalog = Catalog(folder)
        for data in synthetic(options.entries):
            history.save(catalog, "synthetic", data)
        opened = subprocess.run([sys.executable, "-c", OPEN, folder], capture_output=True, text=True, check=True).stdout
        start = time.perf_counter()
        _, past = duplicates.past(History.load(catalog), "m")
        ready = time.perf_counter() - start
        new = queries(past, options.new)
        start = time.process_time()
        hits = bare(new, past, policy)
        alone = time.process_time() - start
        start = time.process_time()
        found = pairs.find(new, past, lambda *_: None, lambda *_: None, policy)
        ours = time.process_time() - start
        figures = {
            "entries": int(opened.split()[0]),
            "bytes": sum(file.stat().st_size for file in Path(folder).rglob("*.arrow")),
            "open_seconds": round(float(opened.split()[1]), 3),
            "ready_to_search_seconds": round(ready, 2),
            "new_pictures": options.new,
            "faiss_cpu_seconds": round(alone, 2),
            "search_cpu_seconds": round(ours, 2),
            "ratio": round(ours / alone, 3),
            "hits": hits,
            "pairs": len(found),
            "memory_mib": memory(),
        }
    print(json.dumps(figures, indent=1))
    return 0 if figures["open_seconds"] < SECONDS and figures["ratio"] <= RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
