from __future__ import annotations

import numpy as np
import pytest

from demo.garments import CATEGORIES, random_spec
from demo.spec import GarmentSpec
from demo.wording import description_of, gtin_of, price_of, slug, title_of


def test_title_names_what_one_sees() -> None:
    spec = GarmentSpec(
        "sweater", "navy", "white", "striped", neckline="v-neck", sleeve_length="long sleeve", length="regular length",
        fit="regular fit", material="wool",
    )  # fmt: skip
    assert title_of(spec) == "Striped V-Neck Sweater in Navy"


@pytest.mark.parametrize("category", CATEGORIES)
def test_texts_hold_colour_and_pattern(category: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(6):
        spec = random_spec(rng, category)
        text = f"{title_of(spec)} {description_of(spec, rng)}".lower().replace("-", " ")
        assert spec.colour in text
        assert spec.material in text
        if spec.pattern != "plain":
            assert spec.pattern in text
        if spec.neckline not in ("", "hooded"):
            assert spec.neckline.replace("-", " ") in text
        if spec.sleeve_length:
            assert spec.sleeve_length.replace("-", " ") in text
        assert "this" in text or "these" in text
        assert "these dress" not in text


def test_gtin_has_a_valid_check_digit() -> None:
    digits = [int(c) for c in gtin_of(4711)]
    assert len(digits) == 13
    assert digits[0] == 2
    assert (sum(digits[0::2]) + 3 * sum(digits[1::2])) % 10 == 0


def test_slug_and_prices() -> None:
    assert slug("Dresses & Jumpsuits") == "dresses-jumpsuits"
    rng = np.random.default_rng(1)
    pairs = [price_of("coat", k % 8, rng) for k in range(60)]
    assert any(regular for _, regular in pairs)
    assert all(not regular or float(regular) > float(price) > 0 for price, regular in pairs)
