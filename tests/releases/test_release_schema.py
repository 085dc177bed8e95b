import ast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from releases.schema import IMAGE, NAMES, NOISE, PUBLISHED, SUBSETS, features, schema

PUBLISHED_ORDER = [
    "image",
    "raw_image",
    "category",
    "main_attribute",
    "other_attributes",
    "bbox",
    "item_ID",
    "task",
    "difficulty",
]


@pytest.fixture
def datasets(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    return pytest.importorskip("datasets")


def test_the_published_columns_come_first_with_their_types():
    assert list(PUBLISHED) == PUBLISHED_ORDER == list(NAMES[:9])
    types = [field.type for field in schema()][:9]
    assert types == [IMAGE, IMAGE, *[pa.string()] * 7]


def test_every_column_is_documented():
    assert all(field.metadata[b"doc"] for field in schema())


def test_datasets_understands_the_features(datasets):
    found = datasets.Features.from_dict(features())
    assert isinstance(found["image"], datasets.Image)
    assert found["date"] == datasets.Value("timestamp[us, tz=UTC]")
    assert found.arrow_schema.types == schema().types


@pytest.mark.parametrize("subset", [*SUBSETS, NOISE])
def test_load_dataset_gives_splits_and_pictures(frozen, datasets, tmp_path, subset):
    loaded = datasets.load_dataset(str(frozen.path), subset, cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == ({"gallery"} if subset == NOISE else {"query", "gallery"})
    for split, rows in loaded.items():
        assert rows.column_names[:9] == PUBLISHED_ORDER
        assert rows.num_rows == frozen.figures["rows"][f"{subset}/{split}"]
        first = rows[0]
        x0, y0, x1, y1 = ast.literal_eval(first["bbox"])
        assert first["image"].size == (x1 - x0, y1 - y0)
        assert first["raw_image"].size == (72, 90)
        assert first["date"].tzinfo is not None
        assert first["date_evidence"]
        assert {pair["value"] for pair in first["attributes"]} >= {first["main_attribute"]} - {""}
        assert isinstance(rows.features["image"], datasets.Image)


def test_load_dataset_gives_all_configs_of_the_card(frozen, datasets):
    assert datasets.get_dataset_config_names(str(frozen.path)) == [*SUBSETS, NOISE]


def test_the_file_is_made_for_random_reads(frozen):
    file = pq.ParquetFile(frozen.path / "data/real_studio_flat/gallery-00000-of-00001.parquet")
    assert max(file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)) <= 100
    columns = [file.metadata.row_group(0).column(n) for n in range(file.metadata.num_columns)]
    codec = {column.path_in_schema: column.compression for column in columns}
    assert codec["image.bytes"] == codec["raw_image.bytes"] == "UNCOMPRESSED"
    assert codec["category"] == codec["attributes.list.element.value"] == "ZSTD"


def test_the_original_file_is_in_the_row_byte_for_byte(frozen, catalog):
    row = pq.read_table(frozen.path / "data/real_streetlook/query-00000-of-00001.parquet").to_pylist()[0]
    assert row["raw_image"]["bytes"] == catalog.get_image(row["photo_sha256"])
