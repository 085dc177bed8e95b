"""The site file that a survey of a shop suggests."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crawlers import media
from crawlers.errors import SiteError
from crawlers.sites import Site
from crawlers.survey import Survey

_HEAD = """# Draft by `lookbench site try {url}`.
# Ask the shop first; then name a contact in user_agent, state the licence, and set enabled: true.
"""


def draft(found: Survey, *, allow_loopback: bool = False) -> Site:
    """Return the site that a survey suggests; disabled until a person has looked at it."""
    host = urlsplit(found.url).hostname or "shop"
    named = [one["url"] for one in found.sitemaps if one["pages"] or one["maps"]]
    elsewhere = [url for url in named if urlsplit(url).hostname != host][:8]
    discover = ["sitemap", "products_json", "category"] if found.platform != "woocommerce" else ["sitemap", "category"]
    if found.feed and found.platform == "woocommerce":
        discover.insert(1, "store_api")
    rule = media.forbidden(found.rules)
    notes = [
        f"{found.platform}: {found.products or 'no'} products by {found.counted}",
        "robots.txt disallows the start page" if not found.allowed else "",
        f"its pages say {rule}: no photo may be taken" if rule else "",
    ]
    made: dict[str, Any] = {
        "name": re.sub(r"[^a-z0-9.-]+", "-", _ascii(host).removeprefix("www.")).strip(".-")[:60] or "shop",
        "start_urls": [found.url],
        "sitemaps": elsewhere,
        "platform": found.platform if found.feed or found.platform == "woocommerce" else "generic",
        "discover": discover,
        "language": found.language,
        "render": "auto" if found.browser in {"yes", "perhaps"} else "never",
        "delay": min(max(1.0, found.crawl_delay or 0.0), 600.0),  # what robots.txt asks beyond it holds all the same
        "allow_loopback": allow_loopback,
        "enabled": False,
        "note": "; ".join(filter(None, notes)),
    }
    return Site.model_validate(made)


def _ascii(host: str) -> str:
    """Return a host as DNS spells it: ``bücher.example`` is ``xn--bcher-kva.example``."""
    return host if host.isascii() else host.encode("idna").decode()


def write(site: Site, folder: Path, url: str) -> Path:
    """Write the site file NAME.yaml into ``folder`` and return its path; one that exists is never written over."""
    import yaml

    path = folder / f"{site.name}.yaml"
    keys = ("name", "start_urls", "sitemaps", "platform", "discover", "language", "licence", "user_agent", "render",
            "delay", "allow_loopback", "enabled", "note")  # fmt: skip
    always = {"name", "start_urls", "licence", "user_agent", "render", "delay", "enabled"}
    values = site.model_dump(mode="json")
    defaults = {name: known.default for name, known in Site.model_fields.items()}
    shown = {key: values[key] for key in keys if key in always or values[key] not in (defaults[key], [])}
    text = _HEAD.format(url=url) + yaml.safe_dump(shown, sort_keys=False, allow_unicode=True, width=100)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise SiteError(f"{path} exists already; move it away, or edit it by hand") from error
    except OSError as error:
        raise SiteError(
            f"{path} cannot be written: {error.strerror or error}; name another folder with --out"
        ) from error
    return path
