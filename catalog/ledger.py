"""The ledger: what became of every input of every step."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from catalog import tables
from catalog.errors import LookbenchError


class LedgerError(LookbenchError):
    """Inputs that a step lost or counted twice."""


class Ledger:
    """Collects one row per input of a step: ``kept`` or ``dropped``, the reason and the evidence."""

    def __init__(self, step: str, subject: str, edition: str | None = None) -> None:
        self.step, self.subject, self.edition = step, subject, edition
        self._rows: list[dict[str, Any]] = []

    def kept(
        self,
        id: str,
        reason: str = "ok",
        *,
        parent_id: str | None = None,
        subject: str | None = None,
        evidence: Mapping[str, Any] | None = None,
    ) -> None:
        """Record that the input ``id`` stays."""
        self._add("kept", id, reason, parent_id, subject, evidence)

    def dropped(
        self,
        id: str,
        reason: str,
        *,
        parent_id: str | None = None,
        subject: str | None = None,
        evidence: Mapping[str, Any] | None = None,
    ) -> None:
        """Record that the input ``id`` goes, with a reason code and its evidence."""
        self._add("dropped", id, reason, parent_id, subject, evidence)

    def _add(
        self,
        outcome: str,
        id: str,
        reason: str,
        parent_id: str | None,
        subject: str | None,
        evidence: Mapping[str, Any] | None,
    ) -> None:
        self._rows.append(
            {
                "edition": self.edition,
                "step": self.step,
                "subject": subject or self.subject,
                "id": id,
                "parent_id": parent_id,
                "outcome": outcome,
                "reason": reason,
                "evidence": json.dumps(evidence, sort_keys=True, default=str) if evidence else None,
            }
        )

    def table(self) -> pa.Table:
        """Return the rows so far as a table of schema ``ledger``."""
        return tables.from_rows("ledger", self._rows)


def balance(ledger: pa.Table, subject: str, inputs: Iterable[str], where: str) -> None:
    """Raise LedgerError unless every input of kind ``subject`` has exactly one row and no row is of a stranger."""
    rows = ledger.filter(pc.equal(ledger["subject"], subject)) if ledger.num_rows else ledger
    seen, wanted = Counter(rows["id"].to_pylist()), Counter(set(inputs))
    lost, strange = sorted(set(wanted) - set(seen)), sorted(set(seen) - set(wanted))
    double = sorted(key for key, count in seen.items() if count > 1)
    if lost or strange or double:
        raise LedgerError(
            f"{where}: the ledger of {len(wanted)} inputs ({subject}) does not balance: lost {lost[:3]} ({len(lost)}), "
            f"unknown {strange[:3]} ({len(strange)}), twice {double[:3]} ({len(double)}); this is a fault of the step"
        )
