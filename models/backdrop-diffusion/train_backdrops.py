"""Train the backdrop model: a small class-conditional diffusion model of scenes, on the CPU, seeded and resumable.

    python models/backdrop-diffusion/train_backdrops.py --work build/backdrops

The training pictures are drawn by ``backdrop_scenes`` and kept in the work folder, as is a checkpoint every 200 steps;
the same command picks up where it was stopped. The final weights go to ``--out`` (this folder) in the layout that
``generation.pipelines`` loads. Noise, batches and pictures depend on the seed and the step alone.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from backdrop_scenes import SCENES, draw

if TYPE_CHECKING:
    import torch

HERE = Path(__file__).parent
WIDTHS = (48, 96, 128)
DETAIL = 0.5  # band scale = std ** DETAIL * std of the coarsest band ** (1 - DETAIL): details matter, but less


def main() -> None:
    """Draw, train, export."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for drawn pictures and checkpoints")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the final weights")
    parser.add_argument("--each", type=int, default=700, help="pictures per scene")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=8e-4, help="peak learning rate")
    parser.add_argument("--seed", type=int, default=20260601)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--export", action="store_true", help="export the last checkpoint as it is, without training")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent.parent))  # generation.wavelets, from a checkout that is not installed
    options.work.mkdir(parents=True, exist_ok=True)
    train(options)


def pictures(work: Path, each: int) -> tuple[np.ndarray, np.ndarray]:
    """Return drawn scenes (n, 80, 64, 3) uint8 and class numbers (n,), from the work folder when already drawn."""
    path = work / f"scenes-{each}.npz"
    if not path.exists():
        drawn = [draw(scene, seed) for scene in SCENES for seed in range(each)]
        np.savez(path, pictures=np.stack(drawn), classes=np.repeat(np.arange(len(SCENES)), each))
    with np.load(path) as kept:
        return kept["pictures"], kept["classes"]


def train(options: argparse.Namespace) -> None:
    """Train to ``options.steps`` from the last checkpoint, then export the averaged weights."""
    import torch
    from diffusers import DDIMScheduler, UNet2DModel

    from generation import wavelets

    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    drawn, classes = pictures(options.work, options.each)
    mean, scale = _statistics(drawn)
    scheduler = DDIMScheduler(
        num_train_timesteps=1000, beta_schedule="squaredcos_cap_v2", prediction_type="sample",
        rescale_betas_zero_snr=True, timestep_spacing="trailing", clip_sample=False, set_alpha_to_one=True,
    )  # fmt: skip
    unet = UNet2DModel(
        sample_size=(20, 16), in_channels=wavelets.CHANNELS, out_channels=wavelets.CHANNELS, layers_per_block=1,
        block_out_channels=WIDTHS, num_class_embeds=len(SCENES), attention_head_dim=32, norm_num_groups=16,
        down_block_types=("DownBlock2D", "DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D", "UpBlock2D"),
    )  # fmt: skip
    bands = torch.tensor(scale).view(1, -1, 1, 1) / float(np.mean(scale))  # an error counts as it will show
    # The model predicts the clean picture, which is smooth, and not the noise, which a narrow network cannot carry
    # through (Li and He 2025); weighted as a velocity loss, SNR + 1, up to 5 (Hang et al. 2023).
    signal = scheduler.alphas_cumprod
    importance = (1 / (1 - signal).clamp(min=1e-6)).clamp(max=5)
    optimiser = torch.optim.AdamW(unet.parameters(), lr=options.rate, weight_decay=0.01)
    average = {name: value.detach().clone() for name, value in unet.state_dict().items()}
    step, started, losses = _resume(options.work, unet, average, optimiser), time.monotonic(), []
    while step < options.steps and not options.export:
        rng = np.random.default_rng([options.seed, step])
        dice = torch.Generator().manual_seed(options.seed + step)
        chosen = rng.integers(0, len(drawn), options.batch)
        batch = np.where(rng.random((options.batch, 1, 1, 1)) < 0.5, drawn[chosen], drawn[chosen][:, :, ::-1])
        clean = wavelets.analyse(torch.from_numpy(batch).permute(0, 3, 1, 2).float() / 255)
        clean = wavelets.normalise(clean, mean, scale)
        noise = torch.randn(clean.shape, generator=dice)
        times = torch.randint(0, 1000, (options.batch,), generator=dice)
        noisy = scheduler.add_noise(clean, noise, times)
        rate = options.rate * min((step + 1) / 200, 0.5 + 0.5 * math.cos(math.pi * step / options.steps))
        for group in optimiser.param_groups:
            group["lr"] = rate
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = unet(noisy, times, class_labels=torch.from_numpy(classes[chosen])).sample
        loss = ((guess.float() - clean).square() * bands * importance[times].view(-1, 1, 1, 1)).mean()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(unet.parameters(), 1.0)
        optimiser.step()
        step += 1
        decay = min(0.999, (1 + step) / (10 + step))
        for name, value in unet.state_dict().items():
            average[name].lerp_(value, 1 - decay)
        losses.append(loss.item())
        if step % 200 == 0 or step == options.steps:
            _keep(options.work, step, unet, average, optimiser)
            print(f"step {step}  loss {np.mean(losses):.4f}  {time.monotonic() - started:.0f} s", flush=True)
            losses.clear()
    unet.load_state_dict(average)
    export(unet, scheduler, options.out, mean, scale)


