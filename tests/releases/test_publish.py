import hashlib
from types import SimpleNamespace

import fsspec
import pytest

from releases import manifest
from releases.publish import PublishError, publish
from releases.verify import VerifyError, verify


def test_to_a_folder_and_again(frozen, tmp_path):
    seen = []
    made = publish(frozen.path, str(tmp_path), progress=lambda done, total: seen.append((done, total)))
    assert made.address == f"{tmp_path}/lookbench-2026.12"
    assert verify(tmp_path / "lookbench-2026.12").ok
    assert seen[-1][0] == seen[-1][1] == made.files
    assert publish(frozen.path, str(tmp_path)).files == 0


def test_to_an_address(frozen):
    made = publish(frozen.path, "memory://bench")
    filesystem = fsspec.filesystem("memory")
    text = filesystem.cat_file("/bench/lookbench-2026.12/manifest.json")
    assert text == (frozen.path / "manifest.json").read_bytes()
    assert made.tag == "2026.12"


def test_a_published_edition_never_changes(copied, frozen, tmp_path):
    publish(frozen.path, str(tmp_path))
    (copied / "baselines").mkdir(exist_ok=True)
    (copied / "baselines" / "more.json").write_text("{}")
    manifest.seal(copied)
    with pytest.raises(PublishError, match="holds another release of this edition"):
        publish(copied, str(tmp_path))


def test_a_damaged_release_is_not_published(copied, tmp_path):
    (copied / "README.md").write_text("else")
    with pytest.raises(VerifyError):
        publish(copied, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_an_address_of_no_data_set(frozen):
    with pytest.raises(PublishError, match="names no data set"):
        publish(frozen.path, "hf://datasets/alone")


class Hub:
    """Stands in for the Hub: keeps what the client was asked to do."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}
        self.uploads: list[str] = []
        self.manifest = ""

    def create_repo(self, repo: str, *, repo_type: str, exist_ok: bool) -> None:
        assert (repo_type, exist_ok) == ("dataset", True)

    def list_repo_refs(self, repo: str, *, repo_type: str) -> SimpleNamespace:
        return SimpleNamespace(tags=[SimpleNamespace(name=name) for name in self.tags])

    def upload_folder(self, *, repo_id: str, folder_path: str, commit_message: str, **_: str) -> SimpleNamespace:
        self.uploads.append(commit_message)
        self.manifest = f"{folder_path}/manifest.json"
        return SimpleNamespace(oid=hashlib.sha1(commit_message.encode()).hexdigest())

    def create_tag(self, repo: str, *, tag: str, revision: str, repo_type: str) -> None:
        self.tags[tag] = revision

    def hf_hub_download(self, repo: str, name: str, *, repo_type: str, revision: str) -> str:
        return self.manifest


def test_to_the_hub_with_a_tag_once(frozen, monkeypatch):
    hub = Hub()
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: hub)
    assert publish(frozen.path, "hf://datasets/owner/bench").address == "hf://datasets/owner/bench@2026.12"
    assert publish(frozen.path, "hf://datasets/owner/bench").files == 0
    assert hub.uploads == ["LookBench 2026.12"]
    assert set(hub.tags) == {"2026.12"}
