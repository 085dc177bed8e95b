"""`lookbench-eval score --run RUN --qrels QRELS nDCG@10 ...`: score a TREC run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path


def run(words: Sequence[str]) -> int:
    """Score a run; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="lookbench-eval score",
        description="Score a TREC run against judgements. Prints measure, tab, value (0 to 1).",
    )
    parser.add_argument(
        "measures", nargs="+", metavar="MEASURE", help="such as nDCG@10, MRR, mAP, Recall@10, Success@1"
    )
    parser.add_argument("--run", type=Path, required=True, help="query Q0 answer rank score tag")
    parser.add_argument("--qrels", type=Path, required=True, help="query 0 answer grade")
    parser.add_argument("--ties", choices=("pessimistic", "optimistic", "expected"), default="pessimistic")
    parser.add_argument("--per-query", action="store_true", help="also print query, tab, measure, tab, value")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(list(words))
    from lookbench_eval.errors import name_some
    from lookbench_eval.measures import parse_all
    from lookbench_eval.runs import score_run
    from lookbench_eval.trec import read_qrels, read_run

    measures = parse_all(options.measures)
    scores = score_run(read_run(options.run), read_qrels(options.qrels), measures, options.ties)
    for said, ids in (
        ("judged queries are not in the run and count as 0", scores.missing),
        ("queries of the run are not judged and are left out", scores.unjudged),
        ("judged queries have no positive and are left out", scores.without_positive),
    ):
        if ids:
            print(f"{len(ids)} {said}: {name_some(ids)}", file=sys.stderr)
    means = {str(measure): float(values.mean()) for measure, values in scores.values.items()}
    if options.json:
        content: dict[str, object] = {"queries": len(scores.queries), "ties": options.ties, "values": means}
        if options.per_query:
            content["per_query"] = {
                query: {str(measure): float(values[row]) for measure, values in scores.values.items()}
                for row, query in enumerate(scores.queries)
            }
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return 0
    if options.per_query:
        for row, query in enumerate(scores.queries):
            for measure, values in scores.values.items():
                print(f"{query}\t{measure}\t{values[row]:.6f}")
    for name, value in means.items():
        print(f"{name}\t{value:.6f}")
    return 0
