"""What every cutter works with: the board, the design and two sources of chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demo.canvas import Canvas
from demo.colours import Floats, contrast, mix, rgb
from demo.curves import Points, flip
from demo.fabrics import Cloth, cloth_of, plain, weave_of
from demo.spec import GarmentSpec


@dataclass(frozen=True)
class Draft:
    """A drawing in progress. `design` is the same for every view of a product, `pose` is new for each."""

    canvas: Canvas
    spec: GarmentSpec
    cloth: Cloth
    solid: Cloth
    trim: Cloth
    design: np.random.Generator
    pose: np.random.Generator

    @classmethod
    def of(cls, spec: GarmentSpec, size: int, seed: int, scale: float = 1.0) -> Draft:
        """Start a drawing of `size` pixels; `scale` is that of the print."""
        pose = np.random.default_rng((seed, 11))
        weave = weave_of(spec)
        return cls(
            canvas=Canvas(size, np.random.default_rng((seed, 13))),
            spec=spec,
            cloth=cloth_of(spec, size, scale),
            solid=plain(rgb(spec.colour), weave),
            trim=plain(rgb(spec.second_colour), weave),
            design=np.random.default_rng((spec.variant, 17)),
            pose=pose,
        )

    @property
    def base(self) -> Floats:
        """Main colour."""
        return rgb(self.spec.colour)

    @property
    def accent(self) -> Floats:
        """Second colour."""
        return rgb(self.spec.second_colour)

    @property
    def thread(self) -> Floats:
        """Colour of visible stitches."""
        if self.spec.material == "denim":
            return mix(rgb("camel"), self.base, 0.25)
        return contrast(self.base, 0.35)

    def jig(self, spread: float) -> float:
        """A small chance offset of this view."""
        return float(self.pose.normal(0, spread))

    def pick(self, *values: float) -> float:
        """A choice that belongs to the design."""
        return float(values[int(self.design.integers(len(values)))])

    def chance(self, share: float) -> bool:
        """A yes or no that belongs to the design."""
        return bool(self.design.random() < share)


def sides(points: Points) -> tuple[Points, Points]:
    """A shape and its mirror image."""
    return points, flip(points)
