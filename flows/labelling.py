"""Labels: predicted by machine, sent to Label Studio, and pulled back as what people (or nobody) said."""

import pyarrow as pa
import pyarrow.compute as pc

import taxonomy
from annotation import prelabel as prelabelling
from annotation import pull as pulling
from annotation import push as pushing
from catalog.steps import StepResult
from flows import servers
from flows.edition import Edition
from flows.progress import say, track
from flows.workshop import Workshop


def prelabel(book: Edition, items: pa.Table, products: pa.Table, photos: pa.Table) -> StepResult:
    """Predict the labels of every item: text of its product, and colour of its pixels."""
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
                edition=book.name,
                progress=progress,
            ),
            inputs={"items": items, "products": products, "photos": photos},
            settings={"taxonomy": words.version},
            subject="item",
            ids=items["item_id"].to_pylist(),
            room="annotation",
        )


def push(book: Edition, items: pa.Table, labels: pa.Table, photos: pa.Table, workshop: Workshop) -> None:
    """Send the items to Label Studio with their predictions; items that are there already are not sent again.

    Under ``accept-predictions`` the predictions are submitted as annotations at once, and stay ``machine``.
    """
    words = taxonomy.load()
    labelled = items.filter(pc.is_in(items["item_id"], labels["item_id"]))
    with track("start Label Studio"):
        studio = servers.studio(workshop)
    with track("push to Label Studio") as progress:
        pushed = pushing.push(studio, book.name, labelled, labels, photos, book.catalog, words, progress=progress)
    say(f"label here: {pushed.url}")
    if workshop.settings.annotation.labels == "accept-predictions":
        with track("accept predictions") as progress:
            pushing.accept_predictions(studio, pushed.project_id, progress=progress)


def pull(book: Edition, workshop: Workshop) -> StepResult:
    """Fetch the annotations of the edition; what was pulled is recorded and is what the release is made of."""
    labelled = book.load("prelabel").tables["labels"]["item_id"]
    tied = pa.concat_tables([book.load(name).tables["items"] for name in ("tie-to-products", "generated-identity")])
    items = tied.filter(pc.is_in(tied["item_id"], labelled))
    studio = servers.studio(workshop)
    with track("pull from Label Studio"):
        pulled = pulling.pull(studio, book.name, items, taxonomy.load())
    return book.step(
        "pull",
        lambda: pulled,
        inputs={"items": items, "labels": pulled.tables["labels"]},
        settings={},
        subject="item",
        ids=items["item_id"].to_pylist(),
        room="annotation",
    )
