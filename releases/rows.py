"""From a sample to a row of the release."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.decode import DecodeError
from catalog.store import Catalog
from releases.errors import ReleaseError
from releases.faces import Faces, blurred, text
from releases.pictures import Corners, Crop, crops
from releases.policy import ReleasePolicy
from releases.schema import DIFFICULTY, TASK
from releases.subsets import Sample


@dataclass(frozen=True)
class Picture:
    """The pixels of one sample."""

    crop: Crop
    raw: bytes
    """The whole photo, its faces blurred."""
    faces: Sequence[Sequence[float]] | None
    """Boxes that are blurred."""


class Pictures:
    """Crops and original files of samples; a crop that several galleries show is made once and kept in ``folder``."""

    def __init__(self, catalog: Catalog, folder: Path, policy: ReleasePolicy, faces: Faces | None = None) -> None:
        self._catalog, self._folder, self._policy, self._faces = catalog, folder, policy, faces or {}
        self._places: dict[str, tuple[Corners, Corners | None]] = {}
        folder.mkdir(parents=True)

    def of(self, samples: Sequence[Sample]) -> list[Picture]:
        """Return the pictures of samples, in their order; each photo is read and decoded once per call.

        Raises ReleaseError for a photo that does not decode or a box that lies outside of it.
        """
        by_photo: dict[str, list[Sample]] = {}
        for sample in samples:
            by_photo.setdefault(sample.record.photo_id, []).append(sample)
        with ThreadPoolExecutor(self._policy.threads) as pool:
            made = dict(pair for pairs in pool.map(self._of_photo, by_photo.values()) for pair in pairs)
        return [made[sample.record.item_id] for sample in samples]

    def _of_photo(self, samples: Sequence[Sample]) -> list[tuple[str, Picture]]:
        photo_id = samples[0].record.photo_id
        faces = self._faces.get(photo_id)
        wanted = {sample.record.item_id: sample for sample in samples}
        missing = [key for key in wanted if key not in self._places]
        forms = [(wanted[key].record.box, wanted[key].variant, key) for key in missing]
        try:
            raw = self._raw(photo_id, faces or ())
            cut = crops(raw, forms, self._policy.jpeg_quality) if missing else []
        except (DecodeError, ReleaseError) as error:
            raise ReleaseError(f"photo {photo_id}: {error}") from error
        for key, crop in zip(missing, cut, strict=True):
            (self._folder / key).write_bytes(crop.jpeg)
            self._places[key] = crop.corners, crop.hidden
        shown = {key: Crop((self._folder / key).read_bytes(), *self._places[key]) for key in wanted}
        return [(key, Picture(crop, raw, faces)) for key, crop in shown.items()]

    def _raw(self, photo_id: str, faces: Sequence[Sequence[float]]) -> bytes:
        """Return a photo as the release shows it, blurred once; its crops are cut from it."""
        if not faces:
            return self._catalog.get_image(photo_id)
        kept = self._folder / photo_id
        if not kept.exists():
            kept.write_bytes(blurred(self._catalog.get_image(photo_id), faces))
        return kept.read_bytes()


def row(sample: Sample, picture: Picture, *, links: bool) -> dict[str, Any]:
    """Return one row of a split; with ``links``, a photo that has an address comes without its pixels."""
    record = sample.record
    linked = links and record.source_url is not None
    others = [value for _, value in record.attributes if value != record.main_attribute]
    return {
        "image": None if linked else {"bytes": picture.crop.jpeg, "path": f"{record.item_id}.jpg"},
        "raw_image": {
            "bytes": None if linked else picture.raw,
            "path": record.source_url if linked else record.photo_id,
        },
        "category": record.category,
        "main_attribute": record.main_attribute or "",
        "other_attributes": ", ".join(dict.fromkeys(others)),
        "bbox": str(list(picture.crop.corners)),
        "item_ID": sample.number,
        "task": TASK[sample.subset],
        "difficulty": "hard" if sample.variant else DIFFICULTY[sample.subset],
        "sample_id": sample.sample_id,
        "date": record.date,
        "date_evidence": record.date_evidence,
        "first_seen": record.first_seen,
        "published_at": record.published_at,
        "source_url": record.source_url,
        "site": record.site,
        "brand": record.brand,
        "title": record.title,
        "licence": record.licence,
        "look_id": record.look_id,
        "product_id": record.product_id,
        "attributes": [{"facet": facet, "value": value} for facet, value in record.attributes],
        "label_kind": record.label_kind,
        "label_agreement": record.label_agreement,
        "generator": record.generator,
        "photo_sha256": record.photo_id,
        "variant": sample.variant,
        "hidden": str(list(picture.crop.hidden)) if picture.crop.hidden else None,
        "band": sample.band,
        "faces": text(picture.faces),
    }


def batches(samples: Sequence[Sample], pictures: Pictures, policy: ReleasePolicy) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of a split, one row group at a time."""
    links = policy.pixels == "links"
    for start in range(0, len(samples), policy.row_group):
        part = samples[start : start + policy.row_group]
        yield [row(sample, picture, links=links) for sample, picture in zip(part, pictures.of(part), strict=True)]
