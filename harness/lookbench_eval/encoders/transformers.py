"""Vision models of the transformers library: CLIP, SigLIP, SigLIP2, DINOv2, DINOv3 and others that AutoModel loads."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookbench_eval.encoders.base import Matrix, ModelCard
from lookbench_eval.errors import ModelError

if TYPE_CHECKING:
    from PIL.Image import Image

DTYPES = ("float32", "float16", "bfloat16")
_IDENTITY = ("*.safetensors", "*.json")


class TransformersEncoder:
    """`transformers:ID[@revision]`; ID is a folder or a name on the Hugging Face hub.

    The vector is `get_image_features` where the model has it (CLIP, SigLIP), else the pooled output, else the first
    token. Weights are read from safetensors only, and code from the model's repository never runs unless
    `remote_code` asks for it.
    """

    def __init__(
        self,
        name: str,
        revision: str | None,
        *,
        device: str | None = None,
        dtype: str = "float32",
        remote_code: bool = False,
    ) -> None:
        if dtype not in DTYPES:
            raise ModelError(f"dtype {dtype!r} is unknown; choose {', '.join(DTYPES)}")
        try:
            import torch
            from transformers import AutoImageProcessor, AutoModel
        except ImportError as error:
            raise ModelError(f"transformers models need lookbench-eval[transformers]: {error}") from error
        self._torch = torch
        where = device or _best_device(torch)
        options = {"revision": revision, "trust_remote_code": remote_code}
        try:
            self._processor = AutoImageProcessor.from_pretrained(name, **options)
            model = AutoModel.from_pretrained(name, use_safetensors=True, dtype=getattr(torch, dtype), **options)
            self._model = model.to(where).eval()
        except Exception as error:
            raise ModelError(
                f"transformers:{name} cannot be loaded: {type(error).__name__}: {_first_line(error)}"
            ) from error
        folder = Path(name)
        local = folder.is_dir()
        said = folder.resolve().name if local else name
        commit = str(getattr(model.config, "_commit_hash", None) or "")
        self.card = ModelCard(
            spec=f"transformers:{said}{f'@{revision}' if revision else ''}",
            name=said,
            revision=_folder_digest(folder) if local else commit,
            preprocessing=_plain(self._processor.to_dict()),
            device=where,
            dtype=dtype,
        )

    def prepare(self, picture: Image) -> dict[str, Any]:
        """What the model's own image processor makes of one picture."""
        return {key: value[0] for key, value in self._processor(images=[picture], return_tensors="pt").items()}

    def encode(self, prepared: Sequence[dict[str, Any]]) -> Matrix:
        """Embed a batch: shape (n, d), float32."""
        torch = self._torch
        with torch.inference_mode():
            batch = {}
            for key in prepared[0]:
                stacked = torch.stack([torch.as_tensor(one[key]) for one in prepared]).to(self._model.device)
                batch[key] = stacked.to(self._model.dtype) if stacked.is_floating_point() else stacked
            vectors = self._features(batch)
        return np.asarray(vectors.float().cpu().numpy())

    def _features(self, batch: dict[str, Any]) -> Any:
        if hasattr(self._model, "get_image_features"):
            found = self._model.get_image_features(**batch)
            return found if self._torch.is_tensor(found) else found.pooler_output
        found = self._model(**batch)
        pooled = getattr(found, "pooler_output", None)
        return (found.last_hidden_state[:, 0] if pooled is None else pooled).flatten(1)


def _best_device(torch: Any) -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _folder_digest(folder: Path) -> str:
    """sha256 over the names and contents of weights and configuration."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _IDENTITY for path in folder.glob(pattern)}):
        with path.open("rb") as file:
            digest.update(path.name.encode() + b"\0" + hashlib.file_digest(file, "sha256").digest())
    return f"sha256:{digest.hexdigest()}"


def _plain(value: Any) -> Any:
    """Only what JSON can hold; anything else becomes its text."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]
