"""Dress bodies of three dimensions and put them in a street: folds, perspective and poses that no flat drawing has.

The body is Anny's (package ``anny`` 0.6.2, Apache-2.0), made of MakeHuman's mesh (CC0), whose helper meshes lie about
it as tights, a skirt and hair. A garment is a part of a helper mesh, blown up, folded, and covered with cloth from a
cut-out. Nobody's photo is used. Metres; x to the body's left, y to its back, z up, the navel near 0.12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import scenes
import worn

Pixels = np.ndarray[Any, Any]
Array = np.ndarray[Any, Any]

FINE = 2
"""Pixels drawn for one of the picture, each way."""
HEIGHT = 1.70
"""Height in metres of the body at rest, of which figures are sized."""
WAIST, CROTCH, KNEE, ANKLE, SHOULDER, BROW = 0.14, -0.06, -0.36, -0.76, 0.50, 0.675
"""Heights of the body at rest, above its root, as Anny's bones have them."""


@dataclass(frozen=True)
class Mesh:
    """Quads (F, 4) of each part, and where each vertex lies at rest: (V, 3), along the arm (V), around the axis (V)."""

    quads: dict[str, Array]
    rest: Array
    arm: Array
    around: Array


@dataclass(frozen=True)
class Layer:
    """One thing that is drawn: quads, how far off the body in metres, and what covers it."""

    quads: Array
    off: Array
    colour: Array
    cloth: Pixels | None = None
    owner: int = -1
    over: float = 0.0
    """Metres by which it is drawn before what is as near."""


@dataclass
class Figure:
    """One person as drawn: pixels (H, W, 3), alpha (H, W), owner (H, W) of garments or -1, and their whole areas."""

    pixels: Array
    alpha: Array
    owner: Array
    names: list[str] = field(default_factory=list)
    areas: list[int] = field(default_factory=list)


@cache
def _model() -> Any:
    import anny
    import torch

    torch.set_num_threads(1)
    return anny.Anny(topology="makehuman-full", rig="anny").to(dtype=torch.float32)


@cache
def mesh() -> Mesh:
    """Return the parts of the body; the helper meshes are read from the package's own OBJ file."""
    from pathlib import Path

    import anny

    quads: dict[str, list[list[int]]] = {}
    part = ""
    source = Path(anny.__file__).parent / "data" / "mpfb2" / "3dobjs" / "base.obj"
    for line in source.read_text().splitlines():
        if line.startswith("g "):
            part = line[2:].strip()
        elif line.startswith("f "):
            quads.setdefault(part, []).append([int(corner.split("/")[0]) - 1 for corner in line.split()[1:]])
    model = _model()
    rest = _vertices({label: 0.5 for label in model.phenotype_labels}, {})[0]
    heads = dict(zip(model.bone_labels, model.template_bone_heads.numpy(), strict=True))
    limbs = ("shoulder", "upperarm", "lowerarm", "wrist", "finger", "metacarpal")
    on_arm = np.array([label.startswith(limbs) for label in model.bone_labels])
    share = (model.vertex_bone_weights.numpy() * on_arm[model.vertex_bone_indices.numpy()]).sum(1)
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


def _vertices(shape: dict[str, float], turns: dict[str, tuple[float, float, float]]) -> tuple[Array, Array]:
    """Return posed vertices (V, 3) and the head's motion (4, 4); turns are rotation vectors in radians by bone."""
    import cv2
    import torch

    model = _model()
    pose = torch.eye(4)[None, None].repeat(1, model.bone_count, 1, 1)
    for bone, turn in turns.items():
        matrix = cv2.Rodrigues(np.array(turn, np.float64))[0]
        pose[0, model.bone_labels.index(bone), :3, :3] = torch.from_numpy(matrix).float()
    with torch.inference_mode():
        made = model(pose_parameters=pose, phenotype_kwargs=shape)
    head = model.bone_labels.index("head")
    moved = made["bone_poses"][0, head] @ torch.linalg.inv(made["rest_bone_poses"][0, head])
    return made["vertices"][0].numpy().copy(), moved.numpy()


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


