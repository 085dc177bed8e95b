"""Fingerprints of garments and of the photos they are in: pixel digest, pHash, PDQ and embedding."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from catalog import tables
from catalog.decode import DecodeError, Pixels, decode, pixel_digest
from catalog.ledger import Ledger
from catalog.steps import StepResult
from catalog.store import Catalog, StoreError
from curation import hashes
from curation.embedders import Embedder, Vectors
from curation.errors import CurationError
from curation.hashes import Hashes

CHUNK = 8


@dataclass(frozen=True)
class FingerprintPolicy:
    """How fingerprints are made."""

    share_from: float = 0.8
    """Share of its photo that a garment must cover to lend it its embedding; otherwise the photo gets its own."""
    workers: int = 2
    """Threads; decoding, hashing and embedding of different photos run side by side."""


@dataclass(frozen=True)
class _Print:
    id: str
    photo_id: str
    pixels: str
    hashes: Hashes


def fingerprint(
    photos: pa.Table,
    items: pa.Table,
    catalog: Catalog,
    embedder: Embedder,
    policy: FingerprintPolicy,
    *,
    edition: str,
    progress: Callable[[int, int], None] | None = None,
) -> StepResult:
    """Fingerprint each item (its crop) and each photo that has items (as a whole, trimmed of borders).

    Ledger subject ``item``; an item whose photo cannot be decoded is dropped with the decode reason. Raises
    CurationError when the embedder's vectors have not the size of the table.
    """
    if embedder.size != tables.EMBEDDING_SIZE:
        raise CurationError(
            f"embedder {embedder.name} makes vectors of {embedder.size}, the table fingerprints holds "
            f"{tables.EMBEDDING_SIZE}; choose another embedder or change catalog.tables.EMBEDDING_SIZE"
        )
    wanted = set(photos["photo_id"].to_pylist())
    by_photo: dict[str, list[dict[str, Any]]] = {}
    ledger = Ledger("fingerprint", "item", edition)
    for row in items.select(["item_id", "photo_id", "box"]).to_pylist():
        if row["photo_id"] in wanted:
            by_photo.setdefault(row["photo_id"], []).append(row)
        else:
            ledger.dropped(row["item_id"], "photo_gone", parent_id=row["photo_id"])
    jobs = list(by_photo.items())
    chunks = [jobs[start : start + CHUNK] for start in range(0, len(jobs), CHUNK)]
    prints: list[_Print] = []
    vectors: list[npt.NDArray[np.float16]] = [np.empty((0, embedder.size), np.float16)]
    done = 0
    with ThreadPoolExecutor(policy.workers) as pool:
        for made, embedded, refused in pool.map(lambda chunk: _work(chunk, catalog, embedder, policy), chunks):
            prints += made
            vectors.append(embedded.astype(np.float16))
            for item_id, photo_id, reason, message in refused:
                ledger.dropped(item_id, reason, parent_id=photo_id, evidence={"message": message})
            done += CHUNK
            if progress:
                progress(min(done, len(jobs)), len(jobs))
    for made_one in prints:
        if made_one.id != made_one.photo_id:
            ledger.kept(made_one.id, parent_id=made_one.photo_id)
    table = _table(prints, np.concatenate(vectors), embedder.name)
    return StepResult({"fingerprints": table}, ledger.table(), {"photos": len(jobs), "rows": table.num_rows})


Refused = tuple[str, str, str, str]


def _work(
    chunk: Sequence[tuple[str, list[dict[str, Any]]]], catalog: Catalog, embedder: Embedder, policy: FingerprintPolicy
) -> tuple[list[_Print], Vectors, list[Refused]]:
    prints: list[_Print] = []
    pictures: list[Pixels] = []
    sources: list[int] = []
    refused: list[Refused] = []
    for photo_id, items in chunk:
        try:
            pixels = decode(catalog.get_image(photo_id)).pixels
        except (DecodeError, StoreError) as error:
            code = error.reason if isinstance(error, DecodeError) else "missing_bytes"
            refused += [(item["item_id"], photo_id, code, str(error)) for item in items]
            continue
        digest = pixel_digest(pixels)
        shared: int | None = None
        for item in items:
            part = crop(pixels, item["box"])
            if part.shape[0] * part.shape[1] >= policy.share_from * pixels.shape[0] * pixels.shape[1]:
                shared = len(pictures)
            sources.append(len(pictures))
            pictures.append(part)
            prints.append(_Print(item["item_id"], photo_id, digest, hashes.compute(part)))
        if shared is None:
            shared = len(pictures)
            pictures.append(hashes.for_embedder(pixels))
        sources.append(shared)
        prints.append(_Print(photo_id, photo_id, digest, hashes.compute(pixels)))
    embedded = embedder.embed(pictures) if pictures else np.empty((0, embedder.size), np.float32)
    return prints, embedded[sources], refused


def crop(pixels: Pixels, box: Sequence[float]) -> Pixels:
    """Return the part of (H, W, 3) pixels inside an xyxy box, clamped to the picture, at least one pixel."""
    height, width = pixels.shape[:2]
    left, top = min(max(0, int(box[0])), width - 1), min(max(0, int(box[1])), height - 1)
    right, bottom = min(width, max(left + 1, round(box[2]))), min(height, max(top + 1, round(box[3])))
    return pixels[top:bottom, left:right]


def _table(prints: Sequence[_Print], vectors: npt.NDArray[np.float16], model: str) -> pa.Table:
    schema = tables.TABLES["fingerprints"]
    columns: dict[str, pa.Array] = {
        "embedding": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), tables.EMBEDDING_SIZE),
    }
    for name, values in _columns(prints, model):
        columns[name] = pa.array(values, schema.field(name).type)
    return pa.Table.from_arrays([columns[name].cast(schema.field(name).type) for name in schema.names], schema=schema)


def _columns(prints: Sequence[_Print], model: str) -> Iterator[tuple[str, list[Any]]]:
    yield "id", [one.id for one in prints]
    yield "photo_id", [one.photo_id for one in prints]
    yield "pixels", [one.pixels for one in prints]
    yield "phash", [one.hashes.phash[0] for one in prints]
    yield "pdq", [one.hashes.pdq[0] for one in prints]
    yield "pdq_quality", [one.hashes.quality for one in prints]
    yield "phash_turns", [b"".join(one.hashes.phash) for one in prints]
    yield "pdq_turns", [b"".join(one.hashes.pdq) for one in prints]
    yield "model", [model] * len(prints)
