import zipfile

import pytest

from releases.wheel import WheelError, build


def test_the_wheel_is_the_same_every_time_and_holds_the_harness(tmp_path):
    first, second = build(tmp_path / "a"), build(tmp_path / "b")
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        names = archive.namelist()
    assert "lookbench_eval/__init__.py" in names
    assert not [name for name in names if name.startswith(("catalog/", "releases/")) or "__pycache__" in name]


def test_a_folder_without_a_project(tmp_path):
    with pytest.raises(WheelError, match=r"holds no pyproject\.toml"):
        build(tmp_path / "out", tmp_path)


def test_a_project_that_does_not_build(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    with pytest.raises(WheelError, match="could not be built; hatchling said"):
        build(tmp_path / "out", tmp_path)