def _folds(places: Array, rng: np.random.Generator) -> Array:
    """Return smooth noise (V) about -1 to 1 over the body at rest: how cloth stands off it."""
    total = np.zeros(len(places))
    for wave in (0.30, 0.14, 0.07):
        for _ in range(3):
            along = rng.normal(0, 1, 3) * [1.2, 1.0, 0.8]
            along *= 2 * np.pi / wave / np.linalg.norm(along)
            total += np.sin(places @ along + rng.uniform(0, 6.3)) * wave
    return total / 0.9


def _normals(vertices: Array, quads: Array) -> Array:
    corners = vertices[quads]
    faces = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    total = np.zeros_like(vertices)
    for corner in range(4):
        np.add.at(total, quads[:, corner], faces)
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9)


def cloth_of(rgba: Pixels, name: str) -> Pixels:
    """Return the cloth (h, w, 3) in the middle of a cut-out; what is not garment takes its mean colour."""
    h, w = rgba.shape[:2]
    left, right = (0.05, 0.45) if name in ("pants", "shorts") else (0.24, 0.76)
    part = rgba[int(0.1 * h) : max(int(0.95 * h), int(0.1 * h) + 2), int(left * w) : max(int(right * w), int(left * w) + 2)]
    solid = part[:, :, 3] > 128
    mean = (part[solid] if solid.any() else rgba[rgba[:, :, 3] > 24])[:, :3].mean(0)
    return np.where(solid[:, :, None], part[:, :, :3], mean).astype(np.uint8)


