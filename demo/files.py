"""Picture files: made from recipes, in a pool, once."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from demo.cutouts import cut_out_file
from demo.shots import Copy, DrawnShot, Made, RealShot, Shot, read_picture

Image = npt.NDArray[np.uint8]
Progress = Callable[[int, int], None]
_In = TypeVar("_In")
_Out = TypeVar("_Out")
_FEW = 8  # below this, starting processes costs more than it saves
_VERSION = 3  # raise it when a recipe's bytes change, so that no old picture is taken for a new one


def _jpeg(picture: Image, quality: int) -> bytes:
    from PIL import Image as Pillow

    buffer = io.BytesIO()
    Pillow.fromarray(np.ascontiguousarray(picture)).save(buffer, format="JPEG", quality=quality, optimize=False)
    return buffer.getvalue()


def make(shot: Shot, root: Path) -> Made:
    """Make a picture in `root/photos` unless it is there already; its boxes are kept in `root/made`."""
    target, note = root / "photos" / shot.name, root / "made" / f"{shot.name}.json"
    recipe = hashlib.sha256(f"{_VERSION} {shot!r}".encode()).hexdigest()
    if target.exists() and note.exists():
        kept: dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
        if kept["recipe"] == recipe:
            boxes = tuple((b[0], b[1], b[2], b[3]) for b in kept["boxes"])
            return Made(shot.name, kept["width"], kept["height"], boxes, tuple(kept["visible"]))
    quality = 88
    if isinstance(shot, Copy):
        original, old = _original(shot.source, root)
        picture, places, quality = shot.copy_of(original, old.boxes)
        visible = old.visible
    else:
        made = shot.paint(root)
        picture, places, visible = made.image, list(made.boxes), made.visible
    done = Made(shot.name, picture.shape[1], picture.shape[0], tuple(places), tuple(round(v, 3) for v in visible))
    for path, data in (
        (target, _jpeg(picture, quality)),
        (note, json.dumps({**asdict(done), "recipe": recipe}).encode()),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{os.getpid()}.part")
        partial.write_bytes(data)
        partial.replace(path)
    return done


def _original(source: DrawnShot | RealShot | str, root: Path) -> tuple[Image, Made]:
    """Pixels and notes of what a copy copies: a picture of ours, or a real photo's file."""
    if isinstance(source, str):
        picture = read_picture(Path(source))
        return picture, Made(Path(source).name, picture.shape[1], picture.shape[0], (), ())
    notes = make(source, root)
    return read_picture(root / "photos" / source.name), notes


def _start_worker() -> None:
    import cv2

    cv2.setNumThreads(1)


def _task(order: tuple[Shot, Path]) -> Made:
    return make(*order)


def _cut(order: tuple[str, Path]) -> bool:
    return cut_out_file(Path(order[0]), order[1]).rgba is not None


def make_all(
    shots: Sequence[Shot], root: Path, *, workers: int = 0, progress: Progress | None = None
) -> dict[str, Made]:
    """Make pictures in a pool of processes (0: one a core, 1: in this process); the bytes do not depend on it."""
    made = _pooled(_task, [(shot, root) for shot in shots], workers, progress)
    return {m.name: m for m in made}


def cut_all(
    photos: Sequence[str], root: Path, *, workers: int = 0, progress: Progress | None = None
) -> dict[str, bool]:
    """Cut garments out of photos, in a pool, into `root/cutouts`; says of each photo whether it went well."""
    return dict(zip(photos, _pooled(_cut, [(p, root / "cutouts") for p in photos], workers, progress), strict=True))


def _pooled(work: Callable[[_In], _Out], orders: Sequence[_In], workers: int, progress: Progress | None) -> list[_Out]:
    """Results of `work` in the order of `orders`, from this process where there is little to do."""
    done: list[_Out] = []

    def note(result: _Out) -> None:
        done.append(result)
        if progress:
            progress(len(done), len(orders))

    count = workers or min(os.cpu_count() or 1, 8)
    if count == 1 or len(orders) < _FEW:
        for order in orders:
            note(work(order))
        return done
    # Processes are spawned, not forked: OpenCV's and NumPy's threads do not survive a fork.
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_start_worker) as pool:
        for result in pool.map(work, orders, chunksize=4):
            note(result)
    return done
