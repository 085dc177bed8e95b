"""The columns of a release: the nine of the published LookBench first, then dates, provenance and typed attributes."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from catalog.tables import ATTRIBUTES, TIME

SUBSETS: Final = ("real_studio_flat", "aigen_studio", "real_streetlook", "aigen_streetlook")
NOISE: Final = "noise"
ANCHORS: Final = "anchors"
HARDNESS: Final = ("easy", "medium", "hard")
DIFFICULTY: Final[Mapping[str, str]] = {
    "real_studio_flat": "easy",
    "aigen_studio": "medium",
    "real_streetlook": "hard",
    "aigen_streetlook": "hard",
    NOISE: "",
}
SINGLE, MULTI = "single-item retrieval", "multi-item retrieval"
TASK: Final[Mapping[str, str]] = {
    "real_studio_flat": SINGLE,
    "aigen_studio": SINGLE,
    "real_streetlook": MULTI,
    "aigen_streetlook": MULTI,
    NOISE: "",
}
"""``multi-item retrieval``: the query is one of several garments of a look, and the look is scored as a whole too."""

IMAGE: Final = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])
PUBLISHED: Final = (
    "image",
    "raw_image",
    "category",
    "main_attribute",
    "other_attributes",
    "bbox",
    "item_ID",
    "task",
    "difficulty",
)


@dataclass(frozen=True)
class Column:
    """One column of a release."""

    name: str
    type: pa.DataType
    doc: str


_S: Final = pa.string()
COLUMNS: Final = (
    Column("image", IMAGE, "the crop of the garment, upright sRGB"),
    Column("raw_image", IMAGE, "the whole photo: the original file, byte for byte, unless `faces` are blurred in it"),
    Column("category", _S, "garment category of the taxonomy"),
    Column("main_attribute", _S, "value of the facet that leads for this category"),
    Column("other_attributes", _S, "the other values, comma-separated"),
    Column("bbox", _S, "[x0, y0, x1, y1] of the crop in pixels of the upright raw_image"),
    Column("item_ID", _S, "number of the product; restarts in every subset"),
    Column("task", _S, f"'{SINGLE}' or '{MULTI}'; empty for distractors"),
    Column("difficulty", _S, "easy, medium or hard (every harder variant); empty for distractors"),
    Column("sample_id", _S, "unique over all editions, subsets and splits"),
    Column("date", TIME, "earliest evidence that the picture existed"),
    Column("date_evidence", _S, "JSON: the sighting or the older twin that the date comes from"),
    Column("first_seen", TIME, "first time these very bytes were seen"),
    Column("published_at", TIME, "date that the page claims; null when it claims none"),
    Column("source_url", _S, "address of the photo; null for generated pictures"),
    Column("site", _S, "site the photo was first seen on; null for generated pictures"),
    Column("brand", _S, "brand of the product"),
    Column("title", _S, "name of the product"),
    Column("licence", _S, "licence as the site states it"),
    Column("look_id", _S, "the photo with several garments that this one is part of"),
    Column("product_id", _S, "the product that the garment is; equal ids are the same product, across subsets too"),
    Column("attributes", ATTRIBUTES, "typed attributes, the main one included"),
    Column("label_kind", _S, "machine, human or adjudicated"),
    Column("label_agreement", pa.float64(), "0 to 1 among annotators; null with a single label"),
    Column("generator", _S, "pipeline and revision that made the picture; null for photos"),
    Column("photo_sha256", _S, "sha256 of the original file"),
    Column("variant", _S, "tight, small or occluded: how this query was made harder; null as photographed"),
    Column("hidden", _S, "[x0, y0, x1, y1] of the crop that an occluded one shows grey; null elsewhere"),
    Column("band", _S, "distractors only: cosine to the nearest query, as an interval"),
    Column("faces", _S, "[[x0, y0, x1, y1], ...] in pixels of raw_image: faces that are blurred there; null for none"),
)
LATER: Final = frozenset({"variant", "hidden", "faces"})
"""Columns that the first releases do not have."""
NAMES: Final = tuple(column.name for column in COLUMNS)

_LOOK_COLUMNS: Final = (
    Column("look_id", _S, "photo with several garments"),
    Column("subset", _S, "subset of its queries"),
    Column("garments", pa.int64(), "garments found in the photo"),
    Column("sample_ids", pa.list_(_S), "its queries; the look is right when all of them are"),
)


def features(columns: tuple[Column, ...] = COLUMNS) -> dict[str, Any]:
    """Return the Hugging Face features of the columns, in the notation that every version of ``datasets`` reads."""
    return {column.name: _feature(column.type) for column in columns}


def schema(found: Collection[str] = NAMES) -> pa.Schema:
    """Return the arrow schema of a split, with the metadata that makes ``datasets`` show pictures as pictures.

    ``found`` are the columns of a file that is there: one of a release from before a column was added need not have it.
    """
    return _schema(tuple(column for column in COLUMNS if column.name in found or column.name not in LATER))


def looks_schema() -> pa.Schema:
    """Return the arrow schema of ``qrels/looks.parquet``."""
    return _schema(_LOOK_COLUMNS)


def _schema(columns: tuple[Column, ...]) -> pa.Schema:
    fields = [pa.field(column.name, column.type, metadata={"doc": column.doc}) for column in columns]
    info = json.dumps({"info": {"features": features(columns)}}, separators=(",", ":"))
    return pa.schema(fields, metadata={"huggingface": info})


def _feature(kind: pa.DataType) -> Any:
    if kind == IMAGE:
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return [_feature(kind.value_type)]
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": "float64" if kind == pa.float64() else str(kind), "_type": "Value"}
