"""The settings of a freeze."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class ReleasePolicy:
    """What a release must hold and how it is written."""

    min_queries: Mapping[str, int] = field(
        default_factory=lambda: {
            "real_studio_flat": 50,
            "aigen_studio": 20,
            "real_streetlook": 50,
            "aigen_streetlook": 20,
        }
    )
    """Fewest queries of each subset; a subset that is not named needs one."""
    min_noise: int = 50
    """Fewest distractors."""
    min_agreement: float = 0.6
    """Lowest mean agreement between annotators, over the items that more than one person labelled."""
    noise_share: float = 0.2
    """Share of the products whose label groups are held out as distractors."""
    noise_ceiling: float = 0.25
    """The held-out share is never larger: a label group that would exceed it is passed over."""
    noise_near: float = 0.9
    """A distractor nearer than this cosine to any query is dropped: it may answer it, and nobody judged that. With
    EfficientNet-Lite0, the nearest of 560 other garments lies between 0.45 and 0.88 (140 CC0 photos, median 0.66)."""
    noise_far: float = 0.35
    """A distractor farther than this cosine from every query is dropped: no model would ever take it."""
    gallery_per_query: float = 4.0
    """Gallery rows per query up to which other products fill a gallery; the published galleries have 3.3 to 5.1."""
    anchors: int = 24
    """Queries of the edition before that are carried along, to tell drift from difficulty."""
    harder_share: float = 0.25
    """Share of the queries of a solved kind (subset and category) that are asked for in a harder form: a tighter crop,
    a smaller one, a part of it hidden. The nearest products fill that share of their galleries. 0 turns it off."""
    harder_from: float = 0.9
    """A kind is solved when the first answer of some reference model was right for this share of its queries in the
    edition before."""
    harder_least: int = 5
    """Fewest queries in the edition before from which a kind is judged."""
    faces: Literal["blur", "keep"] = "blur"
    """``blur`` makes people's faces on looks unrecognisable wherever a release shows the photo; ``keep`` does not."""
    pixels: Literal["embedded", "links"] = "embedded"
    """``links`` leaves out the pixels of photos that have an address, and ships a script that fetches them."""
    shard_bytes: int = 500_000_000
    """Largest parquet file."""
    row_group: int = 100
    """Rows of one parquet row group: a random read decodes this many."""
    jpeg_quality: int = 90
    """Quality of the crops, without chroma subsampling."""
    threads: int = 2
    """Threads that decode and encode pictures."""
    samples_shown: int = 6
    """Queries per subset, and dropped pictures per reason times two, that the report shows."""
    harness: Path | None = None
    """Source folder of the evaluation harness; by default ``harness/`` beside the rooms."""
