"""Check a release against its manifest before anything is scored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookbench_eval.errors import ReleaseError, name_some

SCHEMA_VERSION = 1
_SEALED = ("data", "qrels")  # every file below these must be listed


@dataclass(frozen=True)
class Manifest:
    """The parts of `manifest.json` that the harness needs."""

    edition: str
    files: Mapping[str, Mapping[str, Any]]
    digest: str
    """sha256 over the names and sha256 of all files below data/ and qrels/: what is scored, whatever lies beside it."""


def read(root: Path) -> Manifest:
    """Read `manifest.json`. Raises ReleaseError for a damaged one or one of another schema version."""
    path = root / "manifest.json"
    try:
        data = path.read_bytes()
        content = json.loads(data)
        version = content["schema_version"]
        if version != SCHEMA_VERSION:
            raise ReleaseError(
                f"{path} has schema_version {version!r}; this harness reads version {SCHEMA_VERSION}: "
                "install the wheel that lies in the release"
            )
        files = content["files"]
        if not isinstance(files, dict) or not all(isinstance(one, dict) for one in files.values()):
            raise ReleaseError(f"{path}: 'files' must map each path to its sha256 and bytes")
        scored = [f"{name} {one['sha256']}\n" for name, one in sorted(files.items()) if name.split("/")[0] in _SEALED]
        return Manifest(str(content["edition"]), files, hashlib.sha256("".join(scored).encode()).hexdigest())
    except FileNotFoundError as error:
        raise ReleaseError(f"{root} has no manifest.json, so it cannot be verified; --no-verify insists") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReleaseError(f"{path} is damaged: {error!r}; fetch the release again") from error


def verify(root: Path, manifest: Manifest) -> None:
    """Compare every listed file with its size and sha256, and find files that are not listed.

    Raises ReleaseError that names the files which are missing, changed or strange.
    """
    faults = []
    for name, expected in sorted(manifest.files.items()):
        path = root / name
        if not _inside(root, path):
            faults.append(f"{name} points outside of the release")
        elif not path.is_file():
            faults.append(f"{name} is missing")
        elif path.stat().st_size != expected.get("bytes"):
            faults.append(f"{name} has {path.stat().st_size} bytes instead of {expected.get('bytes')}")
        elif (found := _sha256(path)) != expected.get("sha256"):
            faults.append(f"{name} has another sha256" if found else f"{name} cannot be read")
    for folder in _SEALED:
        extra = [path.relative_to(root).as_posix() for path in (root / folder).rglob("*") if path.is_file()]
        faults += [f"{name} is not listed in the manifest" for name in sorted(set(extra) - set(manifest.files))]
    if faults:
        raise ReleaseError(
            f"{root} is not the release that its manifest describes: {name_some(faults)}; "
            "fetch it again, or insist with --no-verify"
        )


def _inside(root: Path, path: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _sha256(path: Path) -> str | None:
    """None for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
