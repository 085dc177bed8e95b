"""The history of a catalog: listed public sets added, past editions taken from their releases."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog.errors import LookbenchError
from catalog.ids import sha256
from catalog.store import Catalog
from curation import history, listed
from curation.history import History
from curation.listed import ListedSet

if TYPE_CHECKING:
    from flows.workshop import Workshop


class HistoryError(LookbenchError):
    """A set that cannot be listed, or a release that cannot become history."""


def add(name: str, source: Path, published: datetime | None, workshop: "Workshop") -> dict[str, Any]:
    """List the pictures of a folder, or a CSV of hashes; returns ``name``, ``added``, ``entries`` and ``skipped``.

    Portions are kept as they are made: run again after a kill, it goes on. Raises HistoryError and CurationError.
    """
    if history.EDITION.fullmatch(name):
        raise HistoryError(f"{name!r} is the name of an edition: `lookbench history rebuild RELEASE` takes releases")
    catalog, it = workshop.catalog, ListedSet(name, published)
    if source.is_dir():
        policy, known = workshop.settings.fingerprint, _entries(catalog, name)
        portions = listed.from_folder(source, it, workshop.embedder, known=known, workers=policy.workers)
    elif source.is_file():
        portions = iter([listed.from_hashes(source, it)])
    else:
        raise HistoryError(f"{source} is neither a folder of pictures nor a file of hashes; check the name")
    before = len(_entries(catalog, name))
    for data in portions:
        history.save(catalog, name, data)
    entries = len(_entries(catalog, name))
    return {"name": name, "added": entries - before, "entries": entries, "skipped": it.skipped}


def rebuild(releases: Sequence[Path], catalog: Catalog) -> list[dict[str, Any]]:
    """Take the history of each release into the catalog; returns ``name``, ``entries``, ``digest`` of each.

    All are read before one is written. Raises HistoryError for a release whose history is missing or not what its
    manifest says, ManifestError for a folder that is no release.
    """
    from releases import manifest

    found: list[tuple[str, bytes]] = []
    for release in releases:
        content = manifest.read(release)
        file = release / history.IN_RELEASE
        if not file.is_file():
            raise HistoryError(
                f"{release} holds no {history.IN_RELEASE}: list its pictures with "
                f"`lookbench history add NAME {release}` instead"
            )
        data = file.read_bytes()
        said = content["files"].get(history.IN_RELEASE, {}).get("sha256")
        if sha256(data) != said:
            raise HistoryError(f"{file} is not the file that the manifest lists; fetch the release again")
        found.append((str(content["edition"]), data))
    return [{"name": name, "digest": history.save(catalog, name, data), "entries": _rows(data)} for name, data in found]


def _entries(catalog: Catalog, name: str) -> set[str]:
    parts = [part for part in History.load(catalog).parts if part.name == name]
    return {photo for part in parts for photo in part.table["photo_id"].to_pylist()}


def _rows(data: bytes) -> int:
    return int(History().append("release", data).table.num_rows)
