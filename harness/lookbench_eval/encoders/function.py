"""Any Python function that turns pictures into vectors."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookbench_eval.encoders.base import Matrix, ModelCard
from lookbench_eval.errors import ModelError

if TYPE_CHECKING:
    from PIL.Image import Image


class FunctionEncoder:
    """`python:module:function`; the function takes a list of n RGB pictures and returns an array (n, d).

    Its attributes `revision` (text) and `preprocessing` (a dict) go into the result where it has them; without a
    revision nothing pins the model, so nothing is cached. The module is looked up in the current folder, too.
    """

    def __init__(self, function: Callable[[list[Image]], Any], spec: str) -> None:
        self._function = function
        self.card = ModelCard(
            spec=spec,
            name=spec.removeprefix("python:").replace(":", "."),
            revision=str(getattr(function, "revision", None) or ""),
            preprocessing=getattr(function, "preprocessing", {"by": "the function"}),
        )

    def prepare(self, picture: Image) -> Image:
        """The picture itself: the function prepares it."""
        return picture

    def encode(self, prepared: Sequence[Image]) -> Matrix:
        """Call the function."""
        return np.asarray(self._function(list(prepared)))


def load(spec: str) -> FunctionEncoder:
    """Import the function that `python:module:function` names. Raises ModelError."""
    module, _, name = spec.removeprefix("python:").partition(":")
    if not module or not name:
        raise ModelError(f"model {spec!r} is not understood; write python:module:function")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ModelError(f"{spec}: {error}; run where the module can be imported") from error
    except Exception as error:
        raise ModelError(f"{spec}: the module fails on import: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise ModelError(f"{spec} is a {type(found).__name__}, no function")
    return FunctionEncoder(found, spec)
