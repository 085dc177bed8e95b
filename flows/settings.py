"""Every setting of LookBench, typed; read from lookbench.yaml, overridden by ``LOOKBENCH_…`` variables.

The policies are the dataclasses that live beside their steps: a field there is a key here, under the same name.
Unknown keys and impossible values are refused by name.
"""

import difflib
import os
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from catalog.errors import LookbenchError
from crawlers.run import CrawlLimits
from curation.duplicates import DuplicatePolicy
from curation.fingerprint import FingerprintPolicy
from curation.identity import IdentityPolicy
from curation.items import ItemPolicy
from curation.screen import ScreenPolicy
from generation.run import GenerationPolicy
from releases.run import ReleasePolicy

STRICT = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
POLICIES: tuple[Any, ...] = (
    CrawlLimits,
    DuplicatePolicy,
    FingerprintPolicy,
    GenerationPolicy,
    IdentityPolicy,
    ItemPolicy,
    ReleasePolicy,
    ScreenPolicy,
)
for _policy in POLICIES:  # plain dataclasses to their rooms; here they refuse unknown keys as well
    _policy.__pydantic_config__ = ConfigDict(extra="forbid")
HOME = Path(__file__).resolve().parent.parent


class SettingsError(LookbenchError):
    """A settings file that is missing or holds an unknown key or an impossible value."""


class Model(BaseModel):
    """One model: what to load, and the sha256 its file must have."""

    model_config = STRICT

    spec: str
    """Kind and place, like ``yolo:models/garment-yolo/garment-yolo.onnx`` or ``transformers:ID@REVISION``."""
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    """Of the file; hub models are pinned by the revision in their spec instead."""
    licence: str = "unknown"
    """Licence of the weights, carried into the release."""


class Models(BaseModel):
    """The models an edition is made with."""

    model_config = STRICT

    detector: Model
    embedder: Model
    probe: Model | None = None
    """Null labels without a second stage: the detector's category stands where no text names one."""
    probe_embedder: Model | None = None
    """Whose vectors the probe reads; null takes those of the embedder."""
    decency: Model | None = None
    """Null lets all photos through."""
    faces: Model | None = Model(
        spec="centerface:models/centerface/centerface.onnx",
        sha256="e6b0c6e2aa13d88e63e25162e8a40e007f723697143a32732111dbe71dfd32d1",
        licence="MIT",
    )
    """Finds the faces on looks that a release blurs; null finds none, and then no look can be frozen unless
    ``release.faces`` is ``keep``."""
    people: Model | None = Model(
        spec="movenet:models/movenet/movenet-multipose.onnx",
        sha256="699c5e861da3a88d30c860ef499101b6fbffd1759068f5b663b0c2bc29d91d39",
        licence="Apache-2.0",
    )
    """Finds the people that the detector looks at again, one by one; null looks at whole photos alone."""
    text: Model | None = Model(
        spec="ppocr:models/text-lines/text-lines.onnx",
        sha256="d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
        licence="Apache-2.0",
    )
    """Finds lines of text for the screen; null finds words on even ground alone."""
    generator: Model


class Annotation(BaseModel):
    """Labelling in Label Studio."""

    model_config = STRICT

    labels: Literal["human", "accept-predictions"] = "human"
    """``accept-predictions`` submits the predictions as annotations, unattended; they stay marked ``machine``."""
    url: str | None = None
    """A Label Studio that runs elsewhere; null starts one of our own."""
    command: str | None = None
    """Executable of Label Studio; null takes LOOKBENCH_LABEL_STUDIO, the one `make setup` installed, or the PATH's."""
    port: int = Field(8080, ge=1, le=65535)
    """Port of our own Label Studio."""


class Encoder(BaseModel):
    """One encoder that a release is scored with, and what is known of its training."""

    model_config = STRICT

    spec: str
    """Encoder spec of lookbench-eval."""
    declared_cutoff: str | None = None
    """Last day of the training data, YYYY-MM-DD."""
    trained_on: tuple[str, ...] = ()
    """Training sets by name; ``none`` for an encoder that never learnt."""


