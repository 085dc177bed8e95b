"""A standard hub pipeline, saved and opened as any of them is: Stable Diffusion inpainting with tiny random parts."""

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")
pytest.importorskip("transformers")

from generation import pipelines  # noqa: E402
from generation.pipelines import Request  # noqa: E402


def _tokenizer(folder: Path):
    from transformers import CLIPTokenizer

    letters = "abcdefghijklmnopqrstuvwxyz,-"
    words = [*letters, *(f"{letter}</w>" for letter in letters), "ab", "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({word: k for k, word in enumerate(words)}), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\na b\n", encoding="utf-8")
    return CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=77)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory):
    from diffusers import AutoencoderKL, DDIMScheduler, UNet2DConditionModel
    from transformers import CLIPTextConfig, CLIPTextModel

    torch.manual_seed(0)
    return {
        "unet": UNet2DConditionModel(
            block_out_channels=(8, 16), layers_per_block=1, sample_size=8, in_channels=9, out_channels=4, norm_num_groups=4,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
            cross_attention_dim=16, attention_head_dim=2,
        ),
        "scheduler": DDIMScheduler(clip_sample=False, steps_offset=1, set_alpha_to_one=False),
        "vae": AutoencoderKL(
            block_out_channels=(8, 8, 8, 8), down_block_types=("DownEncoderBlock2D",) * 4, norm_num_groups=4,
            up_block_types=("UpDecoderBlock2D",) * 4, latent_channels=4,
        ),
        "text_encoder": CLIPTextModel(
            CLIPTextConfig(vocab_size=64, hidden_size=16, intermediate_size=24, num_attention_heads=2, num_hidden_layers=1,
                           bos_token_id=57, eos_token_id=58, pad_token_id=1)
        ),
        "tokenizer": _tokenizer(tmp_path_factory.mktemp("tokens")),
        "feature_extractor": None,
        "image_encoder": None,
    }  # fmt: skip


@pytest.fixture(scope="module")
def folder(parts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from diffusers import StableDiffusionInpaintPipeline

    out = tmp_path_factory.mktemp("inpaint")
    StableDiffusionInpaintPipeline(**parts, safety_checker=None, requires_safety_checker=False).save_pretrained(out)
    return out


def _request(seed: int) -> Request:
    garments = np.zeros((80, 64, 4), np.float32)
    garments[20:60, 16:48] = (0.8, 0.1, 0.1, 1.0)
    return Request("park", "product photo of a red shirt, in a park", "person", seed, garments)


def test_it_is_opened_by_the_same_spec_and_paints(folder: Path) -> None:
    pipeline = pipelines.open(f"diffusers:{folder}")
    assert pipeline.paints_around
    assert (pipeline.scheduler, pipeline.licence) == ("DDIMScheduler", "unknown")
    (painting,) = pipeline.paint([_request(3)], steps=2)
    assert painting.pixels.shape == (80, 64, 3)
    assert np.isfinite(painting.pixels).all()
    assert painting.safe is None
    assert "no safety checker" in painting.verdict


def test_the_same_seed_gives_the_same_picture(folder: Path) -> None:
    first, second = pipelines.open(f"diffusers:{folder}").paint([_request(3), _request(4)], steps=2)
    (again,) = pipelines.open(f"diffusers:{folder}").paint([_request(3)], steps=2)
    assert np.array_equal(first.pixels, again.pixels)
    assert not np.array_equal(first.pixels, second.pixels)


def test_the_mask_is_what_lies_outside_the_garments() -> None:
    from generation.inpainting import Inpainter

    seen = {}

    class Recorder:
        scheduler = object()
        safety_checker = None

        def __call__(self, **asked):
            seen.update(asked)
            return type("Answer", (), {"images": [np.zeros((80, 64, 3), np.float32)], "nsfw_content_detected": None})()

    Inpainter(Recorder(), "diffusers:x", "r", "l").paint([_request(3)], steps=2)
    mask, given = np.asarray(seen["mask_image"]), np.asarray(seen["image"])
    assert set(np.unique(mask)) == {0, 255}
    assert not mask[20:60, 16:48].any()
    assert (mask == 0).sum() == 40 * 32
    assert given[40, 30] == pytest.approx((204, 26, 26), abs=1)
    assert (seen["prompt"], seen["negative_prompt"], seen["strength"]) == (_request(3).prompt, "person", 1.0)


@pytest.mark.parametrize(("line", "safe", "verdict"), [(-10.0, False, "refused by"), (10.0, True, "passed")])
def test_the_pipelines_own_checker_is_recorded(parts, line: float, safe: bool, verdict: str) -> None:
    from diffusers import StableDiffusionInpaintPipeline
    from diffusers.pipelines.stable_diffusion import StableDiffusionSafetyChecker
    from transformers import CLIPConfig, CLIPImageProcessor

    from generation.inpainting import Inpainter

    tiny = {"hidden_size": 8, "intermediate_size": 8, "num_attention_heads": 1, "num_hidden_layers": 1}
    checker = StableDiffusionSafetyChecker(CLIPConfig(vision_config={**tiny, "patch_size": 32}, projection_dim=8))
    checker.concept_embeds_weights.data.fill_(line)  # the cosine above which a picture is refused
    checker.special_care_embeds_weights.data.fill_(line)
    pipe = StableDiffusionInpaintPipeline(
        **{**parts, "feature_extractor": CLIPImageProcessor()}, safety_checker=checker
    )
    pipe.set_progress_bar_config(disable=True)
    (painting,) = Inpainter(pipe, "diffusers:x", "r", "l").paint([_request(3)], steps=1)
    assert painting.safe is safe
    assert painting.verdict == f"{verdict} StableDiffusionSafetyChecker"
