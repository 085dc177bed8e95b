"""What a crawl keeps beside its tasks, in one SQLite file: rows for the catalog, ledger, notes, memory.

Rows wait in an outbox until they are written as parts of a table; a batch is fixed before it is written, and a part is
named by its content, so writing it again changes nothing.
"""

import contextlib
import json
import sqlite3
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawlers.errors import CrawlError
from crawlers.tasks import Task

_SCHEMA = """
CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, name TEXT NOT NULL, row TEXT NOT NULL, batch TEXT);
CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY, row TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS notes (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key));
CREATE TABLE IF NOT EXISTS memory (kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, at REAL,
  PRIMARY KEY (kind, key)) WITHOUT ROWID;
"""


class FrontierError(CrawlError):
    """A frontier file that is damaged or cannot be written."""


@dataclass
class Yield:
    """What ending a task brings: new tasks, rows by table, ledger rows, and values by (kind, key).

    ``notes`` are forgotten when another crawl begins, ``memory`` is kept from night to night.
    """

    tasks: list[Task] = field(default_factory=list)
    rows: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    ledger: list[Mapping[str, Any]] = field(default_factory=list)
    notes: dict[tuple[str, str], Any] = field(default_factory=dict)
    memory: dict[tuple[str, str], Any] = field(default_factory=dict)


class Shelf:
    """The file ``path``; several processes may share it."""

    def __init__(self, path: Path, schema: str, clock: Callable[[], float]) -> None:
        self.path, self.clock = path, clock
        try:
            self.db = sqlite3.connect(path, timeout=60, isolation_level=None)
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=NORMAL")
            self.db.executescript(_SCHEMA + schema)
            if "at" not in [column[1] for column in self.db.execute("PRAGMA table_info(memory)")]:
                self.db.execute("ALTER TABLE memory ADD COLUMN at REAL")
        except sqlite3.DatabaseError as error:
            raise FrontierError(f"frontier {path}: {error}; delete the file to start the crawl anew") from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit all or nothing; raises FrontierError when the file cannot be written."""
        try:
            self.db.execute("BEGIN IMMEDIATE")
            yield
            self.db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            self._roll_back()
            raise FrontierError(f"frontier {self.path}: {error}; free space and run the crawl again") from error
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")

    def _write(self, brought: Yield) -> None:
        """Write all but the tasks, inside a transaction."""
        self.db.executemany(
            "INSERT INTO outbox (name, row) VALUES (?,?)", [(name, _text(row)) for name, row in brought.rows]
        )
        told = [_text(row) for row in brought.ledger]
        self.db.executemany("INSERT INTO ledger (row) VALUES (?)", [(row,) for row in told])
        self.db.executemany("INSERT INTO outbox (name, row) VALUES ('ledger', ?)", [(row,) for row in told])
        notes = [(kind, key, _text(value)) for (kind, key), value in brought.notes.items()]
        self.db.executemany("INSERT OR REPLACE INTO notes VALUES (?,?,?)", notes)
        at = self.clock()
        for (kind, key), value in brought.memory.items():
            packed = zlib.compress(_text(value).encode(), 1)
            self.db.execute("INSERT OR REPLACE INTO memory VALUES (?,?,?,?)", (kind, key, packed, at))

    def outbox(self) -> int:
        """Return how many rows wait to be written to the catalog."""
        return int(self.db.execute("SELECT count(*) FROM outbox").fetchone()[0])

    def export(self, write: Callable[[str, list[dict[str, Any]]], None]) -> None:
        """Hand all waiting rows to ``write(table, rows)`` in fixed batches, and forget a batch once it is written."""
        with self._transaction():
            self.db.execute("UPDATE outbox SET batch = ? WHERE batch IS NULL", (uuid.uuid4().hex,))
        batches = [row[0] for row in self.db.execute("SELECT batch FROM outbox GROUP BY batch ORDER BY min(id)")]
        for batch in batches:
            tables: dict[str, list[dict[str, Any]]] = {"products": [], "photos": [], "sightings": [], "ledger": []}
            for name, row in self.db.execute("SELECT name, row FROM outbox WHERE batch = ? ORDER BY id", (batch,)):
                tables[name].append(json.loads(row))
            for name, found in tables.items():
                if found:
                    write(name, found)
            with self._transaction():
                self.db.execute("DELETE FROM outbox WHERE batch = ?", (batch,))

    def ledger(self) -> list[dict[str, Any]]:
        """Return all ledger rows, in order."""
        return [json.loads(row) for (row,) in self.db.execute("SELECT row FROM ledger ORDER BY id")]

    def notes(self, kind: str) -> dict[str, Any]:
        """Return the notes of one kind."""
        return {
            key: json.loads(value)
            for key, value in self.db.execute("SELECT key, value FROM notes WHERE kind = ?", (kind,))
        }

    def recall(self, kind: str, key: str) -> Any:
        """Return what was remembered under (kind, key), whichever night it was; None when nothing was."""
        found = self.db.execute("SELECT value FROM memory WHERE kind = ? AND key = ?", (kind, key)).fetchone()
        return json.loads(zlib.decompress(found[0])) if found else None

    def recalled(self, kind: str) -> dict[str, Any]:
        """Return all that was remembered of one kind, in order of the keys."""
        found = self.db.execute("SELECT key, value FROM memory WHERE kind = ? ORDER BY key", (kind,))
        return {key: json.loads(zlib.decompress(value)) for key, value in found}

    def forget(self, kind: str, days: float) -> int:
        """Forget what of one kind nobody remembered anew for ``days``; return how many."""
        with self._transaction():
            self.db.execute("UPDATE memory SET at = ? WHERE at IS NULL", (self.clock(),))  # of an older file
            gone = self.db.execute("DELETE FROM memory WHERE kind = ? AND at < ?", (kind, self.clock() - days * 86_400))
        return gone.rowcount


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=lambda known: known.isoformat())
