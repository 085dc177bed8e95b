"""Pictures that lie as files in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lookbench_eval.errors import ReleaseError


@dataclass(frozen=True)
class FilePictures:
    """Picture files by name, read one at a time; an empty name is a row without a picture."""

    root: Path
    names: tuple[str, ...]

    def __iter__(self) -> Iterator[bytes]:
        home = self.root.resolve()
        for row, name in enumerate(self.names):
            if not name:
                raise ReleaseError(f"{self.root}: row {row} names no picture; score it with --embeddings")
            path = (self.root / name).resolve()
            if not path.is_relative_to(home):
                raise ReleaseError(f"{self.root}: row {row} names the picture {name!r} outside of the folder")
            try:
                yield path.read_bytes()
            except OSError as error:
                raise ReleaseError(f"{self.root}: the picture {name!r} of row {row} cannot be read: {error}") from error
