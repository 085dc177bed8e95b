"""Opening the model that paints: our backdrop pipeline or any inpainting pipeline of diffusers, in one interface."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from catalog import ids
from catalog.errors import LookbenchError

Floats = npt.NDArray[np.float32]

_HUB: Final = re.compile(r"[\w.-]+/[\w.-]+")


class PipelineError(LookbenchError):
    """A pipeline that cannot be loaded, is of the wrong kind, or is not the pinned one."""


@dataclass(frozen=True)
class Request:
    """One picture to paint."""

    scene: str
    """Name of the backdrop; what our own model is asked for."""
    prompt: str
    """What a text-guided model is asked for."""
    negative_prompt: str
    seed: int
    """Seed of this picture alone, whatever the batch."""
    garments: Floats
    """(h, w, 4) the placed garments, straight RGBA in 0..1; its size is the size of the picture."""


@dataclass(frozen=True)
class Painting:
    """What came back for one request."""

    pixels: Floats
    """(h, w, 3) sRGB in 0..1: the backdrop, or the whole scene around the garments."""
    verdict: str
    """What the safety check said, as recorded."""
    safe: bool | None
    """False when the check refused it, None when nothing checked it."""


class Pipeline(Protocol):
    """What ``generation.run`` asks of a model."""

    name: str
    """The spec it was opened by."""
    revision: str
    """sha256 of the weights folder, or the commit on the hub."""
    licence: str
    scheduler: str
    """Class name."""
    paints_around: bool
    """True when the garments are part of what the model sees, so that it paints their shadows itself."""

    def paint(self, requests: Sequence[Request], *, steps: int) -> list[Painting]:
        """Paint all requests, in order; the same requests give the same pixels on the same machine."""
        ...


def open(spec: str, sha256: str | None = None, *, device: str = "cpu") -> Pipeline:  # noqa: A001 - a model room
    """Open ``diffusers:FOLDER`` or ``diffusers:OWNER/NAME@REVISION``.

    A folder holds a BackdropPipeline or any pipeline that ``AutoPipelineForInpainting`` knows; ``sha256`` pins it (see
    ``folder_digest``). A hub id must carry its revision. Weights are safetensors and no code from the folder or the
    hub is run. Raises PipelineError.
    """
    kind, _, rest = spec.partition(":")
    path, _, revision = rest.partition("@")
    if kind != "diffusers" or not path:
        raise PipelineError(f"pipeline {spec!r}: unknown kind; write diffusers:FOLDER or diffusers:OWNER/NAME@REVISION")
    folder = Path(path)
    if not folder.is_dir():
        if not _HUB.fullmatch(path) or not revision:
            raise PipelineError(
                f"pipeline {spec!r}: {path} is neither a folder here nor a hub id with its revision; "
                "correct the path, or write diffusers:OWNER/NAME@REVISION"
            )
        return _load(spec, path, revision, device, revision=revision, licence=_hub_licence(path, revision))
    if not (folder / "model_index.json").is_file():
        raise PipelineError(
            f"pipeline {spec!r}: {folder} holds no model_index.json; give a folder that diffusers saved"
        )
    digest = folder_digest(folder)
    if sha256 and digest != sha256:
        raise PipelineError(
            f"pipeline {spec!r}: the weights in {folder} have sha256 {digest}, pinned is {sha256}; "
            "restore them or pin that"
        )
    return _load(spec, path, digest, device, licence=_card_licence(folder / "README.md"))


def folder_digest(folder: Path) -> str:
    """Return the sha256 of a pipeline folder: the sha256 of the lines ``sha256  path``, sorted by path, of
    model_index.json and every settings and weights file one level down; cards and scripts beside them do not count."""
    files = [
        folder / "model_index.json",
        *(path for path in folder.glob("*/*") if path.suffix in {".json", ".safetensors", ".txt", ".model"}),
    ]
    lines = sorted((path.relative_to(folder).as_posix(), ids.sha256(path.read_bytes())) for path in files)
    return ids.sha256("".join(f"{digest}  {name}\n" for name, digest in lines).encode())


def _load(spec: str, path: str, digest: str, device: str, *, licence: str, revision: str | None = None) -> Pipeline:
    options: dict[str, Any] = {"revision": revision} if revision else {}
    try:
        import torch
        from diffusers import AutoPipelineForInpainting, DiffusionPipeline
        from diffusers.utils.logging import disable_progress_bar

        from generation import backdrops, inpainting
    except ImportError as error:
        raise PipelineError(f"pipeline {spec!r} needs {error.name}: pip install 'lookbench[generation]'") from error
    disable_progress_bar()
    try:
        index = DiffusionPipeline.load_config(path, **options)
        options |= {"use_safetensors": True, "dtype": torch.float32 if device == "cpu" else torch.float16}
        kind = (
            backdrops.BackdropPipeline if index.get("_class_name") == "BackdropPipeline" else AutoPipelineForInpainting
        )
        loaded = kind.from_pretrained(path, **options).to(device)
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, AttributeError) as error:
        cause = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise PipelineError(
            f"pipeline {spec!r} could not be loaded: {cause}; it must be a BackdropPipeline of ours or an inpainting "
            "pipeline with safetensors weights"
        ) from error
    loaded.set_progress_bar_config(disable=True)
    maker: Callable[..., Pipeline] = (
        backdrops.Backdrops if isinstance(loaded, backdrops.BackdropPipeline) else inpainting.Inpainter
    )
    name = spec if revision else f"diffusers:{Path(path).name}"  # a folder's place is one machine's affair
    return maker(loaded, name, digest, licence)


def _card_licence(card: Path) -> str:
    """The ``license:`` line of a model card's front matter, or ``unknown``."""
    if not card.is_file():
        return "unknown"
    head = re.match(r"---\n(.*?)\n---", card.read_text(encoding="utf-8"), re.DOTALL)
    line = re.search(r"^licen[sc]e:\s*(\S+)", head.group(1), re.MULTILINE) if head else None
    return line.group(1) if line else "unknown"


def _hub_licence(name: str, revision: str) -> str:
    """The licence that the hub card of that revision states, or ``unknown`` when the hub does not answer."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return _card_licence(Path(hf_hub_download(name, "README.md", revision=revision)))
    except (OSError, ValueError, HfHubHTTPError):
        return "unknown"
