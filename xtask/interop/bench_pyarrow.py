"""Times pyarrow on a partitioned table: `bench_pyarrow.py DIR`.

Generates a table of 10 columns over 24 partitions in memory, then times writing it as a dataset and
reading it back, for Parquet with three codecs and for ORC. Prints one JSON line a job, with the
median over the runs. The input is left in DIR as input.parquet, so that others can write the same rows.
"""

import argparse
import decimal
import json
import pathlib
import shutil
import statistics
import time

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.orc as orc
import pyarrow.parquet as pq

PARTITIONS = 24
JOBS = [("parquet", "snappy"), ("parquet", "none"), ("parquet", "zstd"), ("orc", "zstd")]
PARTITIONING = ds.partitioning(pa.schema([("hour", pa.int32())]), flavor="hive")


def whole(rows, seed, low, high, kind):
    """Whole numbers from `low` to below `high`."""
    spread = pc.multiply(pc.random(rows, initializer=seed), high - low)
    return pc.add(pc.floor(spread).cast(pa.int64()), low).cast(kind)


def generate(rows):
    """Ten columns of nine types, in no order; every tenth value of the nullable ones is null."""
    is_null = pc.equal(whole(rows, 1, 0, 10, pa.int8()), 0)
    words = pa.array([f"category-{i:03}" for i in range(200)])
    cents = whole(rows, 7, -(10**9), 10**9, pa.int64()).cast(pa.decimal128(19, 0))
    price = pc.multiply(cents, pa.scalar(decimal.Decimal("0.01")))
    micros = whole(rows, 9, 0, 86_400_000_000, pa.int64())
    columns = {
        "id": pa.array(range(rows), pa.int64()),
        "user": whole(rows, 2, 0, 100_000, pa.int32()),
        "small": whole(rows, 3, -100, 100, pa.int16()),
        "flag": pc.equal(whole(rows, 4, 0, 2, pa.int8()), 0),
        "ratio": pc.random(rows, initializer=5).cast(pa.float32()),
        "score": pc.ln(pc.add(pc.random(rows, initializer=6), 1e-9)),
        "price": price.cast(pa.decimal128(14, 2)),
        "name": words.take(whole(rows, 8, 0, len(words), pa.int32())),
        "seen": pc.add(micros, 1_700_000_000_000_000).cast(pa.timestamp("us")),
        "hour": whole(rows, 10, 0, PARTITIONS, pa.int32()),
    }
    for name in ["user", "ratio", "name"]:
        columns[name] = pc.if_else(is_null, None, columns[name])
    return pa.table(columns)


def write(table, folder, file_format, compression):
    """The table as one file a partition."""
    if file_format == "orc":
        # pyarrow writes no ORC datasets: route by hand, then write each partition.
        table = table.take(pc.sort_indices(table, sort_keys=[("hour", "ascending")]))
        counts = {entry["values"]: entry["counts"] for entry in pc.value_counts(table.column("hour")).to_pylist()}
        table = table.drop_columns(["hour"])
        start = 0
        for hour in sorted(counts):
            leaf = folder / f"hour={hour}"
            leaf.mkdir(parents=True)
            orc.write_table(table.slice(start, counts[hour]), leaf / "part-0.orc", compression=compression)
            start += counts[hour]
        return
    options = ds.ParquetFileFormat().make_write_options(compression=compression)
    ds.write_dataset(
        table, folder, format="parquet", partitioning=PARTITIONING, file_options=options,
        max_open_files=1024, max_rows_per_group=1 << 20,
    )


def read(folder, file_format):
    """All columns as batches that are dropped; gives the number of rows."""
    dataset = ds.dataset(folder, format=file_format, partitioning=PARTITIONING)
    return sum(batch.num_rows for batch in dataset.to_batches())


def timed(job, runs, before=lambda: None):
    """Seconds of each run, and what the last one gave."""
    seconds = []
    result = None
    for _ in range(runs):
        before()
        start = time.perf_counter()
        result = job()
        seconds.append(time.perf_counter() - start)
    return seconds, result


def report(operation, file_format, compression, rows, folder, seconds):
    files = list(folder.rglob(f"*.{file_format}"))
    print(json.dumps({
        "op": operation,
        "engine": f"pyarrow {pa.__version__}",
        "format": file_format,
        "compression": compression,
        "rows": rows,
        "files": len(files),
        "partitions": len({file.parent for file in files}),
        "bytes": sum(file.stat().st_size for file in files),
        "threads": pa.cpu_count(),
        "seconds": round(statistics.median(seconds), 4),
        "runs": [round(second, 4) for second in seconds],
    }), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=pathlib.Path, help="folder to write into")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    if arguments.threads:
        pa.set_cpu_count(arguments.threads)
    arguments.dir.mkdir(parents=True, exist_ok=True)
    table = generate(arguments.rows)
    pq.write_table(table, arguments.dir / "input.parquet")
    for file_format, compression in JOBS:
        folder = arguments.dir / f"{file_format}-{compression}"

        def clear():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()

        seconds, _ = timed(lambda: write(table, folder, file_format, compression), arguments.runs, clear)
        report("write", file_format, compression, table.num_rows, folder, seconds)
        seconds, rows = timed(lambda: read(folder, file_format), arguments.runs)
        report("scan", file_format, compression, rows, folder, seconds)


if __name__ == "__main__":
    main()
