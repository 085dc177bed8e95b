"""The harness as a wheel, the same bytes every time."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from releases.errors import ReleaseError

_BUILD_SECONDS = 120
_EPOCH = "1580601600"  # 2020-02-02, the time stamp that hatchling itself gives to files


class WheelError(ReleaseError):
    """The harness could not be built."""


def build(out: Path, source: Path | None = None) -> Path:
    """Build the evaluation harness from ``source`` (default: ``harness/`` beside the rooms) into folder ``out``.

    Needs no network: hatchling builds it in place. Raises WheelError with what the build said.
    """
    source = source or Path(__file__).resolve().parent.parent / "harness"
    if not (source / "pyproject.toml").is_file():
        raise WheelError(
            f"{source} holds no pyproject.toml, so the harness cannot be built; run from a checkout, or set "
            "release.harness to the source folder of lookbench-eval"
        )
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lookbench-wheel-") as folder:
        environment = {**os.environ, "SOURCE_DATE_EPOCH": _EPOCH, "PYTHONHASHSEED": "0"}
        done = subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
            cwd=source,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_BUILD_SECONDS,
            check=False,
        )
        made = sorted(Path(folder).glob("*.whl"))
        if done.returncode or len(made) != 1:
            said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing"]
            raise WheelError(f"the harness in {source} could not be built; hatchling said: {said[0]}")
        target = out / made[0].name
        target.write_bytes(made[0].read_bytes())
    return target
