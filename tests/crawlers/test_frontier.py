"""The durable frontier: every task in one state, all it brought or nothing, leases that come back."""

import signal
import sqlite3
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.frontier import LEASE_SECONDS, Frontier, FrontierError, Yield
from crawlers.tasks import Task

ROOT = Path(__file__).resolve().parents[2]


def task(number, role="product"):
    return Task(f"https://shop.example/{role}/{number}", role)


def open_at(folder, clock=None):
    return Frontier(folder / "f.sqlite", **({"clock": clock} if clock else {}))


def test_tasks_go_once_by_rank_then_age(tmp_path):
    frontier = open_at(tmp_path)
    assert frontier.push([task(1, "look"), task(2), task(3, "photo"), task(4), task(2)]) == 4
    assert frontier.push([task(4)]) == 0
    assert [found.url[-1] for found in frontier.lease(10)] == ["2", "4", "3", "1"]
    assert frontier.lease(10) == []
    assert frontier.counts() == {"frontier": 0, "leased": 4, "done": 0, "dead": 0}
    frontier.finish(task(2).key, Yield())
    frontier.finish(task(4).key, Yield(), dead="http_404")
    assert frontier.counts() == {"frontier": 0, "leased": 2, "done": 1, "dead": 1}
    assert frontier.dead() == [(task(4), "http_404")]
    assert frontier.push([task(2), task(4)]) == 0
    assert frontier.retry() == 1
    assert [found.url for found in frontier.lease(1)] == [task(4).url]
    frontier.close()


def test_start_pages_go_before_all_else_and_other_languages_after(tmp_path):
    frontier = open_at(tmp_path)
    last = Task("https://shop.example/de/p/1", "product", priority=-1)
    frontier.push([last, task(1, "photo"), task(2, "sitemap"), task(3, "start")])
    assert frontier.lease(10) == [task(3, "start")]
    assert frontier.lease(10) == [], "nothing else while a start page is on its way"
    frontier.finish(task(3, "start").key, Yield(tasks=[task(4)]))
    assert frontier.lease(10) == [task(2, "sitemap"), task(4), task(1, "photo")]
    for done in (task(2, "sitemap"), task(4)):
        frontier.finish(done.key, Yield())
        assert frontier.lease(10) == []
    frontier.finish(task(1, "photo").key, Yield())
    assert frontier.lease(10) == [last]
    frontier.close()


def test_a_page_its_rendering_and_a_photo_are_three_tasks():
    url = "https://shop.example/a"
    assert (
        len(
            {
                Task(url, "product").key,
                Task(url, "listing").key,
                Task(url, "product", render=True).key,
                Task(url, "photo").key,
            }
        )
        == 3
    )
    one = Task(url, "look", 2, "https://shop.example/", render=True, optional=True, priority=5)
    assert Task.load(one.dump()) == one


def test_what_a_task_brought_is_committed_with_its_end(tmp_path):
    frontier = open_at(tmp_path)
    frontier.push([task(1)])
    frontier.lease(1)
    bad = Yield([task(2)], [("products", {"a": 1})], [{"id": "x"}], {("state", "k"): {1, 2}})
    with pytest.raises(AttributeError):
        frontier.finish(task(1).key, bad)
    assert frontier.counts()["leased"] == 1
    assert (frontier.outbox(), frontier.ledger(), frontier.knows(task(2).key)) == (0, [], False)
    frontier.finish(task(1).key, Yield([task(2)], [("products", {"a": 1})], [{"id": "x"}], {("state", "k"): [1, 2]}))
    assert frontier.counts() == {"frontier": 1, "leased": 0, "done": 1, "dead": 0}
    assert (frontier.outbox(), frontier.ledger(), frontier.notes("state")) == (2, [{"id": "x"}], {"k": [1, 2]})
    frontier.close()


def test_an_export_that_fails_is_repeated_with_the_same_rows(tmp_path):
    frontier = open_at(tmp_path)
    frontier.note(Yield(rows=[("products", {"n": 1}), ("sightings", {"n": 2})]))
    written = []

    def fails(table, rows):
        written.append((table, rows))
        if table == "sightings":
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        frontier.export(fails)
    frontier.note(Yield(rows=[("products", {"n": 3})]))
    again = []
    frontier.export(lambda table, rows: again.append((table, rows)))
    assert again == [*written, ("products", [{"n": 3}])]
    assert frontier.outbox() == 0
    frontier.close()


