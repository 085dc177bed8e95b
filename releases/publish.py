"""Publish a release: to a folder, any fsspec URL, or a Hugging Face data set with a tag per edition."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import fsspec

from releases import manifest
from releases.digests import file_sha256
from releases.errors import ReleaseError
from releases.verify import verify

_HUB: Final = "hf://datasets/"


class PublishError(ReleaseError):
    """A release that could not be published."""


@dataclass(frozen=True)
class Published:
    """Where a release went."""

    address: str
    tag: str
    files: int
    """Files that were written; 0 when all were there already."""


def publish(path: str | Path, target: str, *, progress: Callable[[int, int], None] | None = None) -> Published:
    """Publish the release in folder ``path`` after verifying it; publishing it again changes nothing.

    ``target`` is a folder or fsspec URL, below which ``lookbench-<edition>`` is made with the manifest written last, or
    ``hf://datasets/OWNER/NAME``, where the edition becomes a commit with a tag; the token is read by huggingface_hub
    from ``HF_TOKEN``. Raises VerifyError, or PublishError when another release of this edition is there already.
    """
    path = Path(path)
    report = verify(path)
    if target.startswith(_HUB):
        return _to_hub(path, target.removeprefix(_HUB).strip("/"), report.edition)
    return _to_files(path, target.rstrip("/"), report.edition, progress)


def _to_files(path: Path, target: str, edition: str, progress: Callable[[int, int], None] | None) -> Published:
    filesystem, root = fsspec.url_to_fs(target)
    place = f"{root}/lookbench-{edition}"
    ours = (path / manifest.NAME).read_bytes()
    try:
        if filesystem.exists(f"{place}/{manifest.NAME}"):
            if filesystem.cat_file(f"{place}/{manifest.NAME}") == ours:
                return Published(f"{target}/lookbench-{edition}", edition, 0)
            raise PublishError(
                f"{target}/lookbench-{edition} holds another release of this edition; what is published never changes: "
                "remove it by hand if it was never announced"
            )
        files = [*manifest.files_of(path), (manifest.NAME, path / manifest.NAME)]
        for number, (name, file) in enumerate(files, start=1):
            filesystem.makedirs(f"{place}/{name}".rpartition("/")[0], exist_ok=True)
            filesystem.put_file(str(file), f"{place}/{name}")
            if progress:
                progress(number, len(files))
    except OSError as error:
        raise PublishError(
            f"could not write {target}/lookbench-{edition} ({error}); run again when it can be written: "
            "without its manifest, what lies there is no release yet"
        ) from error
    return Published(f"{target}/lookbench-{edition}", edition, len(files))


def _to_hub(path: Path, repo: str, edition: str) -> Published:
    if repo.count("/") != 1:
        raise PublishError(f"{_HUB}{repo} names no data set; give {_HUB}OWNER/NAME")
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    api: Any = HfApi()
    files = [*manifest.files_of(path)]
    try:
        api.create_repo(repo, repo_type="dataset", exist_ok=True)
        tags = {ref.name for ref in api.list_repo_refs(repo, repo_type="dataset").tags}
        if edition in tags:
            place = api.hf_hub_download(repo, manifest.NAME, repo_type="dataset", revision=edition)
            if file_sha256(Path(place)) == file_sha256(path / manifest.NAME):
                return Published(f"{_HUB}{repo}@{edition}", edition, 0)
            raise PublishError(
                f"{_HUB}{repo} has another release under the tag {edition}; a published edition never changes"
            )
        commit = api.upload_folder(
            repo_id=repo,
            repo_type="dataset",
            folder_path=str(path),
            commit_message=f"LookBench {edition}",
            delete_patterns="*",
        )
        api.create_tag(repo, tag=edition, revision=commit.oid, repo_type="dataset")
    except (HfHubHTTPError, OSError) as error:
        raise PublishError(
            f"could not publish to {_HUB}{repo} ({error}); set HF_TOKEN to a token that may write there, and run again"
        ) from error
    return Published(f"{_HUB}{repo}@{edition}", edition, len(files) + 1)
