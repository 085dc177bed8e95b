from __future__ import annotations

import numpy as np
import pytest

from demo.compose import Placement, compose, look, role_of, scene, trim


def block(width: int, height: int, colour: tuple[int, int, int] = (200, 20, 20), margin: int = 10) -> np.ndarray:
    rgba = np.zeros((height + 2 * margin, width + 2 * margin, 4), np.uint8)
    rgba[margin : margin + height, margin : margin + width] = (*colour, 255)
    return rgba


def ground(width: int = 200, height: int = 160) -> np.ndarray:
    return np.full((height, width, 3), 240, np.uint8)


def test_box_of_an_upright_piece_is_where_it_was_put() -> None:
    made = compose(ground(), [(block(40, 60), Placement(100, 80, 60))], np.random.default_rng(0), light=False)
    assert made.boxes[0] == pytest.approx((80, 50, 120, 110), abs=1)
    assert made.visible == (1.0,)
    assert made.image[80, 100].tolist() == [200, 20, 20]


def test_quarter_turn_swaps_the_sides_of_the_box() -> None:
    made = compose(ground(), [(block(40, 60), Placement(100, 80, 60, angle=90))], np.random.default_rng(0), light=False)
    assert made.boxes[0] == pytest.approx((70, 60, 130, 100), abs=1)


def test_overlap_is_measured_and_boxes_stay_whole() -> None:
    pieces = [(block(40, 40), Placement(80, 80, 40)), (block(40, 40, (0, 0, 200)), Placement(100, 80, 40))]
    made = compose(ground(), pieces, np.random.default_rng(0), light=False)
    assert made.boxes[0] == pytest.approx((60, 60, 100, 100), abs=1)
    assert made.visible[0] == pytest.approx(0.5, abs=0.05)
    assert made.visible[1] == 1.0


def test_piece_outside_of_the_picture_has_an_empty_box() -> None:
    made = compose(ground(), [(block(20, 20), Placement(-200, -200, 20))], np.random.default_rng(0))
    assert made.boxes == ((0, 0, 0, 0),)
    assert made.visible == (0.0,)


def test_shadow_darkens_below_and_right() -> None:
    made = compose(ground(), [(block(40, 40), Placement(100, 80, 40))], np.random.default_rng(0), light=False)
    assert made.image[102, 112, 0] < 230
    assert made.image[20, 20, 0] == 240


def test_trim_cuts_the_margins_and_refuses_nothing_at_all() -> None:
    assert trim(block(7, 9)).shape[:2] == (9, 7)
    with pytest.raises(ValueError, match="transparent"):
        trim(np.zeros((5, 5, 4), np.uint8))


def test_look_keeps_the_order_of_its_pieces_and_dresses_from_top_to_bottom() -> None:
    wanted = [("shoe", (60, 30)), ("hat", (50, 30)), ("pants", (60, 120)), ("top", (80, 80))]
    made = look([(block(*size), name) for name, size in wanted], 300, 400, np.random.default_rng(1))
    middle = {name: (b[1] + b[3]) / 2 for (name, _), b in zip(wanted, made.boxes, strict=True)}
    assert middle["hat"] < middle["top"] < middle["pants"] < middle["shoe"]
    assert min(made.visible) > 0.5


def test_scene_repeats_from_the_seed() -> None:
    first, again = (scene(block(40, 60), 120, 160, np.random.default_rng(4)) for _ in range(2))
    assert np.array_equal(first.image, again.image)
    assert first.image.shape == (160, 120, 3)


def test_roles_of_drawn_categories_and_photo_labels() -> None:
    assert role_of("T-Shirt") == role_of("top") == "top"
    assert role_of("Outwear") == role_of("coat") == "outer"
    assert role_of("Not sure") == "small"
