import json
import re
from html.parser import HTMLParser

import pyarrow.parquet as pq
import pytest

from releases import evidence, manifest, report
from releases.schema import SUBSETS
from releases.verify import verify


class Page(HTMLParser):
    """Collects what a browser would fetch, the ids that links may name, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids |= {found["id"] or ""} if "id" in found else set()
        self.addresses += [found[name] or "" for name in ("src", "href") if name in found]
        if tag not in {"meta", "img", "br", "link"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def result(name: str, value: float) -> dict[str, object]:
    figure = {"value": value, "lo": value - 0.1, "hi": value + 0.05, "n": 12, "clusters": 9}
    values = {"Fine@1": figure, "Coarse@1": figure, "Look@1": None}
    return {
        "schema": "lookbench-eval/result",
        "model": {"name": name},
        "settings": {"window": {"cutoff": None, "since": None, "until": None}},
        "overall": {"queries": 12, "values": values},
        "subsets": {subset: {"queries": 3, "values": values} for subset in SUBSETS},
    }


def test_the_page_needs_nothing_else(frozen):
    text = (frozen.path / "report" / "index.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert all(address.startswith(("data:image/webp;base64,", "#")) for address in page.addresses)
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= page.ids
    assert "http" not in re.sub(r"data:image/webp;base64,[A-Za-z0-9+/=]+", "", text)
    assert len([address for address in page.addresses if address.startswith("data:")]) > 50


def test_the_page_tells_the_funnel_and_the_notes(frozen):
    text = (frozen.path / "report" / "index.html").read_text(encoding="utf-8")
    totals = json.loads((frozen.path / "report" / "funnel.json").read_text())["totals"]
    assert totals["queries"] == sum(count for name, count in frozen.figures["rows"].items() if name.endswith("/query"))
    for name, value in totals.items():
        assert f"{value:,}</b><span>{name}" in text
    assert "The looks are composed." in text
    assert "No reference model has been scored" in text


def test_results_appear_once_they_are_there_and_the_same_twice(copied):
    (copied / "baselines").mkdir(exist_ok=True)
    for name, value in (("weak model", 0.25), ("strong model", 0.75)):
        (copied / "baselines" / f"{name}.json").write_text(json.dumps(result(name, value)))
    first = report.build(copied).read_bytes()
    manifest.seal(copied)
    assert verify(copied).ok
    text = first.decode()
    assert text.index("strong model") < text.index("weak model")
    assert "75.00<small>65.0 to 80.0" in text
    assert report.build(copied).read_bytes() == first


def test_what_a_site_wrote_is_text_and_not_markup(copied, frozen):
    import pyarrow as pa

    for file in (copied / "data" / "real_studio_flat").glob("gallery-*.parquet"):
        table = pq.read_table(file)
        rows = [{**row, "title": '"><script>alert(1)</script>', "category": "<b>dress"} for row in table.to_pylist()]
        pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), file)
    assert "<script" not in report.build(copied).read_text(encoding="utf-8")
    assert "<b>dress" not in (copied / "report" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"cosine": 0.123456, "threshold": 0.9, "group": ["dress", "plain"], "more": 1},
            "cosine 0.123, threshold 0.9, group dress plain",
        ),
        ({"product": "p-" + "0" * 40, "width": 40}, "width 40"),
        (["odd"], ""),
        ({}, ""),
    ],
)
def test_evidence_in_a_few_words(given, text):
    assert evidence.note(given) == text


def test_spread_takes_both_ends():
    assert evidence.spread(list(range(10)), 4) == [0, 3, 6, 9]
    assert evidence.spread([1, 2], 4) == [1, 2]
