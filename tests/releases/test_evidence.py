import json
from dataclasses import replace

import pyarrow.parquet as pq

from catalog import tables
from catalog.ledger import Ledger
from releases import evidence
from releases.subsets import Assembly, Split

EMPTY = Assembly(
    "2026.12",
    {name: Split() for name in ("real_studio_flat", "aigen_studio", "real_streetlook", "aigen_streetlook", "noise")},
)


def write(tmp_path, made, catalog, policy, ledgers, **rows):
    seen = {name: made.table(name) for name in ("items", "photos", "decisions")}
    seen.update({name: tables.from_rows(name, some) for name, some in rows.items()})
    evidence.write(tmp_path, seen, EMPTY, ledgers, catalog, policy)
    return (
        json.loads((tmp_path / "funnel.json").read_text()),
        pq.read_table(tmp_path / "evidence.parquet").to_pylist(),
    )


def test_the_funnel_counts_each_step_by_reason(made, catalog, policy, tmp_path):
    photos = [row["photo_id"] for row in made.rows["photos"]]
    ledger = Ledger("screen", "photo", "2026.12")
    for place, photo in enumerate(photos):
        ledger.dropped(photo, "too_small", evidence={"width": 9}) if place % 3 == 0 else ledger.kept(photo)
    ledger.dropped("i-1", "low_score", subject="item", parent_id=photos[1], evidence={"box": [5, 5, 30, 30]})
    funnel, shown = write(tmp_path, made, catalog, policy, {"screen": ledger.table()})
    dropped = len(photos[::3])
    assert funnel["steps"] == [
        {"step": "screen", "subject": "photo", "kept": len(photos) - dropped, "dropped": {"too_small": dropped}},
        {"step": "screen", "subject": "item", "kept": 0, "dropped": {"low_score": 1}},
    ]
    assert funnel["totals"]["photos seen"] == len(photos)
    assert {row["reason"] for row in shown} == {"too_small", "low_score"}
    assert all(row["picture"][:4] == b"RIFF" for row in shown)
    assert len(shown) == 2 * policy.samples_shown + 1


def test_pairs_show_both_photos_and_their_distance(made, catalog, policy, tmp_path):
    a, b = (row["photo_id"] for row in made.rows["photos"][:2])
    pair = {
        "id": a, "kept": False, "reason": "duplicate", "matched_id": b, "matched_edition": "2026.06",
        "distance": 4.0, "threshold": 8.0, "tier": "phash",
    }  # fmt: skip
    ledger = Ledger("duplicates", "photo", "2026.12")
    ledger.dropped(a, "duplicate")
    _, shown = write(tmp_path, made, catalog, policy, {"duplicates": ledger.table()}, decisions=[pair])
    (row,) = shown
    assert (row["kind"], row["reason"], row["note"]) == ("pair", "phash", "4 of 8, edition 2026.06")
    assert row["picture"]
    assert row["other"]
    assert row["picture"] != row["other"]


def test_a_file_that_is_no_picture_is_shown_as_none(made, catalog, policy, tmp_path):
    photo = catalog.put_image(b"<html>not found</html>")
    ledger = Ledger("screen", "photo", "2026.12")
    ledger.dropped(photo, "not_an_image")
    ledger.dropped("f" * 64, "gone")
    _, shown = write(tmp_path, made, catalog, policy, {"screen": ledger.table()})
    assert [row["picture"] for row in shown] == [None, None]


def test_a_photo_dropped_before_the_tables_is_still_shown_but_not_in_a_release_of_links(
    made, catalog, policy, tmp_path
):
    photo = made.rows["photos"][0]["photo_id"]
    ledger = Ledger("screen", "photo", "2026.12")
    ledger.dropped(photo, "too_small")
    for pixels, shown in (("embedded", True), ("links", False)):
        one = replace(policy, pixels=pixels)
        _, rows = write(tmp_path / pixels, made, catalog, one, {"screen": ledger.table()}, photos=[], items=[])
        assert bool(rows[0]["picture"]) == shown