def dress(pieces: Sequence[tuple[str, Pixels]], rng: np.random.Generator) -> list[Layer]:
    """Return the layers of a person in these garments: skin, hair and the parts of the helper meshes that they cover."""
    body = mesh()
    tights, skirt, skin = (body.quads[name] for name in ("helper-tights", "helper-skirt", "body"))
    names = [name for name, _ in pieces]
    layers: list[Layer] = []
    covered = np.zeros(len(skin), bool)
    hips = rng.uniform(0.02, 0.16)
    tucked = rng.random() < 0.35

    def part(quads: Array, low: float, high: float, sleeve: float, *, legs: bool = True) -> Array:
        """Return which quads lie between two heights, on the arms as far as the sleeve."""
        z, arm = body.rest[quads, 2].mean(1), body.arm[quads].mean(1)
        inside = np.where(arm > 0, (arm <= sleeve) & (sleeve > 0), (z > low) & (z < high))
        return inside if legs else inside & ((arm > 0) | (z > CROTCH))

    def neckless(quads: Array, deep: float, wide: float) -> Array:
        middle = body.rest[quads].mean(1)
        front = np.where(middle[:, 1] < -0.01, deep, 0.04)
        return (middle[:, 0] / wide) ** 2 + (np.maximum(0, SHOULDER + 0.03 - middle[:, 2]) / front) ** 2 > 1

    def lay(quads: Array, off: Array | float, name: str, rgba: Pixels, owner: int, over: float, fold: float) -> None:
        stand = np.zeros(len(body.rest)) + off + fold * np.abs(_folds(body.rest, rng))
        cloth = cloth_of(rgba, name)
        layers.append(Layer(quads, stand, cloth.reshape(-1, 3).mean(0), cloth, owner, over))

    for owner, (name, rgba) in enumerate(pieces):
        loose = float(rng.uniform(0.0, 1.0))
        fold = float(rng.uniform(0.004, 0.016))
        rest = body.rest
        if name in ("top", "jacket"):
            jacket = name == "jacket"
            hem = rng.uniform(-0.08, 0.12) if not jacket else rng.uniform(-0.12, 0.05)
            if name == "top" and rng.random() < 0.1:
                hem = rng.uniform(0.12, 0.22)
            sleeve = float(rng.choice([0.0, 0.2, 0.35, 0.7, 1.02], p=[0.12, 0.18, 0.3, 0.1, 0.3]))
            sleeve = sleeve if not jacket else float(rng.choice([0.0, 0.7, 1.02], p=[0.08, 0.12, 0.8]))
            kept = part(tights, hem, SHOULDER + 0.08, sleeve)
            high = rng.random() < (0.5 if jacket else 0.25)
            kept &= neckless(tights, 0.01 if high else rng.uniform(0.04, 0.16), rng.uniform(0.06, 0.11))
            middle = rest[tights].mean(1)
            if jacket and rng.random() < 0.65:  # open: what is below shows between
                gap = rng.uniform(0.01, 0.07) * (1 + rng.uniform(0, 1) * (SHOULDER - middle[:, 2]))
                kept &= ~((middle[:, 1] < 0) & (np.abs(middle[:, 0]) < gap) & (body.arm[tights].mean(1) == 0))
            off = (0.022 if jacket else 0.006) + loose * (0.03 if jacket else 0.02)
            flare = np.clip((WAIST + 0.15 - rest[:, 2]) / 0.3, 0, 1) * loose * 0.02
            over = 0.05 if jacket else 0.0 if tucked else 0.03
            lay(tights[kept], off + flare, name, rgba, owner, over, fold)
            if jacket and rng.random() < 0.35:  # a coat: its lower half hangs as a skirt does
                z = rest[skirt, 2].mean(1)
                tail = (z > rng.uniform(-0.6, -0.15)) & (z < hem + 0.08)
                layers.append(Layer(skirt[tail], layers[-1].off, layers[-1].colour, layers[-1].cloth, owner, 0.05))
            if not jacket:
                covered |= part(skin, hem + 0.03, SHOULDER - 0.05, sleeve - 0.06)
        elif name in ("pants", "shorts"):
            cuff = rng.uniform(-0.78, -0.62) if name == "pants" else rng.uniform(-0.42, -0.15)
            kept = part(tights, cuff, WAIST - 0.02 + hips - 0.08, 0.0)
            wide = loose * np.clip((CROTCH - rest[:, 2]) / 0.6, 0, 1) * rng.choice([0.02, 0.05])
            lay(tights[kept], 0.006 + loose * 0.012 + wide, name, rgba, owner, 0.015, fold)
            covered |= part(skin, cuff + 0.04, WAIST - 0.06 + hips - 0.08, 0.0)
        elif name in ("skirt", "dress"):
            hem = rng.uniform(-0.66, -0.12)
            z = rest[skirt, 2].mean(1)
            flare = np.clip((0.1 - rest[:, 2]) / 0.7, 0, 1) * rng.uniform(-0.06, 0.12)
            lay(skirt[z > hem], 0.008 + flare, name, rgba, owner, 0.02, fold * 1.4)
            if name == "dress":
                kept = part(tights, 0.0, SHOULDER + 0.08, float(rng.choice([0.0, 0.2, 0.35, 0.7, 1.02])))
                kept &= neckless(tights, rng.uniform(0.02, 0.18), rng.uniform(0.07, 0.12))
                first = layers[-1]
                layers.append(Layer(tights[kept], first.off, first.colour, first.cloth, owner, 0.015))
            else:
                kept = part(tights, 0.03, WAIST - 0.02 + hips - 0.08, 0.0)
                layers.append(Layer(tights[kept], layers[-1].off, layers[-1].colour, layers[-1].cloth, owner, 0.015))
        elif name in ("shoe", "sock"):
            low, high = (-2.0, rng.uniform(-0.80, -0.66)) if name == "shoe" else (-0.84, rng.uniform(-0.72, -0.45))
            shoe = name == "shoe"
            if shoe and rng.random() < 0.2:
                high = rng.uniform(-0.66, -0.45)  # boots
            z = rest[skin, 2].mean(1)
            kept = (z > low) & (z < high)
            lay(skin[kept], 0.012 if shoe else 0.005, name, rgba, owner, 0.03 if shoe else 0.005, 0.002)
            if shoe:
                sole = skin[z < -0.845]
                tone = np.array([235.0, 235, 235]) if rng.random() < 0.5 else rng.uniform(10, 90, 3)
                layers.append(Layer(sole, np.full(len(rest), 0.016), tone, None, owner, 0.035))
        elif name == "hat":
            place = rest[skin].mean(1)
            tilt = rng.uniform(-0.3, 0.5)
            kept = place[:, 2] > BROW + rng.uniform(-0.005, 0.03) - tilt * np.maximum(0, place[:, 1])
            lay(skin[kept], rng.uniform(0.012, 0.035), name, rgba, owner, 0.06, 0.004)
            covered |= kept
        elif name == "scarf":
            place = rest[skin].mean(1)
            kept = (place[:, 2] > 0.475) & (place[:, 2] < 0.56) & (np.abs(place[:, 0]) < 0.12)
            lay(skin[kept], rng.uniform(0.03, 0.055), name, rgba, owner, 0.07, 0.012)
        elif name == "belt":
            middle = WAIST - 0.05 + hips - 0.08
            kept = part(tights, middle - 0.02, middle + 0.025, 0.0)
            lay(tights[kept], 0.02 + 0.01 * loose, name, rgba, owner, 0.04, 0.0)
        elif name == "glove":
            kept = body.arm[skin].mean(1) > 1.0
            lay(skin[kept], 0.005, name, rgba, owner, 0.02, 0.001)
    layers.append(Layer(skin[~covered], np.zeros(len(body.rest)), _skin(skin[~covered], rng)))
    for side in ("l", "r"):
        eye = body.quads[f"helper-{side}-eye"]
        middle = body.rest[eye].mean(1)
        iris = np.linalg.norm(middle[:, [0, 2]] - body.rest[np.unique(eye)][:, [0, 2]].mean(0), axis=1) < 0.007
        tone = np.where(iris[:, None], rng.uniform(15, 90, 3), np.array([225.0, 222, 218]))
        layers.append(Layer(eye, np.zeros(len(body.rest)), tone, None, -1, 0.002))
    if rng.random() < 0.9:
        layers.append(_hair("hat" in names, rng))
    return layers


