"""What the annotators said becomes the table of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pyarrow as pa

from annotation import agreement
from annotation.controls import CATEGORY, answers, controls
from annotation.errors import PullError
from annotation.push import project_title
from annotation.studio import Studio
from catalog import tables
from catalog.ledger import Ledger
from catalog.steps import StepResult
from taxonomy.model import Taxonomy

_NAMED = 5


@dataclass(frozen=True)
class _Answer:
    """One annotation of one item, read."""

    category: str
    attributes: tuple[tuple[str, str], ...]
    annotator: str
    kind: str
    lead_time_s: float | None
    model_version: str | None
    left_out: tuple[str, ...]


def pull(studio: Studio, edition: str, items: pa.Table, taxonomy: Taxonomy) -> StepResult:
    """Return one label per annotated item (table ``labels``), a ledger of subject ``item``, and agreement figures.

    People overrule machines: where a person annotated, accepted predictions of the item do not count. Several people
    make one label by majority (category first, then each value, the earlier annotation on a tie) with their mean
    pairwise overlap as ``agreement``. Items without an annotation are dropped in the ledger. Raises PullError when
    there is no project of the edition or annotations name items that the edition does not have.
    """
    title = project_title(edition)
    project_id = studio.find_project(title)
    if project_id is None:
        raise PullError(
            f"there is no project {title!r} at {studio.url}; push the edition with `lookbench refresh {edition}`"
        )
    return read(
        studio.export(project_id),
        edition,
        items,
        taxonomy,
        accounts=studio.accounts(),
        where=f"{title} at {studio.url}",
    )


def read(
    exported: Sequence[Mapping[str, Any]],
    edition: str,
    items: pa.Table,
    taxonomy: Taxonomy,
    *,
    accounts: Mapping[int, str] | None = None,
    where: str = "the export",
) -> StepResult:
    """Return labels, ledger and figures of an exported project; see ``pull``."""
    wanted = {row["item_id"]: row for row in items.select(["item_id", "photo_id"]).to_pylist()}
    by_item: dict[str, list[Mapping[str, Any]]] = {}
    strangers: list[str] = []
    for task in exported:
        item_id = (task.get("data") or {}).get("item_id")
        if isinstance(item_id, str) and item_id in wanted:
            by_item.setdefault(item_id, []).append(task)
        elif task.get("annotations"):
            strangers.append(str(item_id or f"task {task.get('id')}"))
    if strangers:
        raise PullError(
            f"{len(strangers)} annotated tasks in {where} name no item of edition {edition}: "
            f"{', '.join(sorted(strangers)[:_NAMED])}; remove them there, or pull the edition they belong to"
        )
    ledger = Ledger("pull", "item", edition)
    facets = {control.name: control.facet for control in controls(taxonomy)}
    labels: list[dict[str, Any]] = []
    pairs: list[tuple[_Answer, _Answer]] = []
    for item_id, item in wanted.items():
        given = [a for task in by_item.get(item_id, []) for a in task.get("annotations", [])]
        counted = sorted((a for a in given if not a.get("was_cancelled")), key=lambda a: int(a["id"]))
        data = by_item[item_id][0]["data"] if item_id in by_item else {}
        read_ones = [_answer(a, data, facets, taxonomy, accounts or {}) for a in counted]
        good = [answer for answer in read_ones if isinstance(answer, _Answer)]
        if not good:
            reason, evidence = _why_none(item_id in by_item, given, read_ones)
            ledger.dropped(item_id, reason, parent_id=item["photo_id"], evidence=evidence)
            continue
        people = [answer for answer in good if answer.kind == "human"]
        voices = people or good[-1:]
        pairs += combinations(people, 2)
        labels.append(_label(item_id, voices, taxonomy))
        left_out = sorted({name for answer in voices for name in answer.left_out})
        ledger.kept(
            item_id,
            voices[0].kind,
            parent_id=item["photo_id"],
            evidence={"annotations": len(good), **({"left_out": left_out} if left_out else {})},
        )
    return StepResult({"labels": tables.from_rows("labels", labels)}, ledger.table(), _figures(labels, pairs))


def _answer(
    annotation: Mapping[str, Any],
    data: Mapping[str, Any],
    facets: Mapping[str, str],
    taxonomy: Taxonomy,
    accounts: Mapping[int, str],
) -> _Answer | str:
    """Return an annotation as read, or the reason why it cannot be used."""
    said = answers(annotation.get("result") or [])
    category = next((value for name, value in said if name == CATEGORY), None)
    if category is None:
        return "no_category"
    if category not in taxonomy.categories:
        return f"unknown_category: {category}"
    pairs = [(facets.get(name, name), value) for name, value in said if name != CATEGORY]
    kept = tuple(taxonomy.ordered(category, pairs))
    # An accepted prediction names it and took nobody any time; a person's answer has a labelling time.
    machine = annotation.get("parent_prediction") is not None and not annotation.get("lead_time")
    by = annotation.get("completed_by")
    number = by.get("id") if isinstance(by, Mapping) else by
    name = by.get("email") if isinstance(by, Mapping) else None
    version = str(data.get("model_version") or "") or None
    person = str(name or accounts.get(number or -1) or f"account {number}")
    return _Answer(
        category,
        kept,
        (version or person) if machine else person,
        "machine" if machine else "human",
        None if machine else annotation.get("lead_time"),
        version if machine else None,
        tuple(f"{facet}: {value}" for facet, value in pairs if (facet, value) not in kept),
    )


def _why_none(
    pushed: bool, given: Sequence[Mapping[str, Any]], unusable: Sequence[_Answer | str]
) -> tuple[str, dict[str, Any] | None]:
    if not pushed:
        return "not_pushed", None
    if unusable:
        reason = str(unusable[-1])
        return reason.partition(":")[0], {"annotations": len(unusable), "said": reason}
    return ("skipped", {"annotations": len(given)}) if given else ("not_annotated", None)


def _label(item_id: str, voices: Sequence[_Answer], taxonomy: Taxonomy) -> dict[str, Any]:
    votes = Counter(answer.category for answer in voices)
    category = max(votes, key=lambda name: votes[name])  # the first seen wins a tie
    agreeing = [answer for answer in voices if answer.category == category]
    tally = Counter(pair for answer in agreeing for pair in answer.attributes)
    held = sorted(
        (pair for pair in tally if 2 * tally[pair] > len(agreeing) or len(agreeing) == 1), key=lambda p: -tally[p]
    )
    if len(agreeing) == 2:  # no majority of two: the earlier annotation fills what both left open
        held += [pair for pair in agreeing[0].attributes if pair not in held]
    attributes = taxonomy.ordered(category, held)
    times = [answer.lead_time_s for answer in voices if answer.lead_time_s is not None]
    overlaps = [_overlap(a, b) for a, b in combinations(voices, 2)]
    return {
        "item_id": item_id,
        "category": category,
        "main_attribute": taxonomy.main_attribute(category, attributes),
        "attributes": [{"facet": facet, "value": value} for facet, value in attributes],
        "annotator": " + ".join(dict.fromkeys(answer.annotator for answer in voices)),
        "kind": voices[0].kind,
        "model_version": voices[0].model_version,
        "lead_time_s": float(sum(times)) if times else None,
        "agreement": sum(overlaps) / len(overlaps) if overlaps else None,
        "taxonomy_version": taxonomy.version,
    }


def _overlap(first: _Answer, second: _Answer) -> float:
    return agreement.overlap(
        [(CATEGORY, first.category), *first.attributes], [(CATEGORY, second.category), *second.attributes]
    )


def _figures(labels: Sequence[Mapping[str, Any]], pairs: Sequence[tuple[_Answer, _Answer]]) -> dict[str, Any]:
    figures: dict[str, Any] = {
        f"labels/{kind}": n for kind, n in sorted(Counter(row["kind"] for row in labels).items())
    }
    figures["double_labelled"] = sum(row["agreement"] is not None for row in labels)
    if pairs:
        first, second = [a.category for a, _ in pairs], [b.category for _, b in pairs]
        figures["category/percent"] = agreement.percent(first, second)
        figures["category/krippendorff_alpha"] = agreement.krippendorff_alpha([first, second])
        figures["attributes/overlap"] = sum(_overlap(a, b) for a, b in pairs) / len(pairs)
    return figures
