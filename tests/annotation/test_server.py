"""Starting and stopping: what can go wrong is one sentence."""

import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from annotation import server
from annotation.errors import ServerError

from .conftest import free_port

SEEDING = """\
#!{python}
import http.server, os, pathlib, sqlite3, sys, time
arguments = sys.argv[1:]
if arguments[0] == "version":
    sqlite3.connect(pathlib.Path(arguments[2]) / "label_studio.sqlite3").execute("create table seeded (x)")
    sys.exit()
"""
STAND_IN = """\
port = int(arguments[arguments.index("--port") + 1])
pathlib.Path("seen.txt").write_text(" ".join(arguments) + chr(10) + os.environ["LABEL_STUDIO_USER_TOKEN"])
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404); self.end_headers()
    def log_message(self, *a): pass
http.server.HTTPServer(("127.0.0.1", port), Health).serve_forever()
"""


def command(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "bin" / "label-studio"
    path.parent.mkdir()
    path.write_text((SEEDING + text).format(python=sys.executable))
    path.chmod(0o755)
    return path


def test_up_is_up_once_and_down_takes_it_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(server.TOKEN_ENV, raising=False)
    data, port = tmp_path / "data", free_port()
    stand_in = command(tmp_path, STAND_IN)
    running = server.up(stand_in, data, port)
    try:
        assert running.url == f"http://127.0.0.1:{port}"
        assert server.up(stand_in, data, port).pid == running.pid
        assert server.status(data) == server.Status(running=True, healthy=True, url=running.url, pid=running.pid)
        arguments, token = (data / "seen.txt").read_text().split("\n")
        # The secrets: 40 hex digits, given by environment, kept for the owner alone, in no argument, log or repr.
        assert len(bytes.fromhex(running.token)) == 20
        assert token == running.token == (data / "token").read_text()
        assert (
            stat.S_IMODE((data / "token").stat().st_mode) == stat.S_IMODE(running.password_file.stat().st_mode) == 0o600
        )
        assert token not in arguments + repr(running) + (data / "server.log").read_text() + repr(running.studio())
    finally:
        assert server.down(data)
    assert not server.down(data)
    assert server.status(data) == server.Status(running=False, healthy=False, url=None, pid=None)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_the_token_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(server.TOKEN_ENV, "ab" * 20)
    data = tmp_path / "data"
    running = server.up(command(tmp_path, STAND_IN), data, free_port())
    try:
        assert running.token == "ab" * 20
        assert not (data / "token").exists()
    finally:
        server.down(data)


def test_a_taken_port_is_refused_and_nothing_is_started(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ServerError, match=f"port {port} of 127.0.0.1 is taken .*set another port"):
            server.up(command(tmp_path, STAND_IN), tmp_path / "data", port)
    assert not (tmp_path / "data" / "server.json").exists()


def test_a_server_that_dies_is_quoted(tmp_path: Path) -> None:
    dying = command(tmp_path, "sys.exit('no such table: user')\n")
    with pytest.raises(
        ServerError, match=r"stopped while starting: 'no such table: user'; the whole log is .*server\.log"
    ):
        server.up(dying, tmp_path / "data", free_port())
    assert not (tmp_path / "data" / "server.json").exists()


def test_a_server_that_never_answers_is_stopped(tmp_path: Path) -> None:
    mute = command(tmp_path, "time.sleep(60)\n")
    with pytest.raises(ServerError, match="not healthy after 1 s"):
        server.up(mute, tmp_path / "data", free_port(), timeout_s=1)
    assert not server.status(tmp_path / "data").running


def test_a_command_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ServerError, match=r"not installed at .*nowhere; run `make setup`"):
        server.find_command(tmp_path / "nowhere")
    monkeypatch.delenv(server.COMMAND_ENV, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ServerError, match=r"\.venv-labelstudio/bin/label-studio"):
        server.find_command(root=tmp_path)
    monkeypatch.setenv(server.COMMAND_ENV, str(command(tmp_path, STAND_IN)))
    assert server.find_command(root=tmp_path) == tmp_path / "bin" / "label-studio"


def test_a_pid_that_another_program_took_over_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text(f'{{"pid": {os.getpid()}, "created": 1.0, "host": "127.0.0.1", "port": 1}}')
    assert not server.status(tmp_path).running
    assert not server.down(tmp_path)
    (tmp_path / "server.json").write_text("half a fi")
    assert not server.status(tmp_path).running
