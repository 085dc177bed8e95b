"""Push, accept and pull against the real server."""

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import taxonomy
from annotation import pictures, push, server
from annotation.controls import controls, result
from annotation.errors import AnnotationError, PredictionError, PullError, StudioError
from annotation.prelabel import prelabel
from annotation.pull import pull
from annotation.studio import Studio
from catalog import tables
from catalog.ledger import balance

from .conftest import EDITION, Edition

pytestmark = pytest.mark.slow
TAX = taxonomy.load()


def labels_of(edition: Edition):
    return prelabel(
        edition.items, edition.products, edition.photos, edition.catalog, TAX, edition=EDITION
    ).tables["labels"]  # fmt: skip


def send(studio: Studio, name: str, edition: Edition, labels) -> push.PushResult:
    done = push.push(studio, name, edition.items, labels, edition.photos, edition.catalog, TAX)
    balance(done.ledger, "item", edition.ids, "push")
    return done


def fetch(url: str, token: str | None) -> tuple[int, bytes]:
    request = urllib.request.Request(url, headers={"Authorization": f"Token {token}"} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def test_an_edition_there_and_back(label_studio: server.Server, edition: Edition) -> None:
    studio, labels = label_studio.studio(), labels_of(edition)
    assert studio.check() == server.USER
    with pytest.raises(PullError, match="no project 'LookBench there-and-back'"):
        pull(studio, "there-and-back", edition.items, TAX)

    first = send(studio, "there-and-back", edition, labels)
    assert (first.pushed, first.already) == (4, 0)
    again = send(studio, "there-and-back", edition, labels)
    assert (again.project_id, again.pushed, again.already) == (first.project_id, 0, 4)
    assert {row["reason"] for row in again.ledger.to_pylist()} == {"already_there"}

    # Nobody has labelled yet.
    waiting = pull(studio, "there-and-back", edition.items, TAX)
    assert {row["reason"] for row in waiting.ledger.to_pylist()} == {"not_annotated"}

    # A person labels the first item in the browser: an annotation with a labelling time.
    task = next(task for task in studio.tasks(first.project_id) if task.item_id == edition.ids[0])
    said = result(controls(TAX), "dress", [("pattern", "floral"), ("colour", "black")])
    studio.client.annotations.create(id=task.id, result=said, lead_time=4.5)

    assert push.accept_predictions(studio, first.project_id) == 3
    assert push.accept_predictions(studio, first.project_id) == 0
    assert [task.annotations for task in studio.tasks(first.project_id)] == [1, 1, 1, 1]

    pulled = pull(studio, "there-and-back", edition.items, TAX)
    balance(pulled.ledger, "item", edition.ids, "pull")
    got = {row["item_id"]: row for row in pulled.tables["labels"].to_pylist()}
    sent = {row["item_id"]: row for row in labels.to_pylist()}
    human = got.pop(edition.ids[0])
    assert (human["kind"], human["category"], human["main_attribute"]) == ("human", "dress", "floral")
    assert (human["annotator"], human["lead_time_s"]) == (server.USER, 4.5)
    assert len(got) == 3
    for item_id, row in got.items():
        for column in ("category", "main_attribute", "attributes", "kind", "model_version", "taxonomy_version"):
            assert row[column] == sent[item_id][column], column

    # An item that the edition no longer has is a stranger now, if it was annotated.
    with pytest.raises(PullError, match=edition.ids[3]):
        pull(studio, "there-and-back", edition.items.slice(0, 3), TAX)


def test_annotators_see_crop_and_photo_and_strangers_do_not(label_studio: server.Server, edition: Edition) -> None:
    studio = label_studio.studio()
    done = send(studio, "pictures", edition, labels_of(edition))
    data = studio.export(done.project_id)[0]["data"]
    for field, side in (("crop", pictures.CROP_SIDE), ("photo", 200)):
        status, body = fetch(label_studio.url + data[field], label_studio.token)
        assert status == 200
        from catalog.decode import decode

        shown = decode(body)
        assert max(shown.width, shown.height) == side
        assert fetch(label_studio.url + data[field], None)[0] == 401


def test_pictures_travel_inside_the_task_where_no_folder_is_shared(
    label_studio: server.Server, edition: Edition
) -> None:
    studio = Studio(label_studio.url, label_studio.token)
    done = send(studio, "inline", edition, labels_of(edition))
    assert done.pushed == 4
    assert studio.export(done.project_id)[0]["data"]["crop"].startswith("data:image/jpeg;base64,/9j/")


def test_a_photo_that_cannot_be_shown_is_dropped_and_the_rest_goes_on(
    label_studio: server.Server, edition: Edition
) -> None:
    broken = edition.catalog.put_image(b"GIF89a, but no more than that")
    rows = [
        *edition.items.to_pylist(),
        {"item_id": "i-broken", "photo_id": broken, "box": [0, 0, 9, 9], "category": "top"},
    ]
    items = tables.from_rows("items", rows)
    done = push.push(label_studio.studio(), "broken", items, labels_of(edition), edition.photos, edition.catalog, TAX)
    assert done.pushed == 4
    dropped = [row for row in done.ledger.to_pylist() if row["outcome"] == "dropped"]
    assert [(row["id"], row["reason"] in {"truncated", "damaged", "not_an_image"}) for row in dropped] == [
        ("i-broken", True)
    ]


def test_nothing_is_uploaded_when_a_prediction_does_not_fit(label_studio: server.Server, edition: Edition) -> None:
    studio = label_studio.studio()
    rows = labels_of(edition).to_pylist()
    rows[2]["attributes"] = [{"facet": "pattern", "value": "striped "}]
    with pytest.raises(PredictionError, match="'striped ' is no value of control 'pattern'; did you mean 'striped'"):
        send(studio, "refused", edition, tables.from_rows("labels", rows))
    assert studio.find_project("LookBench refused") is None


def test_a_project_under_another_taxonomy_is_not_mixed(
    label_studio: server.Server, edition: Edition, tmp_path: Path
) -> None:
    studio, labels = label_studio.studio(), labels_of(edition)
    send(studio, "mixed", edition, labels)
    newer = tmp_path / "newer.yaml"
    newer.write_text(taxonomy.PATH.read_text().replace('version: "1.0.0"', 'version: "1.1.0"', 1))
    with pytest.raises(AnnotationError, match=r"has 4 tasks under another template than taxonomy 1\.1\.0 gives"):
        push.push(
            studio, "mixed", edition.items, labels, edition.photos, edition.catalog, taxonomy.read(newer)
        )  # fmt: skip


def test_a_wrong_token_is_refused_in_one_sentence(label_studio: server.Server) -> None:
    with pytest.raises(StudioError, match="refuses the token while signing in"):
        Studio(label_studio.url, "0" * 40).check()


def test_the_token_is_in_no_log(label_studio: server.Server) -> None:
    assert label_studio.token not in (label_studio.data_dir / "server.log").read_text(errors="replace")


def test_label_studio_reads_the_template_as_we_do(label_studio: server.Server, edition: Edition) -> None:
    studio = label_studio.studio()
    done = send(studio, "template", edition, labels_of(edition))
    status, body = fetch(f"{label_studio.url}/api/projects/{done.project_id}/", label_studio.token)
    assert status == 200
    parsed = json.loads(body)["parsed_label_config"]
    assert {name: parsed[name]["labels"] for name in parsed} == {c.name: list(c.values) for c in controls(TAX)}
