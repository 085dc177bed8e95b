"""The durable frontier: SQLite in WAL mode, every task in exactly one of frontier, leased, done and dead.

What a task yielded (rows for the catalog, ledger rows, new tasks, state) is committed in the transaction that ends it,
so a killed crawl loses nothing and doubles nothing.
"""

import json
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from crawlers.alive import hold, is_held
from crawlers.shelf import FrontierError, Shelf, Yield
from crawlers.tasks import PRIORITY, Task

__all__ = ["Frontier", "FrontierError", "Yield"]
WAITING, LEASED, DONE, DEAD = range(4)
NAMES = ("frontier", "leased", "done", "dead")
LEASE_SECONDS = 900.0
_LATER = 1000
"""What is taken from the rank of a page that is left for another night: ranks below ``_TONIGHT`` are not leased."""
_TONIGHT = -_LATER // 2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tasks (
  key TEXT PRIMARY KEY, state INTEGER NOT NULL, rank INTEGER NOT NULL, seq INTEGER NOT NULL, task TEXT NOT NULL,
  owner TEXT, until REAL, reason TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS next_task ON tasks (state, rank DESC, seq);
"""
_PAGE = "key >= 'page ' AND key < 'page!'"


class Frontier(Shelf):
    """The frontier of one crawl in the file ``path``; several processes may share it.

    ``waiting`` is how many tasks can be leased, ``postponed`` whether pages are left for another night.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.owner = uuid.uuid4().hex
        self.path = path
        self._alive = hold(self._sign(self.owner))
        super().__init__(path, _SCHEMA, clock)
        self.postponed = False
        self._most: int | None = None
        self._asked = 0
        self._count()
        self._seq = self.db.execute("SELECT coalesce(max(seq), 0) FROM tasks").fetchone()[0]

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

    def _count(self) -> None:
        found = self.db.execute("SELECT count(*) FROM tasks WHERE state = ? AND rank >= ?", (WAITING, _TONIGHT))
        self.waiting: int = found.fetchone()[0]

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
            later = self.postponed and task.key.startswith("page ")
            values = (task.key, WAITING, task.rank - later * _LATER, self._seq, task.dump())
            done = self.db.execute(
                "INSERT OR IGNORE INTO tasks (key, state, rank, seq, task) VALUES (?,?,?,?,?)", values
            )
            new += done.rowcount
            self.waiting += done.rowcount * (not later)
        return new

    def allow(self, pages: int) -> None:
        """Hand out this many pages in all; the others are left for another night."""
        self._most, self._asked = pages, self.pages()

    def _postpone(self) -> None:
        """Leave the pages that wait, and those still to come, for another night."""
        with self._transaction():
            self.db.execute(
                f"UPDATE tasks SET rank = rank - ? WHERE state = ? AND rank >= ? AND {_PAGE}",  # noqa: S608
                (_LATER, WAITING, _TONIGHT),
            )
        self.postponed = True
        self._count()

    def knows(self, key: str) -> bool:
        """Return whether a task was ever pushed."""
        return self.db.execute("SELECT 1 FROM tasks WHERE key = ?", (key,)).fetchone() is not None

    def pages(self) -> int:
        """Return how many pages were handed out, whatever became of them."""
        asked = self.db.execute(f"SELECT count(*) FROM tasks WHERE state != ? AND {_PAGE}", (WAITING,))  # noqa: S608
        return int(asked.fetchone()[0])

    def sitemaps(self) -> int:
        """Return how many sitemaps were ever pushed."""
        found = self.db.execute("SELECT count(*) FROM tasks WHERE key >= 'sitemap ' AND key < 'sitemap!'")
        return int(found.fetchone()[0])

    def lease(self, count: int) -> list[Task]:
        """Take up to ``count`` tasks of the highest rank, oldest first, for LEASE_SECONDS.

        Start pages are done before anything else is taken, and all else before tasks of a rank below 0.
        """
        if self._most is not None and self._asked >= self._most and not self.postponed:
            self._postpone()
        elif self._most is not None and not self.postponed:
            count = min(count, self._most - self._asked)
        with self._transaction():
            now = self.clock()
            ranks = self.db.execute(
                "SELECT max(rank) FROM tasks WHERE state = ? AND rank >= ? UNION ALL "
                "SELECT max(rank) FROM tasks WHERE state = ? AND owner = ? AND until > ?",
                (WAITING, _TONIGHT, LEASED, self.owner, now),
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
        self._asked += sum(key.startswith("page ") for key, _ in found)
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
        super()._write(brought)

    def recover(self) -> int:
        """Give back leases that expired or whose process is gone, and pages that were left for another night.

        Return how many leases came back.
        """
        owners = [row[0] for row in self.db.execute("SELECT DISTINCT owner FROM tasks WHERE state = ?", (LEASED,))]
        gone = [owner for owner in owners if not self.is_alive(owner)]
        back = sum(self._release(owner) for owner in gone)
        with self._transaction():
            late = self.db.execute(
                "UPDATE tasks SET state = ?, owner = NULL WHERE state = ? AND until < ?",
                (WAITING, LEASED, self.clock()),
            )
            self.db.execute("UPDATE tasks SET rank = rank + ? WHERE rank < ?", (_LATER, _TONIGHT))
        self.postponed, self._asked = False, self.pages()
        self._count()
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

    def clear(self) -> None:
        """Begin another night in the same file: all is forgotten but the memory and what waits.

        Pages and photos that still wait come before those that the night finds by itself.
        """
        self.recover()
        with self._transaction():
            self.db.execute("DELETE FROM tasks WHERE state != ? OR key LIKE 'sitemap %'", (WAITING,))
            self.db.execute("DELETE FROM notes WHERE kind != 'photo' OR 'photo ' || key NOT IN (SELECT key FROM tasks)")
            for table in ("outbox", "ledger"):
                self.db.execute(f"DELETE FROM {table}")  # noqa: S608 - names from this line
        self._count()

    def drop(self, unwanted: Callable[[str], bool]) -> int:
        """Remove pages that wait but are not wanted any more, by their address; return how many."""
        found = self.db.execute(f"SELECT key, task FROM tasks WHERE state = ? AND {_PAGE}", (WAITING,))  # noqa: S608
        gone = [(key,) for key, text in found if unwanted(Task.load(text).url)]
        with self._transaction():
            self.db.executemany("DELETE FROM tasks WHERE key = ?", gone)
        self._count()
        return len(gone)

    def left(self) -> int:
        """Return how many pages are left for another night."""
        found = self.db.execute("SELECT count(*) FROM tasks WHERE state = ? AND rank < ?", (WAITING, _TONIGHT))
        return int(found.fetchone()[0])


def _is_verdict(row: Mapping[str, Any], urls: set[str]) -> bool:
    """Return whether a ledger row says that one of ``urls`` failed, or what that means for its product."""
    return (
        row["parent_id"] in urls if row["subject"] == "product" else row["outcome"] == "dropped" and row["id"] in urls
    )
