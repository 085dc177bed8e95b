"""Fixed parquet schemas of the catalog, every column documented, and the checks that keep tables honest."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from catalog.errors import LookbenchError

SCHEMA_VERSION = "1"
EMBEDDING_SIZE = 1280
TIME = pa.timestamp("us", tz="UTC")
ATTRIBUTES = pa.list_(pa.struct([pa.field("facet", pa.string()), pa.field("value", pa.string())]))


class TableError(LookbenchError):
    """A table is damaged, of another schema version, or lacks a column."""


def _schema(name: str, *columns: tuple[str, pa.DataType, str]) -> pa.Schema:
    fields = [pa.field(column, kind, metadata={"doc": doc}) for column, kind, doc in columns]
    return pa.schema(fields, metadata={"lookbench.table": name, "lookbench.schema": SCHEMA_VERSION})


S, F, INT, T = pa.string(), pa.float64(), pa.int64(), TIME
LIST = pa.list_(pa.string())

PRODUCTS = _schema(
    "products",
    ("product_id", S, "catalog.ids.product_id(site, canonical_url)"),
    ("site", S, "name of the site file"),
    ("url", S, "address the page was fetched from"),
    ("canonical_url", S, "address the page names as its own"),
    ("name", S, "product name"),
    ("brand", S, "brand, null when the page names none"),
    ("description", S, "plain text"),
    ("category_path", LIST, "breadcrumbs, outermost first"),
    ("gender", S, "women, men, girls, boys, unisex or null"),
    ("colour", S, "colour as the page says it"),
    ("material", S, "material as the page says it"),
    ("price", S, "decimal text of the current price"),
    ("price_low", S, "decimal text, lowest variant"),
    ("price_high", S, "decimal text, highest variant"),
    ("regular_price", S, "decimal text of the struck-through price"),
    ("currency", S, "ISO 4217"),
    ("availability", S, "InStock, OutOfStock, PreOrder, LimitedAvailability or null"),
    ("sku", S, "stock keeping unit"),
    ("gtin", S, "valid GTIN only"),
    ("group_id", S, "product group the product is a variant of"),
    ("variants", INT, "number of variants read on the page"),
    ("photo_urls", LIST, "absolute, in page order, largest known size of each"),
    ("language", S, "BCP 47 tag of the page"),
    ("published_at", T, "date the page or feed claims"),
    ("first_seen", T, "first fetch that showed this product"),
    ("last_seen", T, "the fetch that showed it so; views.products adds later sightings of the same"),
    ("evidence", S, "JSON: field -> source (jsonld, microdata, opengraph, feed, visible), page sha256"),
)

PHOTOS = _schema(
    "photos",
    ("photo_id", S, "sha256 of the original bytes"),
    ("bytes", INT, "size of the file"),
    ("mime", S, "media type by content"),
    ("width", INT, "pixels of the upright picture, null before it was decoded"),
    ("height", INT, "pixels of the upright picture"),
    ("origin", S, "retail, street or generated"),
    ("product_id", S, "the product whose page shows it, null for looks"),
    ("shows", LIST, "product ids that the page of a look links to"),
    ("setting", S, "flat, model or street"),
    ("site", S, "site it was first seen on; null when generated"),
    ("source_url", S, "address of the file at first sight"),
    ("page_url", S, "page that shows it at first sight"),
    ("licence", S, "licence as the site file or page states it"),
    ("robots", S, "JSON: what was asked and obeyed (robots.txt, X-Robots-Tag, meta)"),
    ("first_seen", T, "first time these bytes were seen"),
    ("published_at", T, "date the page claims for the product or picture"),
    ("http", S, "JSON of the headers that matter (etag, last-modified, content-type)"),
)

SIGHTINGS = _schema(
    "sightings",
    ("photo_id", S, "sha256 of the bytes, null when the fetch failed"),
    ("url", S, "address of the file"),
    ("page_url", S, "page that shows it"),
    ("site", S, "site"),
    ("product_id", S, "product of that page, null for looks"),
    ("seen_at", T, "time of the sighting"),
    ("status", S, "new, same, unchanged (not asked for, by the sitemap), or the reason of failure"),
)

ITEMS = _schema(
    "items",
    ("item_id", S, "catalog.ids.item_id(photo_id, box)"),
    ("photo_id", S, "photo the garment is in"),
    ("look_id", S, "photo_id for photos with several items, else null"),
    ("product_id", S, "the product it shows, where known"),
    ("box", pa.list_(F, 4), "x0, y0, x1, y1 in pixels of the upright photo"),
    ("category", S, "taxonomy category by detector and second stage"),
    ("score", F, "detector confidence, 0 to 1"),
    ("detector", S, "model spec and sha256"),
    ("crop_width", INT, "pixels"),
    ("crop_height", INT, "pixels"),
    ("touches_border", pa.bool_(), "the box meets the edge of the photo"),
)

FINGERPRINTS = _schema(
    "fingerprints",
    ("id", S, "item_id, or photo_id for a whole photo"),
    ("photo_id", S, "photo it belongs to"),
    ("pixels", S, "sha256 of the decoded upright RGB pixels of the photo (same for all its items)"),
    ("phash", pa.binary(8), "64-bit pHash of the trimmed picture"),
    ("pdq", pa.binary(32), "256-bit PDQ of the trimmed picture"),
    ("pdq_quality", INT, "0 to 100"),
    ("phash_turns", pa.binary(64), "pHash in the eight orientations of curation.hashes, for the new side of a search"),
    ("pdq_turns", pa.binary(256), "PDQ in the eight orientations"),
    ("embedding", pa.list_(pa.float16(), EMBEDDING_SIZE), "unit length"),
    ("model", S, "embedder spec and sha256"),
)

DECISIONS = _schema(
    "decisions",
    ("id", S, "photo_id or item_id"),
    ("kept", pa.bool_(), "stays in the edition"),
    ("reason", S, "code; 'unique' when kept"),
    ("matched_id", S, "the twin"),
    ("matched_edition", S, "edition or listed set of the twin, null inside the edition"),
    ("distance", F, "bits for hashes, 1 - cosine for embeddings"),
    ("threshold", F, "the line the distance was held against"),
    ("tier", S, "bytes, pixels, phash, pdq or embedding; null when unique"),
    ("date", T, "earliest evidence, inherited from the oldest twin"),
    ("date_evidence", S, "JSON: which sighting, which twin"),
)

FACES = _schema(
    "faces",
    ("photo_id", S, "look that was searched for faces"),
    ("boxes", pa.list_(pa.list_(F, 4)), "its faces, xyxy in pixels of the upright photo; null: not searched"),
    ("scores", pa.list_(F), "0 to 1, same order"),
    ("finder", S, "face finder spec and sha256"),
)

LABELS = _schema(
    "labels",
    ("item_id", S, "item"),
    ("category", S, "taxonomy category"),
    ("main_attribute", S, "value of the facet that leads for this category"),
    ("attributes", ATTRIBUTES, "all facets, the main one included"),
    ("annotator", S, "who"),
    ("kind", S, "machine, human or adjudicated"),
    ("model_version", S, "what predicted it, for machine labels"),
    ("lead_time_s", F, "seconds of labelling"),
    ("agreement", F, "0 to 1 among annotators, null with one annotator"),
    ("taxonomy_version", S, "taxonomy the values belong to"),
)

GENERATED = _schema(
    "generated",
    ("photo_id", S, "sha256 of the bytes"),
    ("seed_item_ids", LIST, "items the picture was made from, in placing order"),
    ("seed_product_ids", LIST, "their products, same order"),
    ("seed_boxes", pa.list_(pa.list_(F, 4)), "where each seed was placed, xyxy pixels, same order"),
    ("recipe", S, "studio or street"),
    ("pipeline", S, "model spec"),
    ("revision", S, "sha256 or hub revision of the weights"),
    ("licence", S, "licence of the weights"),
    ("prompt", S, "prompt as given"),
    ("negative_prompt", S, "negative prompt"),
    ("seed", INT, "random seed"),
    ("steps", INT, "denoising steps"),
    ("scheduler", S, "scheduler class"),
    ("identity_score", F, "cosine of the made garment to its seed, filled by the identity check"),
    ("safety_verdict", S, "verdict of the safety check"),
    ("created_at", T, "injected clock"),
)

LEDGER = _schema(
    "ledger",
    ("edition", S, "edition, or null for crawls"),
    ("step", S, "step name"),
    ("subject", S, "page, photo, item, seed, ..."),
    ("id", S, "id of the input"),
    ("parent_id", S, "photo of an item, page of a photo"),
    ("outcome", S, "kept or dropped"),
    ("reason", S, "code; 'ok' when kept without remark"),
    ("evidence", S, "JSON: pair, distance, threshold, rule"),
)

TABLES: Mapping[str, pa.Schema] = {
    "products": PRODUCTS,
    "photos": PHOTOS,
    "sightings": SIGHTINGS,
    "items": ITEMS,
    "fingerprints": FINGERPRINTS,
    "decisions": DECISIONS,
    "faces": FACES,
    "labels": LABELS,
    "generated": GENERATED,
    "ledger": LEDGER,
}


def from_rows(name: str, rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Build table ``name`` from dicts; missing keys become null, unknown keys are refused.

    Raises TableError naming the table and the column that is unknown or of the wrong type.
    """
    schema = TABLES[name]
    rows = list(rows)
    for row in rows:
        if unknown := set(row) - set(schema.names):
            raise TableError(f"table {name}: unknown column {min(unknown)!r}; known: {', '.join(schema.names)}")
    columns = []
    for field in schema:
        try:
            columns.append(pa.array([row.get(field.name) for row in rows], type=field.type))
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
            raise TableError(f"table {name}, column {field.name}: {error}; expected {field.type}") from error
    return pa.Table.from_arrays(columns, schema=schema)


