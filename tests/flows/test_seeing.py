"""What a step owes to its models: another file, or none, is another result; the same one is worked once."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from catalog import ids, tables
from catalog.decode import encode_jpeg
from curation.history import History
from flows import edition as editions
from flows.seeing import see
from flows.settings import HOME, Model
from flows.workshop import Workshop
from tests.curation import shop_paper

JUNE = datetime(2026, 6, 1, tzinfo=UTC)
TEXT = HOME / "models" / "text-lines" / "text-lines.onnx"


def given(workshop: Workshop, **models: Model | None) -> Workshop:
    settings = workshop.settings
    return replace(workshop, settings=settings.model_copy(update={"models": settings.models.model_copy(update=models)}))


@pytest.mark.usefixtures("prefect")
def test_another_text_finder_or_none_screens_again(tmp_path: Path) -> None:
    base = Workshop.open(root=str(tmp_path / "catalog"), now=JUNE)
    x = np.linspace(0, 90, 600).astype(np.uint8)
    sheet = Image.fromarray(np.stack([x + 40, x + 90, x + 20], axis=1)[None].repeat(500, axis=0))
    line = shop_paper.words("COMING SOON", 60, (250, 240, 200), "DejaVuSans-Bold")
    sheet.paste(line, (60, 200), line)
    row = {"origin": "retail", "setting": "flat", "first_seen": JUNE}
    photos = tables.from_rows("photos", [{"photo_id": base.catalog.put_image(encode_jpeg(np.array(sheet))), **row}])

    def screened(workshop: Workshop) -> tuple[str, str]:
        book = editions.begin(workshop.catalog, "2026.06", JUNE)
        see(book, photos, tables.empty("products"), History.load(workshop.catalog), workshop)
        (told,) = book.load("screen").ledger.to_pylist()
        return told["reason"], book.record.steps["screen"]

    reason, folder = screened(base)
    assert reason in {"text_card", "placeholder"}
    assert screened(base) == (reason, folder)
    bare, other = screened(given(base, text=None))
    assert (bare, other != folder) == ("ok", True)


def test_a_file_that_no_setting_pins_is_pinned_by_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "finder.onnx"
    file.write_bytes(TEXT.read_bytes())
    base = Workshop.open(root=str(tmp_path / "catalog"), now=JUNE)
    unpinned = given(base, text=Model(spec=f"ppocr:{file}"))
    assert unpinned.pins["text"]["sha256"] == ids.sha256(TEXT.read_bytes()) == base.pins["text"]["sha256"]
    file.write_bytes(b"another")
    assert given(base, text=Model(spec=f"ppocr:{file}")).pins["text"]["sha256"] == ids.sha256(b"another")
    assert given(base, decency=Model(spec="transformers:owner/gate@abc")).pins["decency"]["sha256"] is None
    folder = tmp_path / "gate"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    assert given(base, decency=Model(spec=f"transformers:{folder}")).pins["decency"]["sha256"] == ids.sha256(b"weights")
    assert len(base.pins["generator"]["sha256"]) == 64
    assert "decency" not in base.pins
