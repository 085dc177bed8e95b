"""Evidence: one record per page, segments whole in the catalog, a killed tail cut off, dates that agree or not."""

from datetime import UTC, datetime

import pytest
from warcio.archiveiterator import ArchiveIterator

from catalog.ids import sha256
from catalog.store import Catalog, StoreError
from crawlers import dates, warc

NOW = datetime(2026, 6, 1, 3, 4, 5, 678901, tzinfo=UTC)
HEADERS = [
    ("etag", '"x"'),
    ("content-encoding", "gzip"),
    ("content-length", "3"),
    ("set-cookie", "a"),
    ("set-cookie", "b"),
]


def test_pages_come_back_from_where_they_were_put(tmp_path, monkeypatch):
    monkeypatch.setattr(warc, "SEGMENT_BYTES", 1500)
    catalog = Catalog(tmp_path / "c")
    archive = warc.PageArchive(catalog, tmp_path / "state", "shop-1", 10**9)
    bodies = {f"https://shop.example/p/{n}": f"<h1>Page {n}</h1>\r\n\r\nWARC/1.1\r\n".encode() * 9 for n in range(6)}
    kept = {url: archive.keep(url, NOW, HEADERS, body, rendered=n == 3) for n, (url, body) in enumerate(bodies.items())}
    url, body = next(iter(bodies.items()))
    again = archive.revisit(url, NOW, [("etag", '"x"')], sha256(body), kept[url])
    with pytest.raises(warc.EvidenceError, match=r"not in .*run a crawl that was stopped again"):
        warc.read(catalog, again)
    archive.seal()
    archive.seal()
    assert list((tmp_path / "state").iterdir()) == []
    files = sorted((tmp_path / "c" / "warc").iterdir())
    assert len(files) > 1
    for url, body in bodies.items():
        headers, found = warc.read(catalog, kept[url])
        assert found == body
        assert (headers["WARC-Target-URI"], headers["WARC-Date"]) == (url, "2026-06-01T03:04:05.678901Z")
    records = []
    for file in files:
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.content_stream().read()
                records.append((record.rec_type, record.rec_headers.get_header("WARC-Target-URI")))
                names = [name for name, _ in record.http_headers.headers] if record.http_headers else []
                assert not {"content-encoding", "content-length"} & set(names)
    kinds = ["resource" if n == 3 else "response" for n in range(6)]
    assert records == [*zip(kinds, bodies, strict=True), ("revisit", next(iter(bodies)))]


def test_a_share_is_not_exceeded_and_a_torn_tail_is_cut(tmp_path):
    catalog = Catalog(tmp_path / "c")
    archive = warc.PageArchive(catalog, tmp_path, "shop", 1)
    kept = archive.keep("https://shop.example/", NOW, [], b"one", rendered=False)
    note = archive.note()
    assert archive.keep("https://shop.example/2", NOW, [], b"two", rendered=False) is None
    with (tmp_path / note["file"]).open("ab") as file:
        file.write(b"\x1f\x8bhalf a record of a process that was killed")
    for _ in range(2):
        warc.salvage(catalog, tmp_path, note)
    assert warc.read(catalog, kept)[1] == b"one"
    assert (tmp_path / "c" / "warc" / note["file"]).stat().st_size == note["end"]
    warc.salvage(catalog, tmp_path, {"file": "", "end": 0})


def test_a_full_disk_loses_what_was_not_kept_and_nothing_else(tmp_path, monkeypatch):
    catalog = Catalog(tmp_path / "c")
    archive = warc.PageArchive(catalog, tmp_path / "state", "shop", 10**9)
    kept = archive.keep("https://shop.example/", NOW, [], b"one", rendered=False)

    def full(file, data):
        file.write(data[:20])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(warc, "_write_all", full)
        with pytest.raises(StoreError, match=r"could not write shop-000.*No space left"):
            archive.keep("https://shop.example/2", NOW, [], b"two", rendered=False)
    third = archive.keep("https://shop.example/3", NOW, [], b"three", rendered=False)
    archive.seal()
    assert [warc.read(catalog, one)[1] for one in (kept, third)] == [b"one", b"three"]


def test_bytes_that_are_not_what_was_kept_are_told(tmp_path):
    catalog = Catalog(tmp_path / "c")
    archive = warc.PageArchive(catalog, tmp_path, "shop", 10**9)
    first = archive.keep("https://shop.example/", NOW, [], b"one", rendered=False)
    archive.seal()
    path = tmp_path / "c" / "warc" / first["file"]
    with pytest.raises(warc.EvidenceError, match="no record at 999"):
        warc.read(catalog, {**first, "offset": 999})
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(warc.EvidenceError, match="restore the file"):
        warc.read(catalog, first)


def test_dates_that_contradict_are_named():
    good = {"date": "Mon, 01 Jun 2026 03:04:00 GMT", "last-modified": "Fri, 01 May 2026 00:00:00 GMT"}
    told = dates.agreement(NOW, good, "2026-05-01", "2026-05-01T12:00:00+02:00")
    assert told["disagree"] == []
    assert (told["sitemap"], told["published"]) == ("2026-05-01T00:00:00+00:00", "2026-05-01T10:00:00+00:00")
    assert told["fetched"] == NOW.isoformat()
    late = {"date": "Mon, 01 Jun 2026 04:00:00 GMT", "last-modified": "Fri, 01 May 2026 00:00:00 GMT"}
    told = dates.agreement(NOW, late, "2026-07-01", "2026-05-20")
    assert told["disagree"] == ["server after fetched", "sitemap after fetched", "published after last_modified"]
    assert dates.agreement(NOW, {"date": "Mon, 01 Jun 2026 01:00:00 GMT"}, None, None)["disagree"] == [
        "server before fetched"
    ]
    assert dates.agreement(NOW, {"date": "soon"}, "never", None) == {"fetched": NOW.isoformat(), "disagree": []}