def empty(name: str) -> pa.Table:
    """Return table ``name`` without rows."""
    return from_rows(name, [])


def check(table: pa.Table, name: str, where: str) -> pa.Table:
    """Return ``table`` when it has exactly the columns and version of schema ``name``; raise TableError otherwise."""
    version = (table.schema.metadata or {}).get(b"lookbench.schema", b"none").decode()
    if version != SCHEMA_VERSION:
        raise TableError(
            f"{where}: table {name} has schema version {version}, this code reads {SCHEMA_VERSION}; "
            "use the LookBench release that wrote it, or start a new catalog with --root"
        )
    wanted = TABLES[name]
    if not table.schema.equals(wanted, check_metadata=False):
        differ = [
            field.name
            for field in wanted
            if field.name not in table.schema.names or table.schema.field(field.name).type != field.type
        ]
        extra = sorted(set(table.schema.names) - set(wanted.names))
        raise TableError(f"{where}: table {name} is damaged: wrong or missing columns {differ}, unknown {extra}")
    return table


def digest(table: pa.Table) -> str:
    """Return the logical sha256 of a table: its columns and values, however chunked, sliced or written."""
    state = hashlib.sha256(json.dumps([table.num_rows, [[f.name, _type(f.type)] for f in table.schema]]).encode())
    for field, column in zip(table.schema, table.columns, strict=True):
        if (
            pa.types.is_fixed_size_list(field.type)
            and pa.types.is_floating(field.type.value_type)
            and column.null_count == 0
        ):
            flat = [chunk.flatten().to_numpy(zero_copy_only=False).tobytes() for chunk in column.chunks]
            state.update(b"".join(flat))
            continue
        for value in column.to_pylist():
            state.update(json.dumps(value, default=_plain, sort_keys=True).encode())
            state.update(b"\n")
    return state.hexdigest()


def _type(kind: pa.DataType) -> str:
    """Name a type without the names of list members: pyarrow calls them "item", files say "element"."""
    if pa.types.is_list(kind):
        return f"list<{_type(kind.value_type)}>"
    if pa.types.is_fixed_size_list(kind):
        return f"list<{_type(kind.value_type)}>[{kind.list_size}]"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'{field.name}: {_type(field.type)}' for field in kind)}>"
    return str(kind)


def _plain(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else value.isoformat()
