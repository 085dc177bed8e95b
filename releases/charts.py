"""Numbers of the report, made ready to be drawn: bars, dates, intervals."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from releases.schema import SUBSETS

_FEW_DAYS: Final = 4
_DAYS_BY_DAY: Final = 45
_DAYS_BY_WEEK: Final = 300
MEASURES: Final = ("Coarse@1", "Fine@1", "Fine@5", "Fine@10", "Fine@20", "Item@1", "nDCG@5", "Look@1")


@dataclass(frozen=True)
class Bar:
    """One bar: its label, its count and its length as a share of the longest, 0 to 1."""

    label: str
    count: int
    share: float


def bars(counts: Mapping[str, int], limit: int | None = None) -> list[Bar]:
    """Return counts as bars in their order; what is past ``limit`` is added up as ``n others``."""
    pairs = list(counts.items())
    if limit is not None and len(pairs) > limit:
        rest = pairs[limit - 1 :]
        pairs = [*pairs[: limit - 1], (f"{len(rest)} others", sum(count for _, count in rest))]
    longest = max((count for _, count in pairs), default=0)
    return [Bar(label, count, count / longest if longest else 0.0) for label, count in pairs]


@dataclass(frozen=True)
class Timeline:
    """Photos by date: ``unit`` is day, week or month; every bin of the span is there, empty ones too."""

    unit: str
    bins: tuple[Bar, ...]
    few: bool
    """Whether the photos lie on so few days that a histogram would say nothing."""


def timeline(dates: Sequence[datetime]) -> Timeline:
    """Return a histogram of dates with a bin width that suits their span."""
    days = [moment.date() for moment in dates]
    if not days:
        return Timeline("day", (), few=True)
    if len(set(days)) <= _FEW_DAYS:
        counts = Counter(day.isoformat() for day in sorted(days))
        return Timeline("day", tuple(bars(counts)), few=True)
    span = (max(days) - min(days)).days + 1
    unit = "day" if span <= _DAYS_BY_DAY else "week" if span <= _DAYS_BY_WEEK else "month"
    counts = Counter(dict.fromkeys(_starts(min(days), max(days), unit), 0))
    counts.update(_label(day, unit) for day in days)
    return Timeline(unit, tuple(bars(counts)), few=False)


def _label(day: date, unit: str) -> str:
    if unit == "month":
        return f"{day:%Y-%m}"
    start = day - timedelta(days=day.weekday()) if unit == "week" else day
    return start.isoformat()


def _starts(first: date, last: date, unit: str) -> list[str]:
    labels = [_label(first + timedelta(days=offset), unit) for offset in range((last - first).days + 1)]
    return list(dict.fromkeys(labels))


@dataclass(frozen=True)
class Figure:
    """One measured value with its interval, all shares of 1."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class ModelScores:
    """The results of one reference model."""

    name: str
    spec: str
    window: str
    overall: Mapping[str, Figure]
    """Measure -> figure over all queries."""
    subsets: Mapping[str, Mapping[str, Figure]]
    """Subset -> measure -> figure."""


def scores(documents: Sequence[Mapping[str, Any]]) -> list[ModelScores]:
    """Read result documents of lookbench-eval, best Fine@1 first; a document of another kind is left out."""
    found = [_scores(document) for document in documents if document.get("schema") == "lookbench-eval/result"]
    return sorted(
        found, key=lambda model: (-model.overall["Fine@1"].value if "Fine@1" in model.overall else 0, model.name)
    )


def _scores(document: Mapping[str, Any]) -> ModelScores:
    model, window = document["model"], document["settings"]["window"]
    said = [f"{key} {window[key]}" for key in ("cutoff", "since", "until") if window.get(key)]
    subsets = document["subsets"]
    return ModelScores(
        name=str(model["name"]),
        spec=str(model.get("spec") or model.get("revision") or ""),
        window=", ".join(said) or "all dates",
        overall=_figures(document["overall"]["values"]),
        subsets={name: _figures(subsets[name]["values"]) for name in SUBSETS if name in subsets},
    )


def _figures(values: Mapping[str, Any]) -> dict[str, Figure]:
    return {
        measure: Figure(found["value"], found["lo"], found["hi"], found["n"])
        for measure, found in values.items()
        if found
    }
