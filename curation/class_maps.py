"""From a detector's classes to the categories of the taxonomy: maps are data, in the model file or in the taxonomy."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from curation.errors import CurationError

METADATA_KEY: Final = "lookbench.classes"
"""Where an ONNX detector says which categories each of its classes stands for; JSON of class name -> list."""


def of_onnx(file: Path) -> dict[str, list[str]] | None:
    """Return the class map inside an ONNX file, or None when it brings none; raises CurationError when damaged."""
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        found = session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)
        return None if found is None else json.loads(found)
    except Exception as error:
        raise CurationError(f"detector {file} cannot be read as ONNX: {error}; restore the file") from error


def known_names() -> dict[str, tuple[str, ...]]:
    """Return every class name that needs no map: categories of the taxonomy, and the vocabularies it is mapped to."""
    import taxonomy

    loaded = taxonomy.load()
    names: dict[str, tuple[str, ...]] = {}
    for system in ("deepfashion2", "fashionpedia"):
        for entry in loaded.mappings.get(system, ()):
            names[entry.name.lower()] = tuple(entry.categories)
    names.update({name: (name,) for name in loaded.categories})
    return names


def resolve(
    names: Mapping[int, str], class_map: Mapping[str, Sequence[str]] | None, detector: str
) -> dict[int, tuple[str, ...]]:
    """Return class index -> categories; classes that are no garment of the taxonomy (sleeves, persons) get none.

    Raises CurationError when the map names a class or category that does not exist, or nothing is left to detect.
    """
    known = known_names()
    categories = {name for values in known.values() for name in values}
    if class_map is not None:
        if strangers := sorted(set(class_map) - set(names.values())):
            raise CurationError(f"detector {detector} has no class {strangers[0]!r}; it has {sorted(names.values())}")
        if wrong := sorted({name for values in class_map.values() for name in values} - categories):
            raise CurationError(f"class map of detector {detector}: {wrong[0]!r} is no category of the taxonomy")
        resolved = {index: tuple(class_map.get(name, ())) for index, name in names.items()}
    else:
        resolved = {index: known.get(name.strip().lower(), ()) for index, name in names.items()}
    if not any(resolved.values()):
        raise CurationError(
            f"detector {detector}: none of its classes {sorted(names.values())[:8]} is a garment of the taxonomy; "
            "give a class map"
        )
    return resolved
