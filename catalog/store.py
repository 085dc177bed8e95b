"""A catalog: original image bytes by sha256 and append-only tables, in a folder or under any fsspec URL."""

import contextlib
import os
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog import tables
from catalog.errors import LookbenchError
from catalog.ids import sha256


class StoreError(LookbenchError):
    """Bytes that are missing, damaged or could not be written."""


class Catalog:
    """The catalog under ``root``: a folder, or an fsspec URL such as ``s3://bucket/path``."""

    def __init__(self, root: str | Path) -> None:
        self.root = str(root).rstrip("/")
        filesystem, path = fsspec.url_to_fs(self.root)
        self.filesystem: Any = filesystem
        self.path: str = path.rstrip("/")

    @property
    def is_local(self) -> bool:
        """Whether the catalog is a folder of this machine."""
        return bool(self.filesystem.protocol == "file" or "file" in self.filesystem.protocol)

    # bytes ------------------------------------------------------------------------------------------------

    def _image_path(self, photo_id: str) -> str:
        return f"{self.path}/images/{photo_id[:2]}/{photo_id}"

    def put_image(self, data: bytes) -> str:
        """Keep original bytes once under their sha256 and return it; putting them again changes nothing."""
        photo_id = sha256(data)
        path = self._image_path(photo_id)
        if not self.filesystem.exists(path):
            self.write_bytes(path, data)
        return photo_id

    def get_image(self, photo_id: str) -> bytes:
        """Return the original bytes of a photo; raise StoreError when they are missing or do not hash to their name."""
        path = self._image_path(photo_id)
        try:
            data: bytes = self.filesystem.cat_file(path)
        except FileNotFoundError as error:
            raise StoreError(f"photo {photo_id} is not in the catalog {self.root}; crawl its site again") from error
        if sha256(data) != photo_id:
            raise StoreError(f"photo {photo_id} in {self.root} is damaged: delete {path} and crawl its site again")
        return data

    def has_image(self, photo_id: str) -> bool:
        """Return whether the bytes of a photo are kept."""
        return bool(self.filesystem.exists(self._image_path(photo_id)))

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file whole or not at all (temporary name, fsync, rename); ``path`` is inside the filesystem."""
        with _told(path), _atomic(self, path) as part, self.filesystem.open(part, "wb") as file:
            file.write(data)
            if self.is_local:
                file.flush()
                os.fsync(file.fileno())

    def take_file(self, path: str, source: Path) -> None:
        """Move a local file to ``path`` inside the filesystem, whole or not at all; raises StoreError otherwise."""
        with _told(path):
            with _atomic(self, path) as part:
                self.filesystem.put_file(str(source), part)
            source.unlink()

    # tables -----------------------------------------------------------------------------------------------

    def append(self, name: str, rows: pa.Table) -> None:
        """Append rows to table ``name`` as one part named by its content: the same rows again change nothing."""
        tables.check(rows, name, "append")
        if rows.num_rows:
            self.write_table(f"{self.path}/tables/{name}/{tables.digest(rows)[:32]}.parquet", rows)

    def read(self, name: str, columns: Sequence[str] | None = None, where: pc.Expression | None = None) -> pa.Table:
        """Return every row ever appended to table ``name``, in a fixed order; raise TableError for a damaged part.

        With ``columns`` only these, with ``where`` only the rows that it holds for: a table of many nights does not
        fit into memory as a whole.
        """
        read = list(self.parts(name, columns, where))
        if read:
            return pa.concat_tables(read)
        return tables.empty(name).select(columns) if columns else tables.empty(name)

    def parts(
        self, name: str, columns: Sequence[str] | None = None, where: pc.Expression | None = None
    ) -> Iterator[pa.Table]:
        """Yield the parts of table ``name`` one by one, in a fixed order, as ``read`` would return them."""
        folder = f"{self.path}/tables/{name}"
        found = sorted(self.filesystem.glob(f"{folder}/*.parquet")) if self.filesystem.exists(folder) else []
        for part in found:
            yield self.read_table(part, name, columns, where)

    def write_table(self, path: str, table: pa.Table) -> None:
        """Write one parquet file whole or not at all; ``path`` is inside the filesystem."""
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        self.write_bytes(path, sink.getvalue().to_pybytes())

    def read_table(
        self, path: str, name: str, columns: Sequence[str] | None = None, where: pc.Expression | None = None
    ) -> pa.Table:
        """Read one parquet file of schema ``name``; raise TableError when it is damaged or of another version."""
        try:
            source = pa.BufferReader(self.filesystem.cat_file(path))
            tables.check(pq.read_schema(source).empty_table(), name, path)
            source.seek(0)
            return pq.read_table(source, columns=list(columns) if columns else None, filters=where)
        except (pa.ArrowInvalid, OSError) as error:
            raise tables.TableError(
                f"{path}: table {name} cannot be read ({error}); restore the file, or delete it and run the step again"
            ) from error


@contextlib.contextmanager
def _told(path: str) -> Iterator[None]:
    """Say which file could not be written."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"could not write {path}: {error.strerror or error}; free space and run again") from error


@contextlib.contextmanager
def _atomic(catalog: Catalog, path: str) -> Iterator[str]:
    if not catalog.is_local:  # object stores replace a key as a whole
        yield path
        return
    folder = Path(path).parent
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{uuid.uuid4().hex}.part"
    try:
        yield str(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
