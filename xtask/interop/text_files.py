"""Reads csv, json and text files of ftable with other readers: `text_files.py FTABLE [DIR]`.

FTABLE is the command line's binary. One table of every type that the formats share is written by `ftable insert` in each
format and codec. pyarrow, and Spark where pyspark is installed, must read the same values, nulls, empty texts, quotes,
escapes and non-ASCII texts included. Lists, maps and rows in json are read by Python and Spark. Then pyarrow (csv) and Spark
write, and `ftable scan` must read the same rows.
"""

import argparse
import base64
import datetime
import decimal
import json
import math
import pathlib
import random
import shutil
import sys
import tempfile

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.json as pajson
import pyarrow.parquet as pq

from _command import run

ROWS = 3_000
DDL = (
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, p DECIMAL(9,2), q DECIMAL(38,10), x STRING, "
    "y BYTES, dt DATE, ts TIMESTAMP(6)"
)
SPARK_DDL = (
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, p DECIMAL(9,2), q DECIMAL(38,10), x STRING, "
    "y STRING, dt DATE, ts TIMESTAMP_NTZ"
)
SCHEMA = pa.schema(
    [
        ("b", pa.bool_()),
        ("t", pa.int8()),
        ("s", pa.int16()),
        ("i", pa.int32()),
        ("l", pa.int64()),
        ("f", pa.float32()),
        ("d", pa.float64()),
        ("p", pa.decimal128(9, 2)),
        ("q", pa.decimal128(38, 10)),
        ("x", pa.string()),
        ("y", pa.binary()),
        ("dt", pa.date32()),
        ("ts", pa.timestamp("us")),
    ]
)
# pyarrow's json reader has no decimals and dates; they come as what they are in the file.
AS_TEXT = {"p": pa.string(), "q": pa.string(), "y": pa.string(), "dt": pa.string(), "ts": pa.string()}
CODECS = {"none": "", "gzip": ".gz", "bzip2": ".bz2", "deflate": ".deflate", "zstd": ".zst", "snappy": ".snappy", "lz4": ".lz4"}
# What the Hadoop of pyspark reads: zstd takes a native library.
SPARK_CODECS = ["none", "gzip", "bzip2", "deflate", "snappy", "lz4"]
# What pyarrow unpacks by the name of a file.
PYARROW_CODECS = ["gzip", "bzip2", "zstd"]
TEXTS = [
    "", "plain", " blanks ", "a,b", 'say "hi"', "back\\slash", "\\", '"', "München", "日本", "tab\there", "NULL", "null", "#x", "a;b", "it's", "é" * 40,
    'mix, "of" \\all\\', "\\\\", '\\"', "{}", "[1]",
]  # fmt: skip


def table(rows, seed):
    """Rows of every type, a tenth of all values null."""
    dice = random.Random(seed)
    epoch = datetime.datetime(1970, 1, 1)

    def row(number):
        values = {
            "b": dice.random() < 0.5,
            "t": dice.randint(-128, 127),
            "s": dice.randint(-(2**15), 2**15 - 1),
            "i": dice.randint(-(2**31), 2**31 - 1),
            "l": dice.choice([-(2**63), 2**63 - 1, number, -number]),
            "f": dice.choice([0.0, -1.5, 3.25, 1e10, 0.1, -2.5e-8]),
            "d": dice.choice([0.0, -0.1, 1e300, -1e-300, math.pi, float(number)]),
            "p": decimal.Decimal(dice.randint(-(10**9) + 1, 10**9 - 1)).scaleb(-2),
            "q": decimal.Decimal(dice.randint(-(10**37), 10**37)).scaleb(-10),
            "x": dice.choice(TEXTS) + (str(number) if dice.random() < 0.2 else ""),
            "y": bytes(dice.randrange(256) for _ in range(dice.randrange(6))),
            "dt": (epoch + datetime.timedelta(days=dice.randint(-20_000, 40_000))).date(),
            "ts": epoch + datetime.timedelta(microseconds=dice.randint(-(10**15), 3 * 10**15)),
        }
        return {name: None if dice.random() < 0.1 else value for name, value in values.items()}

    return pa.Table.from_pylist([row(number) for number in range(rows)], schema=SCHEMA)


