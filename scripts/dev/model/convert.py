"""Writes the ONNX graph of a BERT sentence encoder from its safetensors, with int8 weights.

Usage: convert.py CHECKPOINT_DIR MODEL.onnx

Weights are stored as int8: a quarter of the size, and the embeddings keep a mean cosine of 0.9997 to the float model.
Every row (one output feature, or one word) has a float scale. Some columns of the linear layers are far larger than the
rest, and would coarsen every row; they are brought to one size first, and keep a scale of their own. Only the graph is written here; pooling and
normalising are done by the program that runs it. The same input gives the same bytes, so the result can be pinned.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

OPSET = 17
IR_VERSION = 8
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "last_hidden_state"
# What is added to the score of a padded position before the softmax, as the model was trained.
MASKED = -10000.0


class Graph:
    """Nodes and constants in the order they were added; an output is named after the node that makes it."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes = []
        self.constants = {}

    def constant(self, name, value, dtype=np.float32):
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value, dtype), name)
        return name

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def add(self, op, *inputs, **attributes):
        name = attributes.pop("name", f"{op.lower()}_{len(self.nodes)}")
        self.nodes.append(helper.make_node(op, inputs, [name], name=f"{name}/node", **attributes))
        return name

    def model(self, hidden):
        shape = ["batch", "sequence"]
        graph = helper.make_graph(
            self.nodes,
            "bert",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in INPUTS],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [*shape, hidden])],
            list(self.constants.values()),
        )
        opset = helper.make_opsetid("", OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION, producer_name="satchel")


def quantise_rows(matrix):
    """The matrix as int8 in -127..=127, and what each row is to be multiplied with."""
    matrix = matrix.astype(np.float32)
    scale = np.abs(matrix).max(axis=1) / np.float32(127)
    scale[scale == 0] = 1
    return np.clip(np.rint(matrix / scale[:, None]), -127, 127).astype(np.int8), scale.astype(np.float32)


def sizes(matrix, axis):
    """Root mean squares along an axis. Summed as integers, so that every processor gets the same bits."""
    fixed = np.rint(matrix.astype(np.float64) * 2**20).astype(np.int64)
    return np.sqrt(np.square(fixed).sum(axis=axis, keepdims=True) / matrix.shape[axis]) / 2**20


def linear(graph, x, layer):
    matrix = graph.weights[f"{layer}.weight"]
    columns = sizes(matrix / sizes(matrix, 1), 0).astype(np.float32)
    rows, scale = quantise_rows(matrix / columns)
    weight = graph.add(
        "DequantizeLinear",
        graph.constant(f"{layer}.weight", rows.T, np.int8),
        graph.constant(f"{layer}.scale", scale),
        axis=1,
    )
    # Constants both: an engine multiplies them once, when it loads the model.
    weight = graph.add("Mul", weight, graph.constant(f"{layer}.columns", columns.T))
    return graph.add("Add", graph.add("MatMul", x, weight), graph.weight(f"{layer}.bias"))


def layer_norm(graph, x, layer, epsilon):
    scale, bias = graph.weight(f"{layer}.weight"), graph.weight(f"{layer}.bias")
    return graph.add("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)


def embed(graph, epsilon):
    """Word, position and segment added up: the input of the first layer."""
    words, scale = quantise_rows(graph.weights["embeddings.word_embeddings.weight"])
    word = graph.add("Gather", graph.constant("words", words, np.int8), "input_ids")
    scale = graph.add("Gather", graph.constant("words.scale", scale[:, None]), "input_ids")
    word = graph.add("Mul", graph.add("Cast", word, to=TensorProto.FLOAT), scale)
    segment = graph.add("Gather", graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
    zero, one = graph.constant("zero", [0], np.int64), graph.constant("one", [1], np.int64)
    length = graph.add("Shape", "input_ids", start=1, end=2)
    positions = graph.weight("embeddings.position_embeddings.weight")
    position = graph.add("Slice", positions, zero, length, zero, one)
    x = graph.add("Add", graph.add("Add", word, segment), position)
    return layer_norm(graph, x, "embeddings.LayerNorm", epsilon)


def mask_bias(graph):
    """Zero where there is a token, very negative where there is padding; broadcasts over heads and queries."""
    mask = graph.add("Unsqueeze", "attention_mask", graph.constant("mask_axes", [1, 2], np.int64))
    mask = graph.add("Cast", mask, to=TensorProto.FLOAT)
    absent = graph.add("Sub", graph.constant("present", 1.0), mask)
    return graph.add("Mul", absent, graph.constant("masked", MASKED))


def attention(graph, x, layer, bias, heads, size):
    split = graph.constant("split_heads", [0, 0, heads, size], np.int64)
    merge = graph.constant("merge_heads", [0, 0, heads * size], np.int64)
    query, key, value = (
        graph.add("Reshape", linear(graph, x, f"{layer}.self.{part}"), split) for part in ("query", "key", "value")
    )
    query = graph.add("Transpose", query, perm=[0, 2, 1, 3])
    key = graph.add("Transpose", key, perm=[0, 2, 3, 1])
    value = graph.add("Transpose", value, perm=[0, 2, 1, 3])
    scores = graph.add("Mul", graph.add("MatMul", query, key), graph.constant("head_scale", size**-0.5))
    shares = graph.add("Softmax", graph.add("Add", scores, bias), axis=-1)
    mixed = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[0, 2, 1, 3])
    return linear(graph, graph.add("Reshape", mixed, merge), f"{layer}.output.dense")


def gelu(graph, x):
    erf = graph.add("Erf", graph.add("Div", x, graph.constant("sqrt_two", 2**0.5)))
    erf = graph.add("Add", erf, graph.constant("present", 1.0))
    return graph.add("Mul", graph.add("Mul", x, erf), graph.constant("half", 0.5))


def encoder(config, weights):
    heads, hidden = config["num_attention_heads"], config["hidden_size"]
    epsilon = float(config["layer_norm_eps"])
    graph = Graph(weights)
    x = embed(graph, epsilon)
    bias = mask_bias(graph)
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        attended = attention(graph, x, f"{layer}.attention", bias, heads, hidden // heads)
        x = layer_norm(graph, graph.add("Add", attended, x), f"{layer}.attention.output.LayerNorm", epsilon)
        inner = gelu(graph, linear(graph, x, f"{layer}.intermediate.dense"))
        inner = linear(graph, inner, f"{layer}.output.dense")
        x = layer_norm(graph, graph.add("Add", inner, x), f"{layer}.output.LayerNorm", epsilon)
    graph.add("Identity", x, name=OUTPUT)
    return graph.model(hidden)


def main(checkpoint, target):
    config = json.loads((checkpoint / "config.json").read_text())
    model = encoder(config, load_file(checkpoint / "model.safetensors"))
    onnx.checker.check_model(model)
    target.write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
