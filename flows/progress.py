"""Progress for people: a bar on a terminal, plain lines elsewhere; on stderr, so that stdout stays for machines."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int, int], None]
PLAIN_INTERVAL_S = 10.0  # a log file gets a line now and then, not one per photo


@contextmanager
def track(label: str) -> Iterator[Advance]:
    """Show that ``label`` is being worked; the yielded callable takes (done, total).

    Prints the label with its wall time at the end, also when nothing was counted.
    """
    started = time.monotonic()
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        yield _plain(label, started)
    say(f"{label}: {time.monotonic() - started:.1f} s")


def say(line: str) -> None:
    """Print one line for people."""
    print(line, file=sys.stderr, flush=True)


def _plain(label: str, started: float) -> Advance:
    last = started

    def advance(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= PLAIN_INTERVAL_S:
            last = time.monotonic()
            say(f"{label}: {done} of {total}")

    return advance
