"""Listed public sets: fingerprints of pictures that others published, so that no edition repeats them."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from catalog.decode import DecodeError, decode, pixel_digest
from catalog.ids import sha256
from curation import hashes
from curation.embedders import Embedder
from curation.errors import CurationError
from curation.history import SCHEMA, encode

PORTION: Final = 5_000  # pictures of one history file: what a killed run loses at most
_AT_ONCE: Final = 8  # pictures embedded together
_BYTES: Final = {"sha256": 32, "pixels": 32, "phash": 8, "pdq": 32}
"""Columns of a hash list, in hex, and their sizes."""


@dataclass(frozen=True)
class ListedSet:
    """A public set: its name, and the day it was public."""

    name: str
    published: datetime | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    """Filled with the place and the reason of each picture that cannot be read."""

    def row(self, place: str, **found: Any) -> dict[str, Any]:
        """Return a row of the history; ``place`` says where in the set it was."""
        evidence = {"source": "listed set", "set": self.name, "place": place}
        row = {"id": found["photo_id"], "date": self.published, "date_evidence": json.dumps(evidence, sort_keys=True)}
        return {**dict.fromkeys(SCHEMA.names), **row, **found}


def from_folder(
    folder: Path, listed: ListedSet, embedder: Embedder, *, known: Iterable[str] = (), workers: int = 2
) -> Iterator[bytes]:
    """Yield history files for portions of the pictures under ``folder``: image files, and parquet files.

    Of a parquet file every column of Hugging Face images (structs with ``bytes``) is read. Pictures that are in
    ``known`` (sha256 of their bytes) are passed over, so that a killed run goes on.
    """
    seen = set(known)

    def new() -> Iterator[tuple[str, str, bytes]]:
        for place, data in _pictures(folder, listed):
            if (photo_id := sha256(data)) not in seen:
                seen.add(photo_id)
                yield place, photo_id, data

    pictures, rows = new(), list[dict[str, Any]]()
    with ThreadPoolExecutor(workers) as pool:
        while some := list(islice(pictures, workers * _AT_ONCE)):
            shares = [some[start : start + _AT_ONCE] for start in range(0, len(some), _AT_ONCE)]
            for made in pool.map(lambda share: _fingerprints(share, listed, embedder), shares):
                rows += made
            if len(rows) >= PORTION:
                yield encode(pa.Table.from_pylist(rows, schema=SCHEMA))
                rows = []
    if rows:
        yield encode(pa.Table.from_pylist(rows, schema=SCHEMA))


def from_hashes(file: Path, listed: ListedSet) -> bytes:
    """Return the history file of a hash list: CSV with a header, or one sha256 per line.

    Columns, in hex: ``sha256`` of the file, ``pixels`` (catalog.decode.pixel_digest), ``pdq`` with ``pdq_quality`` and
    ``phash``, each of them optional; others are passed over. Raises CurationError naming line, column and value.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CurationError(
            f"{file} is no hash list ({error}); give a folder of pictures or a CSV of hashes"
        ) from error
    lines = text.splitlines()
    if lines and re.fullmatch(r"[0-9a-fA-F]{64}", lines[0].strip()):
        lines.insert(0, "sha256")
    reader = csv.DictReader(lines)
    names = [name for name in reader.fieldnames or () if name in {*_BYTES, "pdq_quality"}]
    if not {"sha256", "pixels", "pdq"} & set(names) or ("pdq" in names) != ("pdq_quality" in names):
        raise CurationError(
            f"{file}: its header names {', '.join(reader.fieldnames or ()) or 'nothing'}; it needs sha256, pixels, or "
            "pdq with pdq_quality (phash alone never decides)"
        )
    rows = [_hashed(row, names, f"{file.name}:{number}", listed) for number, row in enumerate(reader, 2)]
    return encode(pa.Table.from_pylist(rows, schema=SCHEMA))


def _hashed(row: Mapping[str, str | None], names: list[str], place: str, listed: ListedSet) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in names:
        value = (row[name] or "").strip().lower()
        if not value:
            continue
        size = _BYTES.get(name)
        if size is None and not (value.isdecimal() and int(value) <= 100):
            raise CurationError(f"{place}: {name} is {value!r}, expected a whole number from 0 to 100")
        if size is not None and not re.fullmatch(rf"[0-9a-f]{{{2 * size}}}", value):
            raise CurationError(f"{place}: {name} is {value!r}, expected {2 * size} hex digits")
        found[name] = value if name in {"sha256", "pixels"} else int(value) if size is None else bytes.fromhex(value)
    if found.get("pdq_quality") is not None and "pdq" not in found:
        raise CurationError(f"{place}: pdq_quality without pdq; give both or neither")
    if not found:
        raise CurationError(f"{place}: no hash on this line; take the line out")
    photo_id = found.pop("sha256", None) or f"{listed.name}/{place}"
    return listed.row(place, photo_id=photo_id, **found)


def _pictures(folder: Path, listed: ListedSet) -> Iterator[tuple[str, bytes]]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        place = path.relative_to(folder).as_posix()
        if path.suffix != ".parquet":
            yield place, path.read_bytes()
            continue
        try:
            yield from _in_parquet(path, place)
        except (pa.ArrowInvalid, OSError) as error:
            listed.skipped[place] = f"parquet cannot be read ({error})"


def _in_parquet(path: Path, place: str) -> Iterator[tuple[str, bytes]]:
    with pq.ParquetFile(path) as opened:
        kinds = {one.name: one.type for one in opened.schema_arrow}
        columns = [
            name for name, kind in kinds.items() if pa.types.is_struct(kind) and kind.get_field_index("bytes") >= 0
        ]
        number = 0
        for batch in opened.iter_batches(_AT_ONCE, columns=columns) if columns else ():
            for row in batch.to_pylist():
                pictures = {name: (row[name] or {}).get("bytes") for name in columns}
                yield from ((f"{place}#{number}.{name}", data) for name, data in pictures.items() if data)
                number += 1


def _fingerprints(
    pictures: Iterable[tuple[str, str, bytes]], listed: ListedSet, embedder: Embedder
) -> list[dict[str, Any]]:
    rows, seen = [], []
    for place, photo_id, data in pictures:
        try:
            pixels = decode(data).pixels
        except DecodeError as error:
            listed.skipped[place] = error.reason
            continue
        made = hashes.compute(pixels)
        codes = {"phash": made.phash[0], "pdq": made.pdq[0], "pdq_quality": made.quality}
        rows.append(listed.row(place, photo_id=photo_id, pixels=pixel_digest(pixels), model=embedder.name, **codes))
        seen.append(hashes.for_embedder(pixels))
    vectors: Iterable[Any] = embedder.embed(seen) if seen else ()
    return [{**row, "embedding": vector.astype("float16")} for row, vector in zip(rows, vectors, strict=True)]
