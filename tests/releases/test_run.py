import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from catalog import ledger as ledgers
from catalog import tables
from releases import gates, manifest
from releases.run import ReleaseExistsError, freeze
from releases.schema import NOISE, SUBSETS
from releases.verify import verify


def digests(path: Path) -> dict[str, str]:
    files = (file for file in path.rglob("*") if file.is_file())
    return {file.relative_to(path).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_the_layout_is_the_one_of_the_design(frozen):
    names = set(digests(frozen.path))
    wanted = {
        "README.md", "croissant.json", "datasheet.md", "CITATION.cff", "ERRATA.jsonl", "taxonomy.yaml", "manifest.json",
        "qrels/looks.parquet", "report/index.html", "data/noise/gallery-00000-of-00001.parquet",
        *(f"qrels/{name}.tsv" for name in SUBSETS),
        *(f"data/{name}/{split}-00000-of-00001.parquet" for name in SUBSETS for split in ("query", "gallery")),
    }  # fmt: skip
    assert wanted <= names
    assert [name for name in names if name.startswith("harness/lookbench_eval-") and name.endswith(".whl")]
    assert not [name for name in names if name.split("/")[-1].startswith(".")]


def test_the_ledger_balances_and_the_counts_agree(frozen, made):
    ledgers.balance(frozen.ledger, "item", [row["item_id"] for row in made.rows["items"]], "test")
    tables.check(frozen.ledger, "ledger", "test")
    for name, count in frozen.figures["rows"].items():
        subset, split = name.split("/")
        assert pq.read_metadata(frozen.path / "data" / subset / f"{split}-00000-of-00001.parquet").num_rows == count


def test_freezing_twice_gives_the_same_bytes(frozen, made, catalog, inputs, policy, now, tmp_path):
    again = freeze(inputs(made), catalog, tmp_path / "again", replace(policy, threads=1), now=now)
    assert digests(again.path) == digests(frozen.path)


def test_a_release_is_never_overwritten(frozen, made, catalog, inputs, policy, now):
    with pytest.raises(ReleaseExistsError, match="exists already"):
        freeze(inputs(made), catalog, frozen.path, policy, now=now)


def test_nothing_half_written_is_left(made, catalog, inputs, policy, now, tmp_path):
    broken = type(made)({name: [dict(row) for row in rows] for name, rows in made.rows.items()})
    victim = next(row for row in broken.rows["items"] if row["product_id"])
    victim["box"] = [900.0, 900.0, 950.0, 950.0]
    with pytest.raises(Exception, match=r"box \[900.0, 900.0, 950.0, 950.0\] lies outside of its photo of 72 x 90"):
        freeze(inputs(broken), catalog, tmp_path / "out", policy, now=now)
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_a_killed_freeze_do_no_harm(frozen, made, catalog, inputs, policy, now, tmp_path):
    (tmp_path / ".again.part" / "data").mkdir(parents=True)
    (tmp_path / ".again.part" / "data" / "rest").write_text("half a file")
    again = freeze(inputs(made), catalog, tmp_path / "again", policy, now=now)
    assert digests(again.path) == digests(frozen.path)


def test_a_refused_edition_writes_nothing_and_names_every_gate(made, catalog, inputs, policy, now, tmp_path):
    with pytest.raises(gates.GateError) as caught:
        freeze(inputs(made), catalog, tmp_path / "out", replace(policy, min_queries={}, min_noise=9_999), now=now)
    assert [gate.name for gate in caught.value.failed] == ["distractors"]
    assert list(tmp_path.iterdir()) == []


def test_the_manifest_says_what_made_the_release(frozen, now):
    content = manifest.read(frozen.path)
    assert content["edition"] == "2026.12"
    assert content["created_at"] == "2026-12-20T12:00:00+00:00"
    assert content["models"]["embedder"]["sha256"] == "0" * 64
    assert content["settings"]["seed"] == 7
    assert "threads" not in content["settings"]["release"]
    assert content["taxonomy_version"]
    assert set(content["tables"]) == {f"{n}/{s}" for n in SUBSETS for s in ("query", "gallery")} | {
        f"{NOISE}/gallery",
        "looks",
    }
    assert all(gate["passed"] for gate in content["gates"])
    assert set(content["files"]) == set(digests(frozen.path)) - {"manifest.json"}


def test_results_can_be_added_and_the_manifest_sealed_again(copied):
    (copied / "baselines").mkdir(exist_ok=True)
    (copied / "baselines" / "model.json").write_text(json.dumps({"schema": "other"}))
    manifest.seal(copied)
    assert verify(copied).ok


def test_links_leave_out_the_pixels_of_crawled_photos_only(made, catalog, inputs, policy, now, tmp_path):
    result = freeze(inputs(made), catalog, tmp_path / "links", replace(policy, pixels="links"), now=now)
    flat = pq.read_table(result.path / "data/real_studio_flat/query-00000-of-00001.parquet").to_pylist()
    assert all(row["image"] is None and row["raw_image"]["bytes"] is None for row in flat)
    assert all(row["raw_image"]["path"] == row["source_url"] for row in flat)
    generated = pq.read_table(result.path / "data/aigen_studio/query-00000-of-00001.parquet").to_pylist()
    assert all(row["image"]["bytes"] for row in generated)
    evidence = pq.read_table(result.path / "report" / "evidence.parquet").to_pylist()
    photos = {row["photo_id"]: row["source_url"] for row in made.rows["photos"]}
    items = {row["item_id"]: row["photo_id"] for row in made.rows["items"]}
    assert not [row for row in evidence if row["picture"] and photos[items.get(row["id"], row["id"])]]
    assert (result.path / "fetch.py").is_file()


def test_the_harness_reads_and_verifies_the_release(frozen):
    from lookbench_eval.readers import open_release

    release = open_release(frozen.path)
    assert release.verified
    assert release.edition == "2026.12"
    assert [subset.name for subset in release.subsets] == list(SUBSETS)
    for subset in release.subsets:
        assert len(subset.query.samples) == frozen.figures["rows"][f"{subset.name}/query"]
        assert set(subset.qrels) == set(subset.query.samples.ids)
    assert len(release.noise.samples) == frozen.figures["rows"]["noise/gallery"]
