"""Plans: which seed garments become which picture, in which scene, with which prompt and seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from catalog.ids import sha256
from taxonomy import Taxonomy, match

Recipe = Literal["studio", "street"]


class Scene(NamedTuple):
    """A place to photograph a garment at."""

    name: str
    """Class of the backdrop model."""
    how: str
    """How garments meet it: lying, hanging or worn."""
    words: str
    """The end of the prompt's sentence."""


STUDIO: Final = (
    Scene("paper sweep", "hanging", "in front of a seamless paper backdrop, soft studio light"),
    Scene("plaster wall", "hanging", "hanging on a plaster wall, window light"),
    Scene("wood floor", "lying", "lying flat on a wooden floor, seen from above"),
    Scene("bed sheet", "lying", "lying flat on a creased bed sheet, seen from above"),
    Scene("concrete floor", "lying", "lying flat on a concrete floor, seen from above"),
    Scene("rug", "lying", "lying flat on a rug, seen from above"),
)
STREET: Final = (
    Scene("city street", "worn", "on a city street, daylight, blurred background"),
    Scene("park", "worn", "in a park, blurred background"),
    Scene("brick wall", "worn", "in front of a brick wall"),
    Scene("seaside", "worn", "at the seaside, blurred background"),
    Scene("night street", "worn", "on a street at night, lights out of focus"),
    Scene("shop interior", "worn", "in a shop, blurred background"),
)
SCENES: Final[Mapping[str, tuple[Scene, ...]]] = {"studio": STUDIO, "street": STREET}

OUTFITS: Final = (
    ("upper", "lower"), ("upper", "lower", "foot"), ("upper", "lower", "accessory"), ("outer", "lower"),
    ("outer", "lower", "foot"), ("upper", "outer", "lower"), ("upper", "outer", "lower", "foot"), ("full", "foot"),
    ("full", "accessory"), ("full", "foot", "head"), ("upper", "lower", "head"),
    ("upper", "lower", "foot", "accessory"),
)  # fmt: skip
"""Groups of garments that make an outfit; from a drawn start on, the first that the seeds can fill is taken."""

NEGATIVE: Final = "person, face, hands, mannequin, text, watermark, logo, deformed garment, low quality"
_UNWORDED: Final = frozenset({"occasion", "style"})
"""Facets that say what a garment is for, which no picture of it shows."""


@dataclass(frozen=True)
class Seed:
    """A garment that pictures are made from."""

    item_id: str
    photo_id: str
    product_id: str | None
    box: tuple[float, float, float, float]
    category: str
    group: str
    words: str
    """The garment in words, for prompts: ``navy striped shirt``."""


@dataclass(frozen=True)
class Plan:
    """One picture to make."""

    id: str
    """``studio-0001-<item_id>``; a look is named by its first garment."""
    recipe: Recipe
    scene: Scene
    seeds: tuple[Seed, ...]
    prompt: str
    negative_prompt: str
    seed: int


def seed_of(row: Mapping[str, Any], taxonomy: Taxonomy, text: str | None = None) -> Seed:
    """Return the seed of a row of table ``items``; ``text`` is what its product's page says."""
    category = str(row["category"])
    known = taxonomy.categories.get(category)
    box = tuple(float(value) for value in row["box"])
    return Seed(
        str(row["item_id"]), str(row["photo_id"]), row.get("product_id"), (box[0], box[1], box[2], box[3]), category,
        known.group if known else "accessory", describe(category, text, taxonomy),
    )  # fmt: skip


def describe(category: str, text: str | None, taxonomy: Taxonomy) -> str:
    """Return a garment in words: the attributes that the text names and a picture shows, then the category."""
    if not text or category not in taxonomy.categories:
        return category
    found = match(text, taxonomy, category=category).attributes
    words = [value for facet, value in found if facet not in _UNWORDED]
    colours = [value for facet, value in found if facet == "colour"]
    ordered = [*colours, *(word for word in words if word not in colours)][:5]
    return " ".join([*ordered, category])


