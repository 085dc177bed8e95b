from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from demo.cutouts import cut_out_file
from demo.real import choose, read_snaps
from demo.shop import Catalogue, build


@pytest.fixture(scope="module")
def seasons(snapshots: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Catalogue, Catalogue]:
    root = tmp_path_factory.mktemp("real")
    one, two = (build(root, s, seed=1, photos_dir=snapshots, products=16, looks=4, workers=1) for s in (1, 2))
    return one, two


def test_first_photo_is_the_untouched_file(seasons: tuple[Catalogue, Catalogue], snapshots: Path) -> None:
    originals = {p.read_bytes() for p in (snapshots / "images").iterdir()}
    for product in seasons[0].products:
        first, *others = product.photos
        assert Path(first.file).read_bytes() in originals
        assert 1 <= len(others) <= 3


def test_titles_say_no_more_than_the_label(seasons: tuple[Catalogue, Catalogue]) -> None:
    truth = json.loads(seasons[0].truth_file.read_text(encoding="utf-8"))
    for item in truth["products"].values():
        noun, number = item["title"].rsplit(" ", 1)
        assert noun == ("Garment" if item["label"] == "Not sure" else item["label"])
        assert number.isdecimal()


def test_half_stays_and_some_come_back(seasons: tuple[Catalogue, Catalogue]) -> None:
    one, two = seasons
    assert len(one.products) == len(two.products) == 16
    kept = {p.path for p in one.products} & {p.path for p in two.products}
    assert len(kept) == 8
    truth = json.loads(two.truth_file.read_text(encoding="utf-8"))
    back = [h for h, item in truth["products"].items() if "relists" in item]
    assert len(back) == 4
    assert {c["kind"] for c in truth["copies"]} == {"re-encoded", "resized", "cropped", "mirrored"}


def test_looks_are_called_composed(seasons: tuple[Catalogue, Catalogue]) -> None:
    assert seasons[0].looks
    for look in seasons[0].looks:
        assert look.composed
        assert look.photo.alt.startswith("Composed look")
        assert "composed" in look.text
        assert len(look.products) >= 3


def test_choice_is_balanced_and_repeats(snapshots: Path) -> None:
    snaps = read_snaps(snapshots)
    assert len(snaps) == 36
    chosen = choose(snaps, 14, seed=5)
    assert chosen == choose(snaps, 14, seed=5)
    assert set(Counter(s.label for s in chosen).values()) == {2}
    assert sorted(s.number for s in choose(snaps, None, seed=5)) == list(range(1, 37))


def test_folder_without_photos_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"photos\.csv"):
        read_snaps(tmp_path)
    (tmp_path / "photos.csv").write_text("file,sender_id,label,kids\nimages/a.jpg,1,Dress,False\n", encoding="utf-8")
    with pytest.raises(FileNotFoundError, match="none of the files"):
        read_snaps(tmp_path)


def test_most_real_photos_can_be_cut_out(tmp_path: Path) -> None:
    shared = Path(os.environ.get("LOOKBENCH_SHARED", Path(__file__).parents[3] / "shared")) / "photos"
    if not (shared / "photos.csv").exists():
        pytest.skip("no folder of real photos beside the repository")
    chosen = choose(read_snaps(shared), 6, seed=2)
    made = [cut_out_file(s.file, tmp_path) for s in chosen]
    assert sum(m.rgba is not None for m in made) >= 4
    assert all(m.reason for m in made if m.rgba is None)
