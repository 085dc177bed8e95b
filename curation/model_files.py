"""Files of models: the one that the settings pin and no other, and how onnxruntime opens one."""

import hashlib
from pathlib import Path
from typing import Any

from curation.errors import CurationError


def check_file(spec: str, file: Path, sha256: str | None) -> str:
    """Return the sha256 of a model file; raises CurationError when it is missing or not the pinned one."""
    if not file.is_file():
        raise CurationError(f"model {spec}: there is no file {file}; restore it or change the setting")
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if sha256 is not None and found != sha256:
        raise CurationError(
            f"model {spec}: sha256 of {file} is {found}, the settings pin {sha256}; restore the file or the pin"
        )
    return found


def pinned_onnx(what: str, kind: str, spec: str, sha256: str | None) -> tuple[Path, str]:
    """Return the file of a spec ``kind:PATH.onnx`` and its name in ledgers.

    Raises CurationError, naming ``what`` it was to be, for another kind, a missing file or another sha256.
    """
    given, _, place = spec.partition(":")
    if given != kind or not place:
        raise CurationError(f"{what} {spec!r} is not known; use {kind}:PATH.onnx, or null for none")
    file = Path(place)
    return file, f"{kind}:{file.name}@{check_file(spec, file, sha256)}"


def open_onnx(what: str, file: Path, threads: int) -> Any:
    """Return an onnxruntime session on the CPU; raises CurationError, naming ``what`` it was to be, for no ONNX."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    try:
        return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no common base of its own
        raise CurationError(f"{what} {file} cannot be opened as ONNX: {error}") from error
