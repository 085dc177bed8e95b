"""The anchor slice: a few samples of the edition before, so that drift and difficulty can be told apart."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from releases import manifest, reading
from releases.digests import file_sha256
from releases.records import rank
from releases.schema import SUBSETS

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Anchors:
    """Rows of an earlier edition, word for word, with the sample ids they had there."""

    edition: str
    manifest_sha256: str
    query: tuple[Row, ...]
    gallery: tuple[Row, ...]


def choose(previous: Path | None, count: int, *, faces: str = "keep") -> Anchors | None:
    """Take ``count`` queries of a past release, spread evenly over its subsets, with the photos of their products.

    A stable hash chooses, so the same samples are taken every time. They keep their dates: a cutoff after the edition
    before leaves them out like everything old. With ``faces`` "blur", looks of a release that shows faces are passed
    over: its pixels are as they are. Returns None when there is no past release or none is asked for.
    """
    if previous is None or count <= 0:
        return None
    content = manifest.read(previous)
    edition = str(content["edition"])
    shown = faces == "blur" and content.get("faces") != "blur"
    asked: dict[str, dict[str, str]] = {}
    for subset in SUBSETS:
        table = _faceless(reading.read_labels(previous, subset, "query"), shown)
        pairs = zip(table["sample_id"].to_pylist(), table["product_id"].to_pylist(), strict=True)
        ranked = sorted(pairs, key=lambda pair: rank("anchors", pair[0]))
        share = count // len(SUBSETS) + (SUBSETS.index(subset) < count % len(SUBSETS))
        asked[subset] = dict(ranked[:share])
    query, gallery = [], []
    for subset, chosen in asked.items():
        found = reading.read_pictures(previous, subset, "query", list(chosen))
        answers = _answers(previous, subset, set(chosen.values()), shown)
        query += [found[key] for key in sorted(found)]
        gallery += [answers[key] for key in sorted(answers)]
    sha256 = file_sha256(previous / manifest.NAME)
    return Anchors(edition, sha256, tuple(query), tuple(_once(gallery)))


def _faceless(table: pa.Table, shown: bool) -> pa.Table:
    return table.filter(pc.is_null(table["look_id"])) if shown else table


def _answers(previous: Path, subset: str, products: set[str], shown: bool) -> dict[str, dict[str, Any]]:
    table = _faceless(reading.read_labels(previous, subset, "gallery"), shown)
    pairs = zip(table["sample_id"].to_pylist(), table["product_id"].to_pylist(), strict=True)
    return reading.read_pictures(previous, subset, "gallery", [key for key, product in pairs if product in products])


def _once(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep one gallery row per box: several subsets of the past edition may show the same photo."""
    seen: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        seen[row["photo_sha256"], row["bbox"]].append(row)
    return [same[0] for same in seen.values()]
