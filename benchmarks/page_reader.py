"""Page reader against extruct: seconds per pass over the same pages, as a ratio.

``python benchmarks/page_reader.py [FOLDER]`` reads every ``*.html`` below FOLDER (default: the project's own fixture
pages and, where present, the shared cases). ``crawlers.readers.read`` parses, reads all sources and merges;
``extruct.extract`` with its defaults only extracts (microdata, JSON-LD, OpenGraph, microformats, RDFa, Dublin Core).
Bar: at least 3 times faster.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
BAR = 3.0
ROUNDS = 7


def pages(folders: list[Path]) -> list[str]:
    """Return the text of every page below the folders."""
    found = [path for folder in folders if folder.exists() for path in sorted(folder.rglob("*.html"))]
    return [path.read_text(encoding="utf-8", errors="replace") for path in found]


def seconds(work: Callable[[str], object], texts: list[str]) -> float:
    """Return the processor time of one pass over the pages."""
    began = time.process_time()
    for text in texts:
        work(text)
    return time.process_time() - began


def main() -> int:
    """Print the ratio as one JSON object."""
    import extruct

    from crawlers import readers

    shared = Path(os.environ.get("LOOKBENCH_SHARED") or ROOT.parent / "shared") / "cases" / "pages"
    folders = [Path(argument) for argument in sys.argv[1:]] or [ROOT / "tests" / "crawlers" / "pages", shared]
    texts = pages(folders)
    if not texts:
        print(f"no *.html below {', '.join(map(str, folders))}; name a folder of pages", file=sys.stderr)
        return 2
    url = "https://shop.example/p/1"

    def peer(text: str) -> object:
        return extruct.extract(text, base_url=url, errors="ignore")

    caches = [
        thing
        for name, module in list(sys.modules.items())
        if name.startswith("crawlers.readers")
        for thing in vars(module).values()
        if hasattr(thing, "cache_clear")
    ]

    def ours(text: str) -> object:
        for cache in caches:  # every page is new to the reader, as in a crawl
            cache.cache_clear()
        return readers.read(text, url)

    # By turns, so that a machine that slows down slows both; the first turn warms up.
    turns = [(seconds(peer, texts), seconds(ours, texts)) for _ in range(ROUNDS + 1)][1:]
    theirs, mine = (statistics.median(passes) for passes in zip(*turns, strict=True))
    ratio = theirs / mine
    result = {
        "pages": len(texts),
        "bytes": sum(map(len, texts)),
        "extruct_ms_per_page": round(1000 * theirs / len(texts), 3),
        "lookbench_ms_per_page": round(1000 * mine / len(texts), 3),
        "ratio": round(ratio, 2),
        "bar": BAR,
        "met": ratio >= BAR,
    }
    print(json.dumps(result))
    return 0 if ratio >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
