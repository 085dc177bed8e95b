"""What a maintainer reads of a night in Prefect."""

from flows import artifacts


def test_a_night_is_told_in_words_with_its_failures_by_kind() -> None:
    night = {
        "ended": "byte_limit",
        "pages": 1200,
        "pages_unchanged": 1100,
        "rendered": 4,
        "pages_over_limit": 30,
        "products": 300,
        "products_new": 3,
        "products_changed": 2,
        "products_relisted": 0,
        "products_delisted": 1,
        "photos": 601,
        "photos_new": 12,
        "photo_bytes": 3_410_000,
        "looks": 1,
        "errors": {"http_404": 2, "robots": 1, "timeout": 17},
        "bytes": 12_345_678,
        "requests": 1402,
        "waits": 61.4,
        "robots_refused": 5,
        "crawl_delay_s": 2,
    }
    (row,) = artifacts.crawl_rows({"testwick": night})
    assert row == {
        "site": "testwick",
        "ended": "byte_limit",
        "pages": "1,200: 1,100 unchanged, 4 rendered, 30 left for another night",
        "products": "300: 3 new, 2 changed, 0 relisted, 1 delisted",
        "photos": "601: 12 new (3.4 MB)",
        "looks": "1",
        "failures": "timeout 17, http_404 2, robots 1",
        "loaded": "12.3 MB in 1,402 requests",
        "politeness": "waited 61 s for a busy server, robots.txt kept 5 requests back and asked for 2 s between two",
    }


def test_a_site_whose_process_died_is_told_too() -> None:
    (row,) = artifacts.crawl_rows({"testwick": {}})
    assert (row["ended"], row["failures"], row["photos"]) == ("died", "none", "0: 0 new (0.0 MB)")
