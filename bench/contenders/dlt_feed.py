"""dlt merges a changed catalogue, as Arrow tables, into a table that holds the first one.

dlt_feed.py DSN FIRST CHANGED
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time

folder = tempfile.mkdtemp(prefix="dlt-bench-")
os.environ.update({
    "RUNTIME__DLTHUB_TELEMETRY": "false", "DLT_DATA_DIR": folder, "RUNTIME__LOG_LEVEL": "ERROR",
    "NORMALIZE__WORKERS": "1", "LOAD__WORKERS": "2",
})  # fmt: skip

import dlt  # noqa: E402
import psycopg  # noqa: E402
from pyarrow import csv as arrow_csv  # noqa: E402


def main(dsn: str, first: str, changed: str) -> None:
    destination = dlt.destinations.postgres(dsn)
    pipeline = dlt.pipeline("feed", destination=destination, dataset_name="feed", pipelines_dir=folder)

    def load(path: str) -> float:
        begun = time.perf_counter()
        table = arrow_csv.read_csv(path)
        pipeline.run(table, table_name="offers", write_disposition="merge", primary_key="CatalogItemId",
                     loader_file_format="csv")  # fmt: skip
        return time.perf_counter() - begun

    load(first)
    seconds = load(changed)
    with psycopg.connect(dsn) as conn:
        row = conn.execute("SELECT count(*) FROM feed.offers").fetchone()
    print(json.dumps({"changed": [seconds, row[0] if row else 0]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
