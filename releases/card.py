"""The texts of a release: card, datasheet, citation, errata and, for releases of links, the fetch script."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from releases.schema import ANCHORS, COLUMNS, NOISE, SUBSETS
from releases.summary import Summary

_HUB_LICENCES: Final = {
    "cc0-1.0": "cc0-1.0",
    "cc0": "cc0-1.0",
    "cc-by-4.0": "cc-by-4.0",
    "cc-by-sa-4.0": "cc-by-sa-4.0",
    "apache-2.0": "apache-2.0",
    "mit": "mit",
}
"""Licences as sites state them -> identifiers that the Hugging Face Hub knows; all others are ``other``."""

TEMPLATES: Final = Path(__file__).parent / "templates"


def write(path: Path, facts: Mapping[str, Any], summary: Summary) -> None:
    """Write README.md, datasheet.md, CITATION.cff and an empty ERRATA.jsonl; ``fetch.py`` with links."""
    context = {
        **facts,
        "summary": summary,
        "columns": COLUMNS,
        "configs": configs(summary),
        "licence": hub_licence(summary),
        "size_category": size_category(summary.samples),
        "machine_only": set(summary.label_kinds) == {"machine"},
    }
    for name in ("README.md", "datasheet.md", "CITATION.cff"):
        text = render(f"{name}.j2", context, html=False)
        (path / name).write_text(text, encoding="utf-8", newline="\n")
    (path / "ERRATA.jsonl").write_bytes(b"")
    if facts["pixels"] == "links":
        shutil.copyfile(Path(__file__).parent / "fetch.py", path / "fetch.py")


def render(name: str, context: Mapping[str, Any], *, html: bool) -> str:
    """Render a template of this room; a name that the template uses and the context lacks is an error."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=html,  # noqa: S701 - Markdown is escaped by the filter `cell`
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = cell
    return environment.get_template(name).render(context)


def cell(value: object) -> str:
    """Return a value as the text of a Markdown table cell: what a site named cannot break the table or add markup."""
    text = " ".join(str(value).split())
    for sign in "\\|`<>[]*_":
        text = text.replace(sign, f"\\{sign}" if sign in "\\|`[]*_" else {"<": "&lt;", ">": "&gt;"}[sign])
    return text


def configs(summary: Summary) -> list[dict[str, Any]]:
    """Return the configurations of the card: name, default or not, and (split, path pattern) pairs."""
    found: list[dict[str, Any]] = [
        {
            "name": name,
            "default": name == SUBSETS[0],
            "files": [(split, f"data/{name}/{split}-*.parquet") for split in ("query", "gallery")],
        }
        for name in SUBSETS
    ]
    found.append({"name": NOISE, "default": False, "files": [("gallery", f"data/{NOISE}/gallery-*.parquet")]})
    if summary.anchors[0]:
        files = [(split, f"{ANCHORS}/{split}-*.parquet") for split in ("query", "gallery")]
        found.append({"name": ANCHORS, "default": False, "files": files})
    return found


def hub_licence(summary: Summary) -> str:
    """Return the licence tag of the whole: the one that all photos share, else ``other``."""
    tags = {_HUB_LICENCES.get(licence.strip().lower(), "other") for licence in summary.licences}
    return tags.pop() if len(tags) == 1 else "other"


def size_category(samples: int) -> str:
    """Return the size tag of the Hugging Face Hub."""
    for limit, tag in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")):
        if samples < limit:
            return tag
    return "1M<n<10M"
