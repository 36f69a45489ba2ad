"""Writes partitioned directories with pyarrow: `write_tables.py OUT`.

Each is a folder laid out as a case of tests/golden (data, table.json, expected.jsonl,
partitions.jsonl), so that whatever reads golden tables reads these too.
"""

import argparse
import datetime
import decimal
import json
import pathlib

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.orc as orc

from _spelling import lines

NULL_NAME = "__HIVE_DEFAULT_PARTITION__"

# Name, Paimon type, Arrow type; the last two are the partition keys.
COLUMNS = [
    ("id", "BIGINT", pa.int64()),
    ("flag", "BOOLEAN", pa.bool_()),
    ("small", "SMALLINT", pa.int16()),
    ("ratio", "FLOAT", pa.float32()),
    ("score", "DOUBLE", pa.float64()),
    ("price", "DECIMAL(10, 2)", pa.decimal128(10, 2)),
    ("name", "STRING", pa.string()),
    ("raw", "BYTES", pa.binary()),
    ("born", "DATE", pa.date32()),
    ("seen", "TIMESTAMP(6)", pa.timestamp("us")),
    ("region", "STRING", pa.string()),
    ("dt", "DATE", pa.date32()),
]
KEYS = ["region", "dt"]
REGIONS = ["north", "a b", "München", "50%", "x/y", None]
DAYS = [datetime.date(2024, 1, 1), datetime.date(1969, 12, 31), None]


def rows(count):
    """Rows that hit every partition, with a null in every seventh place of every column but `id`."""
    names = ["", "plain", "Zürich 日本", "it's", "nul", "line\nbreak"]
    for i in range(count):
        row = {
            "id": i - count // 2,
            "flag": i % 2 == 0,
            "small": (i * 7919) % 65536 - 32768,
            "ratio": [0.0, -0.0, 0.1, 3.4028235e38, float("nan"), float("inf")][i % 6],
            "score": [0.0, 1e-300, -1.5, float("nan"), float("-inf"), 0.1][i % 6],
            "price": decimal.Decimal(i * 104729 % 10**10 - 5 * 10**9).scaleb(-2),
            "name": names[i % len(names)],
            "raw": bytes(range(i % 5)),
            "born": datetime.date(1900, 1, 1) + datetime.timedelta(days=i * 131),
            "seen": datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=i * 86399, microseconds=i),
        }
        for place, column in enumerate(list(row)[1:]):
            if (i + place) % 7 == 0:
                row[column] = None
        row["region"] = REGIONS[i % len(REGIONS)]
        row["dt"] = DAYS[i // len(REGIONS) % len(DAYS)]
        yield row


def escape(text):
    """A directory name as Hive escapes it."""
    special = set('"#%\'*/:=?[\\]^{}') | {chr(code) for code in [*range(0x20), 0x7F]}
    return "".join(f"%{ord(char):02X}" if char in special else char for char in text)


def partitions(table):
    """Yields key values and rows for each partition, in a fixed order."""
    taken = list(zip(*(table.column(key).to_pylist() for key in KEYS)))
    for values in sorted(set(taken), key=repr):
        mask = pa.array([other == values for other in taken])
        yield values, table.filter(mask).drop_columns(KEYS)


def write_parquet(table, folder):
    """A dataset in hive flavour; pyarrow escapes names as in URIs."""
    schema = pa.schema([table.schema.field(key) for key in KEYS])
    partitioning = ds.partitioning(schema, flavor="hive")
    ds.write_dataset(table, folder, format="parquet", partitioning=partitioning)


def write_orc(table, folder):
    """pyarrow writes no ORC datasets, so each partition is a file of its own, under Hive's names."""
    for values, part in partitions(table):
        texts = [NULL_NAME if value is None else escape(str(value)) for value in values]
        leaf = folder.joinpath(*(f"{key}={text}" for key, text in zip(KEYS, texts)))
        leaf.mkdir(parents=True)
        orc.write_table(part, leaf / "part-0.orc", compression="zstd")


def describe(case, file_format, table):
    """The files beside `data` that say what it holds."""
    schema = {
        "fields": [{"name": name, "type": text} for name, text, _ in COLUMNS],
        "partitionKeys": KEYS,
        "options": {
            "type": "format-table",
            "file.format": file_format,
            "partition.default-name": NULL_NAME,
        },
    }
    (case / "table.json").write_text(json.dumps(schema, indent=1) + "\n")
    (case / "expected.jsonl").write_text("".join(line + "\n" for line in lines(table)))
    extension = f"*.{file_format}"
    leaves = sorted({path.parent for path in (case / "data").rglob(extension)})
    by_path = {}
    for leaf in leaves:
        read = ds.dataset(
            leaf, format=file_format, partition_base_dir=str(case / "data"),
            partitioning=ds.partitioning(pa.schema([table.schema.field(key) for key in KEYS]), flavor="hive"),
        )
        by_path[leaf] = next(lines(read.to_table(columns=KEYS).slice(0, 1)))
    with open(case / "partitions.jsonl", "w") as out:
        for leaf, values in by_path.items():
            path = json.dumps(leaf.relative_to(case / "data").as_posix(), ensure_ascii=False)
            out.write(f'{{"partition": {values}, "path": {path}}}\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="folder to write into; cases must not exist")
    parser.add_argument("--rows", type=int, default=500)
    arguments = parser.parse_args()
    table = pa.Table.from_pylist(
        list(rows(arguments.rows)), schema=pa.schema([(name, kind) for name, _, kind in COLUMNS])
    )
    for file_format, write in [("parquet", write_parquet), ("orc", write_orc)]:
        case = arguments.out / f"pyarrow-interop-{file_format}"
        (case / "data").mkdir(parents=True)
        write(table, case / "data")
        describe(case, file_format, table)
        print(case)


if __name__ == "__main__":
    main()
