"""What a crawl keeps: rows for the catalog, written in parts, each once; the ledger; the figures of the report."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from catalog import tables
from catalog.ids import sha256
from catalog.store import Catalog
from crawlers import media, rows
from crawlers.frontier import Frontier, Yield
from crawlers.readers.reading import Reading
from crawlers.sites import Site
from crawlers.tasks import Task

TIMES = frozenset({"first_seen", "last_seen", "seen_at", "published_at"})


@dataclass(frozen=True)
class Sight:
    """Where a photo was found: its page, the product of that page or the products that a look shows."""

    page_url: str
    product_id: str | None
    shows: tuple[str, ...] = ()
    origin: str = "retail"
    published_at: datetime | None = None
    rules: tuple[str, ...] = ()

    @classmethod
    def load(cls, value: dict[str, Any]) -> "Sight":
        """Read a sight that went through JSON."""
        published = value["published_at"]
        lists = {name: tuple(value[name]) for name in ("shows", "rules")}
        return cls(**{**value, **lists, "published_at": datetime.fromisoformat(published) if published else None})


@dataclass(frozen=True)
class Kept:
    """A photo whose bytes are in the catalog; ``is_new`` when no crawl had them before."""

    photo_id: str
    size: int
    mime: str | None
    is_new: bool


class Recorder:
    """Collects and appends the rows of one site at one time; rows that the catalog already holds are not repeated."""

    def __init__(self, catalog: Catalog, site: Site, now: datetime, user_agent: str) -> None:
        self.catalog, self.site, self.now, self.user_agent = catalog, site, now, user_agent
        self.figures: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.traffic: Counter[str] = Counter()
        """Bytes, requests and seconds waited by the processes of this crawl before this one."""
        self.close_reason = "unfinished"
        self._rows: list[tuple[str, Mapping[str, Any]]] = []
        self._ledger: list[Mapping[str, Any]] = []
        self._memory: dict[tuple[str, str], Any] = {}
        self._ledger_ids: set[tuple[str, str]] = set()
        self._load()

    def _load(self) -> None:
        self._first_seen: dict[str, datetime] = {}
        self._product_rows: set[tuple[str, datetime]] = set()
        mine = pc.field("site") == self.site.name
        for row in self.catalog.read("products", ["product_id", "first_seen", "last_seen"], mine).to_pylist():
            known = self._first_seen.get(row["product_id"], row["first_seen"])
            self._first_seen[row["product_id"]] = min(known, row["first_seen"])
            self._product_rows.add((row["product_id"], row["last_seen"]))
        self._held = frozenset(self._first_seen)
        self._photo_rows: set[tuple[str, str | None]] = set()
        self._photo_ids: set[str] = set()
        for row in self.catalog.read("photos", ["photo_id", "product_id"]).to_pylist():
            self._photo_rows.add((row["photo_id"], row["product_id"]))
            self._photo_ids.add(row["photo_id"])
        tonight = pc.field("seen_at") == pa.scalar(self.now, tables.TIME)
        self._sighted: set[tuple[str, str, bool]] = set()
        for row in self.catalog.read("sightings", ["url", "page_url", "photo_id"], tonight).to_pylist():
            self._sighted |= _blocks(row["url"], row["page_url"], seen=row["photo_id"] is not None)

    def page(
        self, url: str, reason: str = "ok", *, kept: bool = True, evidence: Mapping[str, Any] | None = None
    ) -> None:
        """Record what became of a page; the first verdict on an address counts."""
        if ("page", url) in self._ledger_ids:
            return
        self._tell("page", url, None, reason, kept=kept, evidence=evidence)
        if not kept:
            self.errors[reason] += 1

    def _tell(
        self, subject: str, id: str, parent: str | None, reason: str, *, kept: bool, evidence: Mapping[str, Any] | None
    ) -> None:
        self._ledger_ids.add((subject, id))
        told = json.dumps(evidence, sort_keys=True) if evidence else None
        row = {"step": "crawl", "subject": subject, "id": id, "parent_id": parent, "reason": reason, "evidence": told}
        self._ledger.append({**row, "outcome": "kept" if kept else "dropped"})

    def tell_product(self, id: str, page: str, reason: str, evidence: Mapping[str, Any], *, kept: bool = True) -> bool:
        """Record what became of a product and return True; the first verdict of a night counts."""
        if ("product", id) in self._ledger_ids:
            return False
        self._tell("product", id, page, reason, kept=kept, evidence=evidence)
        return True

    def has_told(self, subject: str, id: str) -> bool:
        """Return whether the ledger of this night has a verdict."""
        return (subject, id) in self._ledger_ids

    def holds_product(self, id: str) -> bool:
        """Return whether the catalog held a row of a product when this process began."""
        return id in self._held

    def holds_photo(self, id: str) -> bool:
        """Return whether the catalog has a row of a photo, or tonight's crawl brought it."""
        return id in self._photo_ids

    def product_row(self, reading: Reading, page_sha256: str) -> dict[str, Any]:
        """Return the row of a product as read now, with the time when it was first seen."""
        return self.known_as(rows.product(reading, self.site, self.now, page_sha256))

    def known_as(self, row: dict[str, Any], identity: str | None = None) -> dict[str, Any]:
        """Return a row with the time when its product, or the one of ``identity``, was first seen."""
        row["product_id"] = identity = identity or row["product_id"]
        row["first_seen"] = min(self._first_seen.get(identity, self.now), self.now)
        self._first_seen[identity] = row["first_seen"]
        return row

    def product(self, row: dict[str, Any]) -> None:
        """Record a product; one that was recorded at this time already is left as it is."""
        key = (row["product_id"], self.now)
        if key not in self._product_rows:
            self._product_rows.add(key)
            self._add("products", row)

    def keep(self, data: bytes) -> Kept:
        """Keep the bytes of a photo and return what they are; raises StoreError when they cannot be written."""
        photo_id = sha256(data)
        is_new = photo_id not in self._photo_ids
        self._photo_ids.add(photo_id)
        self.catalog.put_image(data)
        return Kept(photo_id, len(data), media.sniff(data), is_new)

    def photo(
        self,
        url: str,
        kept: Kept,
        headers: Mapping[str, str | None],
        sights: Sequence[Sight],
        robots: Mapping[str, Any],
    ) -> None:
        """Record a kept photo for every page that shows it."""
        http = media.headers_that_matter(headers)
        status = "new" if kept.is_new else "same"
        for sight in sights:
            if (kept.photo_id, sight.product_id) not in self._photo_rows:
                self._photo_rows.add((kept.photo_id, sight.product_id))
                self._add("photos", self._photo_row(url, kept, http, sight, robots))
            self.sighting(kept.photo_id, url, sight, status)
            status = "same"

    def _photo_row(
        self, url: str, kept: Kept, http: Mapping[str, str], sight: Sight, robots: Mapping[str, Any]
    ) -> dict[str, Any]:
        hinted = (hint.setting for hint in self.site.settings if re.search(hint.match, url))
        return {
            "photo_id": kept.photo_id,
            "bytes": kept.size,
            "mime": kept.mime,
            "origin": sight.origin,
            "product_id": sight.product_id,
            "shows": list(sight.shows) or None,
            "setting": next(hinted, "street" if sight.origin == "street" else None),
            "site": self.site.name,
            "source_url": url,
            "page_url": sight.page_url,
            "licence": self.site.licence,
            "robots": json.dumps({**robots, "page_rules": list(sight.rules)}, sort_keys=True),
            "first_seen": self.now,
            "published_at": sight.published_at,
            "http": json.dumps(dict(http), sort_keys=True),
        }

    def sighting(self, photo_id: str | None, url: str, sight: Sight, status: str) -> None:
        """Record that a photo was seen (new, same) or why its fetch failed."""
        if ("photo", url) not in self._ledger_ids:
            evidence = {"photo_id": photo_id} if photo_id else None
            self._tell("photo", url, sight.page_url, status, kept=photo_id is not None, evidence=evidence)
            if photo_id is None:
                self.errors[status] += 1
            else:
                self.figures["photos"] += 1
                self.figures["photos_new"] += status == "new"
        seen = photo_id is not None
        if (url, sight.page_url, seen) in self._sighted:
            return
        self._sighted |= _blocks(url, sight.page_url, seen=seen)
        self._add(
            "sightings",
            {
                "photo_id": photo_id,
                "url": url,
                "page_url": sight.page_url,
                "site": self.site.name,
                "product_id": sight.product_id,
                "seen_at": self.now,
                "status": status,
            },
        )

    def _add(self, table: str, row: dict[str, Any]) -> None:
        self._rows.append((table, row))

    def remember(self, kind: str, key: str, value: Any) -> None:
        """Keep a value for the nights to come, under (kind, key)."""
        self._memory[kind, key] = value

    def take(self, tasks: list[Task], notes: Mapping[tuple[str, str], Any] | None = None) -> Yield:
        """Return what was recorded since the last call, with new tasks and notes, to be committed as one."""
        state = {("state", "figures"): dict(self.figures), ("state", "errors"): dict(self.errors)}
        brought = Yield(tasks, self._rows, self._ledger, {**(notes or {}), **state}, self._memory)
        self._rows, self._ledger, self._memory = [], [], {}
        return brought

    def resume(self, frontier: Frontier) -> None:
        """Go on where a crawl that ended early was: its figures, and the addresses that have a verdict."""
        state = frontier.notes("state")
        self.figures.update(state.get("figures", {}))
        self.traffic.update(state.get("traffic", {}))
        self.errors.update({kind: count for kind, count in state.get("errors", {}).items() if kind != "disk"})
        self._ledger_ids |= {(row["subject"], row["id"]) for row in frontier.ledger()}

    def traffic_with(self, stats: Mapping[str, Any]) -> dict[str, Any]:
        """Return bytes, requests and politeness of the crawl so far: of this process and those before it.

        ``bytes`` came over the wire: packed bodies and heads, by the browser too, also of answers that were given up.
        """
        names = {
            "bytes": "lookbench/received_bytes",
            "requests": "downloader/request_count",
            "waits": "lookbench/wait_seconds",
            "robots_refused": "robotstxt/forbidden",
        }
        told = {name: round(self.traffic[name] + stats.get(key, 0), 3) for name, key in names.items()}
        return {**told, "bytes": told["bytes"] + stats.get("lookbench/browser_bytes", 0)}

    def export(self, frontier: Frontier) -> None:
        """Write the rows that wait in the frontier; raises StoreError when the catalog cannot be written."""
        frontier.export(self.writer(self.catalog))

    @staticmethod
    def writer(catalog: Catalog) -> Callable[[str, list[dict[str, Any]]], None]:
        """Return what appends rows, as they come out of a frontier, to a table of ``catalog``."""

        def write(table: str, found: list[dict[str, Any]]) -> None:
            typed = [{key: _time(value) if key in TIMES else value for key, value in row.items()} for row in found]
            catalog.append(table, tables.from_rows(table, typed))

        return write


def _blocks(url: str, page_url: str, *, seen: bool) -> set[tuple[str, str, bool]]:
    """Return which sightings are not recorded any more: a failure may be followed by a success, never the reverse."""
    return {(url, page_url, False), (url, page_url, True)} if seen else {(url, page_url, False)}


def _time(value: str | None) -> datetime | None:
    return datetime.fromisoformat(value) if value else None
