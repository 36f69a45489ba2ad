"""Reads ORC files of ftable with other readers: `orc_files.py FTABLE [DIR]`.

FTABLE is the command line's binary. A table of every type, nulls at every level, is written in every codec, with and
without dictionaries and row indexes. The ORC C++ reader (pyarrow) and Spark's Java reader (where pyspark is installed)
must give the same values, and the statistics that pyorc finds in the footer must be those of the values.
"""

import argparse
import datetime
import decimal
import pathlib
import random
import shutil
import sys
import tempfile

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq

from _command import run

ROWS = 25_000
DDL = (
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, p DECIMAL(9,2), q DECIMAL(38,10), "
    "c CHAR(4), v VARCHAR(20), x STRING, y BYTES, dt DATE, ts TIMESTAMP(9), tz TIMESTAMP(6) WITH LOCAL TIME ZONE, "
    "a ARRAY<INT>, m MAP<STRING, BIGINT>, r ROW<u INT, w ARRAY<ROW<k STRING, n DECIMAL(20,3)>>>, same STRING, up BIGINT"
)
# Spark refuses files with an ORC timestamp with a zone, so it gets files without.
SPARK_DDL = (
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, p DECIMAL(9,2), q DECIMAL(38,10), "
    "v STRING, x STRING, y BINARY, dt DATE, ts TIMESTAMP, a ARRAY<INT>, m MAP<STRING, BIGINT>, "
    "r STRUCT<u: INT, w: ARRAY<STRUCT<k: STRING, n: DECIMAL(20,3)>>>, same STRING, up BIGINT"
)
DECIMAL = decimal.Decimal
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
        ("c", pa.string()),
        ("v", pa.string()),
        ("x", pa.string()),
        ("y", pa.binary()),
        ("dt", pa.date32()),
        ("ts", pa.timestamp("ns")),
        ("tz", pa.timestamp("us", "UTC")),
        ("a", pa.list_(pa.int32())),
        ("m", pa.map_(pa.string(), pa.int64())),
        (
            "r",
            pa.struct(
                [("u", pa.int32()), ("w", pa.list_(pa.struct([("k", pa.string()), ("n", pa.decimal128(20, 3))])))]
            ),
        ),
        ("same", pa.string()),
        ("up", pa.int64()),
    ]
)


