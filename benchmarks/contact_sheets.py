"""How fast a contact sheet of 20,000 photos opens and jumps to its end, beside a plain page of lazy pictures.

    python benchmarks/contact_sheets.py

Both pages show the same thumbnails from the same kind of server in headless Chromium: ours draws what is in sight, the
peer is one ``<img loading=lazy>`` per photo in fixed tiles, which is what a generated page would be. Both take turns;
medians are told. Exit status 1 when ours is slower than the peer to its first picture or to its last.
"""

import argparse
import html
import shutil
import statistics
import sys
import tempfile
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from catalog.decode import encode_jpeg
from catalog.store import Catalog
from curation.review import desk

FIRST = "() => [...document.images].some((one) => one.complete && one.naturalWidth) && performance.now()"
LAST = """() => [...document.images].some((one) => one.src.endsWith(LAST) && one.complete && one.naturalWidth)
  && performance.now()"""


class Sheets:
    """One page of made-up rows."""

    edition = "2026.06"

    def __init__(self, photos: list[str]) -> None:
        self.rows = [{"id": photo, "photo": photo, "facts": [f"row {n}"]} for n, photo in enumerate(photos)]

    def steps(self) -> list[str]:
        """Return the one page."""
        return ["screen"]

    def sheet(self, step: str) -> dict[str, Any]:
        """Return all rows as kept."""
        groups = [{"outcome": "kept", "reason": "ok", "rows": self.rows}]
        return {"step": step, "judge": step, "words": ["keep", "drop"], "about": "", "said": {}, "groups": groups}


def plain(photos: list[str], picture: bytes) -> ThreadingHTTPServer:
    """Return a server of one page with all pictures in it."""
    tile = "<div style='display:inline-block;width:186px;height:236px'>"
    tiles = "".join(
        f"{tile}<img loading=lazy src=/thumb/{photo}>{html.escape(f'row {n}')}</div>" for n, photo in enumerate(photos)
    )
    page = f"<!doctype html><title>plain</title>{tiles}".encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body, kind = (picture, "image/jpeg") if self.path.startswith("/thumb/") else (page, "text/html")
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a browser that scrolled on
    return server


def look(browser: Any, url: str, last: str) -> dict[str, float]:
    """Open the page, then jump to its end; times in milliseconds, heap in MiB."""
    context = browser.new_context(viewport={"width": 1280, "height": 860}, bypass_csp=True)
    page = context.new_page()
    page.goto(url, wait_until="commit")
    first = page.wait_for_function(FIRST).json_value()
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN")
    page.wait_for_load_state("domcontentloaded")  # the end of a page still being parsed is not its end
    start = page.evaluate("performance.now()")
    page.keyboard.press("End")
    end = page.wait_for_function(LAST.replace("LAST", repr(last))).json_value() - start
    session = context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    told = {one["name"]: one["value"] for one in _metrics(session)}
    context.close()
    return {
        "first paint ms": paint,
        "first picture ms": first,
        "jump to the end ms": end,
        "nodes": told["Nodes"],
        "heap MiB": told["JSHeapUsedSize"] / 2**20,
    }


def _metrics(session: Any) -> Any:
    session.send("Performance.enable")
    return session.send("Performance.getMetrics")["metrics"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    photos = [f"{n:064x}" for n in range(options.count)]
    picture = encode_jpeg(np.random.default_rng(0).integers(0, 256, (192, 144, 3)).astype(np.uint8), 80)
    with tempfile.TemporaryDirectory() as scratch:
        for photo in photos:  # the cache as a first walk leaves it
            file = Path(scratch) / "thumbnails" / photo[:2] / f"{photo}.jpg"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(picture)
        servers = {"ours": desk.Desk(Catalog(scratch), Sheets(photos)), "plain": plain(photos, picture)}
        for server in servers.values():
            threading.Thread(target=server.serve_forever, daemon=True).start()
        seen: dict[str, list[dict[str, float]]] = {name: [] for name in servers}
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for _ in range(options.rounds):
                for name, server in servers.items():
                    seen[name].append(look(browser, f"http://127.0.0.1:{server.server_port}/", photos[-1]))
            browser.close()
    figures = {
        name: {key: statistics.median(one[key] for one in rows) for key in rows[0]} for name, rows in seen.items()
    }
    for key in figures["ours"]:
        ours, peer = figures["ours"][key], figures["plain"][key]
        print(f"{key:<20} ours {ours:10,.1f}   plain {peer:10,.1f}   ratio {ours / peer:.2f}")
    slower = [key for key in ("first picture ms", "jump to the end ms") if figures["ours"][key] > figures["plain"][key]]
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
