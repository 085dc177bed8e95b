"""Signs of life: a file that a process holds locked as long as it runs."""

import fcntl
import os
from pathlib import Path
from typing import IO


def hold(path: Path) -> IO[str]:
    """Hold a lock that the system drops when this process ends, however it ends."""
    handle = path.open("w")
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return handle


def is_held(path: Path) -> bool:
    """Return whether a process that runs holds the lock."""
    try:
        handle = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