def plan(seeds: Sequence[Seed], *, studio: int, street: int, edition: str, seed: int) -> list[Plan]:
    """Plan at most ``studio`` single pictures and ``street`` looks, in the order in which they are tried.

    Fewer when the seeds do not suffice: a product is the seed of one studio picture, and at most twice part of a look.
    Order, scenes, outfits and seeds follow from the sha256 of (seed, edition, what is drawn), so that the same garments
    always give the same plans and a new garment hardly moves the others.
    """
    drawn = sorted(seeds, key=lambda one: _draw(seed, edition, one.item_id))
    once = list({one.product_id or one.item_id: one for one in reversed(drawn)}.values())[::-1]
    plans = [
        _plan("studio", number, (one,), edition, seed)
        for number, one in enumerate(_by_turns(once, lambda one: one.category)[:studio], start=1)
    ]
    looks = _looks(once, street, edition, seed)
    return plans + [_plan("street", number, look, edition, seed) for number, look in enumerate(looks, start=1)]


def single(recipe: Recipe, number: int, one: Seed, seed: int) -> Plan:
    """Return the plan of picture ``number`` (from 1) of one garment alone; the scenes take turns."""
    scene = SCENES[recipe][(number - 1) % len(SCENES[recipe])]
    name = f"{recipe}-{number:04d}-{one.item_id}"
    return Plan(
        name, recipe, scene, (one,), prompt(recipe, scene, [one.words]), NEGATIVE, _draw(seed, name, one.photo_id)
    )


def _plan(recipe: Recipe, number: int, seeds: tuple[Seed, ...], edition: str, seed: int) -> Plan:
    name = f"{recipe}-{number:04d}-{seeds[0].item_id}"
    drawn = _draw(seed, edition, name)
    scene = SCENES[recipe][drawn % len(SCENES[recipe])]
    return Plan(name, recipe, scene, seeds, prompt(recipe, scene, [one.words for one in seeds]), NEGATIVE, drawn)


def prompt(recipe: Recipe, scene: Scene, garments: Sequence[str]) -> str:
    """Return the sentence that a text-guided model is given."""
    if recipe == "studio":
        return f"product photo of a {garments[0]}, {scene.words}"
    return f"street style photo of an outfit, {', '.join(garments)}, {scene.words}"


def _draw(seed: int, *parts: str) -> int:
    """A number of 32 bits that follows from its arguments alone."""
    return int(sha256("\n".join([str(seed), *parts]).encode())[:8], 16)


def _by_turns(seeds: Iterable[Seed], key: Any) -> list[Seed]:
    """Take one of each kind in turn, kinds by name, so that few pictures still show many kinds."""
    kinds: defaultdict[str, list[Seed]] = defaultdict(list)
    for one in seeds:
        kinds[key(one)].append(one)
    longest = max((len(kind) for kind in kinds.values()), default=0)
    return [kind[turn] for turn in range(longest) for _, kind in sorted(kinds.items()) if turn < len(kind)]


def _looks(seeds: Sequence[Seed], count: int, edition: str, seed: int) -> list[tuple[Seed, ...]]:
    groups: defaultdict[str, list[Seed]] = defaultdict(list)
    for one in _by_turns(seeds, lambda one: one.category):
        groups["accessory" if one.group == "hand" else one.group].append(one)
    taken: defaultdict[str, int] = defaultdict(int)
    looks = []
    for number in range(count):
        start = _draw(seed, edition, "look", str(number))
        for turn in range(len(OUTFITS)):
            outfit = OUTFITS[(start + turn) % len(OUTFITS)]
            if all(taken[group] < 2 * len(groups[group]) for group in outfit):
                look = tuple(groups[group][taken[group] % len(groups[group])] for group in outfit)
                for group in outfit:
                    taken[group] += 1
                looks.append(look)
                break
    return looks
