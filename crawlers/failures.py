"""Failures of requests as reason codes."""

from typing import Any
from urllib.parse import urlsplit

from crawlers import guard


def kind(failure: Any) -> str:
    """Return the reason code of a Twisted failure: http_404, timeout, dns, refused_address, certificate, robots, ..."""
    from scrapy.spidermiddlewares.httperror import HttpError

    error = failure.value
    if isinstance(error, HttpError):
        status = error.response.status
        return "bad_redirect" if 300 <= status < 400 else f"http_{status}"
    reason = getattr(error, "reason", None)
    if isinstance(reason, str):
        return reason
    name, said = type(error).__name__, str(error).casefold()
    if name == "IgnoreRequest":
        codes = {"robots": "robots", "redirect": "redirect_loop", "maxsize": "too_large"}
        return next((code for mark, code in codes.items() if mark in said), "ignored")
    if "DNS" in name or "CannotResolve" in name or "resolve" in said:
        host = urlsplit(getattr(getattr(failure, "request", None), "url", "")).hostname
        return "refused_address" if host in guard.refused else "dns"
    for code, marks in _KINDS:
        if any(mark in name or mark.casefold() in said for mark in marks):
            return code
    return "error"


_KINDS = (
    ("certificate", ("certificate verify", "VerificationError", "ERR_CERT")),
    ("too_large", ("Cancelled", "maxsize", "larger than")),
    ("timeout", ("Timeout", "TimedOut", "took longer")),
    ("refused", ("ConnectionRefused", "CannotConnect", "refused")),
    ("reset", ("ResponseFailed", "ConnectionLost", "ConnectionDone", "ConnectionReset", "DataLoss")),
    ("bad_redirect", ("out of range", "Invalid IPv6", "Missing scheme")),
    (
        "bad_answer",
        ("ParseError", "InvalidHeader", "Value contains", "Invalid response", "ecompress", "decoder failed"),
    ),
    ("browser", ("BrowserDiedError", "TargetClosed", "net::", "playwright")),
)


def text(failure: Any) -> str:
    """Return one line about a failure for the ledger."""
    return f"{type(failure.value).__name__}: {' '.join(str(failure.value).split())}"[:300]


def content_type(response: Any) -> str | None:
    """Return the declared media type of a Scrapy response, lower case, without parameters."""
    value = response.headers.get("Content-Type")
    return value.decode("latin-1").split(";")[0].strip().casefold() if value else None
