"""Site files: typed, unknown keys refused, errors that name the file and the key."""

import pytest

from crawlers import sites
from crawlers.errors import SiteError

GOOD = "name: quillfern\nstart_urls: [https://www.quillfern.example/en/]\nlicence: CC0-1.0\n"


def write(folder, text, name="a.yaml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_loads(tmp_path):
    (site,) = sites.load(write(tmp_path, GOOD + "looks: ['/looks/']\nsettings: [{match: flat, setting: flat}]\n"))
    assert site.name == "quillfern"
    assert site.hosts == {"www.quillfern.example"}
    assert (site.allow_loopback, site.render, site.delay) == (False, "auto", 0.5)


def test_a_folder_in_name_order(tmp_path):
    write(tmp_path, GOOD.replace("quillfern", "zeta"), "b.yaml")
    write(tmp_path, GOOD, "a.yaml")
    assert [site.name for site in sites.load(tmp_path)] == ["quillfern", "zeta"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD + "colour: red\n", "unknown key 'colour'"),
        (GOOD.replace("https://www.quillfern.example/en/", "file:///etc/passwd"), "no http(s) address"),
        (GOOD + "render: sometimes\n", "render"),
        (GOOD + "delay: -1\n", "delay"),
        (GOOD + "looks: ['(']\n", "no regular expression"),
        (GOOD.replace("quillfern\n", "Quill Fern\n"), "name"),
        ("name: x\n", "start_urls"),
        ("[1, 2]\n", "must hold keys"),
        ("a: [\n", "not valid YAML"),
    ],
)
def test_refused(tmp_path, text, told):
    with pytest.raises(SiteError) as error:
        sites.load(write(tmp_path, text))
    assert told in str(error.value)
    assert "a.yaml" in str(error.value)


def test_missing_twice_and_none(tmp_path):
    with pytest.raises(SiteError, match="cannot be read"):
        sites.load(tmp_path / "none.yaml")
    with pytest.raises(SiteError, match="holds no site file"):
        sites.load(tmp_path)
    write(tmp_path, GOOD, "a.yaml")
    write(tmp_path, GOOD, "b.yaml")
    with pytest.raises(SiteError, match="already taken"):
        sites.load(tmp_path)
