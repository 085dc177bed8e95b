"""Relevance judgements in TREC form, and the looks for outfit scores."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from releases.schema import SUBSETS, looks_schema
from releases.subsets import Assembly


@dataclass(frozen=True)
class Judged:
    """What a judgement looks at: one row of a query or gallery split."""

    sample_id: str
    category: str
    main_attribute: str
    words: frozenset[str]
    """All attribute values, the main one included."""
    product_id: str


def grades(queries: Iterable[Judged], gallery: Iterable[Judged]) -> Iterator[tuple[str, str, int]]:
    """Yield (query, gallery row, grade) of every judged pair, in a fixed order.

    The grade is ``|Aq n Ai|``, the attributes in common, where category and main attribute are equal. Since ``|Aq|`` is
    the same for all answers to a query, nDCG with these whole numbers as gains equals nDCG with the gain
    ``|Aq n Ai| / |Aq|``. A photo of the same product under another label is judged 0.
    """
    by_group: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    by_product: dict[str, list[Judged]] = defaultdict(list)
    for row in sorted(gallery, key=lambda row: row.sample_id):
        by_group[row.category, row.main_attribute].append(row)
        by_product[row.product_id].append(row)
    for query in sorted(queries, key=lambda row: row.sample_id):
        if not query.main_attribute:
            continue
        same = by_group[query.category, query.main_attribute]
        found = {row.sample_id: len(query.words & row.words) for row in same}
        peers = by_product[query.product_id] if query.product_id else []
        others = [row.sample_id for row in peers if row.sample_id not in found]
        found.update(dict.fromkeys(others, 0))
        for answer, grade in sorted(found.items()):
            yield query.sample_id, answer, grade


def judged(assembly: Assembly, subset: str, split: str) -> list[Judged]:
    """Return the rows of a split as judgements look at them."""
    return [
        Judged(
            sample.sample_id,
            sample.record.category,
            sample.record.main_attribute or "",
            sample.record.words,
            sample.record.product_id or "",
        )
        for sample in getattr(assembly.subsets[subset], split)
    ]


def lines(pairs: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Yield TREC qrels: query, 0, answer, grade, separated by tabs."""
    for query, answer, grade in pairs:
        yield f"{query}\t0\t{answer}\t{grade}\n"


def looks(assembly: Assembly) -> pa.Table:
    """Return one row per look that has queries: its subset, its garments, and its queries."""
    rows = []
    for subset in SUBSETS:
        asked: dict[str, list[str]] = defaultdict(list)
        for sample in assembly.subsets[subset].query:
            if sample.record.look_id:
                asked[sample.record.look_id].append(sample.sample_id)
        rows += [
            {
                "look_id": key,
                "subset": subset,
                "garments": assembly.garments.get(key, len(names)),
                "sample_ids": sorted(names),
            }
            for key, names in sorted(asked.items())
        ]
    return pa.Table.from_pylist(rows, schema=looks_schema())


def write(folder: Path, assembly: Assembly) -> None:
    """Write ``<subset>.tsv`` of every subset into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for subset in SUBSETS:
        pairs = grades(judged(assembly, subset, "query"), judged(assembly, subset, "gallery"))
        (folder / f"{subset}.tsv").write_text("".join(lines(pairs)), encoding="utf-8", newline="\n")
