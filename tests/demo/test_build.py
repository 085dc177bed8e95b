from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from demo.records import load
from demo.shop import Catalogue, build, main


def test_catalogue_comes_back_from_its_file(spring: Catalogue) -> None:
    assert load(spring.root, 1) == spring


def test_pictures_have_the_recorded_size(spring: Catalogue) -> None:
    for product in spring.products:
        for photo in product.photos:
            with Image.open(spring.root / photo.file) as picture:
                assert picture.size == (photo.width, photo.height)


def test_truth_boxes_lie_inside_their_pictures(spring: Catalogue) -> None:
    truth = json.loads(spring.truth_file.read_text(encoding="utf-8"))
    assert len(truth["products"]) == 12
    sizes = {p.name: p for item in spring.products for p in item.photos}
    for item in truth["products"].values():
        assert item["category"]
        assert ["colour", item["attributes"][-1][1]] == item["attributes"][-1]
        for shown in item["photos"]:
            (x0, y0, x1, y1), size = shown["boxes"][0], sizes[shown["photo"]]
            assert 0 <= x0 < x1 <= size.width
            assert 0 <= y0 < y1 <= size.height
    for item in truth["looks"].values():
        assert 3 <= len(item["garments"]) <= 5
        assert all(g["product"] in truth["products"] for g in item["garments"])


def test_kept_products_keep_pages_and_bytes(spring: Catalogue, autumn: Catalogue) -> None:
    old, new = ({p.path: p for p in c.products} for c in (spring, autumn))
    kept = set(old) & set(new)
    assert len(kept) == 6
    assert all(old[path].photos == new[path].photos for path in kept)


def test_relisted_pictures_differ_in_bytes_from_what_they_copy(spring: Catalogue, autumn: Catalogue) -> None:
    truth = json.loads(autumn.truth_file.read_text(encoding="utf-8"))
    assert truth["copies"]
    served = {p.name for item in autumn.products for p in item.photos}
    for copy in truth["copies"]:
        assert copy["photo"] in served
        assert copy["of"] not in served
        new, old = (autumn.root / "photos" / copy[k] for k in ("photo", "of"))
        assert new.read_bytes() != old.read_bytes()


@pytest.mark.parametrize(("season", "products", "word"), [(3, 12, "season"), (1, 2, "at least 8")])
def test_impossible_shops_are_refused(tmp_path: Path, season: int, products: int, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        build(tmp_path, season, products=products)


def test_command_line_builds_and_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--dir", str(tmp_path), "--photos", str(tmp_path / "none"), "--build-only"]) == 1
    assert "photos.csv" in capsys.readouterr().err
    assert main(["--dir", str(tmp_path), "--products", "2", "--build-only"]) == 1
    assert "at least 8" in capsys.readouterr().err
