"""Verify a release from its own files alone."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from releases import checks, manifest, reading
from releases.digests import file_sha256, table_digest
from releases.errors import ReleaseError
from releases.schema import SUBSETS, schema

REQUIRED: Final = (
    "README.md",
    "croissant.json",
    "datasheet.md",
    "CITATION.cff",
    "ERRATA.jsonl",
    "taxonomy.yaml",
    "qrels/looks.parquet",
    *(f"qrels/{subset}.tsv" for subset in SUBSETS),
)


class VerifyError(ReleaseError):
    """A release that is not what it says it is; ``report`` holds every failure."""

    def __init__(self, report: "VerifyReport") -> None:
        super().__init__(str(report))
        self.report = report


@dataclass(frozen=True)
class Failure:
    """One thing that is wrong."""

    check: str
    """Code of the check, such as ``sha256`` or ``query_without_positive``."""
    where: str
    message: str


@dataclass(frozen=True)
class VerifyReport:
    """What a verification found."""

    path: str
    edition: str
    files: int
    rows: Mapping[str, int]
    """``<subset>/<split>`` -> rows."""
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.failures

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        return {"ok": self.ok, **asdict(self)}

    def __str__(self) -> str:
        if self.ok:
            rows = ", ".join(f"{name} {count:,}" for name, count in self.rows.items())
            return f"{self.path}: edition {self.edition} is sound ({self.files} files; rows: {rows})"
        lines = [f"  {failure.check}: {failure.where}: {failure.message}" for failure in self.failures]
        count = f"{len(lines)} failure{'s' if len(lines) > 1 else ''}"
        return "\n".join([f"{self.path} is not a sound release, {count}; fetch it again or freeze anew:", *lines])


def verify(path: str | Path) -> VerifyReport:
    """Check a release and return the report; raise VerifyError, which tells all failures, when there is any.

    Checked are: each file's size and sha256, missing and extra files; columns, types and Hugging Face features; rows
    and logical digest of each table; ids, dates with their evidence, boxes and original files of every sample; that no
    photo or crop stands on both sides of the query/gallery line; that every query has a positive and no distractor is
    one; qrels and looks against the tables.
    """
    report = examine(path)
    if not report.ok:
        raise VerifyError(report)
    return report


def examine(path: str | Path) -> VerifyReport:
    """Check a release and return the report, failures included; raise ManifestError when there is no manifest."""
    path = Path(path)
    content = manifest.read(path)
    failures = [*_files(path, content["files"])]
    tables: dict[tuple[str, str], pa.Table] = {}
    for subset, split, files in reading.splits(path):
        try:
            failures += _columns(files, path)
            tables[subset, split] = reading.read_split(path, subset, split)
        except ReleaseError as error:
            failures.append(Failure("unreadable", f"{subset}/{split}", str(error)))
    failures += _recorded(path, content, tables)
    linked = content.get("pixels") == "links"
    whole = {key: table for key, table in tables.items() if table.schema.names == schema(table.schema.names).names}
    for check in _TABLE_CHECKS:
        failures += [Failure(*found) for found in check(whole, linked)]
    failures += [Failure(*found) for found in checks.qrels(path, whole)]
    failures += [Failure(*found) for found in checks.looks(path, whole)]
    rows = {f"{subset}/{split}": table.num_rows for (subset, split), table in tables.items()}
    return VerifyReport(str(path), str(content.get("edition")), len(content["files"]), rows, tuple(failures))


_TABLE_CHECKS: Final[tuple[Callable[[checks.Tables, bool], Iterator[checks.Found]], ...]] = (
    checks.samples,
    checks.pictures,
    checks.line,
    checks.positives,
    checks.distractors,
)


def _files(path: Path, listed: Mapping[str, Mapping[str, Any]]) -> Iterator[Failure]:
    present = dict(manifest.files_of(path))
    for name in sorted(set(REQUIRED) - set(listed)):
        yield Failure("required_file", name, "is part of every release but not listed in the manifest")
    for name in sorted(set(present) - set(listed)):
        yield Failure("extra_file", name, "is not listed in the manifest")
    for name, facts in sorted(listed.items()):
        file = present.get(name)
        if file is None:
            yield Failure("missing_file", name, "is listed in the manifest but not there")
        elif file.is_symlink():
            yield Failure("symbolic_link", name, "is a symbolic link, not a file")
        elif file.stat().st_size != facts.get("bytes"):
            yield Failure("bytes", name, f"has {file.stat().st_size} bytes, the manifest says {facts.get('bytes')}")
        elif (found := file_sha256(file)) != facts.get("sha256"):
            yield Failure(
                "sha256", name, f"has sha256 {found[:16]}..., the manifest says {str(facts.get('sha256'))[:16]}..."
            )


def _columns(files: list[Path], path: Path) -> Iterator[Failure]:
    for file in files:
        where = file.relative_to(path).as_posix()
        try:
            found = pq.read_schema(file)
        except (OSError, pa.ArrowInvalid):
            continue  # reported as unreadable
        due = schema(found.names)
        wrong = [
            field.name for field in due if field.name not in found.names or found.field(field.name).type != field.type
        ]
        extra = [name for name in found.names if name not in due.names]
        if wrong or extra:
            yield Failure("columns", where, f"wrong or missing columns {wrong}, unknown columns {extra}")
        elif found.names != due.names:
            yield Failure("columns", where, "the columns are in another order than the published one")
        elif (found.metadata or {}).get(b"huggingface") != due.metadata[b"huggingface"]:
            yield Failure(
                "features", where, "the Hugging Face features are missing or wrong, so pictures load as bytes"
            )


def _recorded(path: Path, content: Mapping[str, Any], tables: Mapping[tuple[str, str], pa.Table]) -> Iterator[Failure]:
    recorded = dict(content.get("tables", {}))
    found = {f"{subset}/{split}": table for (subset, split), table in tables.items()}
    looks = path / "qrels" / "looks.parquet"
    if looks.is_file():
        try:
            found["looks"] = pq.read_table(looks)
        except (OSError, pa.ArrowInvalid) as error:
            yield Failure("unreadable", "qrels/looks.parquet", str(error))
    for name in sorted(set(recorded) | set(found)):
        if name not in found or name not in recorded:
            yield Failure("tables", name, "is in the manifest or in the folder, but not in both")
        elif found[name].num_rows != recorded[name]["rows"]:
            said = recorded[name]["rows"]
            yield Failure("rows", name, f"has {found[name].num_rows} rows, the manifest says {said}")
        elif table_digest(found[name]) != recorded[name]["digest"]:
            yield Failure("table_digest", name, "says something else than the table that was frozen")
