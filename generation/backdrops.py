"""Loaded by name, from the index of a model folder: the backdrop model as a diffusers pipeline; imports torch."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from diffusers import DDIMScheduler, DiffusionPipeline, UNet2DModel
from diffusers.utils.torch_utils import randn_tensor

from generation import wavelets
from generation.pipelines import Painting, PipelineError, Request

PEOPLE_FREE: Final = "not needed: backdrop model without people"


class BackdropPipeline(DiffusionPipeline):  # type: ignore[misc]  # diffusers has no types
    """Class-conditional diffusion of backdrops: a scene's name in, a small sRGB picture out.

    ``scenes`` are the classes in order; ``band_mean`` and ``band_scale`` (24 values each) undo the normalisation of
    ``generation.wavelets`` that the model was trained under.
    """

    model_cpu_offload_seq = "unet"

    def __init__(
        self,
        unet: UNet2DModel,
        scheduler: DDIMScheduler,
        scenes: list[str] | None = None,
        band_mean: list[float] | None = None,
        band_scale: list[float] | None = None,
    ) -> None:
        super().__init__()
        self.register_modules(unet=unet, scheduler=scheduler)
        self.register_to_config(scenes=scenes or [], band_mean=band_mean or [], band_scale=band_scale or [])

    def __call__(
        self, scenes: Sequence[str], generators: Sequence[torch.Generator], num_inference_steps: int = 20
    ) -> npt.NDArray[np.float32]:
        """Return one picture per scene name, (n, 80, 64, 3) float32 sRGB in 0..1, each from its own generator.

        Deterministic DDIM (Song et al. 2021, eta 0). Raises ValueError for a scene the model was not trained on.
        """
        known: list[str] = self.config.scenes
        if unknown := sorted(set(scenes) - set(known)):
            raise ValueError(f"backdrop model: unknown scene {unknown[0]!r}; it knows {', '.join(known)}")
        classes = torch.tensor([known.index(scene) for scene in scenes], device=self.device)
        with torch.no_grad():
            height, width = self.unet.config.sample_size
            bands = randn_tensor(
                (len(scenes), self.unet.config.in_channels, height, width),
                list(generators),
                self.device,
                self.unet.dtype,
            )
            self.scheduler.set_timesteps(num_inference_steps, device=self.device)
            for moment in self.progress_bar(self.scheduler.timesteps):
                velocity = self.unet(bands, moment, class_labels=classes).sample
                bands = self.scheduler.step(velocity, moment, bands, eta=0.0).prev_sample
            bands = wavelets.restore(bands.float(), self.config.band_mean, self.config.band_scale)
            pictures = wavelets.synthesise(bands).clamp(0, 1)
        return np.asarray(pictures.permute(0, 2, 3, 1).cpu().numpy(), np.float32)


class Backdrops:
    """Our backdrop model: it is asked for a scene by name and paints it without the garments."""

    paints_around = False

    def __init__(self, pipeline: Any, name: str, revision: str, licence: str, batch: int = 16) -> None:
        self.name, self.revision, self.licence = name, revision, licence
        self.scheduler = type(pipeline.scheduler).__name__
        self._pipeline, self._batch = pipeline, batch

    def paint(self, requests: Sequence[Request], *, steps: int) -> list[Painting]:
        """Paint the scenes and enlarge them to the size of each request."""
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # sums come out the same on every run
        painted: list[Painting] = []
        try:
            for start in range(0, len(requests), self._batch):
                part = requests[start : start + self._batch]
                dice = [torch.Generator("cpu").manual_seed(request.seed) for request in part]
                pictures = self._pipeline([request.scene for request in part], dice, steps)
                painted += [
                    Painting(_enlarge(picture, request.garments.shape), PEOPLE_FREE, safe=True)
                    for picture, request in zip(pictures, part, strict=True)
                ]
        except ValueError as error:
            raise PipelineError(f"pipeline {self.name!r}: {error}") from error
        finally:
            torch.set_num_threads(threads)
        return painted


def _enlarge(picture: npt.NDArray[np.float32], shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Cover (h, w) with a small picture: cubic, then blurred by a third of its pixel so that no grid shows."""
    import cv2

    height, width = shape[:2]
    factor = max(height / picture.shape[0], width / picture.shape[1])
    size = max(round(picture.shape[1] * factor), width), max(round(picture.shape[0] * factor), height)
    large = cv2.resize(picture, size, interpolation=cv2.INTER_CUBIC)
    left, top = (size[0] - width) // 2, (size[1] - height) // 2
    soft = cv2.GaussianBlur(large, (0, 0), max(factor / 3, 0.3))
    return np.asarray(np.clip(soft[top : top + height, left : left + width], 0, 1), np.float32)
