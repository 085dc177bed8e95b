"""Score image-retrieval models on LookBench releases.

`evaluate` runs a model on a release and returns a `Result`; the command `lookbench-eval` does the same.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lookbench_eval.version import __version__

if TYPE_CHECKING:
    from lookbench_eval.aggregate import overall
    from lookbench_eval.encoders import Encoder, ModelCard, open_encoder
    from lookbench_eval.errors import HarnessError
    from lookbench_eval.evaluation import Declared, evaluate
    from lookbench_eval.intervals import Bootstrap, Estimate
    from lookbench_eval.measures import Measure, parse
    from lookbench_eval.readers import Release, open_release
    from lookbench_eval.result import Result, load
    from lookbench_eval.samples import Samples
    from lookbench_eval.scoring import ScoringPolicy, ask, score
    from lookbench_eval.windows import Window

_HOMES = {
    "Bootstrap": "intervals",
    "Declared": "evaluation",
    "Encoder": "encoders",
    "Estimate": "intervals",
    "HarnessError": "errors",
    "Measure": "measures",
    "ModelCard": "encoders",
    "Release": "readers",
    "Result": "result",
    "Samples": "samples",
    "ScoringPolicy": "scoring",
    "Window": "windows",
    "ask": "scoring",
    "evaluate": "evaluation",
    "load": "result",
    "open_encoder": "encoders",
    "open_release": "readers",
    "overall": "aggregate",
    "parse": "measures",
    "score": "scoring",
}

__all__ = [
    "Bootstrap",
    "Declared",
    "Encoder",
    "Estimate",
    "HarnessError",
    "Measure",
    "ModelCard",
    "Release",
    "Result",
    "Samples",
    "ScoringPolicy",
    "Window",
    "__version__",
    "ask",
    "evaluate",
    "load",
    "open_encoder",
    "open_release",
    "overall",
    "parse",
    "score",
]


def __getattr__(name: str) -> Any:
    """Import public names on first use, so that importing the package costs next to nothing."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
