"""Garments on people: a second look at each person, and boxes from their joints for what the detector misses."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from catalog.decode import Pixels
from curation import people
from curation.boxes import Box, area, overlap, padded
from curation.detectors import Detection, Detector
from curation.people import PeopleFinder, Person

REACH: Final = 0.1
"""Share of a person's sides that the second look adds on each side, for hats, hems and bags."""
LEAST_SIDE: Final = 16
"""People narrower or lower than this many pixels get no second look."""
ON: Final = 0.7
"""A box is on a person when this share of it lies within the person's reach."""
NOBODY_SCORE: Final = 0.5
"""Least score of a box on nobody, in a picture of people: there buses and walls are taken for coats."""
SEVERAL_SCORE: Final = 0.8
"""Least score of a box that lies across several people or half beside one: most take a group for one garment."""
COVERED: Final = 0.5
"""A garment is not guessed where a likely one shares this much of its place, or of its own."""
PLACES: Final = {
    "upper": (-0.3, 1.1),
    "outer": (-0.3, 1.6),
    "full": (-0.3, 1.9),
    "lower": (0.75, 9.0),
    "foot": (1.4, 9.0),
}
"""Where the middle of a garment of each taxonomy group may lie along the trunk: 0 at the shoulders, 1 at the hips."""
BODY: Final = frozenset({"upper", "outer", "full", "lower"})


class OnPeople:
    """A detector that looks again at each person in the picture.

    Where there is nobody, it is the detector it was made of.
    """

    def __init__(self, detector: Detector, finder: PeopleFinder, likely: float) -> None:
        """``likely`` is the least score of a box that becomes an item of a look (``ItemPolicy.score_look``)."""
        self.name = f"{detector.name} + {finder.name}"
        self._detector, self._finder, self._likely = detector, finder, likely

    def detect(self, images: Sequence[Pixels]) -> list[list[Detection]]:
        """Return the garments of each (H, W, 3) uint8 sRGB picture, highest score first."""
        return [self._look(pixels) for pixels in images]

    def _look(self, pixels: Pixels) -> list[Detection]:
        size = (pixels.shape[1], pixels.shape[0])
        whole = self._detector.detect([pixels])[0]
        seen = [(person, padded(person.box, size, REACH)) for person in self._finder.find(pixels)]
        if not seen:
            return whole
        found = [garment for person, reach in seen for garment in self._near(pixels, person, reach)]
        found += [garment for garment in whole if _stays(garment, seen)]
        for person, _ in seen:
            found += [guess for guess in guesses(person, size) if not self._known(guess, found)]
        return sorted(found, key=lambda garment: (-garment.score, garment.box, garment.category))

    def _near(self, pixels: Pixels, person: Person, reach: Box) -> list[Detection]:
        x0, y0, x1, y1 = (int(value) for value in reach)
        if min(x1 - x0, y1 - y0) < LEAST_SIDE:
            return []
        seen = self._detector.detect([np.ascontiguousarray(pixels[y0:y1, x0:x1])])[0]
        moved = [
            replace(each, box=(each.box[0] + x0, each.box[1] + y0, each.box[2] + x0, each.box[3] + y0)) for each in seen
        ]
        return [each for each in moved if in_place(each, person)]

    def _known(self, guess: Detection, found: Sequence[Detection]) -> bool:
        likely = [each for each in found if each.score >= self._likely and _groups()[each.category] in BODY]
        return any(overlap(each.box, guess.box) >= COVERED * min(area(guess.box), area(each.box)) for each in likely)


def _stays(garment: Detection, seen: Sequence[tuple[Person, Box]]) -> bool:
    """Return whether a box of the whole picture is on somebody, in place, or surely on nobody or on several."""
    shares = [(overlap(garment.box, reach) / max(1.0, area(garment.box)), person) for person, reach in seen]
    if any(share >= ON and in_place(garment, person) for share, person in shares):
        return True
    most = max(share for share, _ in shares)
    return most < ON and garment.score >= (NOBODY_SCORE if most < 1 - ON else SEVERAL_SCORE)


def in_place(garment: Detection, person: Person) -> bool:
    """Return whether a garment lies where its kind is worn; True where the person's trunk is not seen."""
    shoulders, hips = person.seen(people.SHOULDERS)[:, :2], person.seen(people.HIPS)[:, :2]
    if not len(shoulders) or not len(hips):
        return True
    neck = shoulders.mean(axis=0)
    trunk = hips.mean(axis=0) - neck
    x0, y0, x1, y1 = garment.box
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    along = float((middle - neck) @ trunk / max(float(trunk @ trunk), 1.0))
    least, most = PLACES.get(_groups()[garment.category], (-np.inf, np.inf))
    return bool(least <= along <= most)


def guesses(person: Person, size: tuple[int, int]) -> list[Detection]:
    """Return what somebody wears on trunk and legs, as far as the joints are seen, in a picture of (width, height).

    One box reaches from the neck to below the hips, as wide as the arms beside it; one from the waist to the ankles, as
    wide as the legs. Margins are in lengths of the trunk. Where no hips are seen, the first reaches down as far as the
    person does.
    """
    shoulders, hips, ankles = (person.seen(joints) for joints in (people.SHOULDERS, people.HIPS, people.ANKLES))
    legs, arms = person.seen(people.KNEES + people.ANKLES), person.seen(people.ELBOWS + people.WRISTS)
    if not len(shoulders):
        return []
    neck, foot = float(shoulders[:, 1].mean()), person.box[3]
    trunk, hem = float(hips[:, 1].mean()) - neck if len(hips) else 0.0, foot
    made = []
    if trunk > 0:
        hem = neck + 1.2 * trunk
        end = float(ankles[:, 1].max()) if len(ankles) else foot
        if len(legs) and end > neck + 1.4 * trunk:
            made.append(_guess("lower", [hips, legs], 0.18 * trunk, neck + 0.9 * trunk, end, size))
    else:
        trunk = 0.35 * (foot - person.box[1])
    beside = [shoulders, hips, arms[arms[:, 1] <= hem]]
    made.append(_guess("upper", beside, 0.13 * trunk, neck - 0.3 * trunk, hem, size))
    return made


def _guess(
    part: str,
    joints: list[npt.NDArray[np.float32]],
    margin: float,
    top: float,
    bottom: float,
    size: tuple[int, int],
) -> Detection:
    """Return the box from ``top`` to ``bottom``, as wide as the joints, of any category of that part of the body."""
    all_of = np.concatenate(joints)
    box = (all_of[:, 0].min() - margin, top, all_of[:, 0].max() + margin, bottom)
    x0, y0, x1, y1 = np.clip(box, 0, [*size, *size]).tolist()
    names = _wearable()[part]
    return Detection((x0, y0, x1, y1), names[0], float(all_of[:, 2].mean()), names)


@cache
def _groups() -> dict[str, str]:
    import taxonomy

    return {name: category.group for name, category in taxonomy.load().categories.items()}


@cache
def _wearable() -> dict[str, tuple[str, ...]]:
    """Return part of the body -> the categories that a guessed box there may be, the usual one first."""
    usual = {"upper": ("top", {"upper", "outer"}), "lower": ("pants", {"lower"})}
    return {
        part: (first, *(name for name, group in _groups().items() if group in groups and name != first))
        for part, (first, groups) in usual.items()
    }