def normal(name, value):
    """A value as text that is equal for equal values, whatever reader it came from."""
    if value is None:
        return None
    kind = SCHEMA.field(name).type
    if pa.types.is_float32(kind):
        return repr(pa.scalar(float(value), pa.float32()).as_py())
    if pa.types.is_floating(kind):
        return repr(float(value))
    if pa.types.is_decimal(kind):
        return str(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-kind.scale), context=decimal.Context(prec=60)))
    if pa.types.is_binary(kind):
        return value if isinstance(value, str) else base64.b64encode(bytes(value)).decode()
    if pa.types.is_timestamp(kind):
        return (value if isinstance(value, datetime.datetime) else datetime.datetime.fromisoformat(value)).isoformat()
    if pa.types.is_date(kind):
        return value if isinstance(value, str) else value.isoformat()
    return repr(value)


def compare(what, expected, read):
    """Both as multisets of rows."""
    rows = [sorted(tuple(str(normal(name, row[name])) for name in SCHEMA.names) for row in side) for side in (expected, read)]
    if rows[0] != rows[1]:
        different = [pair for pair in zip(*rows) if pair[0] != pair[1]][:3]
        sys.exit(f"{what}: {len(rows[0])} rows expected, {len(rows[1])} came; first differences: {different}")
    print(f"{what}: {len(rows[1])} equal rows", flush=True)


def read_csv(path):
    """A csv file by pyarrow, with the quotes and escapes of the default options."""
    types = {field.name: pa.string() if pa.types.is_binary(field.type) else field.type for field in SCHEMA}
    return csv.read_csv(
        path,
        csv.ReadOptions(column_names=SCHEMA.names),
        csv.ParseOptions(quote_char='"', double_quote=False, escape_char="\\"),
        csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False),
    ).to_pylist()


