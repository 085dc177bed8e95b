"""The database that every new server starts from."""

import sqlite3
import sys
from pathlib import Path

import pytest

from annotation import seed
from annotation.errors import ServerError

GROWING = """\
#!{python}
import pathlib, sqlite3, sys
assert sys.argv[1:3] == ["version", "--data-dir"]
with open("{log}", "a") as log:
    log.write("grown ")
with sqlite3.connect(pathlib.Path(sys.argv[3]) / "label_studio.sqlite3") as base:
    base.execute("create table django_migrations (name)")
"""


def command(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "venv" / "bin" / "label-studio"
    path.parent.mkdir(parents=True)
    path.write_text(text.format(python=sys.executable, log=tmp_path / "log"))
    path.chmod(0o755)
    return path


def folder(tmp_path: Path, name: str) -> Path:
    made = tmp_path / name
    made.mkdir()
    return made


def tables_of(database: Path) -> list[str]:
    with sqlite3.connect(database) as base:
        return [row[0] for row in base.execute("select name from sqlite_master")]


def test_it_is_grown_once_and_planted_in_every_new_folder(tmp_path: Path) -> None:
    label_studio = command(tmp_path, GROWING)
    for name in ("first", "second"):
        assert seed.plant(label_studio, folder(tmp_path, name), {})
        assert tables_of(tmp_path / name / seed.DATABASE) == ["django_migrations"]
    assert (tmp_path / "log").read_text() == "grown "
    assert sorted(path.name for path in seed.place(label_studio).parent.iterdir()) == [seed.DATABASE, "lock"]


def test_a_database_that_is_there_stays(tmp_path: Path) -> None:
    data = folder(tmp_path, "data")
    (data / seed.DATABASE).write_bytes(b"mine")
    assert not seed.plant(command(tmp_path, GROWING), data, {})
    assert (data / seed.DATABASE).read_bytes() == b"mine"


def test_nothing_is_planted_for_another_database(tmp_path: Path) -> None:
    assert not seed.plant(command(tmp_path, GROWING), folder(tmp_path, "data"), {"POSTGRE_HOST": "db.example"})


def test_a_failed_migration_is_quoted_and_leaves_nothing(tmp_path: Path) -> None:
    broken = command(tmp_path, "#!{python}\nimport sys\nsys.exit('no module named django')\n")
    with pytest.raises(ServerError, match="could not make its database: 'no module named django'; run `make setup`"):
        seed.plant(broken, folder(tmp_path, "data"), {})
    assert list((tmp_path / "data").iterdir()) == []
    assert not seed.place(broken).exists()


def test_a_command_that_makes_no_database_is_named(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"made no database \('1\.23'\)"):
        seed.plant(command(tmp_path, "#!{python}\nprint('1.23')\n"), folder(tmp_path, "data"), {})
