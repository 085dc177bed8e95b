"""The durable frontier: SQLite in WAL mode, every task in exactly one of frontier, leased, done and dead.

What a task yielded (rows for the catalog, ledger rows, new tasks, state) is committed in the transaction that ends it,
so a killed crawl loses nothing and doubles nothing. Rows wait in an outbox until they are written as parts of a table;
a batch is fixed before it is written, and a part is named by its content, so writing it again changes nothing.
"""

import contextlib
import json
import sqlite3
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawlers.alive import hold, is_held
from crawlers.errors import CrawlError
from crawlers.tasks import PRIORITY, Task

WAITING, LEASED, DONE, DEAD = range(4)
NAMES = ("frontier", "leased", "done", "dead")
LEASE_SECONDS = 900.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tasks (
  key TEXT PRIMARY KEY, state INTEGER NOT NULL, rank INTEGER NOT NULL, seq INTEGER NOT NULL, task TEXT NOT NULL,
  owner TEXT, until REAL, reason TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS next_task ON tasks (state, rank DESC, seq);
CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, name TEXT NOT NULL, row TEXT NOT NULL, batch TEXT);
CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY, row TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS notes (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key));
CREATE TABLE IF NOT EXISTS memory (kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
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


class Frontier:
    """The frontier of one crawl in the file ``path``; several processes may share it."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path, self.clock = path, clock
        path.parent.mkdir(parents=True, exist_ok=True)
        self.owner = uuid.uuid4().hex
        self._alive = hold(self._sign(self.owner))
        try:
            self.db = sqlite3.connect(path, timeout=60, isolation_level=None)
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=NORMAL")
            self.db.executescript(_SCHEMA)
            self.waiting = self.counts()["frontier"]
            self._seq = self.db.execute("SELECT coalesce(max(seq), 0) FROM tasks").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise FrontierError(f"frontier {path}: {error}; delete the file to start the crawl anew") from error

    def close(self) -> None:
        """Let go of the file; what this process still had leased goes back."""
        self._release(self.owner)
        self.db.close()
        self._alive.close()
        self._sign(self.owner).unlink(missing_ok=True)

    def is_alive(self, owner: str) -> bool:
        """Return whether the process of a frontier opened as ``owner`` still runs."""
        return owner == self.owner or is_held(self._sign(owner))

    def _sign(self, owner: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{owner}.alive")

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

    def counts(self) -> dict[str, int]:
        """Return how many tasks are in each state."""
        found = dict(self.db.execute("SELECT state, count(*) FROM tasks GROUP BY state").fetchall())
        return {name: found.get(state, 0) for state, name in enumerate(NAMES)}

    def push(self, tasks: Iterable[Task]) -> int:
        """Add tasks that the frontier does not know, whatever their state; return how many were new."""
        with self._transaction():
            return self._push(tasks)

    def _push(self, tasks: Iterable[Task]) -> int:
        new = 0
        for task in tasks:
            self._seq += 1
            values = (task.key, WAITING, task.rank, self._seq, task.dump())
            done = self.db.execute(
                "INSERT OR IGNORE INTO tasks (key, state, rank, seq, task) VALUES (?,?,?,?,?)", values
            )
            new += done.rowcount
        self.waiting += new
        return new

    def knows(self, key: str) -> bool:
        """Return whether a task was ever pushed."""
        return self.db.execute("SELECT 1 FROM tasks WHERE key = ?", (key,)).fetchone() is not None

    def pages(self) -> int:
        """Return how many pages were ever pushed."""
        return int(self.db.execute("SELECT count(*) FROM tasks WHERE key >= 'page ' AND key < 'page!'").fetchone()[0])

    def lease(self, count: int) -> list[Task]:
        """Take up to ``count`` tasks of the highest rank, oldest first, for LEASE_SECONDS.

        Start pages are done before anything else is taken, and all else before tasks of a rank below 0.
        """
        with self._transaction():
            now = self.clock()
            ranks = self.db.execute(
                "SELECT max(rank) FROM tasks WHERE state = ? UNION ALL "
                "SELECT max(rank) FROM tasks WHERE state = ? AND owner = ? AND until > ?",
                (WAITING, LEASED, self.owner, now),
            ).fetchall()
            top = max((rank for (rank,) in ranks if rank is not None), default=0)
            least = next((least for least in (PRIORITY["start"], 0) if top >= least), top)
            found = self.db.execute(
                "SELECT key, task FROM tasks WHERE state = ? AND rank >= ? ORDER BY rank DESC, seq LIMIT ?",
                (WAITING, least, count),
            ).fetchall()
            until = now + LEASE_SECONDS
            self.db.executemany(
                "UPDATE tasks SET state = ?, owner = ?, until = ? WHERE key = ?",
                [(LEASED, self.owner, until, key) for key, _ in found],
            )
        self.waiting = max(self.waiting - len(found), 0)
        return [Task.load(text) for _, text in found]

    def finish(self, key: str, brought: Yield, *, dead: str | None = None) -> None:
        """End a task together with all it brought; ``dead`` is the reason of a task that is given up."""
        with self._transaction():
            state = DONE if dead is None else DEAD
            self.db.execute("UPDATE tasks SET state = ?, owner = NULL, reason = ? WHERE key = ?", (state, dead, key))
            self._write(brought)

    def note(self, brought: Yield) -> None:
        """Commit what did not come from a task."""
        with self._transaction():
            self._write(brought)

    def _write(self, brought: Yield) -> None:
        self._push(brought.tasks)
        self.db.executemany(
            "INSERT INTO outbox (name, row) VALUES (?,?)", [(name, _text(row)) for name, row in brought.rows]
        )
        told = [_text(row) for row in brought.ledger]
        self.db.executemany("INSERT INTO ledger (row) VALUES (?)", [(row,) for row in told])
        self.db.executemany("INSERT INTO outbox (name, row) VALUES ('ledger', ?)", [(row,) for row in told])
        notes = [(kind, key, _text(value)) for (kind, key), value in brought.notes.items()]
        self.db.executemany("INSERT OR REPLACE INTO notes VALUES (?,?,?)", notes)
        kept = [(kind, key, zlib.compress(_text(value).encode(), 1)) for (kind, key), value in brought.memory.items()]
        self.db.executemany("INSERT OR REPLACE INTO memory VALUES (?,?,?)", kept)

    def recover(self) -> int:
        """Give back leases that expired or whose process is gone; return how many."""
        owners = [row[0] for row in self.db.execute("SELECT DISTINCT owner FROM tasks WHERE state = ?", (LEASED,))]
        gone = [owner for owner in owners if not self.is_alive(owner)]
        back = sum(self._release(owner) for owner in gone)
        with self._transaction():
            late = self.db.execute(
                "UPDATE tasks SET state = ?, owner = NULL WHERE state = ? AND until < ?",
                (WAITING, LEASED, self.clock()),
            )
        self.waiting += late.rowcount
        return back + late.rowcount

    def _release(self, owner: str) -> int:
        with self._transaction():
            back = self.db.execute(
                "UPDATE tasks SET state = ?, owner = NULL WHERE state = ? AND owner = ?", (WAITING, LEASED, owner)
            )
        if owner != self.owner:
            self._sign(owner).unlink(missing_ok=True)
        self.waiting += back.rowcount
        return back.rowcount

    def retry(self, reason: str | None = None) -> int:
        """Put dead tasks back, those of one ``reason`` or all, and take back their verdicts; return how many."""
        chosen = [task for task, why in self.dead() if reason in (None, why)]
        urls = {task.url for task in chosen}
        with self._transaction():
            self.db.executemany(
                "UPDATE tasks SET state = ?, reason = NULL WHERE key = ?", [(WAITING, task.key) for task in chosen]
            )
            told = [(id_, json.loads(row)) for id_, row in self.db.execute("SELECT id, row FROM ledger")]
            gone = [(id_,) for id_, row in told if _is_verdict(row, urls)]
            self.db.executemany("DELETE FROM ledger WHERE id = ?", gone)
        self.waiting += len(chosen)
        return len(chosen)

    def fate(self, key: str) -> tuple[str, str | None] | None:
        """Return the state of a task and, for a dead one, the reason; None for a task that was never pushed."""
        found = self.db.execute("SELECT state, reason FROM tasks WHERE key = ?", (key,)).fetchone()
        return (NAMES[found[0]], found[1]) if found else None

    def dead(self) -> list[tuple[Task, str]]:
        """Return the tasks that were given up, with the reason."""
        found = self.db.execute("SELECT task, reason FROM tasks WHERE state = ? ORDER BY seq", (DEAD,)).fetchall()
        return [(Task.load(text), reason) for text, reason in found]

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

    def clear(self) -> None:
        """Forget everything but the memory, to begin another crawl in the same file."""
        with self._transaction():
            for table in ("tasks", "outbox", "ledger", "notes"):
                self.db.execute(f"DELETE FROM {table}")  # noqa: S608 - names from this line
        self.waiting = 0


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=lambda known: known.isoformat())


def _is_verdict(row: Mapping[str, Any], urls: set[str]) -> bool:
    """Return whether a ledger row says that one of ``urls`` failed, or what that means for its product."""
    return (
        row["parent_id"] in urls if row["subject"] == "product" else row["outcome"] == "dropped" and row["id"] in urls
    )
