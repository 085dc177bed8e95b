import hashlib

from hypothesis import given
from hypothesis import strategies as st

from catalog import ids


@given(st.binary(max_size=200))
def test_sha256_is_the_digest_in_lower_hex(data: bytes) -> None:
    assert ids.sha256(data) == hashlib.sha256(data).hexdigest()


def test_ids_depend_on_all_that_names_the_thing() -> None:
    made = {
        ids.product_id("a", "http://x/1"),
        ids.product_id("b", "http://x/1"),
        ids.product_id("a", "http://x/2"),
        ids.product_id("ahttp", "//x/1"),
    }
    assert len(made) == 4
    assert all(len(one) == 22 and one.startswith("p-") for one in made)


@given(st.lists(st.floats(0, 4000), min_size=4, max_size=4))
def test_an_item_is_the_same_for_boxes_that_round_to_the_same_pixels(box: list[float]) -> None:
    assert ids.item_id("f" * 64, box) == ids.item_id("f" * 64, [round(value) for value in box])
    assert ids.item_id("f" * 64, box) != ids.item_id("e" * 64, box)
