"""Small true parts for the generation tests: garments drawn on plain ground and a tiny random backdrop model."""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

SHIRT = np.asarray(
    [
        (70, 60),
        (105, 50),
        (135, 50),
        (170, 60),
        (215, 110),
        (190, 135),
        (168, 112),
        (168, 250),
        (72, 250),
        (72, 112),
        (50, 135),
        (25, 110),
    ]
)
TROUSERS = np.asarray([(80, 30), (160, 30), (175, 290), (132, 290), (120, 110), (108, 290), (65, 290)])
SHAPES = {"shirt": SHIRT, "pants": TROUSERS}


def draw(shape: str, colour: tuple[int, int, int], ground: tuple[int, int, int] = (205, 190, 170), seed: int = 0):
    """A flat garment (h 320, w 240) with weave noise on slightly mottled ground: pixels and its true mask."""
    import cv2

    rng = np.random.default_rng(seed)
    mask = np.zeros((320, 240), np.uint8)
    cv2.fillPoly(mask, [SHAPES[shape].astype(np.int32)], 1)
    picture = np.empty((320, 240, 3), np.float32)
    picture[:] = ground
    picture += cv2.GaussianBlur(rng.normal(0, 25, (320, 240)).astype(np.float32), (0, 0), 6)[..., None]
    soft = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), 0.8)[..., None]
    cloth = np.asarray(colour, np.float32) + rng.normal(0, 5, (320, 240, 1))
    return np.clip(picture * (1 - soft) + cloth * soft, 0, 255).astype(np.uint8), mask


@pytest.fixture(scope="session")
def drawn() -> Callable[..., tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]]:
    """The function that draws a garment photo and its true mask."""
    return draw


@pytest.fixture(scope="session")
def backdrop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved BackdropPipeline with random weights: all scenes, a UNet of a few thousand parameters."""
    torch = pytest.importorskip("torch")
    diffusers = pytest.importorskip("diffusers")

    from generation import recipes, wavelets
    from generation.backdrops import BackdropPipeline

    torch.manual_seed(0)
    names = [scene.name for scene in recipes.STUDIO + recipes.STREET]
    unet = diffusers.UNet2DModel(
        sample_size=(20, 16), in_channels=wavelets.CHANNELS, out_channels=wavelets.CHANNELS, layers_per_block=1,
        block_out_channels=(8, 8), norm_num_groups=4, num_class_embeds=len(names),
        down_block_types=("DownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "UpBlock2D"), add_attention=False,
    )  # fmt: skip
    scheduler = diffusers.DDIMScheduler(prediction_type="v_prediction", timestep_spacing="trailing", clip_sample=False)
    scale = [0.2] + [0.01] * (wavelets.CHANNELS - 1)
    mean = [0.6] + [0.0] * (wavelets.CHANNELS - 1)
    folder = tmp_path_factory.mktemp("backdrops")
    BackdropPipeline(unet, scheduler, names, mean, scale).save_pretrained(folder)
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n# Random\n", encoding="utf-8")
    return folder
