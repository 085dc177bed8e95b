"""The deployments of prefect.yaml on a real Prefect server: deployed, one crawl run by a worker, its artifacts read."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from flows import servers
from flows.workshop import Workshop

HOME = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.slow


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    from flows.demo import write_settings

    home = tmp_path_factory.mktemp("prefect")
    file = write_settings(home, None, free_port())
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    file.write_text(yaml.safe_dump({**content, "prefect_port": free_port()}), encoding="utf-8")
    return Workshop.open(root=str(home), settings=file)


@pytest.fixture(scope="module")
def api(workshop: Workshop) -> Iterator[str]:
    yield servers.prefect_up(workshop)
    servers.down(workshop)


def prefect(api: str, *arguments: str) -> str:
    environment = {**os.environ, "PREFECT_API_URL": api, "PREFECT_LOGGING_LEVEL": "INFO"}
    command = [sys.executable, "-m", "prefect", "--no-prompt", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=HOME, timeout=400)
    assert done.returncode == 0, f"{' '.join(arguments)}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def ask(api: str, what: str) -> Any:
    return httpx.post(f"{api}/{what}/filter", json={}, timeout=30).raise_for_status().json()


def test_all_deployments_and_one_crawl_by_a_worker(api: str, workshop: Workshop) -> None:
    from demo import shop
    from demo.build import build

    prefect(api, "work-pool", "create", "lookbench", "--type", "process")
    prefect(api, "deploy", "--all")
    deployed = {row["name"]: row for row in ask(api, "deployments")}
    flows = {row["id"]: row["name"] for row in ask(api, "flows")}
    assert {(flows[row["flow_id"]], row["name"]) for row in ask(api, "deployments")} == {
        ("nightly-crawl", "nightly"),
        ("refresh", "june"),
        ("refresh", "december"),
        ("freeze", "manual"),
        ("validate", "manual"),
    }
    crons = {name: [s["schedule"]["cron"] for s in row["schedules"]] for name, row in deployed.items()}
    assert crons == {
        "nightly": ["15 2 * * *"],
        "june": ["0 6 1 6 *"],
        "december": ["0 6 1 12 *"],
        "manual": [],
    }

    root = Path(workshop.settings.root)
    port = int(re.findall(r":(\d+)/", (root / "sites" / "demo-shop.yaml").read_text(encoding="utf-8"))[0])
    with shop.serve(build(root / "shop", products=8, looks=2, workers=1), port=port):
        given = [f"root={root}", f"settings={root / 'lookbench.yaml'}", "now=2026-05-18T03:00:00Z"]
        flags = [word for pair in given for word in ("--param", pair)]
        prefect(api, "deployment", "run", "nightly-crawl/nightly", *flags)
        prefect(api, "worker", "start", "--pool", "lookbench", "--run-once")
    (run,) = [row for row in ask(api, "flow_runs") if flows[row["flow_id"]] == "nightly-crawl" and row["parameters"]]
    assert run["state_type"] == "COMPLETED", run["state"]
    (artifact,) = [row for row in ask(api, "artifacts") if row["key"] == "crawl"]
    assert "demo-shop" in artifact["data"]
    assert workshop.catalog.read("photos").num_rows > 8


def test_status_tells_and_a_taken_port_is_refused_by_name(api: str, workshop: Workshop) -> None:
    assert servers.status(workshop)["prefect"] == api
    other = workshop.settings.model_copy(update={"root": f"{workshop.settings.root}-other"})
    with pytest.raises(servers.ServicesError, match=rf"port {workshop.settings.prefect_port} is taken"):
        servers.prefect_up(Workshop(other, workshop.folder, workshop.now))
