from catalog.ledger import Ledger
from flows import funnel


def test_counts_per_step_subject_and_reason() -> None:
    ledger = Ledger("detect", "photo", "2026.06")
    ledger.kept("a")
    ledger.dropped("b", "no_garment")
    ledger.dropped("c", "no_garment")
    ledger.kept("i", subject="item", parent_id="a")
    found = funnel.rows({"detect": ledger.table()})
    assert found == [
        {"step": "detect", "subject": "photo", "in": 3, "kept": 1, "dropped": {"no_garment": 2}},
        {"step": "detect", "subject": "item", "in": 1, "kept": 1, "dropped": {}},
    ]
    assert "no_garment 2" in funnel.table(found)
