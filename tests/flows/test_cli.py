"""The command as a person meets it: one sentence on stderr and a non-zero exit for bad input, JSON alone on stdout."""

import errno
import functools
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from catalog import tables
from catalog.decode import encode_png
from catalog.store import Catalog
from flows import cli
from flows.settings import HOME


def lookbench(*arguments: str | Path, cwd: Path = HOME, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flows.cli", *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": str(HOME), **environment}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=cwd, env=env)


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    (told,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in done.stderr
    missing = [word for word in words if word not in told]
    assert not missing, f"{missing} not in {told!r}"


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    file = tmp_path / "picture.png"
    file.write_bytes(encode_png(np.random.default_rng(1).integers(0, 256, (90, 60, 3)).astype(np.uint8)))
    return file


def test_inspect_tells_of_every_file(tmp_path: Path, picture: Path) -> None:
    (tmp_path / "page.jpg").write_text("<html></html>")
    done = lookbench("inspect", picture, tmp_path / "page.jpg", "--json")
    good, bad = json.loads(done.stdout)
    assert (good["decodes"], good["width"], good["height"]) == (True, 60, 90)
    assert (bad["decodes"], bad["reason"]) == (False, "not_an_image")


def test_read_tells_product_and_evidence(tmp_path: Path) -> None:
    markup = {
        "@type": "Product",
        "name": "Tarn Anorak",
        "offers": {"@type": "Offer", "price": 9.5, "priceCurrency": "EUR"},
    }
    (tmp_path / "p.html").write_text(f'<script type="application/ld+json">{json.dumps(markup)}</script>')
    read = json.loads(lookbench("read", tmp_path / "p.html", "--base-url", "https://shop.example/p", "--json").stdout)
    assert (read["product"]["name"], read["product"]["price"], read["product"]["currency"]) == (
        "Tarn Anorak",
        "9.50",
        "EUR",
    )
    assert read["evidence"]["price"]
    (tmp_path / "q.html").write_text("<h1>About us</h1>")
    nothing = json.loads(lookbench("read", tmp_path / "q.html", "--json").stdout)
    assert nothing["product"] is None
    assert nothing["reason"]


def test_duplicates_of_a_folder(tmp_path: Path, picture: Path) -> None:
    (tmp_path / "copy.png").write_bytes(picture.read_bytes())
    (tmp_path / "cut.png").write_bytes(picture.read_bytes()[:60])
    done = lookbench("duplicates", tmp_path, "--json")
    (pair,) = json.loads(done.stdout)
    assert "skipped cut.png: truncated" in done.stderr
    assert {Path(pair["a"]).name, Path(pair["b"]).name} == {"picture.png", "copy.png"}
    assert pair["tier"] == "bytes"
    assert pair["distance"] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["inspect", "nowhere.png"], ["nowhere.png", "not a file"]),
        (["duplicates", "nowhere"], ["nowhere", "not a folder"]),
        (["why", "abcdef", "--root", "{tmp}"], ["'abcdef'", "{tmp}"]),
        (["freeze", "2026.06", "--root", "{tmp}"], ["'2026.06' is unknown", "{tmp}"]),
        (["refresh", "2026.6", "--root", "{tmp}"], ["'2026.6'", "2026.12"]),
        (["refresh", "2026.06", "--root", "{tmp}"], ["2026.06 has no new photo", "crawl first"]),
        (["verify", "{tmp}"], ["{tmp}", "manifest.json"]),
        (["crawl", "no-such-shop", "--root", "{tmp}"], ["'no-such-shop' is not known"]),
        (["crawl", "--settings", "nowhere.yaml"], ["nowhere.yaml does not exist"]),
        (["demo", "--photos", "{tmp}"], ["{tmp}", "photos.csv"]),
        (["demo", "--products", "3"], ["--products 3", "at least 8"]),
        (["generate", "{picture}", "--out", "{tmp}/out", "--recipe", "beach"], ["'beach'", "studio or street"]),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, picture: Path, prefect_api: str, arguments: list[str], words: list[str]
) -> None:
    fill = {"tmp": str(tmp_path), "picture": str(picture)}
    done = lookbench(*(word.format(**fill) for word in arguments), PREFECT_API_URL=prefect_api)
    refused(done, *(word.format(**fill) for word in words))


