"""Cut the queries of a result: by month, category, difficulty, site, or the value of a facet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookbench_eval.errors import MeasureError
from lookbench_eval.samples import Samples

KINDS = ("month", "category", "difficulty", "site", "facet:NAME")


def cut(samples: Samples, kind: str) -> dict[str, NDArray[np.bool_]]:
    """Masks of shape (n,) by the value of a slice, in sorted order; rows without a value are under "(none)".

    `facet:neckline` puts a row under each of its values of that facet. Raises MeasureError for an unknown kind.
    """
    name, _, facet = kind.partition(":")
    if name == "facet" and facet:
        held = [{value for key, value in row if key == facet} or {"(none)"} for row in samples.facets]
        if all(values == {"(none)"} for values in held):
            facets = sorted({key for row in samples.facets for key, _ in row})
            raise MeasureError(f"no query carries the facet {facet!r}; there are {', '.join(facets) or 'none'}")
    elif kind == "month":
        held = [{"(none)" if np.isnat(day) else str(day.astype("datetime64[M]"))} for day in samples.dates]
    elif kind in {"category", "difficulty", "site"}:
        held = [{value or "(none)"} for value in getattr(samples, kind)]
    else:
        raise MeasureError(f"unknown slice {kind!r}; choose {', '.join(KINDS)}")
    values = sorted({value for row in held for value in row})
    return {value: np.array([value in row for row in held], dtype=bool) for value in values}
