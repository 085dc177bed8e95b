"""The figures as a table for a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from typing import Any

_SHORT = {
    "real_studio_flat": "studio flat",
    "aigen_studio": "AI studio",
    "real_streetlook": "street",
    "aigen_streetlook": "AI street",
}
_LEADING = ("Fine@1", "Item@1", "nDCG@5", "MRR")


def render(document: Mapping[str, Any], width: int | None = None) -> str:
    """Measures by subset, in percent, with intervals where the width allows, else overall only."""
    width = width or shutil.get_terminal_size((120, 24)).columns
    shown = {name: part for name, part in document["subsets"].items() if part["queries"]}
    measures = document["settings"]["measures"]
    heads = ["", *(_SHORT.get(name, name) for name in shown), "Overall"]
    parts = [*shown.values(), document["overall"]]
    for wide in (True, False):
        rows = [
            [measure, *(_cell(part["values"].get(measure), wide or part is parts[-1]) for part in parts)]
            for measure in measures
        ]
        rows.append(["queries", *(str(part["queries"]) for part in parts)])
        rows.append(["gallery", *(str(part["gallery"] + part["noise"]) for part in parts[:-1]), ""])
        text = grid(heads, rows, foot=2)
        if len(text.splitlines()[0]) <= width:
            break
    slices = [line for kind, found in document["slices"].items() for line in ("", *_slice(kind, found, measures))]
    return "\n".join([_title(document), "", text, *slices, "", *_foot(document)])


def _title(document: Mapping[str, Any]) -> str:
    model, release = document["model"], document["release"]
    edition = f" (edition {release['edition']})" if release["edition"] else ""
    return f"{model['name']} on {release['name']}{edition}"


def _cell(found: Mapping[str, Any] | None, wide: bool) -> str:
    if found is None:
        return "-"
    value = f"{100 * found['value']:5.2f}"
    return f"{value} [{100 * found['lo']:5.1f}, {100 * found['hi']:5.1f}]" if wide else value


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], foot: int = 0) -> str:
    """Columns of text, the first to the left, the others to the right; the last `foot` rows below a line."""
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        return "  ".join(
            [first, *(cell.rjust(wide) for cell, wide in zip(cells[1:], widths[1:], strict=True))]
        ).rstrip()

    return "\n".join(
        [
            line(heads),
            rule,
            *map(line, rows[: len(rows) - foot]),
            *([rule] if foot else []),
            *map(line, rows[len(rows) - foot :]),
        ]
    )


def _slice(kind: str, parts: Mapping[str, Any], measures: Sequence[str]) -> list[str]:
    """One slice as a table: its values, their queries, and the leading measures."""
    chosen = [name for name in _LEADING if name in measures] or list(measures[:4])
    rows = [
        [value, str(part["queries"]), *(_cell(part["values"].get(name), wide=True) for name in chosen)]
        for value, part in parts.items()
    ]
    return [f"By {kind.removeprefix('facet:')}", "", grid(["", "queries", *chosen], rows)]


def _foot(document: Mapping[str, Any]) -> list[str]:
    settings = document["settings"]
    window = settings["window"]
    said = [f"{key} {window[key]}" for key in ("cutoff", "since", "until") if window[key]]
    dates = document["overall"]["dates"]
    level = round(100 * settings["bootstrap"]["level"])
    lines = [
        f"Percent, with {level} % intervals (bootstrap over looks and products). Overall: mean over all queries.",
        f"Window: {', '.join(said) or 'all dates'}; queries dated "
        + (f"{dates['first']} to {dates['last']}." if dates else "not at all.")
        + f" Ties: {settings['ties']}, deciding for {100 * document['overall']['tie_rate']:.1f} % of the queries.",
    ]
    parts = [part for part in document["subsets"].values() if part["queries"]]
    labelled = sum(part["labelled_answers"] * part["queries"] for part in parts) / document["overall"]["queries"]
    lines.append(f"Coverage: {100 * labelled:.1f} % of the first 20 answers carry a label.")
    excluded = sum(part.get("own_file_excluded", 0) for part in document["subsets"].values())
    if excluded:
        lines.append(f"Left out: {excluded} answers that come from the query's own file.")
    for name, part in document["subsets"].items():
        if not part["queries"]:
            lines.append(f"{name}: none of its {part['queries_in_release']} queries lies in the window.")
        for measure, count in part.get("no_positive", {}).items():
            lines.append(f"{name}: {count} queries without a positive for {measure} ({settings['no_positive']}).")
        unasked = part.get("not_asked", {})
        if unasked:
            lines.append(f"{name}: {max(unasked.values())} queries of unknown product take no part in Item measures.")
    if not document["release"]["verified"]:
        lines.append("The release was not verified against a manifest.")
    return [*lines, *document["notes"]]
