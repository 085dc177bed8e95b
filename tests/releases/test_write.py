import pyarrow.parquet as pq

from releases.schema import NAMES
from releases.write import write_split


def rows(count: int, size: int = 1000, start: int = 0) -> list[dict[str, object]]:
    blank = dict.fromkeys(NAMES)
    return [
        {**blank, "sample_id": f"s-{n}", "image": {"bytes": bytes([n % 256]) * size, "path": None}}
        for n in range(start, start + count)
    ]


def test_shards_are_closed_before_they_grow_too_large(tmp_path):
    batches = [rows(10, start=start) for start in range(0, 50, 10)]
    files = write_split(tmp_path, "gallery", batches, shard_bytes=25_000)
    assert [file.name for file in files] == [f"gallery-0000{n}-of-00003.parquet" for n in range(3)]
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name for file in files]
    ids = [name for file in files for name in pq.read_table(file)["sample_id"].to_pylist()]
    assert ids == [f"s-{n}" for n in range(50)]


def test_a_row_group_larger_than_a_shard_has_one_of_its_own(tmp_path):
    files = write_split(tmp_path, "query", [rows(3), rows(3, start=3)], shard_bytes=10)
    assert [pq.read_metadata(file).num_rows for file in files] == [3, 3]


def test_an_empty_split_is_still_a_file(tmp_path):
    (file,) = write_split(tmp_path, "query", [], shard_bytes=10)
    assert file.name == "query-00000-of-00001.parquet"
    assert pq.read_table(file).column_names == list(NAMES)


def test_same_rows_same_bytes(tmp_path):
    first = write_split(tmp_path / "a", "query", [rows(7)], shard_bytes=10_000)[0].read_bytes()
    assert write_split(tmp_path / "b", "query", [rows(7)], shard_bytes=10_000)[0].read_bytes() == first
