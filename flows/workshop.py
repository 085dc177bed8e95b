"""What every flow works with: settings, clock, catalog, and models opened once when first needed."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog import ids
from catalog.store import Catalog
from flows import settings as settings_module
from flows.settings import HOME, Model, Settings, SettingsError
from generation import pipelines

if TYPE_CHECKING:
    from curation.decency import Gate
    from curation.detectors import Detector
    from curation.embedders import Embedder
    from curation.faces import FaceFinder
    from curation.text import TextFinder
    from generation.pipelines import Pipeline


@dataclass(frozen=True)
class Workshop:
    """Settings, clock and catalog of one run."""

    settings: Settings
    folder: Path
    """Folder of the settings file: relative paths in it start here."""
    now: datetime
    """The clock of this run, injected; UTC."""

    @classmethod
    def open(
        cls, *, root: str | None = None, settings: str | Path | None = None, now: datetime | None = None
    ) -> "Workshop":
        """Read the settings; ``root`` wins over the file, ``now`` over the wall clock (taken as UTC when naive)."""
        file = settings_module.find(settings)
        read = settings_module.load(file)
        if root:
            read = read.model_copy(update={"root": root})
        clock = now or datetime.now(UTC)
        return cls(read, file.parent, clock.replace(tzinfo=UTC) if clock.tzinfo is None else clock.astimezone(UTC))

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog at ``root``; a relative folder starts at the working directory, as a person expects."""
        return Catalog(self.settings.root)

    @property
    def releases(self) -> Path:
        """Folder where releases are written; raises SettingsError when the catalog is not a folder and none is set."""
        if self.settings.releases:
            return Path(self.settings.releases)
        if self.catalog.is_local:
            return Path(self.catalog.path) / "releases"
        raise SettingsError(
            f"the catalog {self.settings.root} is no folder: set `releases` to a folder of this machine"
        )

    @property
    def state(self) -> Path:
        """Folder of this machine for what servers keep; beside the settings file when the catalog is no folder."""
        return (
            Path(self.catalog.path) / "services" if self.catalog.is_local else self.folder / ".lookbench" / "services"
        )

    def path(self, name: str) -> Path:
        """Return a path of the settings: as given when absolute, else beside the settings file or the code."""
        beside = self.folder / name
        return beside if beside.exists() else HOME / name

    def spec(self, spec: str) -> str:
        """Return a model spec with its file, if it names one, as an absolute path."""
        kind, _, place = spec.partition(":")
        file = place.partition("@")[0]
        found = self.path(file)
        return f"{kind}:{found}{place[len(file) :]}" if file and found.exists() else spec

    @property
    def constraints(self) -> Path | None:
        """The pins for fresh environments, where the settings name some."""
        name = self.settings.validation.constraints
        return self.path(name) if name else None

    @cached_property
    def detector(self) -> "Detector":
        """The garment detector; where the settings have them, a people finder tells it where to look again, and the
        probe settles its categories."""
        from curation import categories, detectors, embedders, people
        from curation.second_stage import SecondStage
        from curation.worn import OnPeople

        models = self.settings.models
        found = detectors.open(**self._model(models.detector))
        if models.people is not None:
            found = OnPeople(found, people.open(**self._model(models.people)), self.settings.items.score_look)
        if models.probe is None:
            return found
        reader = models.probe_embedder
        embedder = embedders.open(**self._model(reader)) if reader else self.embedder
        probe = categories.open(**self._model(models.probe))
        return SecondStage(found, embedder, probe, self.settings.items.merge_iou)

    @cached_property
    def embedder(self) -> "Embedder":
        """The image embedder."""
        from curation import embedders

        return embedders.open(**self._model(self.settings.models.embedder))

    @cached_property
    def decency(self) -> "Gate | None":
        """The decency gate, where the settings have one."""
        from curation import decency

        model = self.settings.models.decency
        return decency.open(**self._model(model)) if model else None

    @cached_property
    def faces(self) -> "FaceFinder | None":
        """The face finder, where the settings have one."""
        from curation import faces

        model = self.settings.models.faces
        return faces.open(**self._model(model)) if model else None

    @cached_property
    def text(self) -> "TextFinder | None":
        """The text finder, where the settings have one."""
        from curation import text

        model = self.settings.models.text
        return text.open(**self._model(model)) if model else None

    @cached_property
    def generator(self) -> "Pipeline":
        """The diffusion pipeline."""
        return pipelines.open(**self._model(self.settings.models.generator))

    @cached_property
    def pins(self) -> dict[str, dict[str, Any]]:
        """Name of each model that there is -> its settings, ``sha256`` filled in with that of the file found.

        What a step that asks a model depends on: another file under the same name is another result.
        """
        return {
            name: {**model.model_dump(), "sha256": model.sha256 or _digest(self.spec(model.spec))}
            for name, model in self.settings.models
            if model
        }

    def _model(self, model: Model) -> dict[str, Any]:
        return {"spec": self.spec(model.spec), "sha256": model.sha256}


def _digest(spec: str) -> str | None:
    """Return what pins a model on this machine, as its room counts; None for a hub's and for a missing one."""
    kind, _, place = spec.partition(":")
    path = Path(place)
    if kind == "diffusers" and path.is_dir():
        return pipelines.folder_digest(path)
    file = path / "model.safetensors" if path.is_dir() else path
    return ids.sha256(file.read_bytes()) if file.is_file() else None
