"""The whole way from a release and a model to a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookbench_eval import windows
from lookbench_eval.aggregate import Scored, build
from lookbench_eval.cache import Cache
from lookbench_eval.embed import BATCH, Progress, embed
from lookbench_eval.encoders import Encoder, open_encoder
from lookbench_eval.encoders.precomputed import Embeddings, load
from lookbench_eval.errors import MeasureError, ModelError, VectorError
from lookbench_eval.intervals import Bootstrap
from lookbench_eval.measures import DEFAULT, Measure, parse_all
from lookbench_eval.readers import NOISE, Release, Split, Subset, open_release
from lookbench_eval.readers.base import choose
from lookbench_eval.result import Result
from lookbench_eval.samples import concatenate
from lookbench_eval.scoring import Questions, ScoringPolicy, ask, score
from lookbench_eval.search import blocks, check
from lookbench_eval.slices import cut
from lookbench_eval.windows import Window


@dataclass(frozen=True)
class Declared:
    """What the maker of a model states about it; none of it can be checked here."""

    name: str | None = None
    cutoff: date | None = None
    """The last day of the training data."""
    training_sets: tuple[str, ...] = ()


def evaluate(
    release: str | Path | Release,
    model: str | Encoder | None = None,
    *,
    embeddings: tuple[str | Path, str | Path] | Embeddings | None = None,
    measures: Iterable[str] | None = None,
    subsets: Sequence[str] | None = None,
    window: Window = Window(),  # noqa: B008 - frozen
    policy: ScoringPolicy | None = None,
    bootstrap: Bootstrap = Bootstrap(),  # noqa: B008 - frozen
    slices: Sequence[str] = (),
    declared: Declared = Declared(),
    layout: str | None = None,
    verify: bool = True,
    device: str | None = None,
    dtype: str | None = None,
    remote_code: bool = False,
    batch_size: int = BATCH,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Score a model on a release.

    `model` is a specification (`onnx:model.onnx`, `pixels:16`, ...) or an open encoder; `embeddings` gives the
    vectors instead. `measures` default to the published ones. Raises a HarnessError, before the model is loaded where
    labels alone tell: a release that does not match its manifest, an unknown measure or slice, an empty window, a
    query without a positive.
    """
    wanted = None if measures is None else parse_all(measures)
    if model is not None and embeddings is not None:
        raise ModelError("a model and embeddings were given; choose one of the two")
    if not isinstance(release, Release):
        release = open_release(release, layout=layout, subsets=subsets, verify=verify)
    elif subsets:
        names = choose(subsets, [part.name for part in release.subsets], release.name)
        release = replace(release, subsets=tuple(part for part in release.subsets if part.name in names))
    chosen = wanted or (parse_all(release.measures) if release.measures else DEFAULT)
    policy = policy or ScoringPolicy(no_positive=release.no_positive)
    kept = select(release, window)
    parts = [part for part in release.subsets if kept[part.name].any()]
    asked = {part.name: _ask(release, part, kept[part.name], chosen, policy, window) for part in parts}
    for kind in slices:
        cut(concatenate([one.queries for one in asked.values()]), kind)
    if embeddings is not None:
        held = embeddings if isinstance(embeddings, Embeddings) else load(Path(embeddings[0]), Path(embeddings[1]))
        vectors = held.split(release)
        card = held.card
    elif model is None:
        raise ModelError("neither a model nor embeddings were given; name a model such as onnx:model.onnx")
    else:
        encoder = (
            open_encoder(model, device=device, dtype=dtype, remote_code=remote_code)
            if isinstance(model, str)
            else model
        )
        card = encoder.card
        vectors = _run(encoder, release, kept, batch_size, Cache(Path(cache), card) if cache else None, progress)
    if declared.name:
        card = replace(card, name=declared.name)
    scored = [_score(release, part, kept[part.name], asked[part.name], vectors, window) for part in parts]
    return build(
        release,
        card,
        scored,
        chosen,
        window=window,
        policy=policy,
        bootstrap=bootstrap,
        slices=slices,
        declared=declared,
    )


def select(release: Release, window: Window) -> dict[str, NDArray[np.bool_]]:
    """For each subset the mask of its queries inside the window.

    Raises WindowError that says which dates exist when no query is left at all.
    """
    masks = {part.name: window.mask(part.query.samples.dates) for part in release.subsets}
    if not any(mask.any() for mask in masks.values()):
        every = np.concatenate([part.query.samples.dates for part in release.subsets])
        windows.refuse_empty(window, every, release.name)
    return masks


def _run(
    encoder: Encoder,
    release: Release,
    kept: dict[str, NDArray[np.bool_]],
    batch_size: int,
    cache: Cache | None,
    progress: Progress | None,
) -> dict[str, NDArray[np.floating]]:
    """Vectors by `subset/split`; the distractors are embedded once for all subsets."""
    vectors: dict[str, NDArray[np.floating]] = {}

    def run(where: str, split: Split, rows: NDArray[np.intp] | None = None) -> None:
        vectors[where] = embed(encoder, split, where, rows=rows, batch_size=batch_size, cache=cache, progress=progress)

    for part in release.subsets:
        if kept[part.name].any():
            run(f"{part.name}/query", part.query, np.flatnonzero(kept[part.name]))
            run(f"{part.name}/gallery", part.gallery)
    if release.noise:
        run(NOISE, release.noise)
    if len({matrix.shape[1] for matrix in vectors.values()}) != 1:
        shapes = {where: matrix.shape[1] for where, matrix in vectors.items()}
        raise ModelError(f"{encoder.card.spec} changed its dimension between splits: {shapes}")
    return vectors


def _ask(
    release: Release,
    part: Subset,
    mask: NDArray[np.bool_],
    measures: Sequence[Measure],
    policy: ScoringPolicy,
    window: Window,
) -> Questions:
    gallery = release.gallery_of(part)
    gallery = gallery.take(window.gallery_mask(gallery.dates))
    if not len(gallery):
        raise MeasureError(f"{part.name}: the cutoff leaves no gallery; search the whole gallery instead")
    try:
        return ask(part.query.samples.take(mask), gallery, measures, policy, qrels=part.qrels, bare=release.bare)
    except MeasureError as error:
        raise MeasureError(f"{part.name}: {error}") from error


def _score(
    release: Release,
    part: Subset,
    mask: NDArray[np.bool_],
    questions: Questions,
    vectors: Mapping[str, NDArray[np.floating]],
    window: Window,
) -> Scored:
    asking = vectors[f"{part.name}/query"]
    if len(asking) != len(questions.queries):
        asking = asking[mask]
    splits = [(f"{part.name}/gallery", part.gallery)] + ([(NOISE, release.noise)] if release.noise else [])
    answers = [_cut(vectors[where], window.gallery_mask(split.samples.dates)) for where, split in splits]
    queries = check([asking], questions.queries.ids, f"{part.name} query")
    gallery = check(answers, questions.gallery.ids, f"{part.name} gallery")
    if queries.dimension != gallery.dimension:
        raise VectorError(
            f"{part.name}: query vectors have {queries.dimension} numbers, gallery vectors {gallery.dimension}"
        )
    return Scored(
        name=part.name,
        queries=questions.queries,
        gallery_ids=questions.gallery.ids,
        scores=score(questions, blocks(queries, gallery)),
        queries_in_release=len(mask),
        gallery=len(answers[0]),
        noise=sum(len(one) for one in answers[1:]),
    )


def _cut(matrix: NDArray[np.floating], stays: NDArray[np.bool_]) -> NDArray[np.floating]:
    return matrix if stays.all() else matrix[stays]
