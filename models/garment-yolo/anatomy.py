"""A body of three dimensions: its mesh at rest, posed and shaped, and the parts that clothes are made of.

The body is Anny's (package ``anny`` 0.6.2, Apache-2.0), made of MakeHuman's mesh (CC0), whose helper meshes lie about
it as tights, a skirt and hair. Metres; x to the body's left, y to its back, z up, the navel near 0.12.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

WAIST, CROTCH, SHOULDER, BROW = 0.14, -0.06, 0.50, 0.675
"""Heights of the body at rest, above its root, as Anny's bones have them."""


@dataclass(frozen=True)
class Mesh:
    """Quads (F, 4) of each part, and where each vertex lies at rest: (V, 3), along the arm (V), around the axis (V)."""

    quads: dict[str, Array]
    rest: Array
    arm: Array
    around: Array


@cache
def model() -> Any:
    """Return the body model; the first time ever it takes minutes, and is cached by its package."""
    import anny
    import torch

    torch.set_num_threads(1)
    return anny.Anny(topology="makehuman-full", rig="anny").to(dtype=torch.float32)


@cache
def mesh() -> Mesh:
    """Return the parts of the body; the helper meshes are read from the package's own OBJ file."""
    import anny

    quads: dict[str, list[list[int]]] = {}
    part = ""
    source = Path(anny.__file__).parent / "data" / "mpfb2" / "3dobjs" / "base.obj"
    for line in source.read_text().splitlines():
        if line.startswith("g "):
            part = line[2:].strip()
        elif line.startswith("f "):
            quads.setdefault(part, []).append([int(corner.split("/")[0]) - 1 for corner in line.split()[1:]])
    made = model()
    rest = vertices(dict.fromkeys(made.phenotype_labels, 0.5), {})
    heads = dict(zip(made.bone_labels, made.template_bone_heads.numpy(), strict=True))
    limbs = ("shoulder", "upperarm", "lowerarm", "wrist", "finger", "metacarpal")
    on_arm = np.array([label.startswith(limbs) for label in made.bone_labels])
    share = (made.vertex_bone_weights.numpy() * on_arm[made.vertex_bone_indices.numpy()]).sum(1)
    shoulder, elbow, wrist = (heads[f"{name}.L"] for name in ("upperarm01", "lowerarm01", "wrist"))
    right = rest * [-1, 1, 1]
    places = np.where(rest[:, :1] > 0, rest, right)
    upper = (places - shoulder) @ (elbow - shoulder) / ((elbow - shoulder) ** 2).sum()
    lower = (places - elbow) @ (wrist - elbow) / ((wrist - elbow) ** 2).sum()
    along = np.where(upper < 1, upper / 2, 0.5 + lower / 2)
    arm = np.where(share > 0.5, np.clip(along, 0.001, 2), 0.0)
    around = np.arctan2(rest[:, 0], -(rest[:, 1] + 0.01)) / np.pi
    kept = ("body", "helper-tights", "helper-skirt", "helper-hair", "helper-l-eye", "helper-r-eye")
    return Mesh({name: np.array(quads[name]) for name in kept}, rest, arm, around)


def vertices(shape: dict[str, float], turns: dict[str, tuple[float, float, float]]) -> Array:
    """Return the vertices (V, 3) of a shape (0 to 1 by trait) in a pose (rotation vectors in radians by bone)."""
    import cv2
    import torch

    made = model()
    bones = torch.eye(4)[None, None].repeat(1, made.bone_count, 1, 1)
    for bone, turn in turns.items():
        matrix = cv2.Rodrigues(np.array(turn, np.float64))[0]
        bones[0, made.bone_labels.index(bone), :3, :3] = torch.from_numpy(matrix).float()
    with torch.inference_mode():
        posed = made(pose_parameters=bones, phenotype_kwargs=shape)
    return np.array(posed["vertices"][0].numpy())


def pose(rng: np.random.Generator) -> dict[str, tuple[float, float, float]]:
    """Return how a person stands or walks: rotation vectors in radians by bone."""
    turns: dict[str, tuple[float, float, float]] = {}
    step = rng.normal(0, 0.12) if rng.random() < 0.5 else rng.uniform(0.2, 0.5) * rng.choice([-1, 1])
    for side, mirror in (("L", 1), ("R", -1)):
        lowered = rng.uniform(0.45, 0.80) if rng.random() < 0.8 else rng.uniform(-0.9, 0.45)
        swing = -mirror * step * rng.uniform(0.3, 1.1) + rng.normal(0, 0.12)
        turns[f"upperarm01.{side}"] = (swing, mirror * lowered, 0.0)
        bend = rng.uniform(0, 0.5) if rng.random() < 0.6 else rng.uniform(0.5, 2.2)
        across = -mirror * rng.uniform(0.2, 1.1) if bend > 0.9 and rng.random() < 0.5 else 0.0
        turns[f"lowerarm01.{side}"] = (-bend * rng.uniform(0.4, 1.0), mirror * bend * rng.uniform(0, 0.5), across)
        stride = mirror * step + rng.normal(0, 0.05)
        apart = rng.uniform(-0.04, 0.12)
        turns[f"upperleg01.{side}"] = (-stride, -mirror * apart, 0.0)
        turns[f"lowerleg01.{side}"] = (max(0.0, -stride) * rng.uniform(0.6, 1.6) + rng.uniform(0, 0.1), 0.0, 0.0)
    bow = rng.uniform(0.1, 0.7) if rng.random() < 0.12 else rng.normal(0, 0.06)
    turns["spine03"] = (bow, rng.normal(0, 0.06), rng.normal(0, 0.15))
    turns["spine01"] = (rng.normal(0, 0.05), rng.normal(0, 0.05), rng.normal(0, 0.12))
    turns["neck01"] = (rng.normal(0.05, 0.12), rng.normal(0, 0.08), rng.normal(0, 0.35))
    return turns


def folds(places: Array, rng: np.random.Generator) -> Array:
    """Return smooth noise (V) about -1 to 1 over the body at rest: how cloth stands off it."""
    total = np.zeros(len(places))
    for wave in (0.30, 0.14, 0.07):
        for _ in range(3):
            along = rng.normal(0, 1, 3) * [1.2, 1.0, 0.8]
            along *= 2 * np.pi / wave / np.linalg.norm(along)
            total += np.sin(places @ along + rng.uniform(0, 6.3)) * wave
    return total / 0.9


def normals(places: Array, quads: Array) -> Array:
    """Return the unit normals (V, 3) of vertices at ``places`` (V, 3), the mean of their quads' (F, 4)."""
    corners = places[quads]
    faces = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    total = np.zeros_like(places)
    for corner in range(4):
        np.add.at(total, quads[:, corner], faces)
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9)
