"""Writes the small files that tests of reading are about, with pyarrow and pyorc.

Those of crates/formats/tests/data have one column for each file type, with the values that the tests of conversions
expect; those of tests/tests/foreign_files are the files of small tables. Encrypted files differ from run to run, as
their keys do.
"""

import datetime
import decimal
import pathlib
import uuid
import zoneinfo

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as encryption
import pyorc

ROOT = pathlib.Path(__file__).parents[2]
DATA = ROOT / "crates/formats/tests/data"
TABLES = ROOT / "tests/tests/foreign_files"

D = decimal.Decimal


def stamp(text, unit):
    """A timestamp as the integer that Arrow holds: Python's own have no nanoseconds and no year 10000."""
    whole, _, fraction = text.partition(".")
    moment = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    seconds = (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(seconds=1)
    digits = {"ms": 3, "us": 6, "ns": 9}[unit]
    return seconds * 10**digits + int((fraction + "000000000")[:digits] or 0)


def stamps(texts, unit, zone=None):
    values = [None if text is None else stamp(text, unit) for text in texts]
    return pa.array(values, pa.int64()).cast(pa.timestamp(unit, zone))


def common():
    """Columns that both formats have."""
    day = [datetime.date(1969, 12, 31), datetime.date(2024, 2, 29), None]
    return {
        "bool": pa.array([True, False, None]),
        "int8": pa.array([-128, 127, None], pa.int8()),
        "int16": pa.array([-32768, 32767, None], pa.int16()),
        "int32": pa.array([-(2**31), 2**31 - 1, None], pa.int32()),
        "int32_small": pa.array([-128, 127, None], pa.int32()),
        "int32_day": pa.array([0, 86_399_999, None], pa.int32()),
        "int64": pa.array([-(2**63), 2**63 - 1, None], pa.int64()),
        "float": pa.array([0.1, -1.5, None], pa.float32()),
        "double": pa.array([0.1, 1e300, None], pa.float64()),
        "dec_5_2": pa.array([D("123.45"), D("-999.99"), None], pa.decimal128(5, 2)),
        "dec_12_2": pa.array([D("1234567890.12"), D("-0.01"), None], pa.decimal128(12, 2)),
        "dec_30_2": pa.array([D("1234567890123456789012345678.12"), D("-0.01"), None], pa.decimal128(30, 2)),
        "date": pa.array(day, pa.date32()),
        "string": pa.array(["ab", "h\u00e9llo", None]),
        "string_blank": pa.array(["ab   ", "", None]),
        "binary": pa.array([b"ab", b"\x00\xff", None], pa.binary()),
        "binary_utf8": pa.array([b"ab", "\u00e9".encode(), None], pa.binary()),
        "list_int8": pa.array([[-128, None, 127], [], None], pa.list_(pa.int8())),
        "list_int32": pa.array([[1, 300], [], None], pa.list_(pa.int32())),
        "map_int16": pa.array([[("a", 1), ("b", None)], [], None], pa.map_(pa.string(), pa.int16())),
        "struct": pa.array(
            [{"b": "x", "a": 1, "c": 2.5}, {"b": None, "a": None, "c": None}, None],
            pa.struct([("b", pa.string()), ("a", pa.int8()), ("c", pa.float32())]),
        ),
        "list_struct": pa.array(
            [[{"b": "x", "a": 1}, None], [], None],
            pa.list_(pa.struct([("b", pa.string()), ("a", pa.int8())])),
        ),
        "struct_list": pa.array(
            [{"l": [1, 2]}, {"l": None}, None], pa.struct([("l", pa.list_(pa.int16()))])
        ),
    }


EVEN = ["1969-12-31T23:59:58.123", "2024-02-29T12:00:00.000", None]
ODD = ["1969-12-31T23:59:58.123456", "2024-02-29T12:00:00.000001", None]
FINE = ["1969-12-31T23:59:58.123456789", "2024-02-29T12:00:00.000000001", None]
FAR = ["0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", None]


def parquet():
    seconds = [0, 86_399, None]
    columns = common() | {
        "uint8": pa.array([0, 255, None], pa.uint8()),
        "uint16": pa.array([0, 65535, None], pa.uint16()),
        "uint32": pa.array([0, 2**32 - 1, None], pa.uint32()),
        "uint64": pa.array([0, 2**64 - 1, None], pa.uint64()),
        "half": pa.array([1.5, -65504.0, None], pa.float16()),
        "time_ms": pa.array([s and s * 1000 for s in seconds], pa.int32()).cast(pa.time32("ms")),
        "time_us": pa.array([s and s * 10**6 for s in seconds], pa.int64()).cast(pa.time64("us")),
        "time_us_odd": pa.array([1, 2, None], pa.int64()).cast(pa.time64("us")),
        "time_ns": pa.array([s and s * 10**9 for s in seconds], pa.int64()).cast(pa.time64("ns")),
        "ts_ms": stamps(EVEN, "ms"),
        "ts_us": stamps(EVEN, "us"),
        "ts_us_odd": stamps(ODD, "us"),
        "ts_us_far": stamps(FAR, "us"),
        "ts_us_utc": stamps(ODD, "us", "UTC"),
        "ts_ns": stamps(FINE, "ns"),
        "ts_ns_us": stamps(ODD, "ns"),
        "fixed4": pa.array([b"abcd", b"\x00\x01\x02\xff", None], pa.binary(4)),
        "uuid": pa.array([uuid.UUID(int=1).bytes, uuid.UUID(int=2).bytes, None], pa.binary(16)).cast(pa.uuid()),
        "json": pa.array(['{"a":1}', "[]", None]).cast(pa.json_()),
        "null": pa.nulls(3),
    }
    table = pa.table(columns)
    pq.write_table(table, DATA / "types.parquet", compression="none", store_schema=False, version="2.6",
                   store_decimal_as_integer=True, write_statistics=False, use_dictionary=False)


def int96():
    rows = {"even": EVEN, "odd": ODD, "fine": FINE}
    columns = {name: stamps(texts, "ns") for name, texts in rows.items()}
    pq.write_table(pa.table(columns), DATA / "int96.parquet", compression="none", store_schema=False,
                   use_deprecated_int96_timestamps=True)


def orc_files():
    columns = common() | {
        "ts": stamps(EVEN, "us"),
        "ts_odd": stamps(ODD, "us"),
        "ts_fine": stamps(FINE, "ns"),
        "instant": stamps(ODD, "us", "UTC"),
    }
    orc.write_table(pa.table(columns), str(DATA / "types.orc"), compression="uncompressed")
    schema = ("struct<char5:char(5),varchar5:varchar(5),far:timestamp,"
              "union:uniontype<int,string>,inner:struct<u:uniontype<int,string>,n:int>>")
    rows = [
        ("ab", "ab", datetime.datetime(1, 1, 1, tzinfo=datetime.timezone.utc), 1, (1, 7)),
        ("h\u00e9llo", "h\u00e9 ", datetime.datetime(9999, 12, 31, tzinfo=datetime.timezone.utc), "x", ("y", 8)),
        (None, None, None, None, None),
    ]
    with open(DATA / "hive.orc", "wb") as file:
        with pyorc.Writer(file, schema, compression=pyorc.CompressionKind.NONE, row_index_stride=0) as writer:
            writer.writerows(rows)


def zigzag(number):
    number *= 2
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def claims():
    """Files whose one page claims to unpack to 2 GiB: room for it must not be made."""
    table = pa.table({"string": pa.array([f"{number} of many" for number in range(200)])})
    for codec in ["zstd", "gzip", "brotli", "snappy"]:
        path = DATA / f"found/claims-2-gib-{codec}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(table, path, compression=codec, use_dictionary=False, write_statistics=False, store_schema=False)
        column = pq.ParquetFile(path).metadata.row_group(0).column(0)
        data = path.read_bytes()
        # type = DATA_PAGE, then the length of the page unpacked.
        assert data[4:7] == b"\x15\x00\x15"
        _, end = varint(data, 7)
        longer = zigzag(2**31 - 1)
        grown = len(longer) - (end - 7)
        data = data[:7] + longer + data[end:]
        sizes = [column.total_uncompressed_size, column.total_compressed_size]
        old = b"\x16" + zigzag(sizes[0]) + b"\x16" + zigzag(sizes[1])
        new = b"\x16" + zigzag(sizes[0]) + b"\x16" + zigzag(sizes[1] + grown)
        assert data.count(old) == 1 and len(old) == len(new)
        path.write_bytes(data.replace(old, new))


class Keys(encryption.KmsClient):
    """Keeps keys in the open; good for a test alone."""

    def wrap_key(self, key, master):
        return key

    def unwrap_key(self, key, master):
        return key


def encrypted():
    table = pa.table({"a": pa.array([1, 2, 3], pa.int32()), "b": pa.array(["x", "y", "z"])})
    factory = encryption.CryptoFactory(lambda _: Keys())
    for name, plaintext in [("encrypted.parquet", False), ("encrypted-columns.parquet", True)]:
        config = encryption.EncryptionConfiguration(
            footer_key="footer", column_keys={"column": ["b"]}, plaintext_footer=plaintext,
            double_wrapping=False, internal_key_material=True,
        )
        properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), config)
        pq.write_table(table, DATA / name, encryption_properties=properties, compression="none")


