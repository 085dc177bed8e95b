"""The command `lookbench-eval`: one verb per thing, scoring a release being the one without a name."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

VERBS = {
    "compare": "two results, query by query, with a p-value",
    "score": "a TREC run against judgements",
    "rows": "the ids of a release in the order that --embeddings expects",
    "leaderboard": "build a page from results, or check a result",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 1 for a refusal, 2 for wrong usage."""
    words = list(sys.argv[1:] if argv is None else argv)
    verb, rest = (words[0], words[1:]) if words and words[0] in VERBS else ("evaluate", words)
    from lookbench_eval.errors import HarnessError

    try:
        status = int(import_module(f"lookbench_eval.cli.{verb}").run(rest))
        sys.stdout.flush()
    except HarnessError as error:
        print(f"lookbench-eval: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        # The reader of a pipe went away, or the disk is full; Python would complain again while it closes stdout.
        if not isinstance(error, BrokenPipeError):
            print(f"lookbench-eval: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
        return 1
    else:
        return status
