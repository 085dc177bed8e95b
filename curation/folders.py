"""Duplicates between plain files: a folder against itself, or against another one; needs no catalog."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from catalog.decode import DecodeError, decode, pixel_digest
from catalog.ids import sha256
from curation import alignment, hashes, pairs
from curation.alignment import View
from curation.embedders import Embedder
from curation.pairs import DuplicatePolicy, Prints

Skipped = Callable[[str, str], None]


def compare_folders(
    folder: Path,
    against: Path | None = None,
    *,
    embedder: Embedder | None = None,
    policy: DuplicatePolicy | None = None,
    skipped: Skipped | None = None,
) -> list[dict[str, Any]]:
    """Return the pairs of pictures that repeat each other, rows of ``a``, ``b``, ``tier``, ``distance``, ``threshold``.

    Names are relative to their folder, sub-folders included. With ``against``, ``a`` is of ``folder`` and ``b`` of the
    other one. Without an embedder the third tier is left out. Files that do not decode are told to ``skipped`` by name
    and reason.
    """
    policy = policy or DuplicatePolicy()
    ours = _read(folder, embedder, skipped)
    theirs = _read(against, embedder, skipped) if against is not None else ([], _prints([], [], []))
    found = pairs.find(ours[1], theirs[1], _views(folder, ours[0]), _views(against or folder, theirs[0]), policy)
    if against is not None:
        found = [pair for pair in found if pair.past]
    return [
        {
            "a": ours[0][pair.a],
            "b": (theirs if pair.past else ours)[0][pair.b],
            "tier": pair.tier,
            "distance": pair.distance,
            "threshold": pair.threshold,
        }
        for pair in found
    ]


def _read(folder: Path, embedder: Embedder | None, skipped: Skipped | None) -> tuple[list[str], Prints]:
    names: list[str] = []
    made: list[tuple[str, str, hashes.Hashes]] = []
    vectors = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        data = path.read_bytes()
        try:
            pixels = decode(data).pixels
        except DecodeError as error:
            if skipped:
                skipped(name, error.reason)
            continue
        names.append(name)
        made.append((sha256(data), pixel_digest(pixels), hashes.compute(pixels)))
        if embedder is not None:
            vectors.append(embedder.embed([hashes.for_embedder(pixels)])[0])
    return names, _prints(names, made, vectors)


def _prints(names: Sequence[str], made: Sequence[tuple[str, str, hashes.Hashes]], vectors: Sequence[Any]) -> Prints:
    count = len(names)
    codes = [b"".join(b"".join(one.phash) for _, _, one in made), b"".join(b"".join(one.pdq) for _, _, one in made)]
    return Prints(
        files=[file for file, _, _ in made],
        pixels=[pixels for _, pixels, _ in made],
        phash=np.frombuffer(codes[0], np.uint8).reshape(count, 8, 8),
        pdq=np.frombuffer(codes[1], np.uint8).reshape(count, 8, 32),
        quality=np.array([one.quality for _, _, one in made], np.int64),
        vectors=[np.array(vectors, np.float32)] if vectors else [],
        owner=np.arange(len(vectors)),
        kin=[frozenset()] * count,
    )


def _views(folder: Path, names: Sequence[str]) -> pairs.Views:
    @lru_cache(maxsize=2048)
    def view(place: int, way: int | None) -> View:
        pixels = decode((folder / names[place]).read_bytes(), reduce_to=alignment.SIDE).pixels
        return alignment.views(pixels, (way,))[way]

    return lambda place, ways: {way: view(place, way) for way in ways}