def table(rows, seed):
    """Rows of every type; one value in ten is null."""
    rnd = random.Random(seed)

    def maybe(make):
        return None if rnd.random() < 0.1 else make()

    def text(length):
        return "".join(rnd.choice("abc é漢") for _ in range(rnd.randrange(length + 1))).rstrip(" ")

    def exact(digits, scale):
        return DECIMAL(rnd.randrange(-(10**digits) + 1, 10**digits)).scaleb(-scale, decimal.Context(prec=60))

    def micros():
        return rnd.choice([0, 10**15, -(10**12), rnd.randrange(-(10**15), 4 * 10**15)])

    def nested():
        element = lambda: maybe(lambda: {"k": maybe(lambda: text(5)), "n": maybe(lambda: exact(20, 3))})
        return {"u": maybe(lambda: rnd.randrange(100)), "w": maybe(lambda: [element() for _ in range(rnd.randrange(4))])}

    makers = {
        "b": lambda: rnd.random() < 0.5,
        "t": lambda: rnd.randrange(-128, 128),
        "s": lambda: rnd.randrange(-(2**15), 2**15),
        "i": lambda: rnd.choice([rnd.randrange(-5, 100), rnd.randrange(-(2**31), 2**31)]),
        "l": lambda: rnd.choice([rnd.randrange(1000), -(2**63), 2**63 - 1, rnd.randrange(2**50)]),
        "f": lambda: rnd.randrange(-1000, 1000) / 8,
        "d": lambda: rnd.random() * 10 ** rnd.randrange(-20, 20),
        "p": lambda: exact(9, 2),
        "q": lambda: exact(38, 10),
        "c": lambda: text(4),
        "v": lambda: text(20),
        "x": lambda: text(30),
        "y": lambda: rnd.randbytes(rnd.randrange(10)),
        "dt": lambda: datetime.date(1900, 1, 1) + datetime.timedelta(days=rnd.randrange(60_000)),
        "ts": lambda: micros() * 1000 + rnd.choice([0, 0, rnd.randrange(1000)]),
        "tz": micros,
        "a": lambda: [maybe(lambda: rnd.randrange(50)) for _ in range(rnd.randrange(5))],
        "m": lambda: [(str(key), maybe(lambda: rnd.randrange(10**9))) for key in range(rnd.randrange(4))],
        "r": nested,
        "same": lambda: rnd.choice(["red", "green", "blue"]),
    }
    columns = {name: [maybe(make) for _ in range(rows)] for name, make in makers.items()}
    columns["up"] = [row * 3 + rnd.randrange(3) for row in range(rows)]
    arrays = []
    for field in SCHEMA:
        values = columns[field.name]
        if pa.types.is_timestamp(field.type):
            # ORC cannot tell fractions of the last second before 1970.
            second = 10**9 if field.type.unit == "ns" else 10**6
            values = [0 if value is not None and -second < value < 0 else value for value in values]
            arrays.append(pa.array(values, pa.int64()).cast(field.type))
        else:
            arrays.append(pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def comparable(column):
    """Values that compare by what they are: timestamps as integers, CHAR without the blanks it is filled up with."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("ns")).cast(pa.int64()).to_pylist()
    values = column.to_pylist()
    return [value.rstrip(" ") if isinstance(value, str) else value for value in values]


def check_values(what, path, expected):
    """What pyarrow reads of a file."""
    read = orc.ORCFile(path).read()
    for name in SCHEMA.names:
        left, right = comparable(expected[name]), comparable(read[name])
        if left != right:
            first = next(row for row, pair in enumerate(zip(left, right)) if pair[0] != pair[1])
            sys.exit(f"{what}: column {name}, row {first}: {left[first]!r} was written, {right[first]!r} is read")


def check_statistics(what, path, expected):
    """What pyorc finds in the footer."""
    import pyorc

    with open(path, "rb") as file:
        reader = pyorc.Reader(file)
        for position, name in enumerate(SCHEMA.names):
            values = [value for value in expected[name].to_pylist() if value is not None] if name in {"t", "s", "i", "l", "p", "q", "x", "dt"} else []
            statistics = reader.schema[name] and reader[reader.schema[name].column_id].statistics
            count = len(expected) - expected[name].null_count
            found = [statistics["number_of_values"], statistics["has_null"]]
            if found != [count, expected[name].null_count > 0]:
                sys.exit(f"{what}: column {name}: {found} for {count} values")
            if values and "minimum" in statistics:
                low, high = statistics["minimum"], statistics["maximum"]
                if name == "x":
                    values = [value.encode() for value in values]
                    low, high = low.encode(), high.encode()
                if (low, high) != (min(values), max(values)):
                    sys.exit(f"{what}: column {name}: bounds {low!r} to {high!r}, not {min(values)!r} to {max(values)!r}")


def check_spark(folders, expected):
    """What Spark's Java reader reads of all files, and what it finds by predicates."""
    try:
        from pyspark.sql import SparkSession, functions
    except ImportError:
        print("pyspark is not installed: the Java reader was not asked")
        return
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC")
        .config("spark.sql.orc.impl", "native")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    plain = ["b", "t", "s", "i", "l", "f", "d", "p", "q", "v", "x", "y", "dt", "a", "m", "r", "same", "up"]
    wanted = [expected[name].to_pylist() for name in plain]
    for what, folder in folders:
        frame = spark.read.schema(SPARK_DDL).orc(str(folder))
        rows = sorted((row.asDict(recursive=True) for row in frame.select(*plain).collect()), key=lambda row: row["up"])
        for name, values in zip(plain, wanted):
            read = [row[name] for row in rows]
            if name == "y":
                read = [None if value is None else bytes(value) for value in read]
            if name == "m":
                values = [None if value is None else dict(value) for value in values]
            if read != values:
                first = next(row for row, pair in enumerate(zip(values, read)) if pair[0] != pair[1])
                sys.exit(f"{what}: Spark, column {name}, row {first}: {values[first]!r} was written, {read[first]!r} is read")
        ups = expected["up"].to_pylist()
        for low in (0, ups[len(ups) // 2], ups[-1]):
            found = frame.where(functions.col("up") >= low).count()
            if found != sum(value >= low for value in ups):
                sys.exit(f"{what}: Spark finds {found} rows with up >= {low}")
        micros = [None if value is None else value // 1000 for value in expected["ts"].cast(pa.int64()).to_pylist()]
        read = frame.select("up", functions.unix_micros("ts")).collect()
        if [row[1] for row in sorted(read)] != micros:
            sys.exit(f"{what}: Spark reads other timestamps")
        print(f"{what}: Spark reads {len(rows)} equal rows")
    spark.stop()


def insert(ftable, out, ddl, codec, setting, rows):
    """A table of one file; its path."""
    shutil.rmtree(out, ignore_errors=True)
    run(
        ftable, "insert", "--path", out, "--schema", ddl, "-c", "file.format=orc",
        "-c", f"file.compression={codec}", "-c", setting, "-c", "orc.bloom.filter.columns=x,l,up", rows,
    )  # fmt: skip
    (path,) = out.glob("*.orc")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ftable", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="ftable-orc-"))
    rows = table(ROWS, 7)
    given = folder / "rows.parquet"
    pq.write_table(rows, given)
    without_zone = folder / "rows-without-zone.parquet"
    pq.write_table(rows.drop_columns(["tz"]), without_zone)
    written = []
    for codec in ["none", "zlib", "snappy", "lz4", "zstd"]:
        for setting in ["orc.dictionary.key.threshold=0.8", "orc.dictionary.key.threshold=0", "orc.row.index.stride=1000"]:
            what = f"{codec}, {setting}"
            path = insert(options.ftable, folder / f"{codec}-{setting}", DDL, codec, setting, given)
            check_values(what, path, rows)
            check_statistics(what, path, rows)
            print(f"{what}: {path.stat().st_size} bytes, values and statistics equal")
            ddl = DDL.replace("tz TIMESTAMP(6) WITH LOCAL TIME ZONE, ", "")
            spark = folder / f"spark-{codec}-{setting}"
            insert(options.ftable, spark, ddl, codec, setting, without_zone)
            written.append((what, spark))
    check_spark(written, rows)


if __name__ == "__main__":
    main()
