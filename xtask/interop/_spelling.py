"""Rows as JSON lines, spelled as tests/golden/README.md says."""

import base64
import datetime
import json
import math

import pyarrow as pa

UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def lines(table):
    """Yields one JSON text for each row of an Arrow table."""
    columns = [(name, table.column(name)) for name in table.column_names]
    for row in range(table.num_rows):
        yield json.dumps({name: spell(column[row]) for name, column in columns}, ensure_ascii=False)


def spell(scalar):
    """The JSON value of an Arrow scalar."""
    if not scalar.is_valid:
        return None
    kind = scalar.type
    if pa.types.is_dictionary(kind):
        return spell(scalar.value)
    if pa.types.is_floating(kind):
        return number(scalar.as_py())
    if pa.types.is_decimal(kind):
        return format(scalar.as_py(), "f")
    if pa.types.is_date32(kind):
        return (datetime.date(1970, 1, 1) + datetime.timedelta(days=scalar.value)).isoformat()
    if pa.types.is_time(kind):
        return time(scalar.value * UNITS[kind.unit])
    if pa.types.is_timestamp(kind):
        return timestamp(scalar.value * UNITS[kind.unit], kind)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return base64.b64encode(scalar.as_py()).decode()
    if pa.types.is_map(kind):
        entries = scalar.values
        keys, values = entries.field(0), entries.field(1)
        return [[spell(keys[i]), spell(values[i])] for i in range(len(entries))]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return [spell(item) for item in scalar.values]
    if pa.types.is_struct(kind):
        return {field.name: spell(scalar[field.name]) for field in kind}
    return scalar.as_py()


def number(value):
    """A float, or the text of what JSON has no number for."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def time(nanos):
    """A time of day to the millisecond."""
    millis = nanos // 10**6
    seconds = millis // 1000
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{millis % 1000:03}"


def timestamp(nanos, kind):
    """A timestamp with six digits, nine where the unit is finer, and `Z` where it is an instant."""
    seconds, fraction = divmod(nanos, 10**9)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    digits = f"{fraction:09}" if kind.unit == "ns" else f"{fraction // 1000:06}"
    # isoformat pads the year to four digits on every platform, strftime does not.
    return f"{moment.isoformat()}.{digits}{'Z' if kind.tz else ''}"


def same_rows(left, right):
    """Whether two tables have the same rows, in any order."""
    return sorted(lines(left)) == sorted(lines(right))
