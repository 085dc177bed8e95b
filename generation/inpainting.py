"""Any diffusers inpainting pipeline as ours: the garments are given, the model paints everything around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from generation.pipelines import Painting, Request

Floats = npt.NDArray[np.float32]
_GREY = 0.72


class Inpainter:
    """An inpainting pipeline: its mask is everything outside the cut-outs, its text the prompt of the request."""

    paints_around = True

    def __init__(self, pipeline: Any, name: str, revision: str, licence: str) -> None:
        self.name, self.revision, self.licence = name, revision, licence
        self.scheduler = type(pipeline.scheduler).__name__
        self._pipeline = pipeline

    def paint(self, requests: Sequence[Request], *, steps: int) -> list[Painting]:
        """Paint each request by itself, from its own CPU generator; height and width must be multiples of 8."""
        return [self._paint(request, steps) for request in requests]

    def _paint(self, request: Request, steps: int) -> Painting:
        import torch
        from PIL import Image

        height, width = request.garments.shape[:2]
        alpha = request.garments[..., 3:]
        start = request.garments[..., :3] * alpha + _GREY * (1 - alpha)
        given = Image.fromarray((np.clip(start, 0, 1) * 255 + 0.5).astype(np.uint8))
        # The mask keeps clear of the soft edge, so the model sees whole garment pixels up to it.
        free = Image.fromarray(np.where(alpha[..., 0] > 0.5, 0, 255).astype(np.uint8))
        answer = self._pipeline(
            prompt=request.prompt, negative_prompt=request.negative_prompt, image=given, mask_image=free,
            height=height, width=width, num_inference_steps=steps, strength=1.0,
            generator=torch.Generator("cpu").manual_seed(request.seed), output_type="np",
        )  # fmt: skip
        safe, verdict = self._verdict(answer)
        return Painting(np.asarray(answer.images[0], np.float32), verdict, safe)

    def _verdict(self, answer: Any) -> tuple[bool | None, str]:
        """The pipeline's own checker on the picture, as it answered."""
        checker = getattr(self._pipeline, "safety_checker", None)
        flags = getattr(answer, "nsfw_content_detected", None)
        if checker is None or flags is None:
            return None, "unchecked: the pipeline has no safety checker"
        name = type(checker).__name__
        return not flags[0], f"refused by {name}" if flags[0] else f"passed {name}"
