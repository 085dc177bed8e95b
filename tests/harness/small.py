"""Writes small releases, so that every test can have its own."""

import hashlib
import io
import json
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

SUBSETS = ("real_studio_flat", "aigen_studio", "real_streetlook", "aigen_streetlook")
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
CATEGORIES = {"dress": ("floral", "plain"), "shoe": ("leather", "canvas"), "coat": ("wool", "down")}


def picture(seed: int, noise: float = 0.0) -> bytes:
    """A 24 x 32 PNG of coloured blocks; pictures of one seed look alike, `noise` moves their pixels apart."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(30, 226, (4, 3, 3)).repeat(8, axis=0).repeat(8, axis=1)
    grain = np.random.default_rng(int(noise * 1e6) + 7).normal(0, 30 * noise, blocks.shape)
    buffer = io.BytesIO()
    Image.fromarray(np.clip(blocks + grain, 0, 255).astype(np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def rows_of(subset: str, split: str, *, products: int = 6, copies: int = 1, start: int = 0) -> list[dict]:
    """Rows with products of all categories, dated one a month from 2026-07."""
    rows = []
    names = [(category, main) for category, mains in CATEGORIES.items() for main in mains]
    for product in range(products):
        category, main = names[(product + start) % len(names)]
        for copy in range(copies):
            number = start + product
            key = f"{subset}-{split}-{number}-{copy}"
            street = "street" in subset
            rows.append(
                {
                    "image": {"bytes": picture(number, 0.1 * copy + 0.15 * (split == "query")), "path": f"{key}.png"},
                    "raw_image": {
                        "bytes": picture(number, 0.11 * (copy + 3 * (split == "query"))),
                        "path": f"{key}-raw.png",
                    },
                    "category": category,
                    "main_attribute": main,
                    "other_attributes": "long sleeve, midi" if number % 2 else "midi",
                    "bbox": "[0, 0, 24, 32]",
                    "item_ID": str(number),
                    "task": subset,
                    "difficulty": "hard" if street else "easy",
                    "sample_id": key,
                    "date": date(2026, 7, 1) + timedelta(days=31 * (number % 6)),
                    "site": "shop-a" if number % 2 else "shop-b",
                    "look_id": f"look-{number // 2}" if street and split == "query" else None,
                    "product_id": f"p{number}",
                    "attributes": [{"facet": "material", "value": main}, {"facet": "length", "value": "midi"}],
                    "photo_sha256": hashlib.sha256(key.encode()).hexdigest(),
                }
            )
    return rows


SCHEMA = pa.schema(
    [
        ("image", IMAGE),
        ("raw_image", IMAGE),
        *(
            (name, pa.string())
            for name in ("category", "main_attribute", "other_attributes", "bbox", "item_ID", "task", "difficulty")
        ),
        ("sample_id", pa.string()),
        ("date", pa.date32()),
        ("site", pa.string()),
        ("look_id", pa.string()),
        ("product_id", pa.string()),
        ("attributes", pa.list_(pa.struct([("facet", pa.string()), ("value", pa.string())]))),
        ("photo_sha256", pa.string()),
    ]
)


def write_split(root: Path, subset: str, split: str, rows: Sequence[dict], schema: pa.Schema = SCHEMA) -> None:
    folder = root / "data" / subset
    folder.mkdir(parents=True, exist_ok=True)
    half = -(-len(rows) // 2) or 1
    shards = [rows[:half], rows[half:]] if len(rows) > 1 else [rows]
    for place, shard in enumerate(shards):
        table = pa.Table.from_pylist(list(shard), schema=schema)
        pq.write_table(table, folder / f"{split}-{place:05d}-of-{len(shards):05d}.parquet", row_group_size=3)


def seal(root: Path, **changes: object) -> None:
    files = {
        path.relative_to(root).as_posix(): {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
        }
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }
    content = {"schema_version": 1, "edition": "2026.12", "files": files} | changes
    (root / "manifest.json").write_text(json.dumps(content))
