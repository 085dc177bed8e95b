"""Which pairs get a second look: those that a hash vouches for, and each picture's nearest few by embedding."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation import pairs
from curation.pairs import DuplicatePolicy, Prints


def prints(rng: np.random.Generator, count: int, products: int, turns: int) -> Prints:
    """Pictures with one to three vectors each, in no order, some of one product, hashes of few different kinds."""
    owner = rng.permutation(np.repeat(np.arange(count), rng.integers(1, 4, count)))
    # four places of eight filled with a half: unit vectors whose cosines are exact in any order of summing
    vectors = np.array([rng.permutation([0.5] * 4 + [0] * 4) for _ in owner], np.float32)
    kinds = rng.integers(0, 256, (6, 40), dtype=np.uint8)
    codes = np.repeat(kinds[rng.integers(0, 6, count)][:, None], turns, axis=1)
    kin = [frozenset({f"p{number}"}) if number < products else frozenset() for number in rng.integers(0, 12, count)]
    quality = rng.choice([-1, 20, 90], count)
    names = [f"{rng.integers(1 << 62):x}" for _ in range(count)]
    return Prints(
        names, [None] * count, codes[..., :8], codes[..., 8:], quality, np.array_split(vectors, 3), owner, kin
    )


def expected(new: Prints, past: Prints, policy: DuplicatePolicy) -> set[tuple[int, int, bool]]:
    """The same by the book: every pair's distances, one after another."""
    mine, theirs = np.concatenate(new.vectors), np.concatenate(past.vectors)
    looks, rest = set(), []
    inside = [(a, b, False, new, mine) for a, b in combinations(range(len(new)), 2)]
    across = [(a, b, True, past, theirs) for a, b in product(range(len(new)), range(len(past)))]
    for a, b, is_past, other, vectors in inside + across:
        bits = {
            kind: int(np.unpackbits(getattr(new, kind)[a, 0] ^ getattr(other, kind)[b, 0]).sum())
            for kind in ("phash", "pdq")
        }
        hashed = min(new.quality[a], other.quality[b]) >= 0
        phash = bits["phash"] if hashed and bits["phash"] <= policy.phash else 64
        pdq = bits["pdq"] if hashed and bits["pdq"] <= policy.pdq else 256
        cosine = float((mine[new.owner == a] @ vectors[other.owner == b].T).max())
        if cosine < policy.cosine or new.kin[a] & other.kin[b]:
            cosine = -1.0
        by_hash = phash < 64 or pdq < 256
        if by_hash and min(new.quality[a], other.quality[b]) >= policy.quality:
            looks.add((a, b, is_past))
        elif by_hash or cosine > 0:
            rest.append((-cosine, pdq, phash, (a, b, is_past)))
    counts: dict[int, int] = {}
    for _, _, _, (a, b, is_past) in sorted(rest):
        sides = (a,) if is_past else (a, b)
        if any(counts.get(side, 0) < policy.candidates for side in sides):
            looks.add((a, b, is_past))
            for side in sides:
                counts[side] = counts.get(side, 0) + 1
    return looks


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(2, 14), st.integers(0, 14), st.integers(0, 3), st.sampled_from([0.5, 0.75])
)
def test_the_second_looks_are_those_of_a_search_by_the_book(seed, count, old, products, line):
    rng = np.random.default_rng(seed)
    new, past = prints(rng, count, products, 1), prints(rng, old, products, 1)
    policy = DuplicatePolicy(cosine=line, candidates=2)
    looked = []

    def views(place, ways):
        looked.append(place)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "ROWS", 5)
        patch.setattr(pairs, "BLOCK", 3)
        patch.setattr(pairs, "_judge", lambda key, *_: looked.append(key))
        pairs.find(new, past, views, views, policy)
    assert len(looked) == len(set(looked))
    assert set(looked) == expected(new, past, policy)


def test_pictures_that_all_look_alike_keep_few_candidates():
    rng = np.random.default_rng(4)
    alike = prints(rng, 400, 0, 1)
    flat = Prints(
        alike.files, alike.pixels, alike.phash, alike.pdq, np.full(400, -1), [v * 0 + 0.4 for v in alike.vectors],
        alike.owner, alike.kin,
    )  # fmt: skip
    near = {}
    pairs._cosine_candidates(flat, flat, False, DuplicatePolicy(), near)
    assert 400 * 4 / 2 <= len(near) <= 400 * 4
