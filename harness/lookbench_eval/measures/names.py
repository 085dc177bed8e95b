"""Names of measures: parse, print, and the function behind each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lookbench_eval.errors import MeasureError
from lookbench_eval.measures.hit import hit
from lookbench_eval.measures.map import average_precision
from lookbench_eval.measures.mrr import reciprocal_rank
from lookbench_eval.measures.ndcg import ndcg
from lookbench_eval.measures.recall import recall
from lookbench_eval.ranking import Ranking
from lookbench_eval.ties import Policy, Reals

_HITS = {"Coarse": "coarse", "Fine": "fine", "Item": "item", "Success": "judged"}
_NEEDS_K = {*_HITS, "Recall", "nDCG", "Look"}
_RANKED = ("Recall", "nDCG", "MRR", "mAP")
_ALIASES = {"r": "Recall", "rr": "MRR", "ap": "mAP"}
_NAMES = {name.lower(): name for name in (*_HITS, *_RANKED, "Look")} | _ALIASES
_KNOWN = ", ".join(dict.fromkeys(_NAMES.values()))
_MATCHES = ("main", "all", "subset")
_RELS = ("coarse", "fine", "graded", "item", "judged")
_FORM = re.compile(r"\s*(?P<name>[A-Za-z]+)(?:\((?P<params>[^()]*)\))?(?:@(?P<k>\d+))?\s*")

MAX_DEPTH = 1000


@dataclass(frozen=True, order=True)
class Measure:
    """One measure: its name, depth k, and, where it has a choice, the relevance or the way of matching."""

    name: str
    k: int | None = None
    rel: str | None = None
    match: str = "main"

    def __str__(self) -> str:
        params = [f"rel={self.rel}"] if self.rel else []
        params += [f"match={self.match}"] if self.match != "main" else []
        return f"{self.name}{'(' + ', '.join(params) + ')' if params else ''}{'' if self.k is None else f'@{self.k}'}"

    def relevance(self, bare: str = "fine") -> str:
        """The relevance that it scores; `bare` is what a ranked measure without `rel` means in this data."""
        if self.name in {"Fine", "Look"} and self.match != "main":
            return f"fine-{self.match}"
        if self.name == "Look":
            return "fine"
        if self.name in _HITS:
            return _HITS[self.name]
        if self.rel:
            return self.rel
        return "graded" if self.name == "nDCG" and bare == "fine" else bare


def parse(text: str) -> Measure:
    """Read a measure such as `Fine@1`, `nDCG@5`, `MRR(rel=item)@10` or `Fine(match=all)@1`.

    Names are matched without regard to case; `R`, `RR` and `AP` stand for Recall, MRR and mAP. Raises
    MeasureError.
    """
    form = _FORM.fullmatch(text)
    name = _NAMES.get(form["name"].lower()) if form else None
    if form is None or name is None:
        raise MeasureError(f"unknown measure {text!r}; write for example Fine@1, nDCG@5 or MRR (known: {_KNOWN})")
    k = int(form["k"]) if form["k"] else None
    if k is None and name in _NEEDS_K:
        raise MeasureError(f"measure {text!r} needs a depth, for example {name}@5")
    if k is not None and not 1 <= k <= MAX_DEPTH:
        raise MeasureError(f"measure {text!r} has depth {k}; choose 1 to {MAX_DEPTH}")
    rel, match = None, "main"
    for pair in filter(None, (part.strip() for part in (form["params"] or "").split(","))):
        key, _, value = (part.strip() for part in pair.partition("="))
        if key == "rel" and name in _RANKED and value in _RELS:
            rel = value
        elif key == "match" and name in {"Fine", "Look"} and value in _MATCHES:
            match = value
        else:
            raise MeasureError(
                f"measure {text!r} has the parameter {pair!r}; "
                f"Fine and Look take match={'|'.join(_MATCHES)}; {', '.join(_RANKED)} take rel={'|'.join(_RELS)}"
            )
    return Measure(name, k, rel, match)


def parse_all(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Read several measures, each given once or more; commas and spaces separate them. Keeps the order."""
    words = [word for text in texts for word in re.split(r"[,\s]+(?![^(]*\))", text) if word]
    return tuple(dict.fromkeys(parse(word) for word in words))


DEFAULT = parse_all(
    [f"{name}@{k}" for name in ("Coarse", "Fine", "Item", "nDCG") for k in (1, 5, 10, 20)] + ["MRR", "Look@1"]
)


def evaluate(measure: Measure, ranking: Ranking, policy: Policy) -> Reals:
    """Values of a measure for the queries of a ranking, shape (b,). `Look` gives the Fine@k it is made of."""
    if measure.name == "MRR":
        return reciprocal_rank(ranking, measure.k, policy)
    if measure.name == "mAP":
        return average_precision(ranking, measure.k, policy)
    depth = measure.k or 1
    if measure.name == "Recall":
        return recall(ranking, depth, policy)
    if measure.name == "nDCG":
        return ndcg(ranking, depth, policy)
    return hit(ranking, depth, policy)