def both(name, columns):
    """The same columns as a Parquet and as an ORC file."""
    table = pa.table(columns)
    pq.write_table(table, TABLES / f"{name}.parquet", compression="none", store_schema=False)
    orc.write_table(table, str(TABLES / f"{name}.orc"), compression="uncompressed")


def columns_that_come_and_go():
    a, b, c = pa.array([1], pa.int32()), pa.array(["x"]), pa.array([3], pa.int32())
    both("ab", {"a": a, "b": b})
    both("cab", {"c": c, "a": a, "b": b})
    both("abcd", {"a": a, "b": b, "c": c, "d": pa.array([4.5])})


def partition_column_in_file():
    both("id_data", {"id": pa.array([1], pa.int32()), "data": stamps(["2023-08-28T07:04:58.013"], "ms")})


def ids():
    for count in (2, 3):
        both(f"ids_{count}", {"id": pa.array(range(count), pa.int32())})


def positional():
    numbers, names = pa.array([1, 2], pa.int32()), pa.array(["x", "y"])
    for name, columns in {
        "col0_col1": {"_col0": numbers, "_col1": names},
        "name_id": {"name": names, "id": numbers},
        "col0_name": {"_col0": numbers, "name": names},
    }.items():
        orc.write_table(pa.table(columns), str(TABLES / f"{name}.orc"), compression="uncompressed")