def test_leases_expire_and_come_back_from_dead_processes(tmp_path):
    now = [1000.0]
    frontier = open_at(tmp_path, lambda: now[0])
    frontier.push([task(1), task(2)])
    frontier.lease(1)
    other = open_at(tmp_path, lambda: now[0])
    assert other.recover() == 0
    assert [found.url for found in other.lease(5)] == [task(2).url]
    now[0] += LEASE_SECONDS + 1
    assert other.recover() == 2
    other.close()
    frontier.close()
    code = f"""
    import os, signal, sys; sys.path.insert(0, {str(ROOT)!r})
    from pathlib import Path
    from crawlers.frontier import Frontier
    assert len(Frontier(Path({str(tmp_path / "f.sqlite")!r})).lease(9)) == 2
    os.kill(os.getpid(), signal.SIGKILL)
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert ended.returncode == -signal.SIGKILL
    last = open_at(tmp_path)
    assert last.counts()["leased"] == 2
    assert last.recover() == 2
    assert len(last.lease(9)) == 2
    last.close()
    assert list(tmp_path.glob("*.alive")) == []


def test_a_damaged_file_is_told(tmp_path):
    (tmp_path / "f.sqlite").write_bytes(b"not a database, just text that is long enough to be looked at" * 50)
    with pytest.raises(FrontierError, match=r"f\.sqlite.*delete the file"):
        open_at(tmp_path)


def test_what_was_not_there_for_long_is_forgotten_and_nothing_else(tmp_path):
    day, now = 86_400, [0.0]
    frontier = open_at(tmp_path, lambda: now[0])
    frontier.note(Yield(memory={("page", "old"): 1, ("page", "again"): 1, ("night", "old"): 1}))
    now[0] = 100.0 * day
    frontier.note(Yield(memory={("page", "again"): 2, ("page", "young"): 1}))
    now[0] = 180.0 * day
    assert frontier.forget("page", 180) == 0
    now[0] = 181.0 * day
    assert frontier.forget("page", 180) == 1
    assert (frontier.recalled("page"), frontier.recall("night", "old")) == ({"again": 2, "young": 1}, 1)
    frontier.close()


def test_a_file_of_before_memory_had_times_is_taken_over_and_forgets_from_now_on(tmp_path):
    with sqlite3.connect(tmp_path / "f.sqlite") as db:
        db.execute(
            "CREATE TABLE memory (kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, "
            "PRIMARY KEY (kind, key)) WITHOUT ROWID"
        )
        db.execute("INSERT INTO memory VALUES ('page', 'old', ?)", (zlib.compress(b'{"a": 1}'),))
    db.close()
    day, now = 86_400, [1000.0 * 86_400]
    frontier = open_at(tmp_path, lambda: now[0])
    assert frontier.recall("page", "old") == {"a": 1}
    assert frontier.forget("page", 180) == 0, "nobody knows since when it was not seen"
    now[0] += 179 * day
    assert frontier.forget("page", 180) == 0
    now[0] += 2 * day
    assert frontier.forget("page", 180) == 1
    frontier.close()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["push", "lease", "done", "dead", "recover", "reopen"]), st.integers(0, 7)),
        max_size=25,
    )
)
def test_every_task_is_in_exactly_one_state(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("frontier")
    frontier, known, open_tasks, finished = open_at(folder), set(), [], set()
    for verb, number in steps:
        if verb == "push":
            frontier.push([task(number)])
            known.add(task(number).key)
        elif verb == "lease":
            open_tasks += frontier.lease(number)
        elif verb in {"done", "dead"} and open_tasks:
            ended = open_tasks.pop()
            frontier.finish(ended.key, Yield(), dead="x" if verb == "dead" else None)
            assert ended.key not in finished
            finished.add(ended.key)
        elif verb == "recover":
            assert frontier.recover() == 0
        elif verb == "reopen":
            frontier.close()
            frontier, open_tasks = open_at(folder), []
        counts = frontier.counts()
        assert sum(counts.values()) == len(known)
        assert counts["frontier"] == frontier.waiting
        assert counts["leased"] == len(open_tasks)
        assert counts["done"] + counts["dead"] == len(finished)
    frontier.close()
    with sqlite3.connect(folder / "f.sqlite") as db:
        assert db.execute("SELECT count(*) FROM tasks").fetchone()[0] == len(known)
