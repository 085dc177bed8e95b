"""What must be true of the tables of a release, checked on the tables alone."""

import ast
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from releases import faces as masks
from releases import qrels as judgements
from releases import reading
from releases.schema import ANCHORS, NOISE, SUBSETS

Tables = Mapping[tuple[str, str], pa.Table]
Found = tuple[str, str, str]
"""Check, where, message."""
_SHOWN: Final = 3


def some(names: Iterable[object]) -> str:
    """Return up to three names and how many there are in all."""
    listed = sorted({str(name) for name in names})
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


def samples(tables: Tables, _linked: bool) -> Iterator[Found]:
    """Every sample has a unique id, a date with its evidence, a category, a licence, a product and a box."""
    seen: Counter[str] = Counter()
    for (subset, split), table in tables.items():
        where = f"{subset}/{split}"
        ids = [str(sample_id) for sample_id in table["sample_id"].to_pylist()]
        seen.update(ids)
        for column in (
            "sample_id",
            "date",
            "date_evidence",
            "first_seen",
            "category",
            "licence",
            "product_id",
            "photo_sha256",
        ):
            empty = [sample_id for sample_id, value in zip(ids, table[column].to_pylist(), strict=True) if not value]
            if empty:
                yield f"without_{column}", where, f"{len(empty)} samples have no {column}: {some(empty)}"
        boxes = zip(ids, table["bbox"].to_pylist(), strict=True)
        if bad := [sample_id for sample_id, box in boxes if not _is_box(box)]:
            yield "bbox", where, f"{len(bad)} samples have no box [x0, y0, x1, y1]: {some(bad)}"
        proof = zip(ids, table["date_evidence"].to_pylist(), strict=True)
        if bad := [sample_id for sample_id, text in proof if text and not _is_json(text)]:
            yield "date_evidence", where, f"{len(bad)} samples have evidence that is no JSON: {some(bad)}"
    if double := [sample_id for sample_id, count in seen.items() if count > 1]:
        yield "sample_id", "all splits", f"{len(double)} sample ids stand for several rows: {some(double)}"


def pictures(tables: Tables, linked: bool) -> Iterator[Found]:
    """Every sample has its pixels, or an address in a release of links, and the original file is the one it names,
    or one with faces blurred."""
    for (subset, split), table in tables.items():
        columns = ("sample_id", "image", "raw_image", "photo_sha256", "source_url")
        missing, other, bare = [], [], []
        blurred = table["faces"].to_pylist() if "faces" in table.column_names else [None] * table.num_rows
        rows = zip(*(table[name].to_pylist() for name in columns), blurred, strict=True)
        for sample_id, crop, raw, photo, url, faces in rows:
            if faces is not None and (not _are_boxes(faces) or raw == photo):
                bare.append(sample_id)
            elif raw is not None and raw != photo and faces is None:
                other.append(sample_id)
            if (crop is None or raw is None) and not (linked and url):
                missing.append(sample_id)
        if missing:
            yield (
                "picture",
                f"{subset}/{split}",
                f"{len(missing)} samples have neither pixels nor a link: {some(missing)}",
            )
        if bare:
            said = f"{len(bare)} samples name faces that are no boxes, or show them in the original file: {some(bare)}"
            yield "faces", f"{subset}/{split}", said
        if other:
            yield "photo_sha256", f"{subset}/{split}", f"{len(other)} raw images are not the photo named: {some(other)}"


def line(tables: Tables, _linked: bool) -> Iterator[Found]:
    """No photo and no crop is a query in one place and a gallery row in another."""
    for column in ("photo_sha256", "image"):
        sides: dict[str, dict[str, str]] = {"query": {}, "gallery": {}}
        for (_, split), table in tables.items():
            keys = table[column].to_pylist()
            pairs = zip(keys, table["sample_id"].to_pylist(), strict=True)
            sides[split].update({key: sample_id for key, sample_id in pairs if key})
        both = sorted(set(sides["query"]) & set(sides["gallery"]))
        if both:
            names = [f"{sides['query'][key]} = {sides['gallery'][key]}" for key in both]
            yield "across_the_line", column, f"{len(both)} are query and gallery at once: {some(names)}"


