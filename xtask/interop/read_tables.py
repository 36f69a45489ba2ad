"""Reads a partitioned directory with other engines: `read_tables.py DIR FORMAT KEYS`.

KEYS is `name:TYPE,...` in directory order, with TYPE one of BOOLEAN, INT, BIGINT, DOUBLE, STRING,
DATE (as text), DAYS (a DATE as a day count); `-` stands for no keys. Parquet is read by pyarrow and by DuckDB and both must
agree, ORC by pyarrow. Rows go to the standard output as JSON lines, spelled as in tests/golden. With --table, a file
like table.json there, columns come in its order and timestamps with the digits it declares;
ORC files do not say how many of their nine count.
"""

import argparse
import json
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from _spelling import lines, same_rows

# Type in KEYS: the Arrow type pyarrow parses names as, the Arrow type of the column.
TYPES = {
    "BOOLEAN": (pa.bool_(), pa.bool_()),
    "INT": (pa.int32(), pa.int32()),
    "BIGINT": (pa.int64(), pa.int64()),
    "DOUBLE": (pa.float64(), pa.float64()),
    "STRING": (pa.string(), pa.string()),
    "DATE": (pa.date32(), pa.date32()),
    "DAYS": (pa.int32(), pa.date32()),
}


def parse_keys(text):
    """The keys as pairs of name and type."""
    pairs = [pair.partition(":") for pair in text.split(",")] if text != "-" else []
    keys = [(name, kind or "STRING") for name, _, kind in pairs]
    for name, kind in keys:
        if kind not in TYPES:
            sys.exit(f"key {name}: unknown type {kind}; there are: {', '.join(TYPES)}")
    return keys


def read_pyarrow(folder, file_format, keys, null_name):
    """The rows by pyarrow, the partition columns last."""
    schema = pa.schema([(name, TYPES[kind][0]) for name, kind in keys])
    partitioning = ds.HivePartitioning(schema, null_fallback=null_name)
    table = ds.dataset(folder, format=file_format, partitioning=partitioning).to_table()
    return with_key_types(table, keys)


def read_duckdb(folder, keys, null_name):
    """The rows by DuckDB, the partition columns last."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    files = f"{folder}/**/*.parquet"
    hive = ", hive_partitioning = true, hive_types_autocast = false" if keys else ""
    relation = connection.sql(f"SELECT * FROM read_parquet(?{hive})", params=[files])
    table = relation.to_arrow_table()
    for name, kind in keys:
        texts = table.column(name).to_pylist()
        texts = pa.array([None if text == null_name else text for text in texts], pa.string())
        table = table.set_column(table.column_names.index(name), name, texts.cast(TYPES[kind][0]))
    return with_key_types(table, keys)


def with_key_types(table, keys):
    """The partition columns under the types they are declared with."""
    for name, kind in keys:
        index = table.column_names.index(name)
        table = table.set_column(index, name, pc.cast(table.column(name), TYPES[kind][1]))
    return table


def declared(table, path):
    """The columns in the order of a table.json, timestamps in the unit it declares."""
    with open(path) as file:
        fields = json.load(file)["fields"]
    table = table.select([field["name"] for field in fields])
    for index, field in enumerate(fields):
        kind = table.schema.field(index).type
        fine = isinstance(field["type"], str) and any(f"({digits})" in field["type"] for digits in "789")
        if pa.types.is_timestamp(kind) and not fine:
            column = pc.cast(table.column(index), pa.timestamp("us", kind.tz))
            table = table.set_column(index, field["name"], column)
    return table


def in_units_of(table, other):
    """The table with timestamps cut to the unit of the other one, where that is coarser."""
    for index, field in enumerate(table.schema):
        kind = other.schema.field(field.name).type
        if pa.types.is_timestamp(kind) and pa.types.is_timestamp(field.type) and kind.unit != "ns":
            column = pc.cast(table.column(index), pa.timestamp(kind.unit, field.type.tz), safe=False)
            table = table.set_column(index, field.name, column)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir")
    parser.add_argument("format", choices=["parquet", "orc"])
    parser.add_argument("keys")
    parser.add_argument("--table", help="a table.json: order of the columns, digits of timestamps")
    parser.add_argument("--null-name", default="__DEFAULT_PARTITION__")
    arguments = parser.parse_args()
    keys = parse_keys(arguments.keys)
    table = read_pyarrow(arguments.dir, arguments.format, keys, arguments.null_name)
    if arguments.table:
        table = declared(table, arguments.table)
    if arguments.format == "parquet":
        other = read_duckdb(arguments.dir, keys, arguments.null_name).select(table.column_names)
        if not same_rows(in_units_of(table, other), in_units_of(other, table)):
            sys.exit(f"{arguments.dir}: pyarrow and DuckDB read different rows")
    for line in lines(table):
        print(line)


if __name__ == "__main__":
    main()
