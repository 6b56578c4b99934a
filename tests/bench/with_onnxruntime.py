"""ONNX Runtime on the same model file as `make bench BENCHES=embed`: a JSON line for each line it is sent.

usage: with_onnxruntime.py MODEL. A line is "BATCH LENGTH ROUNDS"; the answer has the CPU and wall seconds of the rounds.
Needs numpy and onnxruntime. The session folds the int8 weights into floats once, as rten does; left alone it would
quantise what it multiplies them with, which costs accuracy.
"""

import json
import sys
import time

import numpy as np
import onnxruntime


def main() -> None:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
    for line in sys.stdin:
        batch, length, rounds = map(int, line.split())
        ids = np.random.default_rng(1).integers(1000, 20000, (batch, length))
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        session.run(None, inputs)
        cpu, wall = time.process_time(), time.time()
        for _ in range(rounds):
            session.run(None, inputs)
        print(json.dumps({"cpu": time.process_time() - cpu, "wall": time.time() - wall}), flush=True)


main()
