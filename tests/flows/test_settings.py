import dataclasses
import typing
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from ruamel.yaml import YAML

from flows import settings
from flows.settings import HOME, POLICIES, Settings, SettingsError

FILE = HOME / "lookbench.yaml"


def changed(tmp_path: Path, old: str, new: str) -> Path:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "lookbench.yaml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return file


def keys(kind: Any) -> set[str]:
    """Every settable key, dotted."""
    fields = kind.model_fields if issubclass(kind, BaseModel) else {f.name: f for f in dataclasses.fields(kind)}
    types = {name: getattr(field, "annotation", None) for name, field in fields.items()}
    found = set()
    for name, declared in types.items():
        inner = next((kind for kind in typing.get_args(declared) if kind is not type(None)), declared)
        deeper = isinstance(inner, type) and (issubclass(inner, BaseModel) or inner in POLICIES)
        found |= {f"{name}.{key}" for key in keys(inner)} if deeper else {name}
    return found


def written(content: Any, prefix: str = "") -> set[str]:
    found = set()
    unused = dict.fromkeys(settings.Model.model_fields)
    for name, given in content.items():
        value = unused if given is None and prefix == "models." else given
        free = f"{prefix}{name}" in {"validation.models", "release.min_queries"}
        found |= written(value, f"{prefix}{name}.") if isinstance(value, dict) and not free else {f"{prefix}{name}"}
    return found


def test_the_file_of_the_project_holds_every_setting_and_no_other() -> None:
    assert written(YAML(typ="safe").load(FILE)) == keys(Settings)


def test_every_key_of_the_file_is_explained() -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        inside_models = line.startswith("    ")  # spec, sha256 and licence of a model are explained at its head
        if ":" in line and not line.lstrip().startswith("#") and not inside_models:
            assert lines[number - 1].lstrip().startswith("#"), f"line {number + 1}: {line}"


def test_the_file_says_the_defaults_of_the_code() -> None:
    read = settings.load(FILE)
    for name, field in Settings.model_fields.items():
        if not field.is_required():
            assert getattr(read, name) == field.get_default(call_default_factory=True), name


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("\nseed: 0", "\nsede: 0", ["unknown key 'sede'", "'seed'"]),
        ("min_side:", "min_sid:", ["unknown key 'screen.min_sid'", "'min_side'"]),
        ("\nseed: 0", "\nseed: many", ["seed", "'many'"]),
        ("port: 8080", "port: 99999", ["annotation.port", "99999"]),
        ("labels: human", "labels: nobody", ["annotation.labels", "'nobody'"]),
        ("sha256: null", "sha256: abc", ["sha256", "'abc'"]),
        ("validation:", "validation: [", ["not valid YAML"]),
    ],
)
def test_a_bad_setting_is_one_sentence_with_file_key_and_value(
    tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    file = changed(tmp_path, old, new)
    with pytest.raises(SettingsError) as caught:
        settings.load(file)
    assert all(word in str(caught.value) for word in [str(file), *words])


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOKBENCH_ANNOTATION__PORT", "9999")
    monkeypatch.setenv("LOOKBENCH_ROOT", "elsewhere")
    read = settings.load(FILE)
    assert (read.annotation.port, read.root, read.annotation.labels) == (9999, "elsewhere", "human")


def test_a_missing_file_is_named() -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.yaml does not exist"):
        settings.load("nowhere.yaml")