def _skin(quads: Array, rng: np.random.Generator) -> Array:
    """Return the colour (F, 3) of skin: lips, brows and a beard told from the rest."""
    body = mesh()
    tone = np.array(worn.SKIN[int(rng.integers(len(worn.SKIN)))], float) * rng.uniform(0.85, 1.08)
    colours = np.repeat(tone[None], len(quads), 0)
    x, y, z = body.rest[quads].mean(1).T
    face = y < -0.09
    lips = face & (np.abs(x) < 0.026) & (np.abs(z - 0.583) < 0.008) & (y < -0.125)
    brows = face & (np.abs(np.abs(x) - 0.03) < 0.02) & (np.abs(z - BROW) < 0.005)
    colours[lips] = tone * rng.uniform(0.5, 0.95) * [1.0, 0.72, 0.72]
    colours[brows] = tone * rng.uniform(0.2, 0.6)
    if rng.random() < 0.18:
        beard = face & (z < 0.60) & (z > 0.53) & ~lips
        colours[beard] = tone * rng.uniform(0.15, 0.5)
    return colours


def _hair(hatted: bool, rng: np.random.Generator) -> Layer:
    body = mesh()
    tone = np.array(worn.HAIR[int(rng.integers(len(worn.HAIR)))], float) * rng.uniform(0.7, 1.2)
    off = np.zeros(len(body.rest)) + rng.uniform(0.0, 0.012) + 0.006 * _folds(body.rest, rng)
    if rng.random() < 0.5:  # long: the helper hangs down to the shoulders and further
        quads = body.quads["helper-hair"]
        x, y, z = body.rest[quads].mean(1).T
        kept = (z > rng.uniform(0.16, 0.62)) & ~((y < -0.075) & (z < BROW + 0.02))
        if hatted:
            kept &= z < BROW + 0.02
    else:
        quads = body.quads["body"]
        x, y, z = body.rest[quads].mean(1).T
        line = BROW + 0.035 - np.clip(y + 0.10, 0, 0.10) * rng.uniform(0.5, 1.5)
        kept = (z > line) & (z > 0.58) & (np.abs(x) < 0.079)
        if hatted:
            kept &= z < BROW + 0.03
        off = off + rng.uniform(0.004, 0.03)
    streaks = 1 + 0.25 * np.sin(x * 900 + rng.uniform(0, 6)) * rng.uniform(0.3, 1)
    return Layer(quads[kept], off, tone[None] * streaks[kept, None], None, -1, 0.01)


