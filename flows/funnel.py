"""The funnel: how many came into each step, how many stayed, and why the others went."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa


def rows(ledgers: Mapping[str, pa.Table]) -> list[dict[str, Any]]:
    """Return one row per step and kind of subject: step, subject, in, kept, and dropped as ``{reason: count}``."""
    found = []
    for step, ledger in ledgers.items():
        counts = Counter(zip(*(ledger[column].to_pylist() for column in ("subject", "outcome", "reason")), strict=True))
        for subject in dict.fromkeys(ledger["subject"].to_pylist()):
            mine = {(outcome, reason): n for (kind, outcome, reason), n in counts.items() if kind == subject}
            dropped = {reason: n for (outcome, reason), n in sorted(mine.items()) if outcome == "dropped"}
            total = sum(mine.values())
            kept = total - sum(dropped.values())
            found.append({"step": step, "subject": subject, "in": total, "kept": kept, "dropped": dropped})
    return found


def table(found: list[dict[str, Any]]) -> str:
    """Return the funnel as text for a terminal."""
    lines = [f"{'step':<24} {'of':<8} {'in':>7} {'kept':>7}  dropped"]
    for row in found:
        reasons = ", ".join(f"{reason} {count}" for reason, count in row["dropped"].items()) or "-"
        lines.append(f"{row['step']:<24} {row['subject']:<8} {row['in']:>7} {row['kept']:>7}  {reasons}")
    return "\n".join(lines)
