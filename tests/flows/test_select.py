from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from catalog import tables
from flows.select import new_photos

START = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.lists(st.integers(0, 30), max_size=12), st.one_of(st.none(), st.integers(0, 30)), st.integers(0, 30))
@settings(max_examples=60)
def test_each_photo_is_in_exactly_one_window(days: list[int], since: int | None, until: int) -> None:
    rows = [{"photo_id": f"p{n}", "first_seen": START + timedelta(days=day)} for n, day in enumerate(days)]
    at = START + timedelta(days=since) if since is not None else None
    sighted = [{"photo_id": row["photo_id"], "seen_at": row["first_seen"], "status": "new"} for row in rows]
    photos, sightings = tables.from_rows("photos", rows), tables.from_rows("sightings", sighted)
    result = new_photos(
        photos, tables.empty("products"), sightings, at, START + timedelta(days=until), edition="2026.06"
    )
    expected = {f"p{n}" for n, day in enumerate(days) if day <= until and (since is None or day > since)}
    assert set(result.tables["photos"]["photo_id"].to_pylist()) == expected
    assert set(result.tables["sightings"]["photo_id"].to_pylist()) == expected
    ledger = result.ledger.to_pylist()
    assert sorted(row["id"] for row in ledger) == sorted(row["photo_id"] for row in rows)
    assert {row["id"] for row in ledger if row["outcome"] == "kept"} == expected
