import functools
import http.server
import subprocess
import sys
import threading
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from releases import reading
from releases.run import freeze
from releases.schema import SUBSETS
from releases.summary import summarise
from releases.verify import examine, verify


@pytest.fixture
def shop(tmp_path):
    """A server of photos by sha256."""
    folder = tmp_path / "shop"
    folder.mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def solve(release):
    """Say of a release that a reference model answered all its queries."""
    queries = [
        (row["sample_id"], subset, row["category"])
        for subset in SUBSETS
        for row in reading.read_labels(release, subset, "query").to_pylist()
    ]
    columns = dict(zip(("query_id", "subset", "category"), zip(*queries, strict=True), strict=True))
    table = pa.table({**columns, "Item@1": [1.0] * len(queries)})
    pq.write_table(table, release / "baselines" / "model.per_query.parquet")


def test_a_release_of_links_is_filled_to_what_was_frozen(shop, make_edition, catalog, inputs, policy, now, tmp_path):
    folder, address = shop
    made = make_edition(catalog.put_image, products=36)
    for row in made.rows["photos"]:
        if row["origin"] != "generated":
            (folder / row["photo_id"]).write_bytes(catalog.get_image(row["photo_id"]))
            row["source_url"] = f"{address}/{row['photo_id']}"
    wide = replace(policy, min_queries={}, min_noise=1, harder_share=1.0, harder_least=1, anchors=0)
    before = freeze(inputs(made, edition="2026.06"), catalog, tmp_path / "before", wide, now=now).path
    solve(before)
    whole = freeze(inputs(made, previous=before), catalog, tmp_path / "whole", wide, now=now)
    links = freeze(inputs(made, previous=before), catalog, tmp_path / "links", replace(wide, pixels="links"), now=now)
    assert verify(links.path).ok

    run = [sys.executable, "fetch.py", str(tmp_path / "filled"), "--delay", "0"]
    subprocess.run(run, cwd=links.path, check=True, capture_output=True)
    assert verify(tmp_path / "filled").ok
    name = "data/real_streetlook/query-00000-of-00001.parquet"
    columns = ["sample_id", "image", "raw_image", "variant", "difficulty"]
    ours, theirs = (
        pq.read_table(path / name, columns=columns).to_pylist() for path in (whole.path, tmp_path / "filled")
    )
    assert [row["image"]["bytes"] for row in ours] == [row["image"]["bytes"] for row in theirs]
    assert [row["raw_image"]["bytes"] for row in ours] == [row["raw_image"]["bytes"] for row in theirs]

    assert {row["variant"] for row in theirs} == {"tight", "small", "occluded"}
    assert {row["difficulty"] for row in theirs} == {"hard"}

    told = {size.name: size.difficulty for size in summarise(whole.path).sizes}
    asked = pq.read_table(next((whole.path / "data" / "real_studio_flat").glob("query-*")), columns=["difficulty"])
    easy, hard = (asked["difficulty"].to_pylist().count(kind) for kind in ("easy", "hard"))
    assert hard, "harder variants of what is easy"
    assert told["real_studio_flat"] == (f"{easy} easy, {hard} hard" if easy else "hard")
    assert told["real_streetlook"] == "hard"
    assert told["noise"] == ""

    gone = pq.read_table(links.path / name)["photo_sha256"].to_pylist()[0]
    (folder / gone).write_bytes(b"another picture")
    done = subprocess.run(
        [*run[:2], str(tmp_path / "partly"), *run[3:]], cwd=links.path, check=False, capture_output=True
    )
    assert done.returncode == 1
    assert gone in (tmp_path / "partly" / "missing.tsv").read_text()
    assert "rows" in {failure.check for failure in examine(tmp_path / "partly").failures}
