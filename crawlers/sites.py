"""Sites as data: one YAML file per shop, every key typed, unknown keys refused."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from crawlers.errors import SiteError

Discovery = Literal["sitemap", "products_json", "store_api", "category"]


def _address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
        raise ValueError(f"{value!r} is no http(s) address")
    return value


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"{value!r} is no regular expression ({error})") from error
    return value


Address = Annotated[str, AfterValidator(_address)]
Pattern = Annotated[str, AfterValidator(_pattern)]


class SettingHint(BaseModel):
    """Photos whose address matches ``match`` have this setting."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    match: Pattern
    """Regular expression searched in the photo's address."""
    setting: Literal["flat", "model", "street"]
    """What such photos show: a flat garment, a model, a street scene."""


class Site(BaseModel):
    """One shop to crawl."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")
    """Short name, used in tables and reports; lower case."""
    start_urls: tuple[Address, ...] = Field(min_length=1)
    """Pages to begin with: the home page, or categories."""
    sitemaps: tuple[Address, ...] = ()
    """Sitemaps besides those that robots.txt names and /sitemap.xml."""
    discover: tuple[Discovery, ...] = ("sitemap", "products_json", "category")
    """Ways to find products; each is tried, a missing one is no error."""
    platform: Literal["auto", "generic", "shopify", "woocommerce"] = "auto"
    """Shop system, where known; ``generic`` asks for no feed."""
    origin: Literal["retail", "street"] = "retail"
    """What photos of product pages are; look pages always give street photos."""
    looks: tuple[Pattern, ...] = ()
    """Addresses that match are pages of looks, whatever their markup says."""
    allow: tuple[Pattern, ...] = ()
    """When given, only addresses that match one of these are fetched as pages."""
    deny: tuple[Pattern, ...] = ()
    """Addresses that match one of these are never fetched as pages."""
    settings: tuple[SettingHint, ...] = ()
    """What photos show, by their addresses."""
    licence: str | None = None
    """Licence or terms under which the photos may be used, as the shop states them."""
    language: str | None = None
    """Language of the pages where they do not say it (BCP 47)."""
    render: Literal["never", "auto", "always"] = "auto"
    """Use of a browser: auto renders only pages whose plain HTML lacks the product."""
    pages: str | None = None
    """Python file beside this one whose web-poet page objects know the shop better than the reader."""
    allow_loopback: bool = False
    """Whether this site may resolve to the machine itself (demo and tests only)."""
    enabled: bool = True
    """The kill switch: a disabled site is never asked for anything, and a crawl that runs stops within seconds."""
    user_agent: str | None = None
    """User agent with a contact; null takes the default of the crawl."""
    delay: float = Field(default=0.5, ge=0, le=600)
    """Seconds between two requests to one host; robots.txt may ask for more, never for less."""
    concurrency: int = Field(default=4, ge=1, le=32)
    """Requests to one host at a time."""
    max_pages: int = Field(default=20_000, ge=1)
    """Pages a crawl fetches at most."""
    max_photos_per_product: int = Field(default=12, ge=1, le=100)
    """Photos taken from one product page."""
    note: str | None = None
    """Anything a maintainer should know."""

    @model_validator(mode="after")
    def _hosts(self) -> "Site":
        if len({urlsplit(url).hostname for url in self.start_urls}) > 8:
            raise ValueError("start_urls name more than 8 hosts; write one file per shop")
        return self

    _file: Path | None = PrivateAttr(None)

    def found_in(self, file: Path | None) -> "Site":
        """Remember which file this site was read from, and return it."""
        self._file = file
        return self

    @property
    def file(self) -> Path | None:
        """File that this site was read from: a crawl looks there whether the site was switched off."""
        return self._file

    @property
    def names_contact(self) -> bool:
        """Whether the user agent holds a mail or web address by which a shop can reach who crawls it."""
        return re.search(r"https?://\S|\S@\S", self.user_agent or "") is not None

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts whose pages belong to the site."""
        return frozenset(host for url in (*self.start_urls, *self.sitemaps) if (host := urlsplit(url).hostname))


def load(path: str | Path) -> list[Site]:
    """Load one site file, or every ``*.yaml`` of a folder in name order.

    Raises SiteError that names the file and the key for an unknown key, an impossible value, two files of one name, or
    a path without any site.
    """
    place = Path(path)
    files = sorted(place.glob("*.yaml")) if place.is_dir() else [place]
    sites = [_one(file) for file in files]
    if not sites:
        raise SiteError(f"{place} holds no site file; write one NAME.yaml per shop there")
    seen: dict[str, Path] = {}
    for site, file in zip(sites, files, strict=True):
        if site.name in seen:
            raise SiteError(f"{file}: the name {site.name!r} is already taken by {seen[site.name]}; names are unique")
        seen[site.name] = file
    return sites


def switched_off(file: Path | None) -> bool:
    """Return whether a site file says ``enabled: false``; a file that is being written or is gone says nothing."""
    import yaml

    try:
        value: Any = yaml.safe_load(file.read_text(encoding="utf-8")) if file else None
    except (OSError, yaml.YAMLError, UnicodeDecodeError):
        return False
    return isinstance(value, dict) and value.get("enabled") is False


def _one(file: Path) -> Site:
    import yaml

    try:
        value: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SiteError(f"{file} cannot be read: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SiteError(f"{file} is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(value, dict):
        raise SiteError(f"{file} must hold keys such as name and start_urls, not {type(value).__name__}")
    try:
        site = Site.model_validate(value).found_in(file.resolve())
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "file"
        if first["type"] == "extra_forbidden":
            known = ", ".join(Site.model_fields)
            raise SiteError(f"{file}: unknown key {key!r}; known keys: {known}") from error
        raise SiteError(f"{file}: {key}: {first['msg']}; the value is {first['input']!r}") from error
    if site.pages is None:
        return site
    pages = (file.parent / site.pages).resolve()
    if not pages.is_file():
        raise SiteError(f"{file}: pages: there is no file {pages}; it is looked for beside the site file")
    return site.model_copy(update={"pages": str(pages)})
