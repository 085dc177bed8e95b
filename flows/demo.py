"""The demo: a live shop, two seasons, two editions, each frozen and validated; every part real."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from catalog.errors import LookbenchError
from flows import edition as editions
from flows import servers
from flows import settings as settings_module
from flows.freeze import freeze, told
from flows.nightly import nightly_crawl
from flows.progress import say, track
from flows.refresh import refresh
from flows.workshop import Workshop

GATES = {  # a demo shop is small: what makes a release of it sound, not what makes an edition worth publishing
    "min_queries": {"real_studio_flat": 4, "aigen_studio": 2, "real_streetlook": 4, "aigen_streetlook": 2},
    "min_noise": 2,
}
PICTURES_OF_DRAWN = {"studio": 45, "street": 15}
"""AI pictures of an edition of drawn garments, which are few."""
NOTES = {
    False: "A demo: the garments are drawn by this project (CC0), sold by a shop on this machine; nobody wears them.",
    True: "A demo on real photos (CC0): further views of a product are the same photo cut out and laid elsewhere, and "
    "the looks are composed from cut-out photos: nobody wears them.",
}
LOOKS, LOOKS_OF_ALL_PHOTOS = 30, 200
LEAST = 8  # products below which no subset has a query


@dataclass(frozen=True)
class Season:
    """One season of the shop and the edition made from it, on an injected clock."""

    number: int
    edition: str
    night: datetime
    """When the shop is crawled."""
    day: datetime
    """When the edition is refreshed and frozen."""


SEASONS = (
    Season(1, "2026.06", datetime(2026, 5, 18, 3, tzinfo=UTC), datetime(2026, 6, 1, 9, tzinfo=UTC)),
    Season(2, "2026.12", datetime(2026, 11, 16, 3, tzinfo=UTC), datetime(2026, 12, 1, 9, tzinfo=UTC)),
)


class DemoError(LookbenchError):
    """A demo that cannot be set up as asked."""


def run(
    *,
    root: str | None = None,
    settings: str | Path | None = None,
    photos: Path | None = None,
    products: int | None = None,
    port: int = 8930,
) -> list[dict[str, Any]]:
    """Build the shop, then crawl, refresh and freeze both seasons.

    ``photos`` is a folder with ``photos.csv`` and ``images/``; without it the shop sells drawn garments. ``products``
    says how many a season sells; ``port`` must be the same at every run, so that a page keeps its address. What is
    finished is kept: run again, the demo only tells about it. Returns the summary of `freeze` per edition. Raises
    DemoError for a folder without photos.csv and whatever the flows raise.
    """
    if photos is not None and not (photos / "photos.csv").is_file():
        raise DemoError(f"{photos} holds no photos.csv; give a folder with photos.csv and images/")
    if products is not None and products < LEAST:
        raise DemoError(f"--products {products} is too few for an edition; give at least {LEAST}")
    home = Path(root or ".lookbench/demo" + ("-photos" if photos else "")).resolve()
    home.mkdir(parents=True, exist_ok=True)
    pictures = None if photos else PICTURES_OF_DRAWN
    file = write_settings(home, settings, port, NOTES[photos is not None], pictures)
    workshop = Workshop.open(root=str(home), settings=file)
    try:
        return [_season(workshop, file, season, photos, products, port) for season in SEASONS]
    finally:
        servers.down(workshop)


def _season(
    workshop: Workshop, file: Path, season: Season, photos: Path | None, products: int | None, port: int
) -> dict[str, Any]:
    where: Mapping[str, Any] = {"root": workshop.settings.root, "settings": str(file)}
    frozen = {record.edition: record for record in editions.records(workshop.catalog) if record.release}
    if season.edition in frozen:
        say(f"edition {season.edition} is frozen already")
        return told(workshop, season.edition)
    _crawl(workshop, season, photos, products, port, where)
    refresh(season.edition, now=season.day, **where)
    frozen_now: dict[str, Any] = freeze(season.edition, now=season.day, **where)
    return frozen_now


def _crawl(
    workshop: Workshop, season: Season, photos: Path | None, products: int | None, port: int, where: Mapping[str, Any]
) -> None:
    from demo import shop
    from demo.errors import ShopError

    folder = Path(workshop.settings.root) / "shop"
    looks = LOOKS if products or not photos else LOOKS_OF_ALL_PHOTOS
    with ExitStack() as opened:
        try:
            with track(f"season {season.number}: build the shop") as progress:
                catalogue = shop.build(
                    folder, season.number, workshop.settings.seed, photos, products, looks, progress=progress
                )
            address = opened.enter_context(shop.serve(catalogue, port=port))
        except ShopError as error:
            raise DemoError(f"the demo shop cannot be opened: {error}") from error
        say(f"season {season.number}: the shop sells at {address}")
        nightly_crawl(now=season.night, **where)


def write_settings(
    home: Path, settings: str | Path | None, port: int, note: str = "", pictures: Mapping[str, int] | None = None
) -> Path:
    """Write the settings of the demo: as given, but its own site, and labels accepted from the machine."""
    from ruamel.yaml import YAML

    yaml = YAML()
    given = settings_module.find(settings)
    content = yaml.load(given)
    content["sites"] = str(home / "sites")
    content.setdefault("annotation", {})["labels"] = "accept-predictions"
    content.setdefault("release", {}).update(GATES)
    content["notes"] = [note] if note else []
    content.setdefault("generation", {}).update(pictures or {})
    (home / "sites").mkdir(exist_ok=True)
    site = {
        "name": "demo-shop",
        "start_urls": [f"http://127.0.0.1:{port}/"],
        "licence": "CC0-1.0",
        "allow_loopback": True,
        "delay": 0,
        "concurrency": 8,
        "note": "Served by `lookbench demo` from this machine.",
    }
    with (home / "sites" / "demo-shop.yaml").open("w", encoding="utf-8") as target:
        yaml.dump(site, target)
    file = home / "lookbench.yaml"
    with file.open("w", encoding="utf-8") as target:
        yaml.dump(content, target)
    return file
