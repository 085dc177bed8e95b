"""Page bytes as evidence: one WARC record per fetched page, so that a date can be shown later.

A segment grows beside the frontier and moves into the catalog when it is full or the crawl ends, whole. What the
frontier committed says how far a segment is good: the tail that a killed crawl left behind is cut off.
"""

import errno
import gzip
import io
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from catalog.errors import LookbenchError
from catalog.ids import sha256
from catalog.store import Catalog, StoreError

SEGMENT_BYTES = 128_000_000
_UNPACKED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


class EvidenceError(LookbenchError):
    """Evidence that is not there or cannot be read."""


class PageArchive:
    """Writes the pages of one process of a crawl into segments ``<stem>-<number>.warc.gz`` of some 128 MB.

    ``most`` is how many packed bytes are kept; pages beyond it are not.
    """

    def __init__(self, catalog: Catalog, folder: Path, stem: str, most: int) -> None:
        self.catalog, self.folder, self.stem, self.most = catalog, folder, stem, most
        self.total = self._number = 0
        self._file: IO[bytes] | None = None
        self.name, self._end = "", 0

    def note(self) -> dict[str, Any]:
        """Return what ``salvage`` needs after a kill: the open segment and how far it is good."""
        return {"file": self.name, "end": self._end, "total": self.total}

    def keep(
        self, url: str, fetched: datetime, headers: Iterable[tuple[str, str]], body: bytes, *, rendered: bool
    ) -> dict[str, Any] | None:
        """Keep an unpacked page and return where it lies, or None when the crawl's share is used up.

        A rendered page is kept as a ``resource``: it is what a browser made, not what a server sent. Raises StoreError
        when it cannot be written.
        """
        about = {"WARC-Payload-Digest": f"sha256:{sha256(body)}"}
        if rendered:
            return self._write(url, "resource", fetched, about, body=body)
        return self._write(url, "response", fetched, about, headers, "200 OK", body)

    def revisit(
        self, url: str, fetched: datetime, headers: Iterable[tuple[str, str]], page_sha256: str, kept: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Record that a page was there unchanged; ``kept`` is where its bytes lie."""
        about = {
            "WARC-Profile": _NOT_MODIFIED,
            "WARC-Refers-To-Target-URI": url,
            "WARC-Refers-To-Date": str(kept["date"]),
            "WARC-Payload-Digest": f"sha256:{page_sha256}",
        }
        return self._write(url, "revisit", fetched, about, headers, "304 Not Modified")

    def _write(
        self,
        url: str,
        kind: str,
        fetched: datetime,
        about: Mapping[str, str],
        headers: Iterable[tuple[str, str]] | None = None,
        status: str = "",
        body: bytes = b"",
    ) -> dict[str, Any] | None:
        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import WARCWriter

        if self.total >= self.most:
            return None
        date = fetched.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        http = None
        if headers is not None:
            lines = [(name, value) for name, value in headers if name.casefold() not in _UNPACKED]
            http = StatusAndHeaders(status, lines, protocol="HTTP/1.1")
        plain = io.BytesIO()
        writer = WARCWriter(plain, gzip=False, warc_version="1.1")
        record = writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            length=len(body),
            warc_content_type="text/html" if http is None else "",
            warc_headers_dict={"WARC-Date": date, **about},
            http_headers=http,
        )
        writer.write_record(record)
        packed = gzip.compress(plain.getvalue(), 6, mtime=0)  # warcio itself packs at the slowest level
        self._append(packed)
        found = {"file": self.name, "offset": self._end - len(packed), "date": date}
        if self._end >= SEGMENT_BYTES:
            self.seal()
        return found

    def _append(self, data: bytes) -> None:
        try:
            if self._file is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                self.name, self._end = f"{self.stem}-{self._number:03d}.warc.gz", 0
                self._file = (self.folder / self.name).open("wb", buffering=0)
            _write_all(self._file, data)
        except OSError as error:
            if self._file:
                os.truncate(self.folder / self.name, self._end)
                self._file.seek(self._end)
            raise StoreError(
                f"could not write {self.name}: {error.strerror or error}; free space and run again"
            ) from error
        self._end += len(data)
        self.total += len(data)

    def seal(self) -> None:
        """Move the open segment into the catalog; raises StoreError when that fails, and nothing is lost."""
        if self._file is None:
            return
        salvage(self.catalog, self.folder, self.note())
        self._file.close()
        self._file, self.name, self._number = None, "", self._number + 1


def salvage(catalog: Catalog, folder: Path, note: Mapping[str, Any]) -> None:
    """Move a segment into the catalog as far as it is good; one that is there already, or empty, is left."""
    path = folder / (note["file"] or ".")
    if path.is_file():
        os.truncate(path, note["end"])
        if note["end"]:
            catalog.take_file(place(catalog, note["file"]), path)
        else:
            path.unlink()


def _write_all(file: IO[bytes], data: bytes) -> None:
    """Write to an unbuffered file, which may take less than it is given when the disk is full."""
    if file.write(data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def place(catalog: Catalog, name: str) -> str:
    """Return the path of a segment inside the catalog's filesystem."""
    return f"{catalog.path}/warc/{name}"


def read(catalog: Catalog, kept: Mapping[str, Any]) -> tuple[dict[str, str], bytes]:
    """Return the WARC headers and the payload of the record at ``kept`` (file, offset).

    Raises EvidenceError that names the file when it is missing, or the page is not what was kept.
    """
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    name, offset = kept["file"], kept["offset"]
    try:
        with catalog.filesystem.open(place(catalog, name), "rb") as file:
            file.seek(offset)
            record = next(iter(ArchiveIterator(file)))
            headers, body = dict(record.rec_headers.headers), record.content_stream().read()
    except FileNotFoundError as error:
        raise EvidenceError(
            f"{name} is not in {catalog.root}/warc; run a crawl that was stopped again, or restore the file"
        ) from error
    except (ArchiveLoadFailed, StopIteration, OSError) as error:
        raise EvidenceError(f"{name} holds no record at {offset} ({error}); restore the file from a copy") from error
    if headers.get("WARC-Payload-Digest") != f"sha256:{sha256(body)}":
        raise EvidenceError(
            f"{name} is damaged at {offset}: the page is not what was kept; restore the file from a copy"
        )
    return headers, body
