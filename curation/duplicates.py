"""Nothing repeats: decide for every photo whether it is new, against the edition itself and against every past one."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from catalog import tables
from catalog.decode import DecodeError, Pixels, decode
from catalog.ledger import Ledger
from catalog.steps import StepResult
from catalog.store import Catalog, StoreError
from curation import alignment, clusters, hashes, pairs
from curation.alignment import View
from curation.clusters import Dated
from curation.folders import compare_folders
from curation.history import History, products_shown
from curation.pairs import DuplicatePolicy, Pair, Prints
from curation.review.verdicts import REASON, Verdicts

__all__ = ["DuplicatePolicy", "find", "folders"]

folders = compare_folders


def find(
    items: pa.Table,
    photos: pa.Table,
    products: pa.Table,  # noqa: ARG001 - every step of the edition is called alike; photos carry the product
    fingerprints: pa.Table,
    history: History,
    catalog: Catalog,
    policy: DuplicatePolicy,
    *,
    edition: str,
    verdicts: Verdicts | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StepResult:
    """Decide for each photo: kept as the best of its cluster, or dropped with its twin, tier, distance and threshold.

    The embedding tier is not applied between photos that show the same product, nor between a generated picture and the
    photos of its seeds: these are expected to look alike. The hash tiers hold for all. A photo whose cluster touches a
    past edition is dropped. Every photo gets the oldest date of its cluster. Ledger subject ``photo``; a photo without
    fingerprints (no garment in it) is dropped as ``no_item``. A photo that a reviewer keeps is no one's copy; one that
    is dropped (``reviewer``) takes no part, so its twin may stay.
    """
    said = verdicts or {}
    rows = photos.to_pylist()
    printed = set(fingerprints["photo_id"].to_pylist())
    known = [row for row in rows if row["photo_id"] in printed and said.get(row["photo_id"]) is not False]
    ledger, decisions = Ledger("duplicates", "photo", edition), []
    for row in rows:
        reason = "no_item" if row["photo_id"] not in printed else REASON
        if reason == "no_item" or said.get(row["photo_id"]) is False:
            ledger.dropped(row["photo_id"], reason)
            decisions.append(_decision(row["photo_id"], reason, clusters.earliest(row), kept=False))
    kin = products_shown(photos)
    for item in items.select(["photo_id", "product_id"]).to_pylist():
        if item["product_id"]:
            kin[item["photo_id"]] = kin.get(item["photo_id"], frozenset()) | {item["product_id"]}
    new = prints([row["photo_id"] for row in known], fingerprints, kin)
    past_row, old = past(history, fingerprints["model"][0].as_py() if fingerprints.num_rows else None)
    found = pairs.find(
        new,
        old,
        _views(catalog, new.files),
        _views(catalog, old.files),
        policy,
        progress,
    )
    trusted = {place for place, row in enumerate(known) if said.get(row["photo_id"])}
    found = [pair for pair in found if not ({pair.a} if pair.past else {pair.a, pair.b}) & trusted]
    made = _decide(known, found, past_row, ledger)
    figures = {"pairs": len(found), "by_tier": dict(sorted(_count(found).items()))}
    return StepResult({"decisions": tables.from_rows("decisions", [*decisions, *made])}, ledger.table(), figures)


def prints(photo_ids: Sequence[str], fingerprints: pa.Table, kin: dict[str, frozenset[str]]) -> Prints:
    """Return the fingerprints of whole photos, in the order of ``photo_ids``, with the vectors of their garments."""
    place = {photo_id: index for index, photo_id in enumerate(photo_ids)}
    mine = fingerprints.filter(pc.is_in(fingerprints["photo_id"], pa.array(list(photo_ids), pa.string())))
    whole = mine.filter(pc.equal(mine["id"], mine["photo_id"]))
    order = np.argsort([place[photo_id] for photo_id in whole["photo_id"].to_pylist()], kind="stable")
    whole = whole.take(pa.array(order, pa.int64()))
    flat = mine["embedding"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return Prints(
        files=whole["photo_id"].to_pylist(),
        pixels=whole["pixels"].to_pylist(),
        phash=_codes(whole["phash_turns"].to_pylist(), 8, 8),
        pdq=_codes(whole["pdq_turns"].to_pylist(), 8, 32),
        quality=np.array(whole["pdq_quality"].to_pylist(), np.int64),
        vectors=[flat.astype(np.float32).reshape(-1, tables.EMBEDDING_SIZE)],
        owner=np.array([place[photo_id] for photo_id in mine["photo_id"].to_pylist()], np.int64),
        kin=[kin.get(photo_id, frozenset()) for photo_id in photo_ids],
    )


def _codes(values: Sequence[bytes], turns: int, size: int) -> pairs.Codes:
    return np.frombuffer(b"".join(values), np.uint8).reshape(len(values), turns, size)


Row = Callable[[int], dict[str, Any]]


def past(history: History, model: str | None) -> tuple[Row, Prints]:
    """Return what tells the past photo at a place, and the past's fingerprints: each photo once, of its first edition.

    Embeddings of another embedder than ``model`` are left out: cosines between two models mean nothing.
    """
    table = history.table
    whole = table.drop_columns(["embedding"]).filter(pc.equal(table["id"], table["photo_id"]))
    names = whole["photo_id"].combine_chunks().dictionary_encode().indices
    _, first = np.unique(names.to_numpy(), return_index=True)
    whole = whole.take(pa.array(np.sort(first), pa.int64())).combine_chunks()
    told = whole.select(["photo_id", "edition", "date", "date_evidence"])
    vectors, owner = _vectors(table, whole["photo_id"], model)
    made = Prints(
        files=whole["photo_id"].to_pylist(),
        pixels=whole["pixels"].to_pylist(),
        phash=_codes(whole["phash"].fill_null(bytes(8)).to_pylist(), 1, 8),
        pdq=_codes(whole["pdq"].fill_null(bytes(32)).to_pylist(), 1, 32),
        quality=whole["pdq_quality"].fill_null(-1).to_numpy().astype(np.int64),
        vectors=vectors,
        owner=owner,
        kin=[frozenset(products or ()) for products in whole["products"].to_pylist()],
    )
    return lambda place: dict(told.slice(place, 1).to_pylist()[0]), made


def _vectors(
    table: pa.Table, photo_ids: pa.ChunkedArray, model: str | None
) -> tuple[list[npt.NDArray[np.float16]], npt.NDArray[np.int64]]:
    """Return the embeddings of ``model``, still memory-mapped where a whole batch is its, and their places."""
    place = pc.index_in(table["photo_id"], value_set=photo_ids).to_numpy()
    ours = pc.and_(table["embedding"].is_valid(), pc.equal(table["model"], model).fill_null(False)).to_numpy()
    vectors: list[npt.NDArray[np.float16]] = []
    start = 0
    for chunk in table["embedding"].chunks:
        wanted = ours[start : start + len(chunk)]
        start += len(chunk)
        if wanted.any():
            mine = chunk if wanted.all() else chunk.filter(pa.array(wanted))
            vectors.append(mine.flatten().to_numpy().reshape(-1, tables.EMBEDDING_SIZE))
    return vectors, place[ours].astype(np.int64)


def _views(catalog: Catalog, files: Sequence[str]) -> pairs.Views:
    @lru_cache(maxsize=512)
    def pixels(place: int) -> Pixels | None:
        try:
            seen = decode(catalog.get_image(files[place]), reduce_to=alignment.SIDE).pixels
            return hashes.reduce(seen, alignment.SIDE)  # 512 unreduced ones would be up to 630 MB
        except (DecodeError, StoreError):
            return None

    @lru_cache(maxsize=2048)
    def view(place: int, way: int | None) -> View | None:
        seen = pixels(place)
        return None if seen is None else alignment.views(seen, (way,))[way]

    def views(place: int, ways: tuple[int | None, ...]) -> dict[int | None, View] | None:
        made = {way: seen for way in ways if (seen := view(place, way)) is not None}
        return made or None

    return views


def _decide(
    photos: Sequence[dict[str, Any]],
    found: Sequence[Pair],
    past_row: Row,
    ledger: Ledger,
) -> list[dict[str, Any]]:
    beside: dict[int, list[Pair]] = {}
    behind: dict[int, list[Pair]] = {}
    for pair in found:
        for place in (pair.a,) if pair.past else (pair.a, pair.b):
            (behind if pair.past else beside).setdefault(place, []).append(pair)
    decisions = []
    for members in clusters.groups(len(photos), found):
        dated = {place: clusters.earliest(photos[place]) for place in members}
        repeated = [(past_row(pair.b), pair) for place in members for pair in behind.get(place, ())]
        old = [(_dated(row), pair) for row, pair in repeated if row["date"]]
        stays = None if repeated else clusters.best(members, photos)
        for place in members:
            through = {other: pair for pair in beside.get(place, ()) for other in (pair.a, pair.b)}
            twins = [(dated[other], through.get(other)) for other in members if other != place]
            when = clusters.inherited(dated[place], [*twins, *old])
            photo_id = photos[place]["photo_id"]
            if place == stays:
                others = [photos[other]["photo_id"] for other in members if other != place]
                ledger.kept(photo_id, "unique", evidence={"best_of": others} if others else None)
                decisions.append(_decision(photo_id, "unique", when, kept=True))
                continue
            pair, twin, edition, reason = _twin(place, stays, photos, beside, behind, past_row)
            ledger.dropped(photo_id, reason, evidence=_told(pair, twin, edition))
            decisions.append(_decision(photo_id, reason, when, kept=False, pair=pair, twin=twin, edition=edition))
    return decisions


def _twin(
    place: int,
    stays: int | None,
    photos: Sequence[dict[str, Any]],
    beside: dict[int, list[Pair]],
    behind: dict[int, list[Pair]],
    past_row: Row,
) -> tuple[Pair, str, str | None, str]:
    """Return the pair that drops a photo: with the past, with the one that stays, or with one that goes as well."""
    if place in behind:
        pair = behind[place][0]
        row = past_row(pair.b)
        return pair, row["photo_id"], row["edition"], "duplicate_of_past"
    nearest = min(beside[place], key=lambda pair: stays not in (pair.a, pair.b))
    twin = photos[nearest.b if nearest.a == place else nearest.a]["photo_id"]
    return nearest, twin, None, "duplicate_in_edition" if stays is not None else "duplicate_of_dropped"


def _dated(row: dict[str, Any]) -> Dated:
    evidence = json.loads(row["date_evidence"]) if row["date_evidence"] else {}
    return Dated(row["date"], {"photo_id": row["photo_id"], **evidence, "edition": row["edition"]})


def _told(pair: Pair, twin: str, edition: str | None) -> dict[str, Any]:
    told = {"twin": twin, "edition": edition, "tier": pair.tier, "distance": pair.distance, "threshold": pair.threshold}
    return {**told, "look": asdict(pair.look)} if pair.look else told


def _decision(
    photo_id: str,
    reason: str,
    when: Dated,
    *,
    kept: bool,
    pair: Pair | None = None,
    twin: str | None = None,
    edition: str | None = None,
) -> dict[str, Any]:
    row = {"id": photo_id, "kept": kept, "reason": reason, "date": when.date}
    row |= {"date_evidence": clusters.as_json(when.evidence), "matched_id": twin, "matched_edition": edition}
    if pair:
        row |= {"distance": pair.distance, "threshold": pair.threshold, "tier": pair.tier}
    return row


def _count(found: Sequence[Pair]) -> dict[str, int]:
    tiers = [pair.tier for pair in found]
    return {tier: tiers.count(tier) for tier in set(tiers)}
