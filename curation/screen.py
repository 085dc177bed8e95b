"""Screening: photos that do not decode, are too small, blank or long, hold words or a collage, or are placeholders."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from catalog import tables
from catalog.decode import DecodeError, Pixels, decode, pixel_digest
from catalog.ledger import Ledger
from catalog.steps import StepResult
from catalog.store import Catalog, StoreError
from curation import layouts
from curation.decency import Gate
from curation.lettering import Lettering, lettering, reduced
from curation.review.verdicts import REASON, Verdicts
from curation.text import TextFinder

Progress = Callable[[int, int], None]
PORTION = 64  # photos in memory at a time


@dataclass(frozen=True)
class ScreenPolicy:
    """Which photos are worth looking at."""

    min_side: int = 160
    """Shorter side, in pixels, below which a photo is ``too_small``."""
    max_aspect: float = 4.0
    """Longer side over shorter side above which a photo is ``extreme_aspect`` (banners)."""
    max_pixels: int = 100_000_000
    """Pixels above which a photo is refused from its header."""
    min_deviation: float = 4.0
    """Standard deviation of the grey levels (0 to 255) below which a photo is ``blank``."""
    max_flat: float = 0.99
    """Share of pixels within 2 levels of the commonest grey above which a photo is ``blank`` too."""
    min_lines: int = 5
    """Lines of text on an even ground from which a photo is a ``text_card``."""
    min_rules: int = 5
    """Long thin straight lines from which such a card is a ``size_chart``."""
    min_ground: float = 0.6
    """Least share of a card that is even ground."""
    min_text: float = 0.8
    """Least share of the ink that is in lines of text: a garment with words beside it is no card."""
    banner_aspect: float = 1.8
    """Width over height from which a photo with text on half of it is a ``banner``."""
    banner_lines: int = 2
    """Lines of text on that half."""
    max_edges_card: float = 0.25
    """Most share of edges beside the ``min_lines`` lines of text that a text finder sees on a ``text_card``."""
    max_edges_words: float = 0.01
    """The same beside fewer lines: words alone, on any ground, are a ``text_card``; one line is a ``placeholder``."""
    min_laid: float = 0.05
    """Least share of a photo that lines take which a text finder sees on a card, or laid over a photo."""
    banner_aside: float = 0.15
    """Share of the width by which ``banner_lines`` lines laid over a photo are off its middle on a ``banner``."""
    gutter: float = 0.06
    """Most share of a side that the straight line between two pictures of a ``collage`` is wide."""
    gutter_contrast: float = 30.0
    """Grey levels by which the pictures stand off from that line."""
    min_seam: float = 0.8
    """Least share of a side along which two pictures of a ``collage`` meet edge to edge."""
    max_icon: float = 0.2
    """Most share of a photo that the icon or the few words of a ``placeholder`` take."""
    min_plain: float = 0.5
    """Least share of an icon in one and the same colour: a small garment on white has many."""
    placeholder_products: int = 6
    """Products of one site, not of one name or group, that show one picture, from which it is a ``placeholder``."""
    max_indecency: float = 0.5
    """Score of the decency gate, where the settings have one, above which a photo is ``indecent``."""
    look_at: int = 256
    """Longest side, in pixels, of the reduced picture that these figures are taken from."""
    read_at: int = 320
    """Most pixels of the longer side of the picture that a text finder sees."""
    threads: int = 2
    """Photos decoded at a time."""


def screen(
    photos: pa.Table,
    catalog: Catalog,
    policy: ScreenPolicy,
    *,
    edition: str,
    products: pa.Table | None = None,
    sightings: pa.Table | None = None,
    gate: Gate | None = None,
    text: TextFinder | None = None,
    verdicts: Verdicts | None = None,
    progress: Progress | None = None,
) -> StepResult:
    """Keep the photos that can be used; table ``photos`` with upright width and height, ledger of subject ``photo``.

    Reasons: those of DecodeError, ``missing_bytes``, and those that ``ScreenPolicy`` names; each with the measured
    value and its threshold. ``products`` and ``sightings`` tell which products a photo was seen with; without ``text``
    words are found on even ground alone. A reviewer's verdict on a photo that decodes decides before all figures
    (``reviewer``).
    """
    ledger, kept, said = Ledger("screen", "photo", edition), [], verdicts or {}
    rows, looks = photos.to_pylist(), []
    for done, look in enumerate(_looks(rows, catalog, policy, gate, text), 1):
        looks.append(look)
        if progress:
            progress(done, len(rows))
    served = _served(rows, looks, products, sightings)
    for row, look in zip(rows, looks, strict=True):
        reason, evidence, size = look.reason, look.evidence, look.size
        if reason is None and (shown := served.get(look.digest, 0)) >= policy.placeholder_products:
            reason, evidence = "placeholder", {"products": shown, "threshold": policy.placeholder_products}
        stays = said.get(row["photo_id"]) if size[0] else None
        if stays is not None:
            evidence = {**evidence, "machine": reason or "ok"}
            reason = None if stays else REASON
        if reason:
            ledger.dropped(row["photo_id"], reason, evidence=evidence)
        else:
            ledger.kept(row["photo_id"], REASON if stays else "ok", evidence=evidence)
            kept.append({**row, "width": size[0], "height": size[1]})
    return StepResult({"photos": tables.from_rows("photos", kept)}, ledger.table())


Verdict = tuple[str | None, dict[str, Any]]


@dataclass(frozen=True)
class _Look:
    """What one photo looks like."""

    reason: str | None
    evidence: dict[str, Any]
    size: tuple[int, int] = (0, 0)
    digest: str = ""
    """Of the reduced pixels: equal for every file that holds the same picture."""


def _looks(
    rows: list[dict[str, Any]], catalog: Catalog, policy: ScreenPolicy, gate: Gate | None, text: TextFinder | None
) -> Iterator[_Look]:
    with ThreadPoolExecutor(policy.threads) as pool:
        for start in range(0, len(rows), PORTION):
            portion = rows[start : start + PORTION]
            yield from pool.map(lambda row: _look(row["photo_id"], catalog, policy, gate, text), portion)


def _look(photo_id: str, catalog: Catalog, policy: ScreenPolicy, gate: Gate | None, text: TextFinder | None) -> _Look:
    try:
        data = catalog.get_image(photo_id)
        decoded = decode(data, max_pixels=policy.max_pixels, reduce_to=policy.look_at)
    except DecodeError as error:
        return _Look(error.reason, {"message": str(error)})
    except StoreError as error:
        return _Look("missing_bytes", {"message": str(error)})
    size = (decoded.width, decoded.height)
    reason, evidence = judge(decoded.pixels, size, policy, text)
    if reason is None and gate is not None:
        score = gate.indecency(decoded.pixels)
        told = {"indecency": round(score, 4), "threshold": policy.max_indecency, "gate": gate.name}
        reason, evidence = ("indecent", told) if score > policy.max_indecency else (None, {**evidence, **told})
    return _Look(reason, evidence, size, pixel_digest(decoded.pixels))


def _served(
    rows: list[dict[str, Any]], looks: list[_Look], products: pa.Table | None, sightings: pa.Table | None
) -> dict[str, int]:
    """Return digest of a picture -> the most products of one site that show it, sizes and colours of one taken once."""
    listed = [] if products is None else products.select(["product_id", "group_id", "name"]).to_pylist()
    known = {row["product_id"]: row["group_id"] or row["name"] for row in listed}
    seen = [] if sightings is None else sightings.select(["photo_id", "product_id", "site"]).to_pylist()
    digest = {row["photo_id"]: look.digest for row, look in zip(rows, looks, strict=True) if look.digest}
    shown: dict[str, dict[str | None, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in (*rows, *seen):
        if row["product_id"] and row["photo_id"] in digest:
            product = known.get(row["product_id"]) or row["product_id"]
            shown[digest[row["photo_id"]]][row["site"]].add(product)
    return {key: max(map(len, sites.values())) for key, sites in shown.items()}


def judge(pixels: Pixels, size: tuple[int, int], policy: ScreenPolicy, text: TextFinder | None = None) -> Verdict:
    """Return (reason or None, evidence) for (H, W, 3) pixels, reduced or not, of a photo of ``size`` (w, h)."""
    shorter, longer = sorted(size)
    if shorter < policy.min_side:
        return "too_small", {"shorter_side": shorter, "threshold": policy.min_side}
    if longer > policy.max_aspect * shorter:
        return "extreme_aspect", {"aspect": round(longer / shorter, 2), "threshold": policy.max_aspect}
    grey = layouts.grey_of(pixels)
    deviation = float(grey.std())
    if deviation < policy.min_deviation:
        return "blank", {"deviation": round(deviation, 2), "threshold": policy.min_deviation}
    counts = np.bincount(grey.ravel(), minlength=256)
    common = int(counts.argmax())
    flat = float(counts[max(0, common - 2) : common + 3].sum() / grey.size)
    reason, told = _drawn(pixels, size, policy)
    if reason is None and flat > policy.max_flat:
        return "blank", {"flat": round(flat, 4), "threshold": policy.max_flat}
    told = told or {"deviation": round(deviation, 1), "flat": round(flat, 3)}
    if reason is None and text is not None:
        small = reduced(pixels, policy.read_at)
        reason, read = _written(lettering(small, text.lines(small)), policy)
        told = {**({} if reason else told), **read, "text": text.name}
    return reason, told


def _written(read: Lettering, policy: ScreenPolicy) -> Verdict:
    """Return (reason or None, evidence) of the lines that a text finder saw."""
    told = {"lines": read.lines, "open": read.open, "laid": round(read.share, 3), "edges": round(read.edges, 3)}
    if read.lines and read.edges <= policy.max_edges_words:
        return "placeholder" if read.lines == 1 else "text_card", {**told, "threshold": policy.max_edges_words}
    if read.share < policy.min_laid:
        return None, told
    if read.open >= policy.min_lines and read.edges <= policy.max_edges_card:
        return "text_card", {**told, "threshold": policy.min_lines}
    if read.open >= policy.banner_lines and read.aside >= policy.banner_aside:
        return "banner", {**told, "aside": round(read.aside, 2), "threshold": policy.banner_aside}
    return None, told


def _drawn(pixels: Pixels, size: tuple[int, int], policy: ScreenPolicy) -> Verdict:
    """Return (reason or None, evidence) of what is drawn and not photographed."""
    read = layouts.page(pixels)
    if _is_card(read, policy.min_lines, policy):
        told = {"lines": read.lines, "rules": read.rules, "text": round(read.share, 2), "threshold": policy.min_lines}
        return "size_chart" if read.rules >= policy.min_rules else "text_card", told
    drawn, plain = layouts.icon(pixels)
    if drawn < policy.max_icon and (plain > policy.min_plain or _is_card(read, 1, policy)):
        told = {"drawn": round(drawn, 3), "plain": round(plain, 3), "lines": read.lines, "threshold": policy.min_plain}
        return "text_card" if read.lines > 1 else "placeholder", told
    if size[0] >= policy.banner_aspect * size[1] and (lines := _banner(pixels, policy)):
        return "banner", {"aspect": round(size[0] / size[1], 2), "lines": lines, "threshold": policy.banner_aspect}
    if parts := layouts.gutters(pixels, policy.gutter, policy.gutter_contrast):
        return "collage", {"gutters": parts, "threshold": policy.gutter_contrast}
    if parts := layouts.seams(pixels, policy.min_seam):
        return "collage", {"seams": parts, "threshold": policy.min_seam}
    return None, {}


def _is_card(read: layouts.Page, lines: int, policy: ScreenPolicy) -> bool:
    return read.lines >= lines and read.share >= policy.min_text and read.ground >= policy.min_ground


def _banner(pixels: Pixels, policy: ScreenPolicy) -> int:
    """Return the lines of text on the whole, the left, the middle or the right half; 0 when none is a card."""
    half = pixels.shape[1] // 2
    parts = (pixels, pixels[:, :half], pixels[:, half // 2 : half // 2 + half], pixels[:, half:])
    read = [layouts.page(part, tall=0.3) for part in parts]
    return max((one.lines for one in read if _is_card(one, policy.banner_lines, policy)), default=0)
