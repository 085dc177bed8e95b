"""Faces made unrecognisable, in whole photos, before anything is cut from them or shown."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from catalog.decode import decode, encode_jpeg
from releases.errors import ReleaseError
from releases.fetch import QUALITY, blur
from releases.policy import ReleasePolicy
from releases.subsets import Assembly

Faces = Mapping[str, Sequence[Sequence[float]] | None]
"""Photo -> boxes (xyxy, pixels of the upright photo) of its faces, None where nobody looked; a photo that is not in it
has none to blur."""


def known(table: pa.Table, policy: ReleasePolicy) -> Faces:
    """Return which faces the policy wants blurred, from table ``faces``."""
    if policy.faces == "keep":
        return {}
    return {row["photo_id"]: _rounded(row["boxes"]) for row in table.select(["photo_id", "boxes"]).to_pylist()}


def check(assembly: Assembly, faces: Faces, policy: ReleasePolicy) -> None:
    """Raise ReleaseError when a look of the release was never searched for the faces that the policy wants blurred."""
    samples = [s for split in assembly.subsets.values() for s in (*split.query, *split.gallery)]
    looks = {sample.record.photo_id for sample in samples if sample.record.look_id}
    if policy.faces == "blur" and (unseen := sorted(look for look in looks if faces.get(look) is None)):
        raise ReleaseError(
            f"{len(unseen)} looks were not searched for faces, such as {unseen[0]}: name a face finder in models.faces "
            "and refresh the edition again, or set release.faces to keep"
        )


def blurred(data: bytes, boxes: Sequence[Sequence[float]]) -> bytes:
    """Return a photo as JPEG, upright sRGB, with its faces blurred; the very bytes given when there are none."""
    from PIL import Image

    if not boxes:
        return data
    return encode_jpeg(np.array(blur(Image.fromarray(decode(data).pixels), boxes)), QUALITY)


def text(boxes: Sequence[Sequence[float]] | None) -> str | None:
    """Return boxes as the column ``faces`` of a release writes them; None for none."""
    return str([list(box) for box in boxes]) if boxes else None


def boxes(row: Mapping[str, Any]) -> list[list[float]]:
    """Return the boxes that a row's column ``faces`` names; raises ValueError or SyntaxError for what is no list."""
    return list(ast.literal_eval(row.get("faces") or "[]"))


def _rounded(boxes: Sequence[Sequence[float]] | None) -> list[list[float]] | None:
    """Return boxes as the column writes them, so that who reads it blurs the same pixels."""
    return None if boxes is None else [[round(value, 1) for value in box] for box in boxes]
