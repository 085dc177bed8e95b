"""The servers LookBench works with: Label Studio for labels, Prefect for schedules; started and stopped by the tool."""

import os
import signal
import socket
import subprocess
import sys
import time
from typing import IO

from annotation import server as label_studio
from annotation.studio import Studio
from catalog.errors import LookbenchError
from flows.settings import HOME
from flows.workshop import Workshop

HOST = "127.0.0.1"
READY_S = 180.0


class ServicesError(LookbenchError):
    """A server that cannot be started or reached."""


def studio(workshop: Workshop) -> Studio:
    """Return a client of the Label Studio that the settings name, or of our own, started when it is not running.

    Raises ServicesError when the settings name a server and no token is in the environment.
    """
    settings = workshop.settings.annotation
    if settings.url:
        token = os.environ.get(label_studio.TOKEN_ENV)
        if not token:
            raise ServicesError(f"annotation.url is {settings.url}: put its access token in {label_studio.TOKEN_ENV}")
        return Studio(settings.url, token)
    given = workshop.path(settings.command) if settings.command else None
    command = label_studio.find_command(given, root=HOME)
    return label_studio.up(command, workshop.state / "label-studio", settings.port).studio()


def up(workshop: Workshop) -> dict[str, str]:
    """Start what is not running; returns server -> address. Ports that are taken are refused by name."""
    own = "elsewhere, see annotation.url" if workshop.settings.annotation.url else studio(workshop).url
    return {"label-studio": own, "prefect": prefect_up(workshop)}


def down(workshop: Workshop) -> dict[str, str]:
    """Stop what was started for this catalog; its data stays."""
    stopped = {True: "stopped", False: "was not running"}
    return {
        "label-studio": stopped[label_studio.down(workshop.state / "label-studio")],
        "prefect": stopped[_prefect_down(workshop)],
    }


def status(workshop: Workshop) -> dict[str, str]:
    """Say of each server whether it runs, and where."""
    labels = label_studio.status(workshop.state / "label-studio")
    words = f"{labels.url}, {'healthy' if labels.healthy else 'not answering'}" if labels.running else "down"
    process = _prefect_pid(workshop)
    return {"label-studio": words, "prefect": _prefect_url(workshop) if process else "down"}


def _prefect_url(workshop: Workshop) -> str:
    return f"http://{HOST}:{workshop.settings.prefect_port}/api"


def prefect_up(workshop: Workshop) -> str:
    """Start our own Prefect server unless it runs; returns the address of its API."""
    if _prefect_pid(workshop):
        return _prefect_url(workshop)
    port = workshop.settings.prefect_port
    with socket.socket() as probe:
        if probe.connect_ex((HOST, port)) == 0:
            raise ServicesError(f"port {port} is taken by another program: stop it, or set prefect_port to a free one")
    home = workshop.state / "prefect"
    home.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": "",
        "PREFECT_SERVER_UI_API_URL": _prefect_url(workshop),  # its pages ask port 4200 otherwise
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    }
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", HOST, "--port", str(port)]
    with (home / "server.log").open("ab") as log:
        process = _spawn(command, log, environment)
    (home / "server.pid").write_text(str(process.pid))
    deadline = time.monotonic() + READY_S
    while not _answers(f"{_prefect_url(workshop)}/health"):
        if process.poll() is not None or time.monotonic() > deadline:
            _prefect_down(workshop)
            raise ServicesError(
                f"the Prefect server did not come up on port {port}; its words are in {home}/server.log"
            )
        time.sleep(0.5)
    return _prefect_url(workshop)


def _spawn(command: list[str], log: IO[bytes], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True
    )


def _answers(url: str) -> bool:
    import httpx

    try:
        return httpx.get(url, timeout=2).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def _prefect_pid(workshop: Workshop) -> int | None:
    import psutil

    file = workshop.state / "prefect" / "server.pid"
    try:
        process = psutil.Process(int(file.read_text()))
        return process.pid if "prefect" in " ".join(process.cmdline()) else None
    except (FileNotFoundError, ValueError, psutil.Error):
        return None


def _prefect_down(workshop: Workshop) -> bool:
    import psutil

    pid = _prefect_pid(workshop)
    (workshop.state / "prefect" / "server.pid").unlink(missing_ok=True)
    if pid is None:
        return False
    os.killpg(pid, signal.SIGTERM)
    _, alive = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=15)
    for process in alive:
        os.killpg(process.pid, signal.SIGKILL)
    return True