def zones():
    """Wall clocks, written in a zone each; the stripes name it."""
    for name, zone in [("zone_shanghai", "Asia/Shanghai"), ("zone_utc", "UTC"), ("zone_newyork", "America/New_York")]:
        zone = zoneinfo.ZoneInfo(zone)
        with open(TABLES / f"{name}.orc", "wb") as file:
            with pyorc.Writer(file, "struct<t:timestamp>", timezone=zone) as writer:
                for wall in [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 7, 1, 12, 30)]:
                    writer.write((wall.replace(tzinfo=zone),))


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data, at, end):
    """The fields of a protobuf message: number, where its tag, content and end are."""
    while at < end:
        tag, content = varint(data, at)
        if tag & 7 == 0:
            stop = varint(data, content)[1]
        elif tag & 7 == 2:
            length, content = varint(data, content)
            stop = content + length
        else:
            stop = content + {1: 8, 5: 4}[tag & 7]
        yield tag >> 3, at, content, stop
        at = stop


def hide_has_null(data, statistics, start, end):
    """Turns hasNull (field 10) of column statistics into a field that nobody knows; lengths stay."""
    for number, at, content, stop in fields(data, start, end):
        if number == statistics:
            for inner, tag, _, _ in fields(data, content, stop):
                if inner == 10:
                    data[tag] = 15 << 3


def statistics():
    """Files without row index, and without the flag that says whether there are nulls."""
    rows = [(1,), (None,), (3,)]
    for name, stride in [("no_row_index", 0), ("no_has_null", 10_000)]:
        with open(TABLES / f"{name}.orc", "wb") as file:
            compression = pyorc.CompressionKind.NONE
            with pyorc.Writer(file, "struct<a:int>", compression=compression, row_index_stride=stride) as writer:
                writer.writerows(rows)
    path = TABLES / "no_has_null.orc"
    data = bytearray(path.read_bytes())
    postscript = len(data) - 1 - data[-1]
    lengths = {number: varint(data, at)[0] for number, _, at, _ in fields(data, postscript, len(data) - 1)}
    footer = postscript - lengths[1]
    metadata = footer - lengths[5]
    hide_has_null(data, 7, footer, postscript)
    for number, _, content, stop in fields(data, metadata, footer):
        if number == 1:
            hide_has_null(data, 1, content, stop)
    for number, _, content, stop in fields(data, footer, postscript):
        if number == 3:
            stripe = {inner: varint(data, at)[0] for inner, _, at, _ in fields(data, content, stop)}
            # The index of each column is a stream of its own; they lie side by side before the data.
            place = stripe[1]
            stripe_footer = place + stripe[2] + stripe[3]
            for inner, _, at, end in fields(data, stripe_footer, stripe_footer + stripe[4]):
                if inner != 1:
                    continue
                stream = {part: varint(data, at)[0] for part, _, at, _ in fields(data, at, end)}
                if stream.get(1, 0) == 6:
                    for entry, _, begin, finish in fields(data, place, place + stream[3]):
                        if entry == 1:
                            hide_has_null(data, 2, begin, finish)
                place += stream.get(3, 0)
    path.write_bytes(data)


if __name__ == "__main__":
    DATA.mkdir(parents=True, exist_ok=True)
    TABLES.mkdir(parents=True, exist_ok=True)
    columns_that_come_and_go()
    partition_column_in_file()
    ids()
    positional()
    zones()
    statistics()
    parquet()
    int96()
    orc_files()
    encrypted()
    claims()
