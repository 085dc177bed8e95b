"""`lookbench-eval leaderboard build|check`: the page, and what a result must be to get on it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path


def run(words: Sequence[str]) -> int:
    """Build the page or check results; returns the exit status: 1 when a result must not go on the page."""
    options = _parser().parse_args(list(words))
    return _build(options) if options.verb == "build" else _check(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lookbench-eval leaderboard", description="The leaderboard of results.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="build|check")
    build = verbs.add_parser("build", help="make one HTML page from results")
    build.add_argument("results", nargs="+", type=Path, metavar="RESULT.json", help="each with its table of queries")
    build.add_argument("--out", type=Path, required=True, metavar="PAGE.html")
    build.add_argument("--title", default="LookBench leaderboard")
    check = verbs.add_parser("check", help="check results before they go on the page")
    check.add_argument("results", nargs="+", type=Path, metavar="RESULT.json")
    check.add_argument("--release", type=Path, help="folder of the release, to compare its manifest")
    check.add_argument("--json", action="store_true")
    return parser


def _build(options: argparse.Namespace) -> int:
    from lookbench_eval.atomic import write_whole
    from lookbench_eval.errors import ResultError
    from lookbench_eval.leaderboard import build

    page = build(options.results, title=options.title)
    try:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_whole(options.out, page.encode())
    except OSError as error:
        raise ResultError(f"the page cannot be written to {options.out}: {error}") from error
    print(f"written: {options.out}", file=sys.stderr)
    return 0


def _check(options: argparse.Namespace) -> int:
    from lookbench_eval.leaderboard import check

    found = {str(path): check(path, options.release) for path in options.results}
    refused = any(one.severity == "error" for findings in found.values() for one in findings)
    if options.json:
        content = {path: [asdict(one) for one in findings] for path, findings in found.items()}
        print(json.dumps({"accepted": not refused, "findings": content}, indent=1, ensure_ascii=False))
    else:
        for path, findings in found.items():
            print(f"{path}: {'; '.join(f'{one.severity} ({one.about}): {one.text}' for one in findings) or 'accepted'}")
    return 1 if refused else 0
