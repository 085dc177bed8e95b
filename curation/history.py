"""What past editions released: fingerprints and dates, one append-only file per edition."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog import tables
from catalog.store import Catalog
from curation.errors import CurationError

KEPT = ("id", "photo_id", "pixels", "phash", "pdq", "pdq_quality", "embedding", "model")
"""Columns of table fingerprints that history keeps; orientations are a matter of the new side."""

SCHEMA = pa.schema(
    [
        *(tables.TABLES["fingerprints"].field(name) for name in KEPT),
        pa.field("edition", pa.string(), metadata={"doc": "edition that released it"}),
        pa.field("date", tables.TIME, metadata={"doc": "earliest evidence of the photo"}),
        pa.field("date_evidence", pa.string(), metadata={"doc": "JSON, as decisions hold it"}),
        pa.field("products", pa.list_(pa.string()), metadata={"doc": "products the photo shows, as far as known"}),
    ],
    metadata={"lookbench.table": "history", "lookbench.schema": tables.SCHEMA_VERSION},
)


@dataclass(frozen=True)
class History:
    """Everything released before; ``table`` has one row per item and one per photo."""

    table: pa.Table

    @classmethod
    def empty(cls) -> "History":
        """Return a history without rows."""
        return cls(SCHEMA.empty_table())

    @classmethod
    def from_table(
        cls, fingerprints: pa.Table, decisions: pa.Table, edition: str, photos: pa.Table | None = None
    ) -> "History":
        """Return the history of one edition: the fingerprints of its kept photos with the dates of ``decisions``.

        ``photos`` (table photos) tells which products a photo shows; without it that stays unknown.
        """
        kept = decisions.filter(decisions["kept"])
        prints = fingerprints.filter(pc.is_in(fingerprints["photo_id"], kept["id"])).select(KEPT)
        dates = dict(zip(kept["id"].to_pylist(), kept["date"].to_pylist(), strict=True))
        evidence = dict(zip(kept["id"].to_pylist(), kept["date_evidence"].to_pylist(), strict=True))
        shown = products_shown(photos) if photos is not None else {}
        ids: Sequence[str] = prints["photo_id"].to_pylist()
        columns = [
            *prints.columns,
            pa.array([edition] * len(ids), pa.string()),
            pa.array([dates[photo] for photo in ids], tables.TIME),
            pa.array([evidence[photo] for photo in ids], pa.string()),
            pa.array([sorted(shown.get(photo, ())) for photo in ids], pa.list_(pa.string())),
        ]
        return cls(pa.Table.from_arrays(columns, schema=SCHEMA))

    def append(
        self, fingerprints: pa.Table, decisions: pa.Table, edition: str, photos: pa.Table | None = None
    ) -> "History":
        """Return this history with one edition more; the edition replaces itself when it is already there."""
        before = self.table.filter(pc.not_equal(self.table["edition"], edition))
        added = History.from_table(fingerprints, decisions, edition, photos).table
        return History(pa.concat_tables([before, added]))

    @classmethod
    def load(cls, catalog: Catalog, before: str | None = None) -> "History":
        """Read the history of a catalog, only editions named before ``before`` when that is given.

        Raises CurationError for a damaged file.
        """
        folder = f"{catalog.path}/history"
        parts = sorted(catalog.filesystem.glob(f"{folder}/*.parquet")) if catalog.filesystem.exists(folder) else []
        wanted = [part for part in parts if before is None or _edition(part) < before]
        return cls(pa.concat_tables([SCHEMA.empty_table(), *(_read(catalog, part) for part in wanted)]))

    def save(
        self,
        catalog: Catalog,
        edition: str,
        fingerprints: pa.Table,
        decisions: pa.Table,
        photos: pa.Table | None = None,
    ) -> "History":
        """Write the rows of ``edition`` to the catalog and return this history with them; again changes nothing."""
        added = History.from_table(fingerprints, decisions, edition, photos)
        catalog.write_table(f"{catalog.path}/history/{edition}.parquet", added.table)
        return self.append(fingerprints, decisions, edition, photos)


def products_shown(photos: pa.Table) -> dict[str, frozenset[str]]:
    """Return photo_id -> the products that it shows, by its page or by the links of its look page."""
    rows = photos.select(["photo_id", "product_id", "shows"]).to_pylist()
    return {row["photo_id"]: frozenset(filter(None, [row["product_id"], *(row["shows"] or [])])) for row in rows}


def _edition(part: str) -> str:
    return part.rsplit("/", 1)[-1].removesuffix(".parquet")


def _read(catalog: Catalog, part: str) -> pa.Table:
    try:
        table = pq.read_table(pa.BufferReader(catalog.filesystem.cat_file(part)))
    except (pa.ArrowInvalid, OSError) as error:
        raise CurationError(
            f"{part}: history cannot be read ({error}); restore it from the release of its edition"
        ) from error
    if not table.schema.equals(SCHEMA):
        raise CurationError(f"{part}: history has other columns than this code reads; write it again from its release")
    return table.cast(SCHEMA)
