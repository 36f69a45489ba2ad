"""Shares directories between ftable and other engines: `round_trip.py FTABLE [DIR]`.

FTABLE is the command line's binary. What pyarrow writes, `ftable scan` must read, and what `ftable insert`
writes, pyarrow and DuckDB must read: the same rows, value for value, nulls and the default partition
included.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

import read_tables
import write_tables
from _command import run
from _spelling import lines

ROWS = 2000


def canonical(row, kinds):
    """A row as text that is equal for equal values; FLOAT by its 32 bits."""
    import struct

    def value(name, given):
        if kinds[name] == "FLOAT" and isinstance(given, (int, float)):
            return struct.pack("<f", given).hex()
        return repr(float(given)) if isinstance(given, float) else given

    return json.dumps({name: value(name, row[name]) for name in kinds}, sort_keys=True)


def compare(what, expected, actual, kinds):
    """Both as multisets of rows."""
    expected = sorted(canonical(json.loads(line), kinds) for line in expected)
    actual = sorted(canonical(json.loads(line), kinds) for line in actual)
    if expected != actual:
        different = [pair for pair in zip(expected, actual) if pair[0] != pair[1]][:3]
        sys.exit(f"{what}: {len(expected)} rows expected, {len(actual)} came; first differences: {different}")
    print(f"{what}: {len(actual)} rows equal")


def read_what_pyarrow_wrote(ftable, folder):
    """Tables of pyarrow through `ftable scan --path`."""
    table = pa.Table.from_pylist(
        list(write_tables.rows(ROWS)), schema=pa.schema([(name, kind) for name, _, kind in write_tables.COLUMNS])
    )
    kinds = {name: text for name, text, _ in write_tables.COLUMNS}
    for file_format, write in [("parquet", write_tables.write_parquet), ("orc", write_tables.write_orc)]:
        case = folder / f"pyarrow-{file_format}"
        (case / "data").mkdir(parents=True)
        write(table, case / "data")
        write_tables.describe(case, file_format, table)
        scanned = run(ftable, "scan", "--path", case / "data", "--schema", case / "table.json", "--output", "json")
        compare(f"pyarrow {file_format} -> ftable", (case / "expected.jsonl").read_text().splitlines(), scanned, kinds)
        counted = run(ftable, "count", "--path", case / "data", "--schema", case / "table.json", "--output", "json")
        assert json.loads(counted[0]) == {"count": ROWS}, counted
        listed = run(ftable, "partitions", "--path", case / "data", "--schema", case / "table.json", "--output", "json")
        expected = (case / "partitions.jsonl").read_text().splitlines()
        by_path = lambda texts: sorted((json.loads(text) for text in texts), key=lambda entry: entry["path"])
        assert by_path(listed) == by_path(expected), f"partitions of {case}"


def let_others_read_what_ftable_wrote(ftable, folder):
    """Tables of `ftable insert` through pyarrow and DuckDB."""
    warehouse = folder / "warehouse"
    for file_format in ["parquet", "orc"]:
        kinds = {name: text for name, text, _ in write_tables.COLUMNS}
        table = pa.Table.from_pylist(
            list(write_tables.rows(ROWS)), schema=pa.schema([(name, kind) for name, _, kind in write_tables.COLUMNS])
        )
        source = folder / f"rows-{file_format}.parquet"
        pq.write_table(table, source)
        name = f"db.t_{file_format}"
        ddl = ", ".join(f"{column} {text}" for column, text in kinds.items())
        # At a location of its own: pyarrow and DuckDB take a schema directory beside the partitions for data.
        location = folder / f"ftable-{file_format}"
        run(ftable, "--warehouse", warehouse, "create", name, "--schema", ddl, "--partitioned-by",
            ",".join(write_tables.KEYS), "-o", f"file.format={file_format}", "--location", location)
        inserted = run(ftable, "--warehouse", warehouse, "insert", name, source, "--output", "json")
        assert json.loads(inserted[0])["rows"] == ROWS, inserted
        expected = list(lines(table))
        scanned = run(ftable, "--warehouse", warehouse, "scan", name, "--output", "json")
        compare(f"ftable {file_format} -> ftable", expected, scanned, kinds)
        described = folder / f"t_{file_format}.json"
        described.write_text(json.dumps({"fields": [{"name": n, "type": t} for n, t in kinds.items()]}))
        keys = [("region", "STRING"), ("dt", "DAYS")]
        read = read_tables.read_pyarrow(location, file_format, keys, "__DEFAULT_PARTITION__")
        compare(f"ftable {file_format} -> pyarrow", expected, lines(read_tables.declared(read, described)), kinds)
        if file_format == "parquet":
            read = read_tables.read_duckdb(location, keys, "__DEFAULT_PARTITION__")
            compare("ftable parquet -> DuckDB", expected, lines(read_tables.declared(read, described)), kinds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ftable", type=pathlib.Path, help="the binary of the command line")
    parser.add_argument("dir", type=pathlib.Path, nargs="?", help="folder to write into; a temporary one if left out")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.dir or pathlib.Path(temporary)
        read_what_pyarrow_wrote(arguments.ftable, folder)
        let_others_read_what_ftable_wrote(arguments.ftable, folder)


if __name__ == "__main__":
    main()
