"""An empty Label Studio database, migrated once per installation and copied for every new server.

Label Studio applies some 300 migrations to a new database, which is all that a first start waits for. They are the same
for every server, so they are applied once beside the installed command.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from annotation.errors import ServerError
from catalog.locks import exclusive

DATABASE = "label_studio.sqlite3"
_LIMIT_S = 1200
_AGAIN = "run `make setup` to install it again"


def place(executable: Path) -> Path:
    """Return where the empty database of an installation lies: beside its ``bin`` folder."""
    return executable.resolve().parent.parent / "lookbench-seed" / DATABASE


def plant(executable: Path, data_dir: Path, environment: Mapping[str, str]) -> bool:
    """Give ``data_dir`` a migrated empty database unless it has one; return whether it was planted.

    Nothing is planted where the installation's folder cannot be written or another database is set in the environment:
    Label Studio then migrates its own. Raises ServerError when its migrations fail.
    """
    if (data_dir / DATABASE).exists() or any(name in environment for name in ("DJANGO_DB", "POSTGRE_HOST")):
        return False
    seed = place(executable)
    if not seed.exists():
        try:
            _grow(executable, seed, environment)
        except PermissionError:
            return False
    part = data_dir / f".{DATABASE}.part"
    shutil.copyfile(seed, part)
    part.replace(data_dir / DATABASE)
    return True


def _grow(executable: Path, seed: Path, environment: Mapping[str, str]) -> None:
    with exclusive(seed.parent / "lock"):
        if seed.exists():  # another process was faster
            return
        with tempfile.TemporaryDirectory(dir=seed.parent) as folder:
            said = _migrate(executable, folder, environment)
            made, part = Path(folder) / DATABASE, Path(folder) / "seed.part"
            if not made.exists():
                raise ServerError(f"Label Studio at {executable} made no database ({said[-200:]!r}); {_AGAIN}")
            with (
                contextlib.closing(sqlite3.connect(made)) as source,
                contextlib.closing(sqlite3.connect(part)) as whole,
            ):
                source.backup(whole)  # with whatever a write-ahead log still holds
            part.replace(seed)


def _migrate(executable: Path, folder: str, environment: Mapping[str, str]) -> str:
    # The `version` command migrates its database and ends; the `--version` option would start a server.
    command = [str(executable), "version", "--data-dir", folder]
    try:
        done = subprocess.run(
            command,
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise ServerError(f"Label Studio at {executable} made no database in {_LIMIT_S} s; {_AGAIN}") from error
    except subprocess.CalledProcessError as error:
        last = next((line for line in reversed((error.stderr or "").splitlines()) if line.strip()), "no output")
        raise ServerError(f"Label Studio at {executable} could not make its database: {last!r}; {_AGAIN}") from error
    return done.stdout.strip()
