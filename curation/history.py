"""What is already known: fingerprints and dates of every past edition and of listed public sets.

One Arrow file for each edition and for each portion of a set, named by its sha256 and never changed:
``history/<name>-<sha256>.arrow``. They are memory-mapped, so that opening costs the same for a thousand entries and for
a million. Each release carries the file of its edition, which makes the history anew from the releases alone.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from catalog import tables
from catalog.ids import sha256
from catalog.store import Catalog
from curation.errors import CurationError

IN_RELEASE: Final = "fingerprints.arrow"
"""Name of an edition's history file inside its release."""

EDITION: Final = re.compile(r"\d{4}\.\d{2}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FILE: Final = re.compile(rf"(?P<name>{_NAME.pattern})-(?P<digest>[0-9a-f]{{64}})\.arrow")
_BATCH: Final = 65_536

KEPT: Final = ("id", "photo_id", "pixels", "phash", "pdq", "pdq_quality", "embedding", "model")
"""Columns of table fingerprints that history keeps; orientations are a matter of the new side."""

SCHEMA: Final = pa.schema(
    [
        *(tables.TABLES["fingerprints"].field(name) for name in KEPT if name not in {"embedding", "model"}),
        pa.field("embedding", pa.large_list(pa.float16()), metadata={"doc": "unit length; null where only hashes are"}),
        tables.TABLES["fingerprints"].field("model"),
        pa.field("date", tables.TIME, metadata={"doc": "earliest evidence of the photo; null when unknown"}),
        pa.field("date_evidence", pa.string(), metadata={"doc": "JSON, as decisions hold it"}),
        pa.field("products", pa.list_(pa.string()), metadata={"doc": "products the photo shows, as far as known"}),
    ],
    metadata={"lookbench.table": "history", "lookbench.schema": tables.SCHEMA_VERSION},
)


@dataclass(frozen=True)
class Part:
    """One file of the history: an edition, or a portion of a listed set."""

    name: str
    digest: str
    """sha256 of the file."""
    table: pa.Table
    """One row per item and one per photo, as ``SCHEMA`` says."""


@dataclass(frozen=True)
class History:
    """Everything known before, ordered by name: editions in their order."""

    parts: tuple[Part, ...] = ()

    @classmethod
    def load(cls, catalog: Catalog, before: str | None = None) -> "History":
        """Open the history of a catalog; with ``before`` only the editions before that one, and all listed sets.

        Raises CurationError for a file that cannot be read; ``check`` also finds changed bytes.
        """
        wanted = [
            (name, digest, path)
            for name, digest, path in _files(catalog)
            if before is None or not EDITION.fullmatch(name) or name < before
        ]
        return cls(tuple(Part(name, digest, _open(catalog, path)) for name, digest, path in wanted))

    @cached_property
    def table(self) -> pa.Table:
        """All rows, with the column ``edition``: the edition or the listed set."""
        named = [
            part.table.append_column("edition", pa.repeat(pa.scalar(part.name), part.table.num_rows))
            for part in (*self.parts, Part("", "", SCHEMA.empty_table()))
        ]
        return pa.concat_tables(named)

    @property
    def digest(self) -> str:
        """The sha256 over the digests of all parts: equal exactly when the histories are."""
        return sha256("".join(f"{part.name} {part.digest}\n" for part in self.parts).encode())

    def append(self, name: str, data: bytes) -> "History":
        """Return this history with one part more, given as its file; an edition replaces itself."""
        part = Part(name, sha256(data), _parse(pa.py_buffer(data), name))
        others = [one for one in self.parts if one.digest != part.digest and not (one.name == name and _single(name))]
        return History(tuple(sorted([*others, part], key=lambda one: (one.name, one.digest))))


def edition_file(fingerprints: pa.Table, decisions: pa.Table, photos: pa.Table | None = None) -> bytes:
    """Return the history file of one edition: the fingerprints of its kept photos with the dates of ``decisions``.

    ``photos`` (table photos) tells which products a photo shows; without it that stays unknown. The same tables give
    the same bytes.
    """
    kept = decisions.filter(decisions["kept"])
    prints = fingerprints.filter(pc.is_in(fingerprints["photo_id"], kept["id"])).select(KEPT)
    place = pc.index_in(prints["photo_id"], value_set=kept["id"])
    shown = products_shown(photos) if photos is not None else {}
    products = [sorted(shown.get(photo, ())) for photo in prints["photo_id"].to_pylist()]
    dated = {name: kept[name].take(place) for name in ("date", "date_evidence")}
    return encode(pa.table({**{name: prints[name] for name in KEPT}, **dated, "products": products}))


def encode(table: pa.Table) -> bytes:
    """Return rows of ``SCHEMA`` (fixed-size embeddings will do) as an Arrow file."""
    columns = [table[field.name].cast(field.type).combine_chunks() for field in SCHEMA]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, SCHEMA) as writer:
        writer.write_table(pa.Table.from_arrays(columns, schema=SCHEMA), max_chunksize=_BATCH)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def save(catalog: Catalog, name: str, data: bytes) -> str:
    """Keep a history file and return its sha256; the same again changes nothing, and an edition replaces itself.

    Raises CurationError for a name that cannot be one and for bytes that are no history.
    """
    if not _NAME.fullmatch(name):
        raise CurationError(
            f"{name!r} cannot name a set: use up to 64 letters, digits, dots, dashes and underscores, "
            "like deepfashion-2016"
        )
    _parse(pa.py_buffer(data), name)
    digest = sha256(data)
    for other, old, path in _files(catalog):
        if other == name and old != digest and _single(name):
            catalog.filesystem.rm_file(path)  # of an edition that was not frozen when it was written
    path = f"{catalog.path}/history/{name}-{digest}.arrow"
    if not catalog.filesystem.exists(path) or sha256(catalog.filesystem.cat_file(path)) != digest:
        catalog.write_bytes(path, data)
    return digest


