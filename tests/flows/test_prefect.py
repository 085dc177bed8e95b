"""The deployments of prefect.yaml on a real Prefect server: deployed, one night run by a worker and one by hand; what
the server then tells of them is read back and compared with what the shop saw."""

import json
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
sys.path.insert(0, str(HOME / "tests" / "crawlers"))

from conftest_shop import Answer, Server, shop, server  # noqa: E402, F401, I001 - fixtures

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


def crawl_artifact(api: str, run: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the rows of the crawl's table of a run, by site, as a person reads them in Prefect."""
    (found,) = [row for row in ask(api, "artifacts") if row["key"] == "crawl" and row["flow_run_id"] == run["id"]]
    return {row["site"]: row for row in json.loads(found["data"])}


def test_all_deployments_and_a_night_of_troubles_by_a_worker(api: str, workshop: Workshop, shop: Server) -> None:  # noqa: F811
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

    root, page = Path(workshop.settings.root), shop.routes["/p/3"]
    shop.routes["/robots.txt"].body += b"Crawl-delay: 0.1\n"
    shop.routes["/p/3"] = lambda asked, handler: (
        page if asked.hits["/p/3"] > 1 else Answer(b"later", 429, {"Retry-After": "2"})
    )
    shop.routes |= {
        "/p/8": Answer(b"no", 500),
        "/img/2-0.jpg": Answer(b"<!doctype html>"),
        "/img/1-1.jpg": Answer(b"", 404),
    }
    site = {"name": "testwick", "start_urls": [f"{shop.url}/"], "allow_loopback": True, "delay": 0, "render": "never"}
    (root / "sites" / "demo-shop.yaml").unlink()
    (root / "sites" / "testwick.yaml").write_text(yaml.safe_dump(site))
    given = [f"root={root}", f"settings={root / 'lookbench.yaml'}", "now=2026-05-18T03:00:00Z"]
    flags = [word for pair in given for word in ("--param", pair)]
    wrote = shop.wrote
    prefect(api, "deployment", "run", "nightly-crawl/nightly", *flags)
    prefect(api, "worker", "start", "--pool", "lookbench", "--run-once")
    (run,) = [row for row in ask(api, "flow_runs") if flows[row["flow_id"]] == "nightly-crawl" and row["parameters"]]
    assert run["state_type"] == "COMPLETED", run["state"]
    row = crawl_artifact(api, run)["testwick"]
    loaded = row.pop("loaded")
    assert row == {
        "site": "testwick",
        "ended": "finished",
        "products": "11 (11 new)",
        "photos": "21 (21 new)",  # two of each product, and the look
        "failures": "http_404 1, http_500 1, robots 1, wrong_content_type 1",
        "pages": "15",  # the home page, two of a category, eleven products, a look
        "looks": "1",
        "politeness": "2 s waited, robots.txt kept 1 back, Crawl-delay 0.1 s",
    }
    size, requests = re.fullmatch(r"([\d.]+) kB in (\d+) requests", loaded).groups()  # type: ignore[union-attr]
    assert int(requests) == len(shop.seen)
    assert float(size) * 1000 == pytest.approx(shop.wrote - wrote, abs=24 * len(shop.seen))  # but for the status lines
    lines = [log["message"] for log in ask(api, "logs") if log["flow_run_id"] == run["id"]]
    assert any(line.startswith("site testwick; ended finished; products 11 (11 new)") for line in lines), lines
    assert workshop.catalog.read("photos").num_rows == 21

    shop.close()  # the next night it is down
    command = [sys.executable, "-m", "flows.cli", "crawl", "--root", root, "--settings", root / "lookbench.yaml"]
    environment = {**os.environ, "PREFECT_API_URL": api}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=HOME, timeout=300)
    assert done.returncode == 1
    assert "no page could be read" in done.stderr
    (failed,) = [row for row in ask(api, "flow_runs") if row["state_type"] == "FAILED"]
    assert "site 'testwick': no page could be read" in failed["state"]["message"]
    row = crawl_artifact(api, failed)["testwick"]
    assert (row["ended"], row["products"]) == ("nothing came", "0")
    assert row["failures"].startswith("refused ")
    assert row["loaded"].startswith("0.0 kB in ")


def test_its_pages_ask_the_server_that_serves_them_and_no_other(api: str) -> None:
    told = httpx.get(api.removesuffix("/api") + "/ui-settings", timeout=30).json()
    assert told["api_url"] == api


def test_status_tells_and_a_taken_port_is_refused_by_name(api: str, workshop: Workshop) -> None:
    assert servers.status(workshop)["prefect"] == api
    other = workshop.settings.model_copy(update={"root": f"{workshop.settings.root}-other"})
    with pytest.raises(servers.ServicesError, match=rf"port {workshop.settings.prefect_port} is taken"):
        servers.prefect_up(Workshop(other, workshop.folder, workshop.now))
