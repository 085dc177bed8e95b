"""How far lightness and colours of two aligned pictures stay apart when all that a copy may change at once is undone.

A copy is brighter, of more contrast, another gamma or another cast as a whole; a garment in another colour or shade
keeps its backdrop. All values are CIE L*a*b*, L* 0 to 100.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.floating[Any]]

_GAINS: Final = np.geomspace(0.75, 1 / 0.75, 15)
"""Factors by which a copy may be lighter or darker as a whole (in L*; a fifth of the brightness is 0.83 to 1.16)."""

_SLOPES: Final = (0.35, 2.6)
"""Bounds of a tone curve's slope in L*: contrast by 0.6 to 1.4 and gamma 0.6 to 1.6 lie within."""

_STEPS: Final = 8
"""Rounds of the robust fit of a tone curve ..."""

_REACH: Final = (15.0, 3.0)
"""... in which a sample counts half that strays this far in L*, at first and at last."""

_STRETCH: Final = 1.8
_TURN: Final = np.deg2rad(22)
_SHIFT: Final = 8.0
_LEAN: Final = 25.0
_RIDGE: Final = 25.0
"""Bounds of a colour cast: factor of chroma, turn of hue, shift in a*b*, or the shift of white where it grows from
none of black (a warm or cold filter); and the squared a*b* that carries no news."""


def tone_curve(first: Values, second: Values) -> npt.NDArray[np.float64]:
    """Return (c0, c1, c2) of the parabola in L* / 100 that takes most of ``first`` (n,) to ``second``, robustly.

    Bounded in slope, a straight line where the parabola is not; fitted from no change and from equal quartiles, of
    which the one is kept that more samples follow.
    """
    x, y = first / 100, second / 100
    terms = np.stack([np.ones_like(x), x, x * x], axis=1).astype(np.float64)
    low, middle, high = np.quantile(x, [0.25, 0.5, 0.75])
    low_y, middle_y, high_y = np.quantile(y, [0.25, 0.5, 0.75])
    slope = float(np.clip((high_y - low_y) / max(high - low, 0.02), *_SLOPES))
    starts = (np.array([0.0, 1.0, 0.0]), np.array([middle_y - slope * middle, slope, 0.0]))
    fits = [_fitted(terms, y, start) for start in starts]
    return min(fits, key=lambda curve: float(np.log1p(((y - terms @ curve) / 0.04) ** 2).mean()))


def _fitted(terms: Values, y: Values, curve: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    ends = np.quantile(terms[:, 1], [0.03, 0.97])
    for reach in np.geomspace(*_REACH, _STEPS) / 100:
        weights = 1 / (1 + ((y - terms @ curve) / reach) ** 2) ** 2
        weighted = terms * weights[:, None]
        curve = np.linalg.solve(terms.T @ weighted + 1e-9 * np.eye(3), weighted.T @ y)
        slopes = curve[1] + 2 * curve[2] * ends
        if slopes.min() < _SLOPES[0] or slopes.max() > _SLOPES[1]:
            x, total = terms[:, 1], weights.sum()
            middle, level = (x * weights).sum() / total, (y * weights).sum() / total
            spread = float((weights * (x - middle) ** 2).sum() / total)
            slope = float((weights * (x - middle) * (y - level)).sum() / total) / max(spread, 1e-4)
            slope = float(np.clip(slope, *_SLOPES))
            curve = np.array([level - slope * middle, slope, 0.0])
    return curve


def toned(light: Values, curve: npt.NDArray[np.float64]) -> Values:
    """Return L* under a tone curve."""
    x = light / 100
    made: Values = np.clip(100 * (curve[0] + curve[1] * x + curve[2] * x * x), 0, 100)
    return made


def light_distance(first: Values, second: Values) -> float:
    """Return how far the L* of cells (n,) stays apart after the best gain: 85th percentile.

    The backdrop of a copy is lighter or darker too, as far as white allows.
    """
    gains = _GAINS[:, None]
    white = 100 * np.minimum(gains, 1.0)  # the lighter side may have met white
    apart = np.abs(np.minimum(first * gains, 100) - np.minimum(second, white))
    return float(np.quantile(apart, 0.85, axis=1).min())


def colour_distance(first: Values, second: Values) -> float:
    """Return how far a*b* of (n, 3) samples stay apart after the best cast: 90th percentile.

    A cast turns all hues by one angle, stretches all chroma by one factor and shifts all colours, alike or in
    proportion to their lightness, each within bounds; a product in another colour changes alone.
    """
    if not len(first):
        return 0.0
    start, goal = (values[:, 1] + 1j * values[:, 2] for values in (first, second))
    alike, warmer = np.ones_like(start), first[:, 0] / 100 + 0j
    return min(_after_cast(start, goal, alike, _SHIFT), _after_cast(start, goal, warmer, _LEAN))


def _after_cast(start: npt.NDArray[Any], goal: npt.NDArray[Any], rise: npt.NDArray[Any], limit: float) -> float:
    """Return how far colours stay apart after a turn, a stretch and a shift along ``rise``, at most ``limit``."""

    def risen(colours: npt.NDArray[Any]) -> complex:
        return complex((rise.real * colours).mean() / ((rise.real**2).mean() + 1e-6))

    spread, aim = start - risen(start) * rise, goal - risen(goal) * rise
    # the ridge leaves pictures of almost one colour without a turn or stretch of their own
    cast = complex(((spread.conj() * aim).mean() + _RIDGE) / ((np.abs(spread) ** 2).mean() + _RIDGE))
    stretch = min(max(abs(cast), 1 / _STRETCH), _STRETCH)
    turned = start * stretch * np.exp(1j * min(max(float(np.angle(cast)), -_TURN), _TURN))
    scaled = (goal - turned) / np.maximum(rise.real, 0.1)
    shift = complex(np.median(scaled.real), np.median(scaled.imag))
    shift *= min(1.0, limit / max(abs(shift), 1e-6))
    return float(np.quantile(np.abs(goal - turned - shift * rise), 0.9))