def test_a_model_file_that_is_missing_or_another_is_refused(picture: Path) -> None:
    gone = {"LOOKBENCH_MODELS__DETECTOR__SPEC": "yolo:nowhere/detector.onnx"}
    refused(lookbench("detect", picture, "--json", **gone), "nowhere/detector.onnx")
    other = {"LOOKBENCH_MODELS__DETECTOR__SHA256": "0" * 64}
    refused(lookbench("detect", picture, "--json", **other), "sha256", "0" * 64)


def test_a_site_that_is_down_is_no_green_run(tmp_path: Path, prefect_api: str) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    site = tmp_path / "down.yaml"
    site.write_text(f"name: down\nstart_urls: ['http://127.0.0.1:{port}/']\nallow_loopback: true\n", encoding="utf-8")
    done = lookbench("crawl", site, "--root", tmp_path / "root", PREFECT_API_URL=prefect_api)
    refused(done, "'down'", f"127.0.0.1:{port}")


def test_a_damaged_table_is_refused_by_name(tmp_path: Path, prefect_api: str) -> None:
    part = tmp_path / "tables" / "photos" / "x.parquet"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"PAR1 damaged")
    done = lookbench("refresh", "2026.06", "--root", tmp_path, PREFECT_API_URL=prefect_api)
    refused(done, "x.parquet", "photos")


def test_label_studio_that_cannot_be_reached_or_refuses(tmp_path: Path) -> None:
    from flows import servers
    from flows.workshop import Workshop

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    workshop = Workshop.open(root=str(tmp_path))
    there = workshop.settings.model_copy(
        update={"annotation": workshop.settings.annotation.model_copy(update={"url": url})}
    )
    elsewhere = Workshop(there, workshop.folder, workshop.now)
    with pytest.raises(servers.ServicesError, match="LOOKBENCH_LABEL_STUDIO_TOKEN"):
        servers.studio(elsewhere)


@pytest.fixture
def quiet_shop(tmp_path: Path) -> Iterator[str]:
    """A shop that is up and sells nothing."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "index.html").write_text("<h1>Closed for the season</h1>", encoding="utf-8")
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "shop"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_an_empty_catalogue_is_no_green_run(tmp_path: Path, prefect_api: str, quiet_shop: str) -> None:
    site = tmp_path / "quiet.yaml"
    site.write_text(f"name: quiet\nstart_urls: ['{quiet_shop}']\nallow_loopback: true\n", encoding="utf-8")
    done = lookbench("crawl", site, "--root", tmp_path / "root", PREFECT_API_URL=prefect_api)
    refused(done, "'quiet'", "none sells a product", "start_urls")


def test_an_edition_without_a_garment_is_refused_and_its_ledger_tells_why(tmp_path: Path, prefect_api: str) -> None:
    catalog = Catalog(tmp_path)
    seen = datetime(2026, 5, 1, tzinfo=UTC)
    for shade in (90, 170):
        data = encode_png(np.full((400, 300, 3), shade, np.uint8))
        row = {
            "photo_id": catalog.put_image(data), "bytes": len(data), "mime": "image/png", "origin": "retail", "site": "s",
            "product_id": f"p-{shade}", "setting": "flat", "licence": "CC0-1.0", "first_seen": seen,
            "source_url": f"https://s.example/{shade}.png", "page_url": f"https://s.example/{shade}",
        }  # fmt: skip
        catalog.append("photos", tables.from_rows("photos", [row]))
    refresh = ("refresh", "2026.06", "--root", tmp_path, "--now", "2026-06-01")
    done = lookbench(*refresh, PREFECT_API_URL=prefect_api)
    refused(done, "edition 2026.06", "2 photos", "lookbench why")
    fate = lookbench("why", catalog.read("photos")["photo_id"][0].as_py(), "--root", tmp_path, "--json").stdout
    assert "blank" in fate


def test_a_full_disk_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, picture: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(sys, "argv", ["lookbench", "generate", str(picture), "--out", str(tmp_path / "out")])
    monkeypatch.setattr("generation.run.from_image", lambda *_, **__: [])
    with pytest.raises(SystemExit, match="1"):
        cli.main()
    assert "No space left on device" in capsys.readouterr().err
    assert not list((tmp_path / "out").iterdir())
