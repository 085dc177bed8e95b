"""Retry-After in its two spellings, and reason codes of failures."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from crawlers import failures, politeness
from crawlers.politeness import Refused

NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 5 ", 5),
        ("0", 0),
        ("Mon, 01 Jun 2026 03:02:00 GMT", 120),
        ("Mon, 01 Jun 2026 02:00:00 GMT", 0),
        ("000000000120", 120),
        ("9" * 400, float("9" * 300)),
        ("Mon, 01 Jun 99999999999999999999 03:02:00 GMT", None),
        ("soon", None),
        ("", None),
        ("-3", None),
    ],
)
def test_seconds_of(value, seconds):
    assert politeness.seconds_of(value, NOW) == seconds


def failure(error):
    return SimpleNamespace(value=error, request=SimpleNamespace(url="http://x.example/a"))


def test_reason_codes():
    from scrapy.exceptions import IgnoreRequest
    from twisted.internet import error as net

    assert failures.kind(failure(Refused("refused_address", "no"))) == "refused_address"
    assert failures.kind(failure(IgnoreRequest("Forbidden by robots.txt"))) == "robots"
    assert failures.kind(failure(IgnoreRequest("max redirections reached"))) == "redirect_loop"
    assert failures.kind(failure(net.ConnectionRefusedError())) == "refused"
    assert failures.kind(failure(net.DNSLookupError())) == "dns"
    assert failures.kind(failure(net.TimeoutError())) == "timeout"
    assert failures.kind(failure(net.ConnectionLost())) == "reset"
