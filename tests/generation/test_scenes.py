from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("cv2")

from generation import scenes
from generation.cutouts import Cutout, cut_out

SIZE = (512, 640)


@pytest.fixture(scope="module")
def shirt(drawn: Callable[..., tuple[np.ndarray, np.ndarray]]) -> Cutout:
    return cut_out(drawn("shirt", (30, 50, 120))[0], (10, 15, 230, 305))


def _plain(width: int, height: int, colour: tuple[float, float, float] = (0.2, 0.3, 0.6)) -> Cutout:
    return Cutout(np.full((height, width, 3), colour, np.float32), np.ones((height, width), np.float32), {})


def _inside(box: tuple[float, ...]) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= SIZE[0] and box[3] <= SIZE[1]


@pytest.mark.parametrize("lying", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_a_studio_garment_is_large_and_whole(shirt: Cutout, lying: bool, seed: int) -> None:
    (placement,) = scenes.studio(shirt, SIZE, lying, np.random.default_rng(seed))
    assert _inside(placement.box)
    assert placement.box[2] - placement.box[0] > 0.55 * SIZE[0]


def test_the_box_is_where_the_garment_changes_the_picture(shirt: Cutout) -> None:
    (placement,) = scenes.studio(shirt, SIZE, False, np.random.default_rng(3))
    alpha = scenes.flatten([placement], SIZE)[..., 3]
    rows, columns = np.nonzero((alpha > 0.5).any(axis=1))[0], np.nonzero((alpha > 0.5).any(axis=0))[0]
    assert placement.box == (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)


@pytest.mark.parametrize("seed", range(4))
def test_an_outfit_stands_from_head_to_foot(seed: int) -> None:
    groups = ["foot", "lower", "head", "upper", "accessory"]
    garments = [_plain(90, 60), _plain(120, 260), _plain(80, 60), _plain(200, 220), _plain(90, 120)]
    placed = dict(zip(groups, scenes.outfit(garments, groups, SIZE, np.random.default_rng(seed)), strict=True))
    middle = {group: (p.box[1] + p.box[3]) / 2 for group, p in placed.items()}
    assert middle["head"] < middle["upper"] < middle["lower"] < middle["foot"]
    assert all(_inside(p.box) for p in placed.values())
    assert placed["accessory"].box[0] > placed["lower"].box[0]
    assert scenes.order(groups) == [0, 1, 3, 2, 4]


def test_every_garment_of_an_outfit_stays_visible() -> None:
    groups = ["upper", "outer", "lower", "foot"]
    garments = [
        _plain(200, 230, (1, 0, 0)),
        _plain(210, 240, (0, 1, 0)),
        _plain(120, 260, (0, 0, 1)),
        _plain(90, 50, (1, 1, 0)),
    ]
    placements = scenes.outfit(garments, groups, SIZE, np.random.default_rng(1))
    flat = scenes.flatten([placements[k] for k in scenes.order(groups)], SIZE)
    for garment, placement in zip(garments, placements, strict=True):
        seen = (np.abs(flat[..., :3] - garment.colour[0, 0]).max(axis=2) < 0.2) & (flat[..., 3] > 0.5)
        box = placement.box
        assert seen.sum() > 0.7 * (box[2] - box[0]) * (box[3] - box[1])


def test_the_garment_keeps_its_colour_and_throws_a_shadow(shirt: Cutout) -> None:
    rng = np.random.default_rng(2)
    placements = scenes.studio(shirt, SIZE, True, rng)
    backdrop = np.full((SIZE[1], SIZE[0], 3), 0.75, np.float32)
    picture = scenes.compose(backdrop, placements, "lying", rng)
    alpha = scenes.flatten(placements, SIZE)[..., 3]
    assert np.abs(picture[alpha > 0.99].mean(axis=0) - (30, 50, 120)).max() < 12
    below = np.roll(alpha, 10, axis=0) > 0.9
    assert picture[below & (alpha < 0.01)].mean() < 0.75 * 255 - 20
    assert abs(picture[:8, :8].mean() - 0.75 * 255) < 3


def test_a_dark_scene_darkens_the_garment_but_a_little(shirt: Cutout) -> None:
    rng = np.random.default_rng(2)
    placements = scenes.studio(shirt, SIZE, True, rng)
    alpha = scenes.flatten(placements, SIZE)[..., 3] > 0.99
    night, day = (
        scenes.compose(np.full((SIZE[1], SIZE[0], 3), level, np.float32), placements, "worn", np.random.default_rng(0))
        for level in (0.1, 0.7)
    )
    assert 0.75 < night[alpha].mean() / day[alpha].mean() < 0.95


def test_pasting_keeps_garment_pixels_as_they_are(shirt: Cutout) -> None:
    placements = scenes.studio(shirt, SIZE, True, np.random.default_rng(2))
    flat = scenes.flatten(placements, SIZE)
    pasted = scenes.paste(np.zeros((SIZE[1], SIZE[0], 3), np.float32), placements)
    sure = flat[..., 3] > 0.995
    assert np.abs(pasted[sure] / 255 - flat[..., :3][sure]).max() < 0.01


def test_the_same_seed_gives_the_same_picture(shirt: Cutout) -> None:
    def once() -> np.ndarray:
        rng = np.random.default_rng(9)
        return scenes.compose(
            np.full((640, 512, 3), 0.5, np.float32), scenes.studio(shirt, SIZE, True, rng), "lying", rng
        )

    assert np.array_equal(once(), once())