def _statistics(drawn: np.ndarray) -> tuple[list[float], list[float]]:
    """Mean and scale of each of the 24 bands over (a sample of) the pictures."""
    import torch

    from generation import wavelets

    bands = wavelets.analyse(torch.from_numpy(drawn[::5]).permute(0, 3, 1, 2).float() / 255)
    mean, spread = bands.mean(dim=(0, 2, 3)), bands.std(dim=(0, 2, 3))
    scale = spread**DETAIL * spread[0] ** (1 - DETAIL)
    return [round(v, 6) for v in mean.tolist()], [round(v, 6) for v in scale.tolist()]


def _keep(work: Path, step: int, unet: Any, average: dict[str, torch.Tensor], optimiser: torch.optim.Optimizer) -> None:
    """Write a checkpoint whole or not at all; safetensors, so that nothing in it can run."""
    from safetensors.torch import save_file

    tensors = {f"model.{name}": value for name, value in unet.state_dict().items()}
    tensors |= {f"average.{name}": value for name, value in average.items()}
    for index, state in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{index}.{name}": value for name, value in state.items()}
    save_file(tensors, work / "part.safetensors", metadata={"step": str(step)})
    (work / "part.safetensors").replace(work / "checkpoint.safetensors")


def _resume(work: Path, unet: Any, average: dict[str, torch.Tensor], optimiser: torch.optim.Optimizer) -> int:
    """Load the checkpoint, when there is one, and return its step."""
    from safetensors import safe_open

    path = work / "checkpoint.safetensors"
    if not path.exists():
        return 0
    with safe_open(path, "pt") as file:
        step = int(file.metadata()["step"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - a handle, not a dict
    unet.load_state_dict({name: tensors[f"model.{name}"] for name in average})
    for name, value in average.items():
        value.copy_(tensors[f"average.{name}"])
    whole = optimiser.state_dict()
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith("optimiser."):
            _, index, name = key.split(".")
            state.setdefault(int(index), {})[name] = value
    optimiser.load_state_dict({"state": state, "param_groups": whole["param_groups"]})
    return step


def export(unet: Any, scheduler: Any, out: Path, mean: list[float], scale: list[float]) -> None:
    """Write the pipeline folder: half precision weights, scheduler, and the index with scenes and band statistics."""
    import torch

    from generation.backdrops import BackdropPipeline

    pipeline = BackdropPipeline(
        unet.to(torch.float16), scheduler, scenes=list(SCENES), band_mean=mean, band_scale=scale
    )
    pipeline.save_pretrained(out / "part", safe_serialization=True)
    for path in sorted((out / "part").rglob("*")):
        if path.is_file():
            target = out / path.relative_to(out / "part")
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
    shutil.rmtree(out / "part")
    print(json.dumps({"parameters": sum(p.numel() for p in unet.parameters()), "out": str(out)}))


if __name__ == "__main__":
    main()
