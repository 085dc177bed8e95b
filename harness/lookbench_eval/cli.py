"""The command `lookbench-eval`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lookbench_eval.version import __version__

_EXAMPLES = """examples:
  lookbench-eval lookbench-2026.12 --model onnx:model.onnx --out results
  lookbench-eval lookbench-2026.12 --model pixels:16 --subset real_streetlook --cutoff 2026-06-30 --out results
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 1 for a refusal, 2 for wrong usage."""
    words = list(sys.argv[1:] if argv is None else argv)
    options = _parser().parse_args(words)
    from lookbench_eval.errors import HarnessError

    try:
        return _evaluate(options)
    except HarnessError as error:
        print(f"lookbench-eval: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lookbench-eval",
        description="Score an image-retrieval model on a LookBench release.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lookbench-eval {__version__}")
    parser.add_argument("release", type=Path, help="folder of a release")
    model = parser.add_argument_group("model")
    model.add_argument("--model", metavar="SPEC", help="onnx:FILE or pixels:SIDE")
    model.add_argument(
        "--embeddings",
        nargs=2,
        type=Path,
        metavar=("QUERY", "GALLERY"),
        help="vectors as .npy files instead of a model",
    )
    model.add_argument("--device", help="where the model runs (default: the best there is)")
    model.add_argument("--batch-size", type=_positive, default=32, metavar="N")
    model.add_argument("--name", help="name of the model in the result")
    model.add_argument(
        "--declared-cutoff", metavar="DATE", help="last day of the model's training data, for the record"
    )
    model.add_argument(
        "--trained-on", action="append", default=[], metavar="NAME", help="a training set, for the record (repeatable)"
    )
    what = parser.add_argument_group("what is scored")
    what.add_argument("--subset", action="append", metavar="NAME", help="only this subset (repeatable)")
    what.add_argument(
        "--measure",
        action="append",
        metavar="M",
        help="such as Fine@1 or nDCG@5 (repeatable; default: the published ones)",
    )
    what.add_argument("--cutoff", metavar="DATE", help="only queries newer than this day")
    what.add_argument("--since", metavar="DATE", help="only queries of this day or later")
    what.add_argument("--until", metavar="DATE", help="only queries of this day or earlier")
    what.add_argument(
        "--cutoff-gallery",
        action="store_true",
        help="drop answers that are not newer than --cutoff, too (default: search the whole gallery)",
    )
    what.add_argument(
        "--slice",
        action="append",
        default=[],
        metavar="KIND",
        help="also by month, category, difficulty, site or facet:NAME (repeatable)",
    )
    how = parser.add_argument_group("how it is scored")
    how.add_argument("--ties", choices=("pessimistic", "optimistic", "expected"), default="pessimistic")
    how.add_argument(
        "--no-positive",
        choices=("error", "zero", "skip"),
        help="a query without a positive (default: error; zero for the published layout)",
    )
    how.add_argument(
        "--own-file", choices=("exclude", "keep"), default="exclude", help="answers from the query's own file"
    )
    how.add_argument("--resamples", type=_positive, default=2000, metavar="N", help="bootstrap resamples")
    how.add_argument("--seed", type=int, default=0)
    how.add_argument("--layout", help="layout of the folder (default: found out)")
    how.add_argument("--no-verify", action="store_true", help="score a release that does not match its manifest")
    out = parser.add_argument_group("output")
    out.add_argument("--out", type=Path, metavar="DIR", help="write result.json, per_query.parquet and run.trec here")
    out.add_argument("--json", action="store_true", help="print the result as JSON instead of a table")
    out.add_argument("--quiet", action="store_true", help="no progress")
    return parser


def _evaluate(options: argparse.Namespace) -> int:
    from lookbench_eval import windows
    from lookbench_eval.evaluation import Declared, evaluate
    from lookbench_eval.intervals import Bootstrap
    from lookbench_eval.readers import open_release
    from lookbench_eval.result import dumps
    from lookbench_eval.scoring import ScoringPolicy

    window = windows.make(options.cutoff, options.since, options.until, cut_gallery=options.cutoff_gallery)
    declared = windows.make(options.declared_cutoff).cutoff
    release = open_release(options.release, layout=options.layout, subsets=options.subset, verify=not options.no_verify)
    result = evaluate(
        release,
        options.model,
        embeddings=tuple(options.embeddings) if options.embeddings else None,
        measures=options.measure,
        window=window,
        policy=ScoringPolicy(
            ties=options.ties,
            no_positive=options.no_positive or release.no_positive,
            own_file=options.own_file,
        ),
        bootstrap=Bootstrap(resamples=options.resamples, seed=options.seed),
        slices=options.slice,
        declared=Declared(options.name, declared, tuple(options.trained_on)),
        device=options.device,
        batch_size=options.batch_size,
        progress=None if options.quiet else _progress,
    )
    path = result.save(options.out) if options.out else None
    if options.json:
        print((path.read_text(encoding="utf-8") if path else dumps(result.document)).rstrip("\n"))
    else:
        print(result.table())
    if path:
        print(f"\nwritten: {path}", file=sys.stderr)
    return 0


def _progress(stage: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done >= total else ""
        print(f"\r{stage}: {done} of {total}", end=end, file=sys.stderr, flush=True)
    elif done >= total:
        print(f"{stage}: {total} pictures", file=sys.stderr)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return value
