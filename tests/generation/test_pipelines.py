import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("diffusers")

from generation import pipelines
from generation.backdrops import PEOPLE_FREE
from generation.pipelines import PipelineError, Request


def _request(scene: str, seed: int, size: tuple[int, int] = (128, 160)) -> Request:
    return Request(scene, "a prompt", "", seed, np.zeros((size[1], size[0], 4), np.float32))


def test_our_own_folder_paints_backdrops(backdrop_folder: Path) -> None:
    pipeline = pipelines.open(f"diffusers:{backdrop_folder}")
    assert (pipeline.scheduler, pipeline.licence, pipeline.paints_around) == ("DDIMScheduler", "apache-2.0", False)
    assert pipeline.revision == pipelines.folder_digest(backdrop_folder)
    first, second = pipeline.paint([_request("park", 1), _request("rug", 2, (96, 160))], steps=3)
    assert first.pixels.shape == (160, 128, 3)
    assert second.pixels.shape == (160, 96, 3)
    assert 0 <= first.pixels.min() <= first.pixels.max() <= 1
    assert (first.verdict, first.safe) == (PEOPLE_FREE, True)


def test_the_same_seed_paints_the_same_and_another_does_not(backdrop_folder: Path) -> None:
    requests = [_request("park", 1), _request("park", 2)]
    once, again = (pipelines.open(f"diffusers:{backdrop_folder}").paint(requests, steps=3) for _ in range(2))
    assert all(np.array_equal(a.pixels, b.pixels) for a, b in zip(once, again, strict=True))
    assert not np.array_equal(once[0].pixels, once[1].pixels)


def test_threads_are_as_before_after_painting(backdrop_folder: Path) -> None:
    import torch

    before = torch.get_num_threads()
    pipelines.open(f"diffusers:{backdrop_folder}").paint([_request("park", 1)], steps=1)
    assert torch.get_num_threads() == before


def test_the_digest_is_of_weights_and_settings_alone(backdrop_folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(backdrop_folder, tmp_path / "copy")
    digest = pipelines.folder_digest(copy)
    (copy / "README.md").write_text("another card", encoding="utf-8")
    assert pipelines.folder_digest(copy) == digest
    weights = copy / "unet" / "diffusion_pytorch_model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(bytes(data))
    assert pipelines.folder_digest(copy) != digest
    with pytest.raises(PipelineError, match=f"pinned is {digest}"):
        pipelines.open(f"diffusers:{copy}", digest)
    assert pipelines.open(f"diffusers:{backdrop_folder}", digest).revision == digest


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("diffusers:models/nowhere", "neither a folder here nor a hub id"),
        ("diffusers:owner/name", "neither a folder here nor a hub id"),
        ("diffusers:/no/such/place@abc", "neither a folder here nor a hub id"),
        ("onnx:x.onnx", "unknown kind"),
        ("diffusers:", "unknown kind"),
        ("diffusers:owner/name@0123456789abcdef0123456789abcdef01234567", "could not be loaded"),
    ],
)
def test_what_is_not_there_is_one_clear_sentence(spec: str, message: str) -> None:
    with pytest.raises(PipelineError, match=message) as caught:
        pipelines.open(spec)
    assert spec in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_without_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"no model_index\.json"):
        pipelines.open(f"diffusers:{tmp_path}")


def test_a_pipeline_of_another_kind_is_refused(backdrop_folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(backdrop_folder, tmp_path / "copy")
    index = copy / "model_index.json"
    index.write_text(index.read_text(encoding="utf-8").replace("BackdropPipeline", "DDPMPipeline"), encoding="utf-8")
    with pytest.raises(PipelineError, match="must be a BackdropPipeline of ours or an inpainting pipeline"):
        pipelines.open(f"diffusers:{copy}")


def test_pickled_weights_are_refused(backdrop_folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(backdrop_folder, tmp_path / "copy")
    weights = copy / "unet" / "diffusion_pytorch_model.safetensors"
    weights.rename(weights.with_suffix(".bin"))
    with pytest.raises(PipelineError, match="could not be loaded"):
        pipelines.open(f"diffusers:{copy}")


def test_a_scene_the_model_does_not_know_is_named(backdrop_folder: Path) -> None:
    with pytest.raises(PipelineError, match="unknown scene 'moon'"):
        pipelines.open(f"diffusers:{backdrop_folder}").paint([_request("moon", 1)], steps=1)


COMMITTED = Path(__file__).parents[2] / "models" / "backdrop-diffusion"


def test_the_committed_model_is_the_one_of_its_card() -> None:
    pipeline = pipelines.open(f"diffusers:{COMMITTED}")
    assert pipeline.revision in (COMMITTED / "README.md").read_text(encoding="utf-8")
    assert pipeline.licence == "apache-2.0"
    assert sum(path.stat().st_size for path in COMMITTED.rglob("*.safetensors")) < 12e6


def test_the_committed_model_paints_what_it_is_asked_for() -> None:
    import cv2

    scenes = ["park", "seaside", "night street", "bed sheet"]
    pipeline = pipelines.open(f"diffusers:{COMMITTED}")
    requests = [_request(scene, seed) for scene in scenes for seed in range(2)]
    parks, seas, nights, sheets = (
        [painting.pixels for painting in pipeline.paint(requests, steps=20)][2 * k : 2 * k + 2] for k in range(4)
    )
    for park in parks:  # green below
        assert park[110:, :, 1].mean() > park[110:, :, 2].mean() + 0.05
    for sea in seas:  # sky above, grey or blue, and sand below
        assert sea[130:, :, 0].mean() > sea[130:, :, 2].mean() + 0.05
        assert sea[:40, :, 2].mean() > sea[130:, :, 2].mean() + 0.05
    assert max(night.mean() for night in nights) < 0.35
    assert min(sheet.mean() for sheet in sheets) > 0.6
    for picture in (*parks, *seas, *nights, *sheets):  # no speckle: hardly anything is lost to a small blur
        assert np.abs(picture - cv2.GaussianBlur(picture, (0, 0), 1.0)).mean() < 0.01
