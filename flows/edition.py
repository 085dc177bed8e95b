"""One edition: its window, its finished steps and its state, recorded in ``editions/<edition>/edition.json``."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from catalog import steps
from catalog.errors import LookbenchError
from catalog.ids import sha256
from catalog.steps import Step, StepResult
from catalog.store import Catalog

NAME = re.compile(r"\d{4}\.(0[1-9]|1[0-2])")
OPEN, AWAITING_LABELS, FROZEN = "open", "awaiting labels", "frozen"


class EditionError(LookbenchError):
    """An edition that is unknown, badly named or in the wrong state for what was asked."""


@dataclass(frozen=True)
class Record:
    """What is known of an edition between runs."""

    edition: str
    opened_at: datetime
    """The injected clock when the refresh began: photos first seen later belong to the next edition."""
    since: datetime | None
    """Where the edition before stopped; null for the first."""
    state: str = OPEN
    frozen_at: datetime | None = None
    release: str | None = None
    steps: Mapping[str, str] = field(default_factory=dict)
    """Finished steps of the last refresh, whole or not, and of the freeze: name -> path of the output."""


class Edition:
    """An edition opened for work: runs its steps once each and remembers where they lie."""

    def __init__(self, catalog: Catalog, record: Record) -> None:
        self.catalog, self.record = catalog, record
        self.done: dict[str, Step] = {}

    @property
    def name(self) -> str:
        """The edition, ``YYYY.MM``."""
        return self.record.edition

    def step(
        self,
        name: str,
        work: Callable[[], StepResult],
        *,
        inputs: Mapping[str, pa.Table],
        settings: Mapping[str, object],
        subject: str,
        ids: Iterable[str],
        room: str = "curation",
    ) -> StepResult:
        """Run one step as a Prefect task, unless the same work is already done (see catalog.steps.run).

        ``room`` is the folder whose code the step runs: a change there makes the step run again.
        """

        @task(name=name, cache_policy=NO_CACHE, persist_result=False)
        def run() -> Step:
            return steps.run(
                self.catalog,
                self.name,
                name,
                work,
                inputs=inputs,
                settings=settings,
                subject=subject,
                ids=ids,
                code=code_version(room),
            )

        self.done[name] = run()
        self.save()  # a refresh that ends early has still told what became of every photo up to there
        return self.done[name].result

    def load(self, name: str) -> StepResult:
        """Read back a step of the last refresh or freeze; raise EditionError when there was none."""
        if name not in self.record.steps:
            raise EditionError(
                f"edition {self.name} has no finished step {name!r} in {self.catalog.root}: "
                f"run `lookbench refresh {self.name}` first"
            )
        return steps.load(self.catalog, f"{self.catalog.path}/{self.record.steps[name]}")

    def save(self, **changes: object) -> None:
        """Write the record with ``changes``, whole or not at all."""
        finished = {name: step.path.removeprefix(f"{self.catalog.path}/") for name, step in self.done.items()}
        self.record = replace(self.record, steps={**self.record.steps, **finished}, **changes)  # type: ignore[arg-type]
        text = json.dumps(asdict(self.record), indent=1, default=datetime.isoformat)
        self.catalog.write_bytes(_path(self.catalog, self.name), text.encode())


@cache
def code_version(room: str) -> str:
    """Return the sha256 of the sources of ``room`` and of the ground floor: what step digests call the code version."""
    home = Path(__file__).parent.parent
    sources = sorted(path for folder in (room, "catalog", "taxonomy") for path in (home / folder).rglob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in sources))


def _path(catalog: Catalog, edition: str) -> str:
    return f"{catalog.path}/editions/{edition}/edition.json"


def find(catalog: Catalog, edition: str) -> Edition:
    """Return an edition that a refresh has opened; raise EditionError when there is none of that name."""
    if not catalog.filesystem.exists(_path(catalog, edition)):
        known = ", ".join(record.edition for record in records(catalog)) or "none yet"
        raise EditionError(f"edition {edition!r} is unknown in {catalog.root} (known: {known}): refresh it first")
    return Edition(catalog, _parse(catalog.filesystem.cat_file(_path(catalog, edition))))


def begin(catalog: Catalog, edition: str, now: datetime) -> Edition:
    """Open an edition, or go on with it where a killed refresh stopped; its window is fixed the first time.

    Raises EditionError for a name that is not ``YYYY.MM``, a frozen edition, or one older than the last.
    """
    if not NAME.fullmatch(edition):
        raise EditionError(f"edition {edition!r} is not a year and month: name it like 2026.12")
    past = records(catalog)
    known = {record.edition: record for record in past}
    if edition in known:
        if known[edition].state == FROZEN:
            raise EditionError(
                f"edition {edition} is frozen since {known[edition].frozen_at:%Y-%m-%d} and never changes: "
                "open the next edition, or correct this one by an erratum"
            )
        again = Edition(catalog, replace(known[edition], state=OPEN, steps={}))
        again.save()
        return again
    frozen = [record for record in past if record.state == FROZEN]
    if past and edition < past[-1].edition:
        raise EditionError(
            f"edition {edition} is older than {past[-1].edition}, which exists already: name a later one"
        )
    opened = Edition(catalog, Record(edition, now, frozen[-1].opened_at if frozen else None))
    opened.save()
    return opened


def records(catalog: Catalog) -> list[Record]:
    """Return the records of all editions, oldest first."""
    return [_parse(catalog.filesystem.cat_file(path)) for path in sorted(catalog.filesystem.glob(_path(catalog, "*")))]


def _parse(text: bytes) -> Record:
    raw = json.loads(text)
    for key in ("opened_at", "since", "frozen_at"):
        raw[key] = datetime.fromisoformat(raw[key]).astimezone(UTC) if raw[key] else None
    return Record(**raw)