def read_json(path):
    """A json file by pyarrow. Decimals are numbers that it would round, so they are read by Python."""
    fields = [pa.field(field.name, AS_TEXT.get(field.name, field.type)) for field in SCHEMA if field.name not in ("p", "q")]
    options = pajson.ParseOptions(explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore")
    rows = pajson.read_json(path, parse_options=options).to_pylist()
    exact = pathlib.Path(path).read_text().splitlines()
    for row, line in zip(rows, exact, strict=True):
        parsed = json.loads(line, parse_float=decimal.Decimal, parse_int=decimal.Decimal)
        row.update({name: parsed[name] for name in ("p", "q")})
    return rows


def insert(ftable, out, file_format, codec, given, ddl=DDL):
    """A table of one file; its path."""
    shutil.rmtree(out, ignore_errors=True)
    run(
        ftable, "insert", "--path", out, "--schema", ddl, "-c", f"file.format={file_format}", "-c", f"file.compression={codec}", given,
    )  # fmt: skip
    (path,) = out.glob(f"*.{file_format}{CODECS[codec]}")
    return path


def scan(ftable, path, file_format, *options):
    """The rows `ftable scan` gives."""
    lines = run(
        ftable, "scan", "--path", path, "--schema", DDL, "-c", f"file.format={file_format}", *options, "--output", "json",
    )  # fmt: skip
    return [json.loads(line, parse_float=decimal.Decimal) for line in lines]


def spark_session():
    """Spark, or nothing where it is not installed."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        print("pyspark is not installed: Spark was not asked")
        return None
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    return builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()


def spark_reads(spark, path, file_format):
    """The rows of a file by Spark."""
    reader = spark.read.schema(SPARK_DDL)
    if file_format == "csv":
        reader = reader.option("escape", "\\").option("nullValue", None).option("emptyValue", "")
    timestamps = reader.option("timestampNTZFormat", "yyyy-MM-dd HH:mm:ss[.SSSSSS]")
    return [row.asDict() for row in getattr(timestamps, file_format)(str(path)).collect()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ftable", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="ftable-text-"))
    folder.mkdir(parents=True, exist_ok=True)
    rows = table(ROWS, 7)
    expected = rows.to_pylist()
    given = folder / "rows.parquet"
    pq.write_table(rows, given)
    spark = spark_session()
    for file_format, read in [("csv", read_csv), ("json", read_json)]:
        for codec in CODECS:
            path = insert(options.ftable, folder / f"{file_format}-{codec}", file_format, codec, given)
            if codec == "none":
                compare(f"ftable {file_format} -> pyarrow", expected, read(path))
                plain = path.read_bytes()
            if codec in PYARROW_CODECS and pa.input_stream(str(path), compression="detect").read() != plain:
                sys.exit(f"{path}: pyarrow unpacks something else")
            if spark and codec in SPARK_CODECS:
                compare(f"ftable {file_format}, {codec} -> Spark", expected, spark_reads(spark, path, file_format))
            compare(f"ftable {file_format}, {codec} -> ftable", expected, scan(options.ftable, path.parent, file_format))
    texts = pa.table({"x": [text for text in TEXTS]})
    pq.write_table(texts, folder / "texts.parquet")
    for codec in CODECS:
        path = insert(options.ftable, folder / f"text-{codec}", "text", codec, folder / "texts.parquet", "x STRING")
        if codec == "none" and path.read_text() != "".join(text + "\n" for text in TEXTS):
            sys.exit(f"{path}: not the texts")
        if spark and codec in SPARK_CODECS:
            lines = [row[0] for row in spark.read.text(str(path)).collect()]
            if sorted(lines) != sorted(TEXTS):
                sys.exit(f"{path}: Spark reads {lines}")
            print(f"ftable text, {codec} -> Spark: {len(lines)} equal rows", flush=True)
    nested_json(spark, options.ftable, folder)
    pyarrow_writes(options.ftable, folder)
    if spark:
        others_write(spark, options.ftable, folder, expected)
        spark.stop()


NESTED_DDL = "id INT, a ARRAY<INT>, m MAP<STRING, BIGINT>, r ROW<x DOUBLE, y STRING>"
NESTED_SPARK_DDL = "id INT, a ARRAY<INT>, m MAP<STRING, BIGINT>, r STRUCT<x: DOUBLE, y: STRING>"
NESTED = pa.schema(
    [
        ("id", pa.int32()),
        ("a", pa.list_(pa.int32())),
        ("m", pa.map_(pa.string(), pa.int64())),
        ("r", pa.struct([("x", pa.float64()), ("y", pa.string())])),
    ]
)


def nested_json(spark, ftable, folder):
    """Lists, maps and rows in json files, read by Python and Spark, and those of Spark by ftable."""
    dice = random.Random(11)
    rows = [
        {
            "id": number,
            "a": dice.choice([None, [], [dice.randint(-(2**31), 2**31 - 1) for _ in range(3)], [1, None]]),
            "m": dice.choice([None, {}, {dice.choice(TEXTS): -(2**63) + number, "k": None}]),
            "r": dice.choice([None, {"x": None, "y": dice.choice(TEXTS)}, {"x": number / 7, "y": None}]),
        }
        for number in range(300)
    ]
    columns = [{**row, "m": row["m"] and list(row["m"].items())} for row in rows]
    columns = [{**row, "m": [] if rows[at]["m"] == {} else row["m"]} for at, row in enumerate(columns)]
    pq.write_table(pa.Table.from_pylist(columns, schema=NESTED), folder / "nested.parquet")
    path = insert(ftable, folder / "nested", "json", "none", folder / "nested.parquet", NESTED_DDL)
    by_id = lambda row: row["id"]
    read = sorted((json.loads(line) for line in path.read_text().splitlines()), key=by_id)
    same("ftable nested json -> Python", rows, [{name: row.get(name) for name in NESTED.names} for row in read])
    if not spark:
        return
    frame = spark.read.schema(NESTED_SPARK_DDL).json(str(path))
    found = sorted((row.asDict(recursive=True) for row in frame.collect()), key=by_id)
    same("ftable nested json -> Spark", rows, found)
    out = folder / "spark-nested"
    frame.coalesce(1).write.mode("overwrite").option("ignoreNullFields", "false").json(str(out))
    lines = run(ftable, "scan", "--path", out, "--schema", NESTED_DDL, "-c", "file.format=json", "--output", "json")
    found = sorted((json.loads(line) for line in lines), key=by_id)
    # The command line writes a map as its entries.
    found = [{**row, "m": row["m"] if row["m"] is None else dict(row["m"])} for row in found]
    same("Spark nested json -> ftable", rows, found)


def same(what, expected, found):
    """The same rows in the same order."""
    if expected != found:
        different = [pair for pair in zip(expected, found) if pair[0] != pair[1]][:3]
        sys.exit(f"{what}: {len(expected)} rows expected, {len(found)} came; first differences: {different}")
    print(f"{what}: {len(found)} equal rows", flush=True)


def pyarrow_writes(ftable, folder):
    """csv files that pyarrow writes, with a header, bars between fields and a word for null."""
    texts = [text for text in TEXTS if not set(text) & set('"\\|') and text not in ("", "NULL")]
    rows = [{"id": at, "x": text, "f": at / 3, "n": None if at % 3 else at} for at, text in enumerate(texts)]
    out = folder / "pyarrow-csv"
    out.mkdir(exist_ok=True)
    table = pa.Table.from_pylist(rows, schema=pa.schema([("id", pa.int32()), ("x", pa.string()), ("f", pa.float64()), ("n", pa.int64())]))
    csv.write_csv(table, out / "a.csv", csv.WriteOptions(include_header=True, delimiter="|"))
    lines = run(
        ftable, "scan", "--path", out, "--schema", "id INT, x STRING, f DOUBLE, n BIGINT", "-c", "file.format=csv",
        "-c", "csv.field-delimiter=|", "-c", "csv.include-header=true", "--output", "json",
    )  # fmt: skip
    same("pyarrow csv -> ftable", rows, [json.loads(line) for line in lines])


def others_write(spark, ftable, folder, expected):
    """What Spark writes, `ftable scan` must read.

    Spark leaves a backslash outside of quotes as it is, and Paimon's rule drops it there: csv gets texts without any.
    """
    without = [{**row, "x": row["x"] and row["x"].replace("\\", "/")} for row in expected]
    others_write_rows(spark, ftable, folder, "csv", without)
    others_write_rows(spark, ftable, folder, "json", expected)


def others_write_rows(spark, ftable, folder, file_format, expected):
    """Rows by Spark in one format and several codecs, read back."""
    encoded = [{**row, "y": None if row["y"] is None else base64.b64encode(row["y"]).decode()} for row in expected]
    frame = spark.createDataFrame([tuple(row[name] for name in SCHEMA.names) for row in encoded], SPARK_DDL).coalesce(1)
    for codec in ["none", "gzip", "bzip2"]:
        out = folder / f"spark-{file_format}-{codec}"
        writer = frame.write.mode("overwrite").option("compression", codec)
        writer = writer.option("timestampNTZFormat", "yyyy-MM-dd HH:mm:ss.SSSSSS")
        if file_format == "csv":
            writer = writer.option("escape", "\\").option("emptyValue", '""')
            # Blanks at the ends of texts are theirs.
            writer = writer.option("ignoreLeadingWhiteSpace", "false").option("ignoreTrailingWhiteSpace", "false")
        getattr(writer, file_format)(str(out))
        compare(f"Spark {file_format}, {codec} -> ftable", expected, scan(ftable, out, file_format))


if __name__ == "__main__":
    main()