def check(catalog: Catalog) -> list[dict[str, Any]]:
    """Read every byte of the history and return ``name``, ``entries``, ``digest`` of each file.

    Raises CurationError naming a file whose bytes are not those it was written with.
    """
    rows = []
    for name, digest, path in _files(catalog):
        if sha256(catalog.filesystem.cat_file(path)) != digest:
            raise CurationError(f"{path} is damaged: its bytes do not hash to its name; {_REMEDY}")
        rows.append({"name": name, "entries": _open(catalog, path).num_rows, "digest": digest})
    return rows


def products_shown(photos: pa.Table) -> dict[str, frozenset[str]]:
    """Return photo_id -> the products that it shows, by its page or by the links of its look page."""
    rows = photos.select(["photo_id", "product_id", "shows"]).to_pylist()
    return {row["photo_id"]: frozenset(filter(None, [row["product_id"], *(row["shows"] or [])])) for row in rows}


_REMEDY: Final = "delete it, then `lookbench history rebuild RELEASE` for an edition, `history add` for a listed set"


def _single(name: str) -> bool:
    """Whether a name has one file: an edition; a listed set grows by portions."""
    return bool(EDITION.fullmatch(name))


def _files(catalog: Catalog) -> list[tuple[str, str, str]]:
    """Return (name, digest, path) of every file, ordered by name."""
    folder = f"{catalog.path}/history"
    paths = catalog.filesystem.ls(folder, detail=False) if catalog.filesystem.exists(folder) else []
    found = [(_FILE.fullmatch(path.rsplit("/", 1)[-1]), path) for path in paths]
    return sorted((match["name"], match["digest"], path) for match, path in found if match)


def _open(catalog: Catalog, path: str) -> pa.Table:
    try:
        source = pa.memory_map(path) if catalog.is_local else pa.py_buffer(catalog.filesystem.cat_file(path))
    except OSError as error:
        raise CurationError(f"{path}: history cannot be read ({error}); {_REMEDY}") from error
    return _parse(source, path)


def _parse(source: Any, where: str) -> pa.Table:
    try:
        table = pa.ipc.open_file(source).read_all()
    except (pa.ArrowInvalid, OSError) as error:
        raise CurationError(f"{where}: history cannot be read ({error}); {_REMEDY}") from error
    if not table.schema.equals(SCHEMA):
        raise CurationError(f"{where}: history has other columns than this code reads; {_REMEDY}")
    return table
