"""Models of transformers, from a folder or a hub id at a pinned revision: safetensors only, no remote code."""

from pathlib import Path
from typing import Any

from curation.errors import CurationError
from curation.model_files import check_file


def open_model(spec: str, sha256: str | None, what: str, kind: str) -> tuple[str, Any, Any]:
    """Open ``transformers:FOLDER`` (``sha256`` is that of its model.safetensors) or ``transformers:ID@REVISION``.

    ``kind`` is a class of transformers such as ``AutoModelForObjectDetection``. Returns the name that tables record,
    the image processor and the model. Raises CurationError, which calls the model ``what``, when the id has no
    revision, or what it names cannot be loaded.
    """
    place = spec.partition(":")[2]
    revision: str | None = None
    if Path(place).is_dir():
        identity, name = (
            place,
            f"transformers:{Path(place).name}@{check_file(spec, Path(place) / 'model.safetensors', sha256)}",
        )
    else:
        identity, _, revision = place.partition("@")
        name = spec
        if not revision:
            raise CurationError(
                f"{what} {spec} is no folder and names no revision; write transformers:{identity}@REVISION, "
                "since what a hub id means may change"
            )
    import torch
    import transformers

    options: dict[str, Any] = {"revision": revision, "trust_remote_code": False}
    try:
        processor = transformers.AutoImageProcessor.from_pretrained(identity, **options)
        model = getattr(transformers, kind).from_pretrained(
            identity, use_safetensors=True, dtype=torch.float32, **options
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise CurationError(f"{what} {spec} cannot be loaded: {error}") from error
    return name, processor, model.eval()
