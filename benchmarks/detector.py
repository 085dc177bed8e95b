"""What the detector costs beside bare onnxruntime, in seconds per picture over the same pictures.

    python benchmarks/detector.py --photos ../shared/photos

Both run the weights of this project with as many threads. Bare is ``session.run`` on a ready tensor of the shape that
the detector gives the model; ours goes from pixels to named boxes: letterbox, model, suppression, class map. The two
take turns picture by picture, so that a busy machine does not tilt the ratio. Exit status 1 above a ratio of 2.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from catalog.decode import decode
from curation import detectors

BAR = 2.0
MODEL = Path(__file__).parents[1] / "models" / "garment-yolo" / "garment-yolo.onnx"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    import onnxruntime

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--photos", type=Path, default=Path("../shared/photos"), help="folder with images/")
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args(arguments)
    found = sorted((options.photos / "images").glob("*.jpg"))
    if not found:
        print(f"skipped: {options.photos} holds no images/*.jpg; name a folder with --photos")
        return 0
    files = found[:: max(1, len(found) // options.count)][: options.count]
    pictures = [decode(file.read_bytes(), reduce_to=640).pixels for file in files]
    detector = detectors.open(f"yolo:{MODEL}")
    shapes: list[tuple[int, ...]] = []
    run = onnxruntime.InferenceSession.run

    def spy(self: onnxruntime.InferenceSession, names: object, feeds: dict[str, np.ndarray], *more: object) -> object:
        shapes.append(next(iter(feeds.values())).shape)
        return run(self, names, feeds, *more)

    onnxruntime.InferenceSession.run = spy
    detector.detect(pictures[:1])
    onnxruntime.InferenceSession.run = run
    session = onnxruntime.InferenceSession(str(MODEL), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    tensor = np.random.default_rng(0).random(shapes[-1], np.float32) if shapes else None
    if tensor is None:
        print("the detector did not run through InferenceSession.run: mend this benchmark", file=sys.stderr)
        return 2
    session.run(None, {name: tensor})
    ours, bare = [], []
    for pixels in pictures:
        start = time.perf_counter()
        detector.detect([pixels])
        middle = time.perf_counter()
        session.run(None, {name: tensor})
        ours.append(middle - start)
        bare.append(time.perf_counter() - middle)
    figures = {
        "photos": len(pictures),
        "tensor": list(tensor.shape),
        "detector_milliseconds": round(statistics.median(ours) * 1000, 1),
        "onnxruntime_milliseconds": round(statistics.median(bare) * 1000, 1),
        "ratio": round(statistics.median(ours) / statistics.median(bare), 2),
    }
    print(json.dumps(figures, indent=1))
    return 0 if figures["ratio"] <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
