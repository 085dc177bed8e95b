"""`lookbench-eval RELEASE`: score a model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lookbench_eval.cli import VERBS
from lookbench_eval.version import __version__

_EXAMPLES = """examples:
  lookbench-eval lookbench-2026.12 --model onnx:model.onnx --out results
  lookbench-eval lookbench-2026.12 --model transformers:google/siglip2-base-patch16-224 --cutoff 2026-06-30
  lookbench-eval lookbench-2026.12 --embeddings query.npy gallery.npy --measure Fine@1 nDCG@5

more verbs (each has its own --help):
"""


def run(words: Sequence[str]) -> int:
    """Score a model on a release; returns the exit status."""
    return _evaluate(_parser().parse_args(list(words)))


def positive(text: str) -> int:
    """A whole number above zero, for argparse."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lookbench-eval",
        description="Score an image-retrieval model on a LookBench release.",
        epilog=_EXAMPLES + "".join(f"  lookbench-eval {verb:12s} {what}\n" for verb, what in VERBS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lookbench-eval {__version__}")
    parser.add_argument("release", type=Path, help="folder of a release")
    _model_options(parser)
    _scoring_options(parser)
    out = parser.add_argument_group("output")
    out.add_argument("--out", type=Path, metavar="DIR", help="write result.json, per_query.parquet and run.trec here")
    out.add_argument("--json", action="store_true", help="print the result as JSON instead of a table")
    out.add_argument("--quiet", action="store_true", help="no progress")
    return parser


def _model_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("model")
    group.add_argument(
        "--model",
        metavar="SPEC",
        help="onnx:FILE, transformers:ID[@REVISION], python:MODULE:FUNCTION or pixels:SIDE",
    )
    group.add_argument(
        "--embeddings",
        nargs=2,
        type=Path,
        metavar=("QUERY", "GALLERY"),
        help="two .npy files instead of a model; `lookbench-eval rows RELEASE` lists the order of the rows",
    )
    group.add_argument("--device", help="cpu, cuda, ... (default: the best there is)")
    group.add_argument("--dtype", help="float32 (default), float16 or bfloat16, for transformers models")
    group.add_argument("--remote-code", action="store_true", help="let a transformers repository run code of its own")
    group.add_argument("--batch-size", type=positive, default=32, metavar="N", help="pictures at a time (default: 32)")
    group.add_argument("--cache", type=Path, metavar="DIR", help="keep embeddings here between runs")
    group.add_argument("--name", help="name of the model in the result")
    group.add_argument("--declared-cutoff", metavar="DATE", help="last day of the training data, for the record")
    group.add_argument(
        "--trained-on", nargs="+", action="extend", default=[], metavar="NAME", help="training sets, for the record"
    )


def _scoring_options(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what is scored")
    what.add_argument("--subset", nargs="+", action="extend", metavar="NAME", help="only these subsets")
    what.add_argument(
        "--measure",
        nargs="+",
        action="extend",
        metavar="M",
        help="such as Fine@1, nDCG@5, 'MRR(rel=item)', 'Fine(match=all)@1' (default: the published ones)",
    )
    what.add_argument("--cutoff", metavar="DATE", help="only queries newer than this day")
    what.add_argument("--since", metavar="DATE", help="only queries of this day or later")
    what.add_argument("--until", metavar="DATE", help="only queries of this day or earlier")
    what.add_argument(
        "--cutoff-gallery",
        action="store_true",
        help="drop answers that are not newer than --cutoff, too (default: the whole gallery is searched)",
    )
    what.add_argument(
        "--slice",
        nargs="+",
        action="extend",
        default=[],
        metavar="KIND",
        help="also by month, category, difficulty, site or facet:NAME (in the JSON)",
    )
    how = parser.add_argument_group("how it is scored")
    how.add_argument(
        "--ties",
        choices=("pessimistic", "optimistic", "expected"),
        default="pessimistic",
        help="order among equal scores (default: pessimistic)",
    )
    how.add_argument(
        "--no-positive",
        choices=("error", "zero", "skip"),
        help="a query without a positive (default: error; zero for the published layout)",
    )
    how.add_argument(
        "--own-file",
        choices=("exclude", "keep"),
        default="exclude",
        help="answers that come from the query's own file (default: exclude)",
    )
    how.add_argument("--resamples", type=positive, default=2000, metavar="N", help="of the bootstrap (default: 2000)")
    how.add_argument("--seed", type=int, default=0, help="of the bootstrap (default: 0)")
    how.add_argument("--layout", help="lookbench, published, fashion200k, pairs or beir (default: found out)")
    how.add_argument("--no-verify", action="store_true", help="score a release that does not match its manifest")


def _evaluate(options: argparse.Namespace) -> int:
    from lookbench_eval import windows
    from lookbench_eval.evaluation import Declared, evaluate
    from lookbench_eval.intervals import Bootstrap
    from lookbench_eval.measures import parse_all
    from lookbench_eval.readers import open_release
    from lookbench_eval.result import dumps, reserve
    from lookbench_eval.scoring import ScoringPolicy

    window = windows.make(options.cutoff, options.since, options.until, cut_gallery=options.cutoff_gallery)
    declared = windows.make(options.declared_cutoff).cutoff
    parse_all(options.measure or ())
    if options.out:
        reserve(options.out)
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
        dtype=options.dtype,
        remote_code=options.remote_code,
        batch_size=options.batch_size,
        cache=options.cache,
        progress=None if options.quiet else _progress,
    )
    path = result.save(options.out) if options.out else None
    if options.json:
        print((path.read_text(encoding="utf-8") if path else dumps(result.document)).rstrip("\n"))
    else:
        print(result.table())
    if path:
        print(f"written: {path}", file=sys.stderr)
    return 0


def _progress(stage: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{stage}: {done} of {total}", end="\n" if done >= total else "", file=sys.stderr, flush=True)
    elif done >= total:
        print(f"{stage}: {total} pictures", file=sys.stderr)
