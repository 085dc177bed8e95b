import json
from dataclasses import replace

import pytest

from releases import croissant, reading
from releases.run import freeze
from releases.schema import NAMES


@pytest.fixture
def mlcroissant():
    return pytest.importorskip("mlcroissant")


def test_it_validates_and_its_records_are_those_of_the_tables(frozen, mlcroissant):
    data = mlcroissant.Dataset(jsonld=str(frozen.path / "croissant.json"))
    assert not data.metadata.ctx.issues.errors
    name = "real_streetlook/query"
    rows = reading.read_labels(frozen.path, "real_streetlook", "query").to_pylist()
    record = next(iter(data.records(record_set=name)))
    found = record[f"{name}/sample_id"]
    assert (found.decode() if isinstance(found, bytes) else found) == rows[0]["sample_id"]
    assert record[f"{name}/image"].size[0] > 0
    values = [pair["value"] for pair in rows[0]["attributes"]]
    assert [value.decode() for value in record[f"{name}/attributes.value"]] == values


def test_every_split_and_column_is_described(frozen):
    content = json.loads((frozen.path / "croissant.json").read_text())
    names = {record["@id"] for record in content["recordSet"]}
    assert names == {"/".join(key) for key in ((s, t) for s, t, _ in reading.splits(frozen.path))}
    described = [field["name"].rsplit("/", 1)[1] for field in content["recordSet"][0]["field"]]
    assert list(dict.fromkeys(name.split(".")[0] for name in described)) == list(NAMES)
    assert content["version"] == "2026.12.0"


def test_several_shards_validate_too(made, catalog, inputs, policy, now, tmp_path, mlcroissant):
    small = replace(policy, shard_bytes=150_000, row_group=30)
    result = freeze(inputs(made), catalog, tmp_path / "r", small, now=now)
    assert len(reading.shards(result.path, "real_studio_flat", "gallery")) > 1
    data = mlcroissant.Dataset(jsonld=str(result.path / "croissant.json"))
    assert not data.metadata.ctx.issues.errors
    name = "real_studio_flat/gallery"
    ids = {record[f"{name}/sample_id"].decode() for record in data.records(record_set=name)}
    assert ids == set(reading.read_labels(result.path, "real_studio_flat", "gallery")["sample_id"].to_pylist())


def test_versions_are_semantic():
    assert croissant._version("2026.06") == "2026.6.0"