class Validation(BaseModel):
    """The reference encoders a release is scored with before it is frozen."""

    model_config = STRICT

    models: dict[str, Encoder]
    """Name of the baseline -> its encoder."""
    constraints: str | None = "constraints.txt"
    """Pins for the fresh environment; null takes what the index serves."""


class Settings(BaseSettings):
    """All settings of one LookBench."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        env_prefix="LOOKBENCH_",
        env_nested_delimiter="__",
        use_attribute_docstrings=True,
    )

    root: str = ".lookbench"
    """The catalog: a folder or an fsspec URL."""
    sites: str = "crawlers/sites"
    """Folder of site files, or one file."""
    releases: str | None = None
    """Folder that releases are written to; null means ``releases`` in the catalog's folder."""
    notes: tuple[str, ...] = ()
    """Sentences that head the card and the report of a release: what a reader must know about its photos."""
    seed: int = 0
    """Seed of everything that draws at random."""
    prefect_port: int = Field(4200, ge=1, le=65535)
    """Port of our own Prefect server (`lookbench services up`)."""
    models: Models
    annotation: Annotation = Field(default_factory=lambda: Annotation.model_validate({}))
    validation: Validation
    crawl: CrawlLimits = Field(default_factory=CrawlLimits)
    screen: ScreenPolicy = Field(default_factory=ScreenPolicy)
    items: ItemPolicy = Field(default_factory=ItemPolicy)
    fingerprint: FingerprintPolicy = Field(default_factory=FingerprintPolicy)
    duplicates: DuplicatePolicy = Field(default_factory=DuplicatePolicy)
    identity: IdentityPolicy = Field(default_factory=IdentityPolicy)
    generation: GenerationPolicy = Field(default_factory=GenerationPolicy)
    release: ReleasePolicy = Field(default_factory=ReleasePolicy)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the signature is pydantic-settings'
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Environment over file: a container changes one value without a file of its own."""
        return env_settings, init_settings


def find(path: str | Path | None = None) -> Path:
    """Return the settings file: ``path``, ``$LOOKBENCH_SETTINGS``, ./lookbench.yaml, or the one beside the code."""
    given = path or os.environ.get("LOOKBENCH_SETTINGS")
    if given:
        if not Path(given).is_file():
            raise SettingsError(f"settings file {given} does not exist; name another with --settings")
        return Path(given).resolve()
    here = Path("lookbench.yaml")
    return here.resolve() if here.is_file() else HOME / "lookbench.yaml"


def load(path: str | Path | None = None) -> Settings:
    """Read and check the settings; raise SettingsError naming file, key, value and remedy for each fault."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    file = find(path)
    try:
        raw = YAML(typ="safe").load(file) or {}
    except YAMLError as error:
        raise SettingsError(f"{file} is not valid YAML: {error}") from error
    if not isinstance(raw, dict):
        raise SettingsError(f"{file} must hold a mapping of settings, it holds {type(raw).__name__}")
    try:
        return Settings(**raw)
    except ValidationError as error:
        raise SettingsError("; ".join(_sentence(file, fault) for fault in error.errors())) from error


def _sentence(file: Path, fault: Any) -> str:
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] in {"extra_forbidden", "unexpected_keyword_argument"}:
        near = difflib.get_close_matches(key.rsplit(".", 1)[-1], _names(), n=1)
        return f"{file}: unknown key {key!r}" + (f"; did you mean {near[0]!r}?" if near else "; remove it")
    if fault["type"] == "missing":
        return f"{file}: key {key!r} is missing; see lookbench.yaml of the project for its meaning"
    return f"{file}: {key} = {fault['input']!r}: {fault['msg']}"


def _names() -> list[str]:
    schema = TypeAdapter(Settings).json_schema()
    parts = [schema, *schema.get("$defs", {}).values()]
    return sorted({name for part in parts for name in part.get("properties", {})})
