"""Read older image-retrieval sets: labelled parquet pairs, and the folder of Fashion200K itself.

- Labelled pairs, as the official LookBench code configures Fashion200K and DeepFashion: `query[/query].parquet` and
  `gallery[/gallery].parquet` with the columns `image` (bytes, an Image struct, or a path) and `label`.
- Fashion200K (Han et al., ICCV 2017): `labels/<category>_test_detect_all.txt` with lines of picture path, detection
  score and description. It was made for text queries; as image retrieval, the first picture of every product with
  several pictures is a query, all other pictures are the gallery, and the same product answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from lookbench_eval.errors import ReleaseError
from lookbench_eval.readers.base import Release, Source, Split, Subset, choose
from lookbench_eval.readers.files import FilePictures
from lookbench_eval.readers.parquet import ParquetPictures, opened
from lookbench_eval.samples import Samples

MEASURES = ("Item@1", "Item@5", "Item@10", "Item@20", "Recall@10", "MRR", "mAP")
SUBSET = "all"


def is_pairs(root: Path) -> bool:
    """Whether the folder holds labelled parquet pairs."""
    return _find(root, "query") is not None and _find(root, "gallery") is not None


def is_fashion200k(root: Path) -> bool:
    """Whether the folder is an unpacked Fashion200K."""
    return any((root / "labels").glob("*_test_detect_all.txt"))


def read_pairs(root: Path, *, subsets: Sequence[str] | None = None) -> Release:
    """Open labelled pairs: the label is the product. Raises ReleaseError."""
    choose(subsets, [SUBSET], str(root))
    return _release(root, "pairs", [Subset(SUBSET, _pair(root, "query"), _pair(root, "gallery"))], MEASURES)


def read_fashion200k(root: Path, *, subsets: Sequence[str] | None = None) -> Release:
    """Open the test part of Fashion200K; each of its five categories is a subset. Raises ReleaseError."""
    files = {path.name.split("_")[0]: path for path in sorted((root / "labels").glob("*_test_detect_all.txt"))}
    parts = []
    for name in choose(subsets, sorted(files), str(root)):
        rows = list(_labels(files[name]))
        products: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            products.setdefault(str(row["item"]), []).append(row)
        queries = [held[0] for held in products.values() if len(held) > 1]
        asked = {row["id"] for row in queries}
        gallery = [row for row in rows if row["id"] not in asked]
        if not queries:
            raise ReleaseError(f"{files[name]}: no product has several pictures, so there is nothing to retrieve")
        parts.append(Subset(name, _split(root, queries), _split(root, gallery)))
    return _release(root, "fashion200k", parts, ("Coarse@1", *MEASURES))


def _release(root: Path, layout: str, parts: Sequence[Subset], measures: tuple[str, ...]) -> Release:
    return Release(
        name=root.resolve().name,
        layout=layout,
        subsets=tuple(parts),
        measures=measures,
        bare="item",
        notes=("An older set without dates: models may have trained on these very pictures.",),
    )


def _labels(path: Path) -> Iterator[Mapping[str, Any]]:
    """Rows of one label file; the product is the folder of the picture, the category the folders above it."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ReleaseError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        name, _, rest = line.partition("\t")
        folders = name.split("/")
        if len(folders) < 4 or not rest:
            raise ReleaseError(
                f"{path}, line {number}: {line!r}; expected women/<kind>/<style>/<product>/<file>, a score and a text, "
                "separated by tabs"
            )
        yield {"id": name, "item": folders[-2], "category": folders[1], "picture": name}


def _split(root: Path, rows: Sequence[Mapping[str, Any]]) -> Split:
    return Split(Samples.of(rows), FilePictures(root, tuple(str(row["picture"]) for row in rows)))


def _find(root: Path, split: str) -> Path | None:
    for path in (root / split / f"{split}.parquet", root / f"{split}.parquet"):
        if path.is_file():
            return path
    return None


def _pair(root: Path, split: str) -> Split:
    path = _find(root, split)
    if path is None:
        raise ReleaseError(f"{root} has no {split}.parquet and no {split}/{split}.parquet")
    with opened(path) as file:
        names = file.schema_arrow.names
        missing = [name for name in ("image", "label") if name not in names]
        if missing:
            raise ReleaseError(f"{path}: columns missing: {', '.join(missing)}; the file has {', '.join(names)}")
        kind = file.schema_arrow.field("image").type
        table = file.read(columns=[name for name in ("label", "category") if name in names])
        source: Source
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            paths = file.read(columns=["image"]).column(0).to_pylist()
            source = FilePictures(root, tuple(value or "" for value in paths))
        elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            source = BinaryPictures(path)
        elif pa.types.is_struct(kind) and "bytes" in [kind.field(place).name for place in range(kind.num_fields)]:
            source = ParquetPictures((path,))
        else:
            raise ReleaseError(f"{path}: column 'image' has type {kind}; expected bytes, an Image struct, or a path")
    labels = table.column("label").to_pylist()
    category = table.column("category").to_pylist() if "category" in table.schema.names else [""] * len(labels)
    rows = [
        {"id": f"{split}/{row}", "item": "" if label is None else str(label), "category": kind or ""}
        for row, (label, kind) in enumerate(zip(labels, category, strict=True))
    ]
    if split == "query" and not rows:
        raise ReleaseError(f"{path} is empty; a set needs queries")
    return Split(Samples.of(rows), source)


@dataclass(frozen=True)
class BinaryPictures:
    """A plain binary column `image`."""

    path: Path

    def __iter__(self) -> Iterator[bytes]:
        with opened(self.path) as file:
            for batch in file.iter_batches(batch_size=64, columns=["image"]):
                for row, value in enumerate(batch.column(0)):
                    data = value.as_py()
                    if not data:
                        raise ReleaseError(f"{self.path.name}: row {row} of a batch holds no picture")
                    yield data
