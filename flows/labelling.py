"""Labels: predicted by machine, sent to Label Studio, and pulled back as what people (or nobody) said."""

from collections.abc import Sequence

import pyarrow as pa

import taxonomy
from annotation import prelabel as prelabelling
from annotation import pull as pulling
from annotation import push as pushing
from annotation.studio import Studio
from catalog.steps import StepResult
from flows import servers
from flows.edition import Edition
from flows.progress import track
from flows.workshop import Workshop


def prelabel(
    book: Edition, items: pa.Table, products: pa.Table, photos: pa.Table, prints: pa.Table, workshop: Workshop
) -> pa.Table:
    """Predict the labels of every item: text of its product, colour of its pixels, and the probe on its embedding."""
    words = taxonomy.load()
    with track("prelabel") as progress:
        return book.step(
            "prelabel",
            lambda: prelabelling.prelabel(
                items,
                products,
                photos,
                book.catalog,
                words,
                workshop.probe.scores(prints, items),
                edition=book.name,
                progress=progress,
            ),
            inputs={"items": items, "products": products, "photos": photos, "fingerprints": prints},
            settings={"taxonomy": words.version, "probe": workshop.settings.models.probe.model_dump()},
            subject="item",
            ids=items["item_id"].to_pylist(),
            room="annotation",
        ).tables["labels"]


def push(book: Edition, items: pa.Table, labels: pa.Table, photos: pa.Table, workshop: Workshop) -> None:
    """Send the items to Label Studio with their predictions; items that are there already are not sent again."""
    with studio(workshop) as connection, track("push to Label Studio") as progress:
        pushed = pushing.push(
            connection, book.name, items, labels, photos, book.catalog, taxonomy.load(), progress=progress
        )
        if workshop.settings.annotation.labels == "accept-predictions":
            pushing.accept_predictions(connection, pushed.project_id)


def pull(book: Edition, workshop: Workshop) -> StepResult:
    """Fetch the annotations of the edition, once: what was pulled is recorded and is what the release is made of."""
    items = _items(book)
    with studio(workshop) as connection, track("pull from Label Studio"):
        pulled = pulling.pull(connection, book.name, items, taxonomy.load())
    return book.step(
        "pull",
        lambda: pulled,
        inputs={"items": items, "labels": pulled.tables["labels"]},
        settings={},
        subject="item",
        ids=items["item_id"].to_pylist(),
        room="annotation",
    )
