"""Locks between processes: one at a time, and none left by a process that was killed."""

import subprocess
import sys
import time
from pathlib import Path

from catalog.locks import exclusive

HOLD = "import sys, time; from pathlib import Path; from catalog.locks import exclusive\n"
HOLD += "with exclusive(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"


def test_a_second_process_waits_and_a_killed_one_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "one.lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as second:
            time.sleep(1)
            assert second.poll() is None
            first.kill()
            assert second.stdout is not None
            assert second.stdout.readline() == "held\n"
            second.kill()
    with exclusive(path):
        pass