def positives(tables: Tables, _linked: bool) -> Iterator[Found]:
    """Every query has a gallery row of its product, and one of its category and main attribute."""
    for subset in (*SUBSETS, ANCHORS):
        if (subset, "query") not in tables or (subset, "gallery") not in tables:
            continue
        gallery = reading.judged(tables[subset, "gallery"])
        groups = {(row.category, row.main_attribute) for row in gallery}
        products = {row.product_id for row in gallery}
        for what, bad in (
            (
                "category and main attribute",
                [
                    r
                    for r in reading.judged(tables[subset, "query"])
                    if not r.main_attribute or (r.category, r.main_attribute) not in groups
                ],
            ),
            ("product", [r for r in reading.judged(tables[subset, "query"]) if r.product_id not in products]),
        ):
            if bad:
                names = some(row.sample_id for row in bad)
                yield (
                    "query_without_positive",
                    f"{subset}/query",
                    f"{len(bad)} have no gallery row of equal {what}: {names}",
                )


def distractors(tables: Tables, _linked: bool) -> Iterator[Found]:
    """No distractor shares category and main attribute, or the product, with any query."""
    if (NOISE, "gallery") not in tables:
        return
    queries = [row for name in SUBSETS if (name, "query") in tables for row in reading.judged(tables[name, "query"])]
    groups, products = {(row.category, row.main_attribute) for row in queries}, {row.product_id for row in queries}
    bad = [
        row.sample_id
        for row in reading.judged(tables[NOISE, "gallery"])
        if (row.category, row.main_attribute) in groups or row.product_id in products
    ]
    if bad:
        yield "distractor_is_positive", "noise/gallery", f"{len(bad)} distractors answer a query: {some(bad)}"


def qrels(path: Path, tables: Tables) -> Iterator[Found]:
    """The judgements are exactly those that follow from the tables."""
    for subset in SUBSETS:
        file = path / "qrels" / f"{subset}.tsv"
        if not file.is_file() or (subset, "query") not in tables or (subset, "gallery") not in tables:
            continue
        rows = reading.judged(tables[subset, "query"]), reading.judged(tables[subset, "gallery"])
        right = set(judgements.lines(judgements.grades(*rows)))
        text = file.read_text(encoding="utf-8", errors="replace")
        found = text.splitlines(keepends=True)
        if missing := right - set(found):
            yield "qrels", f"qrels/{subset}.tsv", f"{len(missing)} judgements are missing: {some(missing)!r}"
        if strange := set(found) - right:
            yield (
                "qrels",
                f"qrels/{subset}.tsv",
                f"{len(strange)} judgements do not follow from the tables: {some(strange)!r}",
            )
        if len(found) != len(set(found)):
            yield "qrels", f"qrels/{subset}.tsv", f"{len(found) - len(set(found))} judgements stand there twice"


def looks(path: Path, tables: Tables) -> Iterator[Found]:
    """The looks name exactly the queries that carry their look_id."""
    file = path / "qrels" / "looks.parquet"
    if not file.is_file():
        return
    right: dict[tuple[str, str], list[str]] = defaultdict(list)
    for subset in SUBSETS:
        if (subset, "query") in tables:
            table = tables[subset, "query"]
            for sample_id, look in zip(table["sample_id"].to_pylist(), table["look_id"].to_pylist(), strict=True):
                if look:
                    right[subset, look].append(sample_id)
    try:
        rows = pq.read_table(file).to_pylist()
        found = {(row["subset"], row["look_id"]): row["sample_ids"] for row in rows}
    except (OSError, pa.ArrowInvalid, KeyError):
        return  # reported as unreadable, or as another table than the one frozen
    wrong = [key for key in {*right, *found} if sorted(right.get(key, [])) != sorted(found.get(key) or [])]
    if wrong:
        yield "looks", "qrels/looks.parquet", f"{len(wrong)} looks do not agree with the queries: {some(wrong)}"


def _is_box(text: str | None) -> bool:
    try:
        box = ast.literal_eval(text or "")
        return len(box) == 4 and 0 <= box[0] < box[2] and 0 <= box[1] < box[3]
    except (ValueError, SyntaxError, TypeError):
        return False


def _are_boxes(text: str) -> bool:
    try:
        boxes = masks.boxes({"faces": text})
    except (ValueError, SyntaxError, TypeError):
        return False
    return bool(boxes) and all(_is_box(str(box)) for box in boxes)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
