"""A Label Studio server of our own: started, watched and stopped."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import secrets
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation import seed
from annotation.errors import ServerError
from catalog.locks import exclusive

if TYPE_CHECKING:
    import psutil

    from annotation.studio import Studio

COMMAND_ENV = "LOOKBENCH_LABEL_STUDIO"
"""Environment variable with the path of the ``label-studio`` command."""
TOKEN_ENV = "LOOKBENCH_LABEL_STUDIO_TOKEN"  # noqa: S105 - the name of a variable
USER = "lookbench@localhost"
"""The account that the tool works as, and the one a person signs in with."""
_POLL_S = 0.4
_STOP_S = 15.0
_QUIET = {
    "COLLECT_ANALYTICS": "False",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "LATEST_VERSION_CHECK": "False",
}


@dataclass(frozen=True)
class Server:
    """A running server."""

    url: str
    pid: int
    data_dir: Path
    token: str = field(repr=False)
    ready_after_s: float = 0.0
    """Seconds from the start to the first healthy answer; 0 when it was running already."""

    @property
    def files(self) -> Path:
        """Folder whose pictures the server shows to people who have signed in."""
        return self.data_dir / "files"

    @property
    def password_file(self) -> Path:
        """File, readable by its owner alone, with the password of USER."""
        return self.data_dir / "password"

    def studio(self) -> Studio:
        """Return a client of this server."""
        from annotation.studio import Studio

        return Studio(self.url, self.token, files=self.files)


@dataclass(frozen=True)
class Status:
    """What is known about the server of a data folder."""

    running: bool
    healthy: bool
    url: str | None
    pid: int | None


def find_command(given: str | Path | None = None, *, root: Path | None = None) -> Path:
    """Return the ``label-studio`` command: the one given, LOOKBENCH_LABEL_STUDIO, ``root``'s own, or one on the PATH.

    Raises ServerError that says where it was looked for.
    """
    own = (root or Path.cwd()) / ".venv-labelstudio" / "bin" / "label-studio"
    named = given or os.environ.get(COMMAND_ENV)
    places = [Path(named)] if named else [own, *([Path(found)] if (found := shutil.which("label-studio")) else [])]
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return place
    raise ServerError(
        f"Label Studio is not installed at {' or '.join(map(str, places))}; run `make setup`, "
        f"or set {COMMAND_ENV} to the path of a label-studio command"
    )


def up(
    command: Path | str | None,
    data_dir: Path,
    port: int,
    *,
    token: str | None = None,
    host: str = "127.0.0.1",
    timeout_s: float = 600,
) -> Server:
    """Start Label Studio on ``host:port`` with its database, files and log in ``data_dir``; return when it is healthy.

    A server of this folder that runs already is returned as it is. The token comes from the argument, from
    LOOKBENCH_LABEL_STUDIO_TOKEN or from the folder; at the first start one is made and kept there, readable by its
    owner alone. Raises ServerError for a taken port, a missing command, a server that dies or is not healthy in time.
    """
    data_dir = data_dir.resolve()
    for folder in (data_dir, data_dir / "files"):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with exclusive(data_dir / "lock"):
        secret = token or os.environ.get(TOKEN_ENV) or _secret(data_dir / "token", 20)
        known = _running(data_dir)
        if known is not None:
            process, state = known
            _wait(process, state["host"], state["port"], data_dir, timeout_s)
            return Server(_url(state["host"], state["port"]), process.pid, data_dir, secret)
        executable = find_command(command)
        _refuse_taken(host, port)
        begun = time.monotonic()
        child = _spawn(executable, data_dir, host, port, secret)
        _write(data_dir / "server.json", {"pid": child.pid, "created": child.create_time(), "host": host, "port": port})
        try:
            _wait(child, host, port, data_dir, timeout_s)
        except ServerError:
            _stop(child)
            (data_dir / "server.json").unlink(missing_ok=True)
            raise
        return Server(_url(host, port), child.pid, data_dir, secret, round(time.monotonic() - begun, 2))


def down(data_dir: Path) -> bool:
    """Stop the server of ``data_dir``; return whether one ran. Its data stays."""
    known = _running(data_dir)
    if known is not None:
        _stop(known[0])
    (data_dir / "server.json").unlink(missing_ok=True)
    return known is not None


def status(data_dir: Path) -> Status:
    """Return whether the server of ``data_dir`` runs and answers."""
    known = _running(data_dir)
    if known is None:
        return Status(running=False, healthy=False, url=None, pid=None)
    process, state = known
    healthy = _healthy(state["host"], state["port"])
    return Status(running=True, healthy=healthy, url=_url(state["host"], state["port"]), pid=process.pid)


def _url(host: str, port: int) -> str:
    return f"http://{host}:{port}"


def _write(path: Path, state: dict[str, Any]) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(state), encoding="utf-8")
    part.replace(path)


def _secret(path: Path, length: int) -> str:
    """Return the secret kept at ``path``; make one of ``2 * length`` hex digits the first time."""
    if not path.exists():
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(length))
    return path.read_text(encoding="utf-8").strip()


def _running(data_dir: Path) -> tuple[psutil.Process, dict[str, Any]] | None:
    """Return the process that ``server.json`` names when it is still that process, and what the file says."""
    import psutil

    try:
        state: dict[str, Any] = json.loads((data_dir / "server.json").read_text(encoding="utf-8"))
        process = psutil.Process(state["pid"])
        alive = process.create_time() == state["created"] and process.status() != psutil.STATUS_ZOMBIE
    except (OSError, ValueError, KeyError, psutil.Error):
        return None
    return (process, state) if alive else None


def _refuse_taken(host: str, port: int) -> None:
    # Label Studio itself would move on to the next free port without a word.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ServerError(
                f"port {port} of {host} is taken ({error.strerror}); stop what listens there, or set another port for "
                "Label Studio"
            ) from error


def _spawn(executable: Path, data_dir: Path, host: str, port: int, token: str) -> psutil.Process:
    import psutil

    environment = {**os.environ, **_QUIET}
    seed.plant(executable, data_dir, environment)
    environment |= {
        "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
        "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(data_dir / "files"),
        # Secrets go by environment: arguments can be read by every user of the machine.
        "LABEL_STUDIO_USERNAME": USER,
        "LABEL_STUDIO_PASSWORD": _secret(data_dir / "password", 8),
        "LABEL_STUDIO_USER_TOKEN": token,
    }
    arguments = [
        "start", "--no-browser", "--data-dir", str(data_dir), "--internal-host", host, "--port", str(port),
        "--enable-legacy-api-token",
    ]  # fmt: skip
    with (data_dir / "server.log").open("ab") as log:
        child = subprocess.Popen(
            [str(executable), *arguments],
            env=environment,
            cwd=data_dir,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return psutil.Process(child.pid)


def _healthy(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _wait(process: psutil.Process, host: str, port: int, data_dir: Path, timeout_s: float) -> None:
    import psutil

    log = data_dir / "server.log"
    limit = time.monotonic() + timeout_s
    while not _healthy(host, port):
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            raise ServerError(f"Label Studio stopped while starting: {_last_line(log)!r}; the whole log is {log}")
        if time.monotonic() > limit:
            raise ServerError(
                f"Label Studio on {host}:{port} is not healthy after {timeout_s:.0f} s: {_last_line(log)!r}; "
                f"the whole log is {log}"
            )
        time.sleep(_POLL_S)


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "no output")


def _stop(process: psutil.Process) -> None:
    import psutil

    try:
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.terminate()
    _, alive = psutil.wait_procs(family, timeout=_STOP_S)
    for member in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    psutil.wait_procs(alive, timeout=_STOP_S)
