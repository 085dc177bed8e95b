"""Validate: install the harness wheel that lies in a release into a fresh environment and score models with it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from prefect import flow

from catalog.errors import LookbenchError
from catalog.ids import sha256
from catalog.locks import exclusive
from flows import artifacts
from flows.progress import track
from flows.settings import Encoder
from flows.workshop import Workshop

EXTRAS = {"onnx": "[onnx]", "pixels": "[onnx]", "transformers": "[transformers]"}


class ValidationError(LookbenchError):
    """A release without a wheel, or a harness that refused it."""


@flow(name="validate", persist_result=False)
def validate(
    release: str | Path,
    model: Sequence[str],
    cutoff: str | None = None,
    root: str | None = None,
    settings: str | Path | None = None,
) -> list[dict[str, Any]]:
    """Score each encoder spec on ``release``; returns one result document of lookbench-eval per spec.

    Raises ValidationError with the harness's own words when it refuses the release, the model or the window.
    """
    workshop = Workshop.open(root=root, settings=settings)
    results = score(Path(release), {spec: Encoder(spec=spec) for spec in model}, workshop, cutoff)
    artifacts.metrics(results)
    return results


def score(
    release: Path, models: Mapping[str, Encoder], workshop: Workshop, cutoff: str | None = None, out: Path | None = None
) -> list[dict[str, Any]]:
    """Run the wheel of ``release`` once per model (name -> encoder); ``out`` keeps what it wrote, see ``folder``."""
    wheels = sorted((release / "harness").glob("lookbench_eval-*.whl"))
    if len(wheels) != 1:
        raise ValidationError(
            f"{release}: {len(wheels)} harness wheels in harness/, there must be one: freeze it again"
        )
    results = []
    for number, (name, encoder) in enumerate(models.items()):
        command = environment(wheels[0], EXTRAS.get(encoder.spec.split(":")[0], ""), workshop)
        with track(f"validate {name}"), tempfile.TemporaryDirectory() as scratch:
            arguments = [str(release), "--model", workshop.spec(encoder.spec), "--name", name, "--json", "--quiet"]
            arguments += ["--cutoff", cutoff] if cutoff else []
            arguments += ["--declared-cutoff", encoder.declared_cutoff] if encoder.declared_cutoff else []
            arguments += ["--trained-on", *encoder.trained_on] if encoder.trained_on else []
            place = folder(out or Path(scratch), number)
            results.append(_run([str(command), *arguments, "--out", str(place)], release, name))
    return results


def folder(out: Path, number: int) -> Path:
    """Return where the files of the ``number``-th spec lie under ``out``."""
    return out / f"{number:02d}"


def table(result: Mapping[str, Any], width: int | None = None) -> str:
    """Return a result document as text for a terminal."""
    from lookbench_eval.table import render

    return render(result, width)


def _run(command: Sequence[str], release: Path, name: str) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValidationError(f"lookbench-eval refused {release} with {name}: {done.stderr.strip()[-2000:]}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def environment(wheel: Path, extras: str, workshop: Workshop) -> Path:
    """Return ``lookbench-eval`` of a fresh environment made for exactly this wheel; reused while the wheel is the same.

    Runs that ask for the same one at once make it once. Nothing of this project is importable there: what a model
    builder gets is what is tested.
    """
    pins = workshop.constraints
    key = sha256(wheel.read_bytes() + extras.encode() + (pins.read_bytes() if pins else b""))[:16]
    home = cache_folder() / "harness" / key
    whole, command = home / ".installed", home / "bin" / "lookbench-eval"
    with exclusive(home.with_suffix(".lock")):
        if whole.exists():
            return command
        with track("fresh environment for the harness wheel"):
            shutil.rmtree(home, ignore_errors=True)  # what a killed installation left
            _call([sys.executable, "-m", "venv", str(home)])
            constraint = ["-c", str(pins)] if pins else []
            _call([str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", *constraint, f"{wheel}{extras}"])
            whole.touch()
    return command


def cache_folder() -> Path:
    """Return where things that can be made again are kept: ``$LOOKBENCH_CACHE``, else ``~/.cache/lookbench``."""
    return Path(os.environ.get("LOOKBENCH_CACHE") or Path.home() / ".cache" / "lookbench")


def _call(arguments: Sequence[str]) -> None:
    clean: Mapping[str, str] = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env=clean)
    if done.returncode:
        raise ValidationError(
            f"could not install the harness wheel ({' '.join(arguments[:4])} ...): {done.stderr[-800:]}"
        )
