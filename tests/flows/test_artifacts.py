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
        "products": "300 (3 new, 2 changed, 1 delisted)",
        "photos": "601 (12 new)",
        "failures": "timeout 17, http_404 2, robots 1",
        "pages": "1,200 (1,100 unchanged, 4 rendered, 30 left)",
        "looks": "1",
        "loaded": "12.3 MB in 1,402 requests",
        "politeness": "61 s waited, robots.txt kept 5 back, Crawl-delay 2 s",
    }
    quiet = {"ended": "finished", "pages": 3, "bytes": 4_210, "requests": 5}
    (row,) = artifacts.crawl_rows({"testwick": quiet})
    assert (row["pages"], row["loaded"], row["politeness"]) == ("3", "4.2 kB in 5 requests", "no wait asked for")


def test_a_site_that_is_down_is_not_told_as_finished() -> None:
    (row,) = artifacts.crawl_rows({"testwick": {"ended": "finished", "errors": {"refused": 2}}})
    assert (row["ended"], row["failures"], row["pages"]) == ("nothing came", "refused 2", "0")


def test_a_site_whose_process_died_is_told_too() -> None:
    (row,) = artifacts.crawl_rows({"testwick": {}})
    assert (row["ended"], row["failures"], row["photos"]) == ("died", "none", "0")
