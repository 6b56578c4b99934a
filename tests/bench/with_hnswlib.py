"""hnswlib on the same vectors as `make bench BENCHES=vectors`: one JSON line with its build and its searches.

usage: with_hnswlib.py BASE QUERIES DIMENSIONS, both files 32-bit floats. Needs numpy and hnswlib.
"""

import json
import sys
import time

import hnswlib
import numpy as np

LINKS, BUILD_EFFORT, NEAREST = 16, 200, 10
EFFORTS = (20, 40, 60, 80, 100, 120, 150, 200, 250, 300, 400, 600)


def main() -> None:
    dimensions = int(sys.argv[3])
    base, queries = (np.fromfile(path, np.float32).reshape(-1, dimensions) for path in sys.argv[1:3])
    cosines = queries @ base.T
    tenth = np.partition(cosines, -NEAREST, axis=1)[:, -NEAREST]
    index = hnswlib.Index("ip", dimensions)
    index.init_index(len(base), M=LINKS, ef_construction=BUILD_EFFORT)
    begun = time.process_time()
    index.add_items(base, num_threads=1)
    build = time.process_time() - begun
    runs = []
    for effort in EFFORTS:
        index.set_ef(effort)
        begun = time.process_time()
        labels, _ = index.knn_query(queries, NEAREST, num_threads=1)
        spent = time.process_time() - begun
        found = np.take_along_axis(cosines, labels.astype(np.int64), 1)
        recall = float((found >= tenth[:, None] - 1e-6).mean())
        runs.append({"effort": effort, "recall": recall, "per_second": len(queries) / spent})
    print(json.dumps({"build": build, "runs": runs}))


main()
