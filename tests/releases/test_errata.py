import pytest

from releases import errata, reading
from releases.verify import verify


def test_an_erratum_is_appended_and_the_release_stays_sound(copied, now):
    ids = reading.read_labels(copied, "aigen_studio", "query")["sample_id"].to_pylist()[:2]
    errata.add(copied, ids, action="ignore", problem="the garment is cut off", now=now)
    errata.add(copied, [], action="note", problem="the distractors of bags are few", now=now)
    first, second = errata.read(copied)
    assert (first.sample_ids, first.action) == (tuple(ids), "ignore")
    assert second.reported_at == "2026-12-20T12:00:00+00:00"
    assert verify(copied).ok


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"action": "delete"}, "action 'delete' is unknown"),
        ({"sample_ids": ["nobody"]}, "has no sample nobody"),
        ({"problem": " "}, "needs a problem in words"),
    ],
)
def test_what_is_refused(copied, now, columns, message):
    given = {"sample_ids": [], "action": "note", "problem": "x", **columns}
    with pytest.raises(errata.ErrataError, match=message):
        errata.add(copied, given["sample_ids"], action=given["action"], problem=given["problem"], now=now)
    assert errata.read(copied) == []


def test_a_damaged_line_is_named(copied):
    (copied / "ERRATA.jsonl").write_text('{"sample_ids": []}\n')
    with pytest.raises(errata.ErrataError, match="line 1"):
        errata.read(copied)
