"""Put data, style and script into one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lookbench_eval.errors import ResultError
from lookbench_eval.leaderboard.data import pack
from lookbench_eval.result import Result, load
from lookbench_eval.version import __version__

_HERE = Path(__file__).parent


def build(results: Sequence[Result | Path | str], *, title: str = "LookBench leaderboard") -> str:
    """Make the page from results, or the paths of their JSON files; the same results give the same text.

    Raises ResultError as `load` and `pack` do, and when there is no result.
    """
    if not results:
        raise ResultError("a leaderboard needs at least one result")
    loaded = [one if isinstance(one, Result) else load(one) for one in results]
    data = {"harness": __version__, "releases": pack(loaded)}
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    script = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in ("score.js", "page.js"))
    parts = {
        "TITLE": html.escape(title),
        "POLICY": _policy(style, script),
        "STYLE": style,
        "SCRIPT": script,
        "PLAIN": _plain(loaded),
        # "<" never ends the block: every one of them is written as an escape.
        "DATA": json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
    }
    page = (_HERE / "page.html").read_text(encoding="utf-8")
    for name, text in parts.items():
        before, found, after = page.partition(f"<!--{name}-->")
        if not found:
            raise ResultError(f"the template of the page lacks <!--{name}-->; install lookbench-eval again")
        page = before + text + after
    return page


def _policy(style: str, script: str) -> str:
    """A content security policy that lets exactly this style and script run, and nothing be fetched."""

    def pinned(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    return f"default-src 'none'; style-src {pinned(style)}; script-src {pinned(script)}; base-uri 'none'"


def _plain(results: Sequence[Result]) -> str:
    """Fine@1, or the first measure, as a plain table for readers without scripts."""
    lines = []
    for result in results:
        document = result.document
        names = document["settings"]["measures"]
        name = "Fine@1" if "Fine@1" in names else names[0]
        found: dict[str, Any] | None = document["overall"]["values"].get(name)
        shown = f"{100 * found['value']:.2f} ({100 * found['lo']:.1f} to {100 * found['hi']:.1f})" if found else "-"
        cells = (document["model"]["name"], document["release"]["name"], name, shown)
        lines.append("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>")
    return "".join(lines)
