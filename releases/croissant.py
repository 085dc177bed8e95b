"""The release as Croissant metadata (MLCommons, 1.0): files with their sha256, record sets with their columns."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from releases import reading
from releases.card import hub_licence
from releases.digests import file_sha256
from releases.schema import COLUMNS, IMAGE, Column
from releases.summary import Summary

NAME: Final = "croissant.json"
_CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_LICENCE_ADDRESS: Final = {
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "mit": "https://opensource.org/license/mit",
}


def write(path: Path, facts: Mapping[str, Any], summary: Summary) -> None:
    """Write ``croissant.json`` of the release in folder ``path``, whose data files must be final."""
    text = json.dumps(describe(path, facts, summary), indent=1, ensure_ascii=False) + "\n"
    (path / NAME).write_text(text, encoding="utf-8", newline="\n")


def describe(path: Path, facts: Mapping[str, Any], summary: Summary) -> dict[str, Any]:
    """Return the Croissant document: one FileObject per parquet file, one RecordSet per split."""
    distribution: list[dict[str, Any]] = []
    records: list[dict[str, Any]] = []
    for subset, split, files in reading.splits(path):
        name = f"{subset}/{split}"
        shards = [_file(path, file) for file in files]
        distribution += shards
        records.append(_records(name, shards[0]["@id"]) if len(shards) == 1 else _many(name, shards, distribution))
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "LookBench",
        "description": (
            f"Edition {facts['edition']} of a live benchmark for fashion image retrieval: {summary.garments} dated, "
            f"labelled garments in {summary.photos} photos and pictures."
        ),
        "version": _version(facts["edition"]),
        "datePublished": facts["created_at"],
        "license": _LICENCE_ADDRESS.get(hub_licence(summary), "https://choosealicense.com/licenses/other/"),
        "url": "https://arxiv.org/abs/2601.14706",
        "citeAs": "LookBench: A Live and Holistic Open Benchmark for Fashion Image Retrieval, arXiv:2601.14706",
        "isLiveDataset": False,
        "distribution": distribution,
        "recordSet": records,
    }


def _version(edition: str) -> str:
    """Return an edition as a semantic version: Croissant asks for three numbers without leading zeros."""
    return ".".join([str(int(part)) for part in edition.split(".") if part.isdigit()] + ["0"])


def _file(path: Path, file: Path) -> dict[str, Any]:
    name = file.relative_to(path).as_posix()
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{file.stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file_sha256(file),
    }


def _many(name: str, shards: list[dict[str, Any]], distribution: list[dict[str, Any]]) -> dict[str, Any]:
    pattern = f"{shards[0]['@id'].rpartition('/')[0]}/{name.rpartition('/')[2]}-*.parquet"
    group: dict[str, Any] = {
        "@type": "cr:FileSet",
        "@id": f"{name}-shards",
        "name": f"{name}-shards",
        "encodingFormat": "application/x-parquet",
        "includes": pattern,
    }
    distribution.append(group)
    return _records(name, group["@id"], kind="fileSet")


def _records(name: str, source: str, kind: str = "fileObject") -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": {"@id": f"{name}/sample_id"},
        "field": [field for column in COLUMNS for field in _fields(name, column, source, kind)],
    }


def _fields(name: str, column: Column, source: str, kind: str) -> Iterator[dict[str, Any]]:
    """Yield a column as fields: one, or one per part for a list of records, which Croissant cannot nest."""
    origin = {kind: {"@id": source}, "extract": {"column": column.name}}

    def field(title: str, type_: str, **more: Any) -> dict[str, Any]:
        facts = {"@type": "cr:Field", "@id": f"{name}/{title}", "name": f"{name}/{title}", "description": column.doc}
        return {**facts, "dataType": type_, **more}

    if column.type == IMAGE:
        yield field(column.name, "sc:ImageObject", source={**origin, "transform": {"jsonPath": "bytes"}})
    elif pa.types.is_list(column.type):
        for part in column.type.value_type:
            inner = {**origin, "transform": {"jsonPath": part.name}}
            yield field(f"{column.name}.{part.name}", _type(part.type), repeated=True, source=inner)
    else:
        yield field(column.name, _type(column.type), source=origin)


def _type(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return "sc:DateTime"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
