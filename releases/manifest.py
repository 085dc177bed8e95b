"""The manifest: what a release consists of, file by file and table by table."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from releases.digests import file_sha256
from releases.errors import ReleaseError

SCHEMA_VERSION: Final = 1
NAME: Final = "manifest.json"


class ManifestError(ReleaseError):
    """A manifest that is missing, damaged or of another version."""


def files_of(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield (relative POSIX path, file) of everything in a release but its manifest, in a fixed order."""
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if name != NAME and (file.is_symlink() or not file.is_dir()):
            yield name, file


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write ``manifest.json`` from the facts of a freeze and seal it: ``files`` is filled in from the folder."""
    _write(path, {"schema_version": SCHEMA_VERSION, **content, "files": {}})
    seal(path)


def seal(path: Path) -> None:
    """Take the sha256 and size of every file again and rewrite the manifest; all else that it says stays.

    The last act of a freeze, after baselines and report are in place. Raises ManifestError for a symbolic link.
    """
    content = read(path)
    listed = {}
    for name, file in files_of(path):
        if file.is_symlink():
            raise ManifestError(f"{file} is a symbolic link; a release holds files only: copy the file in its place")
        listed[name] = {"sha256": file_sha256(file), "bytes": file.stat().st_size}
    _write(path, {**content, "files": listed})


def read(path: Path) -> dict[str, Any]:
    """Return the manifest of the release in folder ``path``; raise ManifestError when it cannot be trusted."""
    file = path / NAME
    try:
        content = json.loads(file.read_bytes())
    except FileNotFoundError as error:
        raise ManifestError(f"{path} is no release: it has no {NAME}; give the folder of a release") from error
    except (OSError, ValueError) as error:
        raise ManifestError(f"{file} is damaged ({error}); fetch the release again") from error
    if not isinstance(content, dict) or not isinstance(content.get("files"), dict):
        raise ManifestError(f"{file} is damaged: it lists no files; fetch the release again")
    if content.get("schema_version") != SCHEMA_VERSION:
        raise ManifestError(
            f"{file} has schema_version {content.get('schema_version')!r}, this code reads {SCHEMA_VERSION}; "
            "use the LookBench version that wrote it"
        )
    return content


def _write(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, default=str) + "\n"
    part = path / f".{NAME}.part"
    part.write_text(text, encoding="utf-8", newline="\n")
    part.replace(path / NAME)
