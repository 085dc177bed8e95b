"""Files that appear whole or not at all."""

import os
from collections.abc import Mapping
from pathlib import Path


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write files that belong together: none of them is replaced unless all could be written to the disk."""
    parts = {path: _part(path) for path in files}
    try:
        for path, part in parts.items():
            _write(part, files[path])
        for path, part in parts.items():
            part.replace(path)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it appears complete or not at all."""
    write_together({path: data})


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
