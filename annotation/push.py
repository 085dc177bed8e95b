"""An edition's items become tasks of one Label Studio project, pre-filled; predictions may become annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from annotation import template
from annotation.checks import check_tasks
from annotation.controls import Control, controls, result
from annotation.errors import AnnotationError, StudioError
from annotation.pictures import FolderPictures, InlinePictures, Pair, Pictures, render
from annotation.studio import Studio
from catalog.decode import DecodeError
from catalog.ledger import Ledger
from catalog.store import Catalog, StoreError
from taxonomy.model import Taxonomy

_BATCH = 250
"""Tasks of one import request; each request is kept or lost as a whole."""
_ACCEPT_BATCH = 500
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PushResult:
    """What became of a push."""

    project_id: int
    url: str
    """Address of the project for people."""
    pushed: int
    already: int
    """Items that were tasks before."""
    ledger: pa.Table


def project_title(edition: str) -> str:
    """Return the title of an edition's project."""
    return f"LookBench {edition}"


def push(
    studio: Studio,
    edition: str,
    items: pa.Table,
    labels: pa.Table,
    photos: pa.Table,
    catalog: Catalog,
    taxonomy: Taxonomy,
    *,
    progress: Progress | None = None,
) -> PushResult:
    """Make a task of every item that is none yet, with its label as prediction; run again, it adds nothing.

    All predictions are held against the template before anything is uploaded (PredictionError). Raises StudioError
    when the server does not answer, refuses the token, or holds tasks under another template. An item whose photo
    cannot be shown is dropped in the ledger (subject ``item``) with its reason.
    """
    ledger = Ledger("push", "item", edition)
    config = template.build(taxonomy)
    predicted = {row["item_id"]: row for row in labels.to_pylist() if row["kind"] == "machine"}
    rows = items.to_pylist()
    origins = {row["photo_id"]: row["origin"] for row in photos.to_pylist()}
    asked = controls(taxonomy)
    blank = Pair("", "")
    check_tasks(config, [_task(row, predicted.get(row["item_id"]), blank, origins, asked) for row in rows])

    project_id, known = _project(studio, edition, config, taxonomy)
    pictures = _pictures(studio, project_id, edition)
    pushed = 0
    with ThreadPoolExecutor(2) as pool:  # Pillow works without the interpreter's lock
        for start in range(0, len(rows), _BATCH):
            fresh = [row for row in rows[start : start + _BATCH] if row["item_id"] not in known]
            batch = []
            shown = pool.map(lambda row: _pair(pictures, row, catalog), fresh)
            for done, (row, pair) in enumerate(zip(fresh, shown, strict=True), start + 1):
                if isinstance(pair, Pair):
                    batch.append(_task(row, predicted.get(row["item_id"]), pair, origins, asked))
                    ledger.kept(row["item_id"], "pushed", parent_id=row["photo_id"])
                else:
                    reason, message = pair
                    ledger.dropped(row["item_id"], reason, parent_id=row["photo_id"], evidence={"error": message})
                if progress:
                    progress(done, len(rows))
            if batch:
                pushed += studio.import_tasks(project_id, batch)
    for row in rows:
        if row["item_id"] in known:
            ledger.kept(row["item_id"], "already_there", parent_id=row["photo_id"])
    return PushResult(project_id, f"{studio.url}/projects/{project_id}/data", pushed, len(known), ledger.table())


def accept_predictions(studio: Studio, project_id: int, *, progress: Progress | None = None) -> int:
    """Submit the prediction of every task without an annotation as its annotation; return how many tasks.

    They carry no labelling time and name their prediction, so that a pull still knows them as ``machine``.
    """
    waiting = sorted(task.id for task in studio.tasks(project_id) if not task.annotations)
    for start in range(0, len(waiting), _ACCEPT_BATCH):
        chunk = waiting[start : start + _ACCEPT_BATCH]
        studio.accept(project_id, chunk)
        if progress:
            progress(start + len(chunk), len(waiting))
    left = sum(not task.annotations for task in studio.tasks(project_id)) if waiting else 0
    if left == len(waiting) and waiting:
        raise StudioError(
            f"project {project_id} at {studio.url} has {left} tasks and no prediction to accept; push the edition again"
        )
    return len(waiting) - left


def _project(studio: Studio, edition: str, config: str, taxonomy: Taxonomy) -> tuple[int, set[str]]:
    """Return the edition's project, made when there is none, and the items that are its tasks."""
    title = project_title(edition)
    project_id = studio.find_project(title)
    if project_id is None:
        about = f"Garments of LookBench edition {edition}, taxonomy {taxonomy.version}."
        page = template.instructions(taxonomy)
        return studio.create_project(title, config, description=about, instructions=page), set()
    known = {task.item_id for task in studio.tasks(project_id) if task.item_id}
    if studio.template(project_id).strip() != config.strip():
        if known:
            raise AnnotationError(
                f"project {title!r} at {studio.url} has {len(known)} tasks under another template than taxonomy "
                f"{taxonomy.version} gives; finish it with that taxonomy, or rename the project and push again"
            )
        studio.set_template(project_id, config)
    return project_id, known


def _pictures(studio: Studio, project_id: int, edition: str) -> Pictures:
    if studio.files is None:
        return InlinePictures()
    pictures = FolderPictures(studio.files, edition)
    studio.serve_folder(project_id, pictures.folder)
    return pictures


def _pair(pictures: Pictures, item: Mapping[str, Any], catalog: Catalog) -> Pair | tuple[str, str]:
    """Return the addresses of an item's pictures, or the reason and message why there are none."""
    if there := pictures.has(item["item_id"]):
        return there
    try:
        return pictures.put(item["item_id"], *render(item, catalog))
    except DecodeError as error:
        return error.reason, str(error)
    except StoreError as error:
        return "missing_photo", str(error)


def _task(
    item: Mapping[str, Any],
    label: Mapping[str, Any] | None,
    pair: Pair,
    origins: Mapping[str, str],
    asked: Sequence[Control],
) -> dict[str, Any]:
    origin = origins.get(item["photo_id"]) or "photo"
    task: dict[str, Any] = {
        "data": {
            "item_id": item["item_id"],
            "crop": pair.crop,
            "photo": pair.photo,
            "note": f"Where it is in the whole {origin} photo",
        }
    }
    if label is not None:
        task["data"]["model_version"] = label["model_version"] or ""
        pairs = [(row["facet"], row["value"]) for row in label["attributes"] or []]
        task["predictions"] = [
            {"model_version": label["model_version"] or "", "result": result(asked, label["category"], pairs)}
        ]
    return task
