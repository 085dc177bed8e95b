"""What the report shows of things that are not in the release: the funnel, and pictures of what was dropped and why."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from catalog.decode import DecodeError
from catalog.store import Catalog, StoreError
from releases.errors import ReleaseError
from releases.faces import Faces, blurred
from releases.pictures import thumbnail
from releases.policy import ReleasePolicy
from releases.records import rank
from releases.subsets import Assembly
from releases.write import write_table

FUNNEL: Final = "funnel.json"
PICTURES: Final = "evidence.parquet"
SCHEMA: Final = pa.schema([
    pa.field("kind", pa.string(), metadata={"doc": "dropped, or pair for two photos that copy each other"}),
    pa.field("step", pa.string(), metadata={"doc": "step that dropped it"}),
    pa.field("reason", pa.string(), metadata={"doc": "reason code; for a pair the tier"}),
    pa.field("id", pa.string(), metadata={"doc": "photo or item"}),
    pa.field("other_id", pa.string(), metadata={"doc": "the twin of a pair"}),
    pa.field("note", pa.string(), metadata={"doc": "the evidence in a few words"}),
    pa.field("picture", pa.binary(), metadata={"doc": "WebP, null where there is no picture or it may not be shown"}),
    pa.field("other", pa.binary(), metadata={"doc": "WebP of the twin"}),
])  # fmt: skip
_PICTURED: Final = ("photo", "item")
_PHOTO: Final = re.compile("[0-9a-f]{64}")
_NOTE_KEYS: Final = 3
_NOTE_LENGTH: Final = 22


@dataclass(frozen=True)
class Sources:
    """Where pictures of photos and items are found."""

    catalog: Catalog
    items: Mapping[str, Mapping[str, Any]]
    addresses: Mapping[str, str | None]
    links: bool
    faces: Faces
    side: int = 144

    def of(
        self, key: str, parent: str | None, box: Sequence[float] | None = None, twin: str | None = None
    ) -> bytes | None:
        """Return a thumbnail of a photo or item; None when there is none, a release of links may not show it, or nobody
        looked for the faces that must be blurred: then ``twin``, a photo that shows the same, tells of a look."""
        item = self.items.get(key)
        photo = item["photo_id"] if item else (key if _PHOTO.fullmatch(key) else parent)
        if photo is None or (self.links and self.addresses.get(photo, "unknown")):
            return None
        faces = self.faces.get(photo, None if twin in self.faces else ())
        if faces is None:
            return None
        try:
            return thumbnail(
                blurred(self.catalog.get_image(photo), faces), item["box"] if item else box, side=self.side
            )
        except (DecodeError, StoreError, ReleaseError):
            return None  # undecodable photos are shown as such


def write(
    folder: Path,
    tables: Mapping[str, pa.Table],
    assembly: Assembly,
    ledgers: Mapping[str, pa.Table],
    catalog: Catalog,
    policy: ReleasePolicy,
    faces: Faces | None = None,
) -> None:
    """Write ``funnel.json`` and ``evidence.parquet`` into ``folder``; ``tables`` has items, photos and decisions."""
    sources = Sources(
        catalog,
        {row["item_id"]: row for row in tables["items"].select(["item_id", "photo_id", "box"]).to_pylist()},
        dict(zip(tables["photos"]["photo_id"].to_pylist(), tables["photos"]["source_url"].to_pylist(), strict=True)),
        policy.pixels == "links",
        faces or {},
    )
    twins = {row["id"] for row in tables["decisions"].to_pylist() if not row["kept"] and row["matched_id"]}
    dropped = _dropped(ledgers, policy.samples_shown * 2, twins)
    wanted = [*dropped, *_pairs(tables["decisions"], policy.samples_shown)]

    def picture(row: dict[str, Any]) -> dict[str, Any]:
        box = row.pop("box", None)
        row["picture"] = sources.of(row["id"], row.pop("parent", None), box)
        row["other"] = sources.of(row["other_id"], row["other_id"], twin=row["id"]) if row.get("other_id") else None
        return row

    with ThreadPoolExecutor(policy.threads) as pool:
        rows = list(pool.map(picture, wanted))
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder / PICTURES, pa.Table.from_pylist(rows, schema=SCHEMA))
    text = json.dumps(funnel(ledgers, tables, assembly), indent=1) + "\n"
    (folder / FUNNEL).write_text(text, encoding="utf-8", newline="\n")


def funnel(ledgers: Mapping[str, pa.Table], tables: Mapping[str, pa.Table], assembly: Assembly) -> dict[str, Any]:
    """Return the funnel: totals from photos to queries, and what each step kept and dropped, by reason."""
    steps: list[dict[str, Any]] = []
    for step, ledger in ledgers.items():
        counted: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        columns = (ledger[name].to_pylist() for name in ("subject", "outcome", "reason"))
        for subject, outcome, reason in zip(*columns, strict=True):
            counted[subject][outcome, reason] += 1
        for subject, counts in counted.items():
            steps.append({
                "step": step,
                "subject": subject,
                "kept": sum(count for (outcome, _), count in counts.items() if outcome == "kept"),
                "dropped": {
                    reason: count
                    for (outcome, reason), count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
                    if outcome == "dropped"
                },
            })  # fmt: skip
    decided = tables["decisions"]["kept"].to_pylist()
    photos = {
        key
        for ledger in ledgers.values()
        for key, subject in zip(ledger["id"].to_pylist(), ledger["subject"].to_pylist(), strict=True)
        if subject == "photo"
    }
    totals = {
        "photos seen": max(len(photos), len(decided)),
        "photos kept": sum(decided),
        "garments found": tables["items"].num_rows,
        "garments released": len(
            {s.record.item_id for split in assembly.subsets.values() for s in (*split.query, *split.gallery)}
        ),
        "queries": len(assembly.queries()),
    }
    return {"totals": totals, "steps": steps}


def _dropped(ledgers: Mapping[str, pa.Table], count: int, twins: set[str]) -> Iterator[dict[str, Any]]:
    """Choose by hash up to ``count`` dropped photos and items of each step and reason; twins are shown as pairs."""
    for step, ledger in ledgers.items():
        groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in ledger.to_pylist():
            if row["outcome"] == "dropped" and row["subject"] in _PICTURED and row["id"] not in twins:
                groups[row["reason"]].append(row)
        for reason, rows in sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])):
            for row in sorted(rows, key=lambda row: rank(reason, row["id"]))[:count]:
                evidence = json.loads(row["evidence"]) if row["evidence"] else {}
                box = evidence.get("box") if isinstance(evidence, dict) else None
                yield {
                    "kind": "dropped",
                    "step": step,
                    "reason": reason,
                    "id": row["id"],
                    "parent": row["parent_id"],
                    "box": box if isinstance(box, list) and len(box) == 4 else None,
                    "note": note(evidence),
                }


def _pairs(decisions: pa.Table, count: int) -> Iterator[dict[str, Any]]:
    """Choose up to ``count`` pairs of each tier, spread from the nearest to the farthest."""
    tiers: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in decisions.to_pylist():
        if not row["kept"] and row["matched_id"]:
            tiers[row["tier"] or "other"].append(row)
    for tier, rows in sorted(tiers.items()):
        ordered = sorted(rows, key=lambda row: (row["distance"] or 0.0, rank(tier, row["id"])))
        for row in spread(ordered, count):
            distance = f"{row['distance']:.3g} of {row['threshold']:.3g}" if row["threshold"] is not None else ""
            where = f"edition {row['matched_edition']}" if row["matched_edition"] else "this edition"
            yield {
                "kind": "pair",
                "step": "duplicates",
                "reason": tier,
                "id": row["id"],
                "other_id": row["matched_id"],
                "note": ", ".join(part for part in (distance, where) if part),
            }


def spread(rows: Sequence[Any], count: int) -> list[Any]:
    """Return ``count`` of the rows, evenly spaced, the first and the last among them."""
    if len(rows) <= count:
        return list(rows)
    return [rows[round(place * (len(rows) - 1) / max(count - 1, 1))] for place in range(count)]


def note(evidence: object) -> str:
    """Return the evidence of a ledger row in a few words; long ids are left to the ledger."""
    if not isinstance(evidence, dict):
        return ""
    words = [(key.replace("_", " "), _short(value)) for key, value in evidence.items()]
    return ", ".join(f"{key} {text}" for key, text in [pair for pair in words if pair[1]][:_NOTE_KEYS])


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = " ".join(value)
    text = str(value) if isinstance(value, str | int) else ""
    return text if len(text) <= _NOTE_LENGTH else ""
