"""Sitemaps that mean harm: bombs, entities, circles. What is refused says why, and the memory stays small."""

import gzip
import tracemalloc
import zlib

import pytest

from crawlers.readers import sitemaps

URL = "https://shop.example/sitemap.xml"
ENTRY = "<url><loc>https://shop.example/p/{}</loc></url>"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def urlset(body: str, doctype: str = "") -> bytes:
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0"?>{doctype}<urlset xmlns="{space}">{body}</urlset>'.encode()


def bomb(gigabytes: int) -> bytes:
    """Return a gzip file that unpacks to zeros, made piece by piece."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    piece = b"\0" * 10_000_000
    return b"".join(packer.compress(piece) for _ in range(gigabytes * 100)) + packer.flush()


def test_a_small_file_that_unpacks_to_gigabytes_is_refused():
    data = bomb(1)
    assert len(data) < 1_100_000
    tracemalloc.start()
    read = sitemaps.read(data, URL)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (read.entries, read.sitemaps) == ((), ())
    assert "more than 60 MB unpacked" in read.reason
    assert peak < 200_000_000


def test_all_members_of_a_gzip_file_are_read_and_one_that_ends_early_is_told():
    whole = urlset(ENTRY.format(1) + ENTRY.format(2))
    members = gzip.compress(whole[:150]) + gzip.compress(whole[150:])
    assert [entry.url[-1] for entry in sitemaps.read(members, URL).entries] == ["1", "2"]
    assert "damaged gzip" in sitemaps.read(gzip.compress(whole)[:-20], URL).reason
    assert sitemaps.read(gzip.compress(whole) + b"\0" * 512, URL).reason is None  # padding, as tar leaves it
    assert "damaged gzip" in sitemaps.read(gzip.compress(b"") * 2_000_000, URL).reason


@pytest.mark.parametrize(
    "place",
    ["<loc>https://shop.example/{}</loc>", "<loc>https://shop.example/p</loc><link rel='alternate' href='/{}'/>"],
)
def test_entities_are_not_expanded(place, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("root:x:0:0")
    for doctype, name in (
        (f'<!DOCTYPE u [<!ENTITY l0 "ha">{LAUGHS}]>', "&l9;"),
        (f'<!DOCTYPE u [<!ENTITY xxe SYSTEM "file://{secret}">]>', "&xxe;"),
        (f'<!DOCTYPE u [<!ENTITY % xxe SYSTEM "file://{secret}"> %xxe;]>', "x"),
        (f'<!DOCTYPE u SYSTEM "file://{secret}">', "x"),
    ):
        tracemalloc.start()
        read = sitemaps.read(urlset(f"<url>{place.format(name)}</url>" + ENTRY.format(7), doctype), URL)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        told = repr(read)
        assert "root:" not in told
        assert "haha" not in told
        assert len(told) < 5000
        assert peak < 20_000_000
