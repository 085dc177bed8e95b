"""How far annotators agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from annotation.errors import AnnotationError


def percent(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return the share (0 to 1) of items that two annotators labelled the same.

    Raises AnnotationError for no items or lists of different lengths.
    """
    _same_items(first, second)
    return sum(a == b for a, b in zip(first, second, strict=True)) / len(first)


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Cohen's kappa, (po - pe) / (1 - pe), of two annotators (Cohen 1960, Educ. Psychol. Meas. 20).

    1.0 when both use one and the same value throughout, where the formula has no value of its own.
    Raises AnnotationError for no items or lists of different lengths.
    """
    observed = percent(first, second)
    n = len(first)
    counts = Counter(first), Counter(second)
    expected = sum(counts[0][value] * counts[1][value] for value in counts[0]) / n**2
    return 1.0 if expected == 1 else (observed - expected) / (1 - expected)


def krippendorff_alpha(annotators: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Return Krippendorff's alpha for nominal values, any number of annotators, None where one did not label.

    alpha = 1 - (n - 1) sum over units of disagreeing pairs / (m - 1), over the disagreeing pairs of all n pairable
    values (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C). ``annotators`` holds one list
    of equal length per annotator. None when no item has two labels; 1.0 when all labels are one value.
    """
    for other in annotators[1:]:
        _same_items(annotators[0], other)
    totals: Counter[Hashable] = Counter()
    disagreement = 0.0
    for unit in zip(*annotators, strict=True):
        values = Counter(value for value in unit if value is not None)
        m = values.total()
        if m < 2:
            continue
        totals.update(values)
        disagreement += (m * m - sum(count * count for count in values.values())) / (m - 1)
    n = totals.total()
    if n < 2:
        return None
    chance = n * n - sum(count * count for count in totals.values())
    return 1.0 if chance == 0 else 1 - (n - 1) * disagreement / chance


def overlap(first: Sequence[tuple[str, str]], second: Sequence[tuple[str, str]]) -> float:
    """Return the share (0 to 1) of the attributes of either label that both hold; 1.0 for two empty labels."""
    either = set(first) | set(second)
    return len(set(first) & set(second)) / len(either) if either else 1.0


def _same_items(first: Sequence[object], second: Sequence[object]) -> None:
    if not first or len(first) != len(second):
        raise AnnotationError(
            f"agreement needs the same items from both annotators, not {len(first)} and {len(second)}; "
            "give a value for each item that both labelled"
        )
