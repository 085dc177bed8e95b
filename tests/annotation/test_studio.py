"""A Label Studio that is not there, or does not know us, is one sentence."""

import http.server
import threading
from collections.abc import Iterator

import pytest

from annotation.errors import StudioError
from annotation.studio import Studio

from .conftest import free_port

TOKEN = "5" * 40


@pytest.fixture
def answering(request: pytest.FixtureRequest) -> Iterator[str]:
    """A server that answers everything with one status and body."""
    status, body = request.param

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listener.server_port}"
    listener.shutdown()
    listener.server_close()


def test_an_unreachable_server_is_named_with_the_remedy() -> None:
    url = f"http://127.0.0.1:{free_port()}/"
    with pytest.raises(
        StudioError, match=r"does not answer at http://127\.0\.0\.1:.*start it with `lookbench services up`"
    ) as caught:
        Studio(url, TOKEN).check()
    assert TOKEN not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("answering", [(401, b'{"detail": "Invalid token."}')], indirect=True)
def test_a_refused_token_is_said_and_never_shown(answering: str) -> None:
    with pytest.raises(
        StudioError, match="refuses the token while signing in; set LOOKBENCH_LABEL_STUDIO_TOKEN"
    ) as caught:
        Studio(answering, TOKEN).check()
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("answering", [(400, b'{"detail": "bad title"}')], indirect=True)
def test_a_refused_request_quotes_the_reason(answering: str) -> None:
    with pytest.raises(StudioError, match=r"refused looking for project 'x': HTTP 400 .*bad title"):
        Studio(answering, TOKEN).find_project("x")
