import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# How fast a busy machine is, no test asks; and the same code gets the same cases, until LOOKBENCH_EXPLORE=1 asks for new.
settings.register_profile("house", deadline=None, derandomize=not os.environ.get("LOOKBENCH_EXPLORE"))
settings.load_profile("house")
# Nothing in the tests asks a hub, sends telemetry or takes more cores than the machine gives.
os.environ.update(HF_HUB_OFFLINE="1", DO_NOT_TRACK="1", PREFECT_LOGGING_LEVEL="CRITICAL")
os.environ.setdefault("OMP_NUM_THREADS", "2")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the cases and photos that are not part of the project."""
    folder = Path(os.environ.get("LOOKBENCH_SHARED") or Path(__file__).parent.parent.parent / "shared").resolve()
    if not folder.is_dir():
        pytest.skip("the shared cases and photos are not here (LOOKBENCH_SHARED)")
    return folder


@pytest.fixture(scope="session")
def prefect() -> Iterator[None]:
    """A Prefect server of the tests' own, with a database that goes with them."""
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=180):
        yield


@pytest.fixture(scope="session")
def prefect_api(prefect: None) -> str:
    """Address of that server, for commands of their own process: they need not start one each."""
    from prefect.settings import PREFECT_API_URL

    return str(PREFECT_API_URL.value())
