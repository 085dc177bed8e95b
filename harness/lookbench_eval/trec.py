"""TREC text files: relevance judgements (qrels) and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path

from lookbench_eval.errors import ReleaseError, ResultError


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read judgements: `query 0 answer grade` (TREC) or `query answer grade` with a header (BEIR).

    Fields are separated by tabs, or by any white space where a line has no tab. Raises ReleaseError that names the
    line.
    """
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_lines(path), start=1):
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) not in {3, 4}:
            raise ReleaseError(f"{path}, line {number}: {line!r} has {len(fields)} fields; expected 3 or 4")
        query, answer, grade = fields[0], fields[-2], fields[-1]
        try:
            value = int(grade)
        except ValueError as error:
            if number == 1:
                continue
            raise ReleaseError(f"{path}, line {number}: the grade {grade!r} is no whole number") from error
        if answer in qrels.setdefault(query, {}):
            raise ReleaseError(f"{path}, line {number}: {query} and {answer} are judged twice")
        qrels[query][answer] = value
    return qrels


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Read a run: `query Q0 answer rank score tag`. The score decides, as in trec_eval; the rank is not read."""
    run: dict[str, dict[str, float]] = {}
    for number, line in enumerate(_lines(path), start=1):
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) != 6:
            raise ResultError(f"{path}, line {number}: {line!r} has {len(fields)} fields; a TREC run has 6")
        query, _, answer, _, score, _ = fields
        try:
            value = float(score)
        except ValueError as error:
            raise ResultError(f"{path}, line {number}: the score {score!r} is no number") from error
        if not isfinite(value):
            raise ResultError(f"{path}, line {number}: the score {score!r} is not finite")
        if answer in run.setdefault(query, {}):
            raise ResultError(f"{path}, line {number}: {answer} is listed twice for {query}")
        run[query][answer] = value
    if not run:
        raise ResultError(f"{path} is empty; a run has a line for every answer")
    return run


def run_lines(answers: Mapping[str, Iterable[tuple[str, float]]], tag: str) -> Iterable[str]:
    """Lines of a run from the ranked (answer, score) pairs of each query, separated by tabs."""
    for query, ranked in answers.items():
        for rank, (answer, score) in enumerate(ranked, start=1):
            yield f"{query}\tQ0\t{answer}\t{rank}\t{score:.9g}\t{tag}\n"


def _lines(path: Path) -> list[str]:
    try:
        # Only line feeds end a line: ids may hold the other characters that `str.splitlines` breaks at.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
        return [line for line in lines if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise ReleaseError(f"{path} cannot be read: {error}") from error
