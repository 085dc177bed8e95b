"""Photos by content, robots directives, validators and dates."""

from datetime import UTC, datetime

import pytest
from conftest_shop import jpeg

from crawlers import media


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (jpeg(1), "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"GIF89a..", "image/gif"),
        (b"\x00\x00\x00\x1cftypavif....", "image/avif"),
        (b"\x00\x00\x00\x1cftypheic....", "image/heic"),
        (b"II*\x00....", "image/tiff"),
        (b"<svg/>", None),
        (b"", None),
        (b"RIFF\x00\x00\x00\x00WAVE", None),
    ],
)
def test_sniff(data, mime):
    assert media.sniff(data) == mime


@pytest.mark.parametrize(
    ("data", "declared", "reason"),
    [
        (jpeg(1), "text/html", None),
        (b"", "image/jpeg", "empty"),
        (b"<svg/>", "image/svg+xml", "vector"),
        (b"<!DOCTYPE html>", "image/jpeg", "wrong_content_type"),
        (b"\x00\x01\x02", "image/jpeg", "not_an_image"),
        (b'{"error": 1}', "application/json", "wrong_content_type"),
    ],
)
def test_refusal(data, declared, reason):
    assert media.refusal(data, declared) == reason


def test_directives():
    assert media.directives(["noindex, NoAI", "otherbot: noimageai", "lookbenchbot: noarchive"]) == (
        "noindex",
        "noai",
        "noarchive",
    )
    assert media.forbidden(media.directives(["all, noimageai"])) == "noimageai"
    assert media.forbidden(media.directives(["noindex, nofollow"])) is None


def test_conditional_headers():
    known = media.headers_that_matter(
        {"etag": '"x"', "last-modified": "Wed, 01 Jul 2026 00:00:00 GMT", "server": "y", "content-type": None}
    )
    assert media.conditional(known) == {"If-None-Match": '"x"', "If-Modified-Since": "Wed, 01 Jul 2026 00:00:00 GMT"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-09-01T10:00:00+02:00", datetime(2026, 9, 1, 8, tzinfo=UTC)),
        ("2026-09-01", datetime(2026, 9, 1, tzinfo=UTC)),
        ("Tue, 01 Sep 2026 08:00:00 GMT", datetime(2026, 9, 1, 8, tzinfo=UTC)),
        ("2026-09-01T08:00:00Z", datetime(2026, 9, 1, 8, tzinfo=UTC)),
        ("soon", None),
        ("", None),
        (None, None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_time_of(text, wanted):
    assert media.time_of(text) == wanted


def test_a_date_beyond_all_calendars_is_none_and_a_validator_too_long_to_send_is_left_out():
    assert media.time_of("Mon, 01 Jun 99999999999999999999 03:02:00 GMT") is None
    assert media.time_of("+999999-01-01T00:00:00Z") is None
    told = {"etag": "x" * 20_000, "last-modified": "Mon, 01 Jun 2026 03:02:00 GMT"}
    assert media.headers_that_matter(told) == {"last-modified": "Mon, 01 Jun 2026 03:02:00 GMT"}
