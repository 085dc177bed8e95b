"""Files of models: the pinned one alone is opened, and what is wrong with another is said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curation import faces, people, text
from curation.errors import CurationError

MODELS = Path(__file__).parents[2] / "models"


@pytest.mark.parametrize(
    ("opened", "what", "kind", "file"),
    [
        (faces.open, "face finder", "centerface", MODELS / "centerface" / "centerface.onnx"),
        (people.open, "people finder", "movenet", MODELS / "movenet" / "movenet-multipose.onnx"),
        (text.open, "text finder", "ppocr", MODELS / "text-lines" / "text-lines.onnx"),
    ],
)
def test_what_is_no_finder_is_refused(
    tmp_path: Path, opened: Callable[..., Any], what: str, kind: str, file: Path
) -> None:
    for other in ("east:x", kind, f"{kind}:"):
        with pytest.raises(CurationError, match=f"{what} '{other}' is not known; use {kind}:PATH.onnx"):
            opened(other)
    with pytest.raises(CurationError, match="there is no file"):
        opened(f"{kind}:{tmp_path}/none.onnx")
    with pytest.raises(CurationError, match="the settings pin"):
        opened(f"{kind}:{file}", "0" * 64)
    (tmp_path / "no.onnx").write_bytes(b"no model")
    with pytest.raises(CurationError, match=f"{what} .* cannot be opened as ONNX"):
        opened(f"{kind}:{tmp_path}/no.onnx")