@dataclass(frozen=True)
class View:
    """Where the camera is: yaw and pitch in radians, distance in metres; and where the body stands on the canvas."""

    yaw: float
    pitch: float
    far: float
    scale: float
    """Pixels of the fine canvas for one metre at the body's axis."""
    centre: tuple[float, float]

    def seen(self, places: Array) -> tuple[Array, Array]:
        """Return pixels (N, 2) and depth (N) of places (N, 3)."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        turned = places @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        c, s = np.cos(self.pitch), np.sin(self.pitch)
        turned = turned @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
        depth = turned[:, 1] + self.far
        zoom = self.scale * self.far / np.maximum(depth, 0.3)
        return np.stack([self.centre[0] + turned[:, 0] * zoom, self.centre[1] - turned[:, 2] * zoom], 1), depth


def draw(
    layers: Sequence[Layer], vertices: Array, view: View, shape: tuple[int, int], names: Sequence[str],
    rng: np.random.Generator,
) -> Figure:  # fmt: skip
    """Draw layers on a canvas of ``shape`` (h, w), farther quads first; each pixel takes its quad's cloth and light."""
    import cv2

    body = mesh()
    height, width = shape[0] * FINE, shape[1] * FINE
    towards = np.array([rng.normal(0, 0.6), -1.0, rng.uniform(0.1, 1.2)])
    towards /= np.linalg.norm(towards)
    ambient = rng.uniform(0.35, 0.75)
    points, depths, light, owner, colour = [], [], [], [], []
    rests, rounds, covers = [], [], []
    for number, layer in enumerate(layers):
        if not len(layer.quads):
            continue
        normals = _normals(vertices, layer.quads)
        places = vertices + normals * layer.off[:, None]
        used, inverse = np.unique(layer.quads, return_inverse=True)
        spots, depth = view.seen(places[used])
        quads = inverse.reshape(layer.quads.shape)
        corners = spots[quads]
        a, b = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
        inside = (corners.max(1) > 0).all(1) & (corners.min(1) < [width, height]).all(1)
        front = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0  # the canvas counts downwards
        kept = inside & (front if layer.cloth is None or layer.owner < 0 else np.ones(len(front), bool))
        fresh = _normals(places, layer.quads)[layer.quads].mean(1)
        c, s = np.cos(view.yaw), np.sin(view.yaw)
        lit = fresh @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ towards
        lit = np.where(front, lit, -0.3)  # the inside of a hem or collar
        points.append(corners[kept])
        depths.append((depth[quads].mean(1) - layer.over)[kept] + np.where(front, 0, layer.over + 0.01)[kept])
        light.append((ambient + (1 - ambient) * np.clip(lit, 0, 1) * 1.25)[kept])
        owner.append(np.full(int(kept.sum()), layer.owner))
        tone = np.broadcast_to(np.asarray(layer.colour, float), (len(layer.quads), 3))
        colour.append(tone[kept])
        rests.append(body.rest[layer.quads][kept])
        rounds.append(body.around[layer.quads][kept])
        covers.append(np.full(int(kept.sum()), number if layer.cloth is not None else -1))
    corners = np.concatenate(points)
    order = np.argsort(-np.concatenate(depths), kind="stable")
    canvas = np.full((height, width), -1, np.int32)
    fixed = np.round(corners * 8).astype(np.int32)
    for face in order:
        cv2.fillConvexPoly(canvas, fixed[face], int(face), lineType=8, shift=3)
    owners = np.concatenate(owner)
    seen = canvas >= 0
    faces = canvas[seen]
    shade = np.zeros((height, width), np.float32)
    shade[seen] = np.concatenate(light)[faces]
    weight = cv2.GaussianBlur(seen.astype(np.float32), (0, 0), 1.6)
    shade = cv2.GaussianBlur(shade, (0, 0), 1.6) / np.maximum(weight, 1e-3)
    base = np.concatenate(colour)[faces]
    cover = np.concatenate(covers)
    rest, around = np.concatenate(rests), np.concatenate(rounds)
    rows, columns = np.nonzero(seen)
    for number in np.unique(cover[faces]):
        if number < 0:
            continue
        mine = cover[faces] == number
        base[mine] = _covered(layers[number].cloth, faces[mine], rows[mine], columns[mine], corners, rest, around)
    picture = np.zeros((height, width, 3), np.float32)
    picture[seen] = base
    picture *= shade[:, :, None]
    alpha = seen.astype(np.float32)
    small = (shape[1], shape[0])
    soft = cv2.resize(alpha, small, interpolation=cv2.INTER_AREA)
    pixels = cv2.resize(picture, small, interpolation=cv2.INTER_AREA) / np.maximum(soft, 1e-3)[:, :, None]
    fine = np.full((height, width), -1, np.int16)
    fine[seen] = owners[faces]
    areas = []
    for index in range(len(names)):
        whole = np.zeros((height, width), np.uint8)
        for face in np.flatnonzero(owners == index):
            cv2.fillConvexPoly(whole, fixed[face], 1, lineType=8, shift=3)
        areas.append(max(1, int(whole.sum()) // FINE**2))
    return Figure(np.clip(pixels, 0, 255), soft, fine[::FINE, ::FINE], list(names), areas)


def _covered(
    cloth: Pixels | None, faces: Array, rows: Array, columns: Array, corners: Array, rest: Array, around: Array
) -> Array:
    """Return the colour (N, 3) of cloth at pixels, carried from each quad's place on the body at rest."""
    assert cloth is not None
    used, inverse = np.unique(faces, return_inverse=True)
    spots = corners[used]
    turn = around[used]
    torn = np.ptp(turn, axis=1) > 0.5  # across the seam at the back
    turn = np.where(torn[:, None], turn[:, :1], turn)
    values = np.stack([turn, rest[used, :, 2]], 2)
    edges = np.stack([spots[:, 1] - spots[:, 0], spots[:, 3] - spots[:, 0]], 2)
    change = np.stack([values[:, 1] - values[:, 0], values[:, 3] - values[:, 0]], 2)
    determinant = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0]
    flat = np.abs(determinant) < 0.05
    edges[flat] = np.eye(2)
    change[flat] = 0
    matrix = change @ np.linalg.inv(edges)
    here = np.stack([columns, rows], 1) - spots[inverse][:, 0]
    place = values[inverse][:, 0] + np.einsum("nij,nj->ni", matrix[inverse], here)
    place = np.clip(place, values.min(1)[inverse], values.max(1)[inverse])
    h, w = cloth.shape[:2]

    def folded(value: Array, count: int) -> Array:
        wave = np.abs((value + 1) % 2 - 1)  # 0 to 1 and back: cloth without a seam
        return np.minimum((wave * count).astype(int), count - 1)

    x = folded(place[:, 0] * 1.1 + 0.5, w)
    y = folded((SHOULDER - place[:, 1]) / 0.62, h)
    return cloth[y, x].astype(np.float32)


def person(shape: tuple[int, int], pieces: Sequence[tuple[str, Pixels]], size: float, x: float,
           rng: np.random.Generator) -> tuple[Figure, View, Array, Array]:  # fmt: skip
    """Return one dressed person, ``size`` canvas heights tall, its axis at ``x`` of the width, and how it was drawn."""
    model = _model()
    shape_of = {label: float(np.clip(rng.normal(0.5, 0.2), 0.05, 0.95)) for label in model.phenotype_labels}
    shape_of["gender"] = float(rng.choice([rng.uniform(0, 0.2), rng.uniform(0.8, 1)]))
    shape_of["age"] = float(rng.uniform(0.55, 0.95))
    vertices, head = _vertices(shape_of, pose(rng))
    tall = np.ptp(vertices[:, 2])
    front = rng.random()
    yaw = rng.normal(0, 0.35) if front < 0.7 else rng.uniform(-np.pi, np.pi)
    height, width = shape[0] * FINE, shape[1] * FINE
    scale = size * height / tall
    free = height - size * height
    top = rng.uniform(0.1, 0.9) * free if free > 0 else rng.uniform(free * rng.uniform(0, 1), 0.04 * height)
    centre = (x * width, top + vertices[:, 2].max() * scale)
    view = View(float(yaw), float(rng.normal(0.03, 0.08)), float(rng.uniform(2.2, 7)), scale, centre)
    figure = draw(dress(pieces, rng), vertices, view, shape, [name for name, _ in pieces], rng)
    return figure, view, vertices, head


def bodies(ground: Pixels, people: Sequence[Sequence[tuple[str, Pixels]]], rng: np.random.Generator) -> scenes.Scene:
    """One to three people on a ground; the first stands in front, and may be cut by the frame."""
    board = scenes.Board(_traffic(ground, rng) if rng.random() < 0.4 else ground)
    shape = board.owner.shape
    places = [rng.uniform(0.3, 0.7)] + [float(x) for x in rng.permutation([0.12, 0.88, 0.5])]
    drawn = []
    for number, pieces in enumerate(people):
        size = rng.uniform(0.85, 2.0) if number == 0 and rng.random() < 0.35 else rng.uniform(0.5, 0.98)
        drawn.append((pieces, size if number == 0 else size * rng.uniform(0.5, 0.9), places[number]))
    for pieces, size, x in reversed(drawn):
        worn_here = [piece for piece in pieces if piece[0] not in ("bag", "glasses", "tie", "watch", "umbrella")]
        figure, view, vertices, _ = person(shape, worn_here, size, x, rng)
        _stand(board, figure)
        for name, rgba in pieces:
            if name in ("bag", "glasses", "tie"):
                _hung(board, name, rgba, view, vertices, rng)
    return board.finish()


def clutter(height: int, width: int, strips: Sequence[Pixels], rng: np.random.Generator) -> Pixels:
    """Return a ground (H, W, 3) of things before things, large and small: edges and textures that are no garment.

    The dead leaves model of natural pictures (Lee, Mumford and Huang 2001): sizes by a power law, the nearer in front.
    """
    import cv2

    picture = np.full((height, width, 3), rng.uniform(60, 220), np.uint8)
    tint = rng.uniform(0.85, 1.1, 3)
    for _ in range(int(rng.integers(30, 160))):
        radius = min(0.7, 0.03 * (1 - rng.random()) ** -0.6) * max(height, width)
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        mask = np.zeros((height, width), np.uint8)
        if rng.random() < 0.35:
            axes = (max(1, int(radius * rng.uniform(0.2, 1))), max(1, int(radius)))
            cv2.ellipse(mask, (int(x), int(y)), axes, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
        else:
            slim, turn = rng.uniform(0.15, 1), rng.choice([0.0, rng.uniform(0, np.pi)])
            corners = np.array([[-slim, -1], [slim, -1], [slim, 1], [-slim, 1]]) * radius * rng.uniform(0.7, 1.3, (4, 2))
            spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            cv2.fillPoly(mask, [np.round(corners @ spin + [x, y]).astype(np.int32)], 255, cv2.LINE_AA)
        if strips and rng.random() < 0.5:
            strip = strips[int(rng.integers(len(strips)))]
            fill = cv2.resize(strip, (width, height)).astype(np.float32) * rng.uniform(0.5, 1.3)
        else:
            grey = rng.uniform(20, 235)
            fill = np.full((height, width, 3), grey * tint * rng.uniform(0.85, 1.15, 3), np.float32)
            if rng.random() < 0.25:
                fill[:] = rng.uniform(0, 255, 3)
        light = np.linspace(*rng.uniform(0.7, 1.2, 2), height if rng.random() < 0.5 else width)
        fill *= light[:, None, None] if len(light) == height else light[None, :, None]
        share = mask[:, :, None].astype(np.float32) / 255
        picture = np.clip(picture * (1 - share) + fill * share, 0, 255).astype(np.uint8)
    return cv2.GaussianBlur(picture, (0, 0), float(rng.choice([0.4, 1.0, 2.5, 5.0]) * rng.uniform(0.7, 1.3)))


def _traffic(ground: Pixels, rng: np.random.Generator) -> Pixels:
    """Return the ground with a bus, a van or a wall of signs: large, coloured, with panes and stripes, no garment."""
    import cv2

    picture = ground.copy()
    height, width = picture.shape[:2]
    for _ in range(int(rng.integers(1, 3))):
        wide, tall = int(rng.uniform(0.25, 1.1) * width), int(rng.uniform(0.15, 0.5) * height)
        left, top = int(rng.uniform(-0.3, 0.8) * width), int(rng.uniform(0.1, 0.6) * height)
        body, pane = rng.uniform(0, 255, 3).tolist(), rng.uniform(10, 120, 3).tolist()
        cv2.rectangle(picture, (left, top), (left + wide, top + tall), body, -1, cv2.LINE_AA)
        count = int(rng.integers(2, 7))
        for number in range(count):
            x = left + int((number + 0.15) * wide / count)
            end = (x + int(0.7 * wide / count), top + int(0.5 * tall))
            cv2.rectangle(picture, (x, top + int(0.12 * tall)), end, pane, -1)
        stripe = top + int(rng.uniform(0.6, 0.85) * tall)
        cv2.line(picture, (left, stripe), (left + wide, stripe), rng.uniform(0, 255, 3).tolist(), int(rng.integers(2, 9)))
        for share in (0.2, 0.8):
            cv2.circle(picture, (left + int(share * wide), top + tall), max(3, tall // 6), (25, 25, 28), -1, cv2.LINE_AA)
    return cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.4, 2.5)))


def _stand(board: scenes.Board, figure: Figure) -> None:
    """Put a figure before what is on the board, with a little dark about its feet left to the ground."""
    alpha = figure.alpha[:, :, None]
    board.pixels = board.pixels * (1 - alpha) + figure.pixels * alpha
    start = len(board.names)
    board.owner[figure.alpha > 0.5] = -1
    mine = (figure.owner >= 0) & (figure.alpha > 0.3)
    board.owner[mine] = figure.owner[mine] + start
    board.names.extend(figure.names)
    board.areas.extend(figure.areas)


def _hung(board: scenes.Board, name: str, rgba: Pixels, view: View, vertices: Array, rng: np.random.Generator) -> None:
    """Put a flat thing where it is worn: a bag at a hand or hip, glasses and a tie on who faces the camera."""
    body = mesh()
    if name == "bag":
        wrist = (body.arm > 1.0) & (body.rest[:, 0] * rng.choice([-1, 1]) > 0)
        place, wide, drop = vertices[wrist].mean(0), rng.uniform(0.2, 0.45), rng.uniform(0.05, 0.2)
    elif abs(view.yaw) > 0.5:
        return
    elif name == "glasses":
        eyes = np.unique(np.concatenate([body.quads["helper-l-eye"], body.quads["helper-r-eye"]]))
        place, wide, drop = vertices[eyes].mean(0), 0.145, 0.0
    else:
        chest = (np.abs(body.rest[:, 0]) < 0.02) & (np.abs(body.rest[:, 2] - 0.33) < 0.03) & (body.rest[:, 1] < 0)
        place, wide, drop = vertices[chest].mean(0), 0.09, 0.0
    spot, depth = view.seen(place[None] - [[0, 0, drop]])
    scale = view.scale * view.far / depth[0] / FINE
    tall = wide * scale * rgba.shape[0] / rgba.shape[1]
    if name == "tie":
        tall, squeeze = 0.42 * scale, wide * scale / (0.42 * scale * rgba.shape[1] / rgba.shape[0])
    else:
        squeeze = 1.0
    if tall >= 4:
        piece = scenes.turned(worn.bent(rgba, rng), float(rng.normal(0, 5)), float(tall), float(squeeze))
        board.put(piece, name, (float(spot[0, 0] / FINE), float(spot[0, 1] / FINE)), rng)
