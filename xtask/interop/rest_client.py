"""Drives our REST catalog server with pypaimon's client: `rest_client.py SERVER [--ftable FTABLE] [DIR]`.

SERVER is the binary of the example `rest_server` of `crates/testkit`. What pypaimon creates, lists, alters,
renames and drops through it must be what it says afterwards, and the rows that pypaimon writes to a format
table must come back. With FTABLE, the command line's binary, `ftable scan` must read the same rows, from the files and
over the server.
"""

import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.api import rest_exception
from pypaimon.catalog import catalog_exception
from pypaimon.schema.data_types import AtomicType
from pypaimon.schema.schema_change import SchemaChange

from _command import run

TOKEN = "demo-token"
KEYS = ["dt", "hr"]
COLUMNS = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("name", pa.string()),
        pa.field("score", pa.float64()),
        pa.field("dt", pa.string()),
        pa.field("hr", pa.int32()),
    ]
)
ROWS = [
    {"id": 1, "name": "a", "score": 1.5, "dt": "2026-01-01", "hr": 0},
    {"id": 2, "name": None, "score": None, "dt": "2026-01-01", "hr": 1},
    {"id": 3, "name": "c", "score": -0.25, "dt": "2026-01-02", "hr": 0},
    {"id": 4, "name": "d", "score": 1e300, "dt": "2026-01-02", "hr": 0},
]


def check(what, actual, expected):
    """Ends with what differs."""
    if actual != expected:
        sys.exit(f"{what}: {expected!r} expected, {actual!r} came")
    print(f"{what}: as expected")


def refused(what, error, call):
    """The call must raise this error."""
    try:
        call()
    except error as raised:
        print(f"{what}: refused as expected")
        return raised
    sys.exit(f"{what}: {error.__name__} expected, nothing was raised")


@contextlib.contextmanager
def serving(server, root):
    """The URI of a server over a directory; it ends with its standard input."""
    process = subprocess.Popen(
        [server, root, "0", TOKEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()


def databases(catalog, root):
    """A database, made once."""
    catalog.create_database("demo", False, {"env": "test"})
    check("databases", catalog.list_databases(), ["demo"])
    options = catalog.get_database("demo").options
    check("options of the database", options.get("env"), "test")
    check("location of the database", options.get("location"), f"file://{root}/demo.db")
    again = lambda: catalog.create_database("demo", False)
    refused("a second database of the name", catalog_exception.DatabaseAlreadyExistException, again)
    missing = lambda: catalog.list_tables("nodb")
    refused("a missing database", catalog_exception.DatabaseNotExistException, missing)


def tables(catalog, file_format):
    """A partitioned table, made once; its name."""
    name = f"demo.events_{file_format}"
    options = {"type": "format-table", "file.format": file_format}
    schema = Schema.from_pyarrow_schema(COLUMNS, KEYS, [], options, f"demo {file_format}")
    catalog.create_table(name, schema, False)
    again = lambda: catalog.create_table(name, schema, False)
    refused(f"a second table {name}", catalog_exception.TableAlreadyExistException, again)
    return name


def canonical(rows):
    """Rows in one order."""
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def rows(catalog, name):
    """Writes rows with pypaimon and reads them back."""
    table = catalog.get_table(name)
    builder = table.new_batch_write_builder()
    write, commit = builder.new_write(), builder.new_commit()
    write.write_arrow(pa.Table.from_pylist(ROWS, schema=COLUMNS))
    commit.commit(write.prepare_commit())
    write.close()
    commit.close()
    builder = table.new_read_builder()
    read = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    check(f"rows of {name}", canonical(read.to_pylist()), canonical(ROWS))


def files(root, name, file_format):
    """The directories that pypaimon wrote into, below the location the server chose."""
    location = root / "demo.db" / name.removeprefix("demo.")
    found = sorted({str(path.parent.relative_to(location)) for path in location.rglob(f"*.{file_format}")})
    check(f"partitions of {name} on disk", found, ["dt=2026-01-01/hr=0", "dt=2026-01-01/hr=1", "dt=2026-01-02/hr=0"])
    return location


def scanned(ftable, location, name, file_format):
    """The same rows by `ftable scan`; the files hold the partition columns too."""
    kinds = {"id": "BIGINT", "name": "STRING", "score": "DOUBLE", "dt": "STRING", "hr": "INT"}
    described = location.parent / f"{location.name}.json"
    described.write_text(
        json.dumps(
            {
                "fields": [{"name": column, "type": kind} for column, kind in kinds.items()],
                "partitionKeys": KEYS,
                "options": {"type": "format-table", "file.format": file_format},
            }
        )
    )
    command = [ftable, "scan", "--path", location, "--schema", described, "--output", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ftable scan of {name}: exit {done.returncode}: {done.stderr}")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    check(f"rows of {name} by ftable", canonical(found), canonical(ROWS))


def loaded(ftable, uri, name):
    """The same rows by `ftable scan` of the table that the server describes as pypaimon made it."""
    over = ["metastore=rest", f"uri={uri}", f"token={TOKEN}"]
    command = [ftable, *(part for option in over for part in ("-c", option)), "--output", "json"]
    found = [json.loads(line) for line in run(*command, "scan", name)]
    check(f"rows of {name} by ftable over the server", canonical(found), canonical(ROWS))
    found = [json.loads(line)["path"] for line in run(*command, "partitions", name)]
    check(f"partitions of {name} by ftable", found, ["dt=2026-01-01/hr=0", "dt=2026-01-01/hr=1", "dt=2026-01-02/hr=0"])


def partitions(catalog, name):
    """Partitions registered once and listed page by page."""
    specs = [{"dt": "2026-01-01", "hr": "0"}, {"dt": "2026-01-02", "hr": "0"}]
    catalog.create_partitions(name, specs)
    catalog.create_partitions(name, specs)
    found, token = [], None
    while True:
        page = catalog.list_partitions_paged(name, max_results=1, page_token=token)
        found += [partition.spec for partition in page.elements]
        token = page.next_page_token
        if not token:
            break
    by_day = lambda spec: spec["dt"]
    check(f"partitions of {name}", sorted(found, key=by_day), specs)
    pattern = catalog.list_partitions_paged(name, partition_name_pattern="dt=2026-01-02/%")
    check("partitions by pattern", [partition.spec for partition in pattern.elements], specs[1:])
    strict = lambda: catalog.create_partitions(name, specs[:1], False)
    refused("a partition that is there", catalog_exception.IllegalStateError, strict)


def changes(catalog, name):
    """A column and an option more."""
    added = SchemaChange.add_column("extra", AtomicType("STRING"), "new column")
    catalog.alter_table(name, [added, SchemaChange.set_option("file.compression", "snappy")])
    metadata = catalog.load_table_metadata(catalog.get_table(name).identifier)
    schema = metadata.schema
    check("schema id", schema.id, 1)
    check("added column", [(f.id, f.name, f.description) for f in schema.fields][-1], (5, "extra", "new column"))
    check("added option", schema.options.get("file.compression"), "snappy")
    drop = lambda: catalog.alter_table(name, [SchemaChange.drop_column("dt")])
    refused("dropping a partition column", rest_exception.NotImplementedException, drop)
    unknown = lambda: catalog.alter_table(name, [SchemaChange.drop_column("nope")])
    raised = refused("dropping an unknown column", catalog_exception.TableNotExistException, unknown)
    # pypaimon takes every 404 for the table; what the server said is in the cause.
    check("the unknown column", (raised.__cause__.resource_type, raised.__cause__.resource_name), ("COLUMN", "nope"))


def names(catalog, name):
    """Another name, the same rows, and the end."""
    catalog.rename_table(name, "demo.renamed")
    check("tables", catalog.list_tables("demo"), ["events_parquet", "renamed"])
    refused("the old name", catalog_exception.TableNotExistException, lambda: catalog.get_table(name))
    builder = catalog.get_table("demo.renamed").new_read_builder()
    read = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    check("rows of the renamed table", read.num_rows, len(ROWS))
    # A name that has to be encoded in the path.
    schema = Schema.from_pyarrow_schema(COLUMNS, KEYS, [], {"type": "format-table"})
    catalog.create_table("demo.a b+c", schema, False)
    check("a name with a space", catalog.list_tables("demo"), ["a b+c", "events_parquet", "renamed"])
    for table in ["demo.a b+c", "demo.renamed", "demo.events_parquet"]:
        catalog.drop_table(table)
    check("tables in the end", catalog.list_tables("demo"), [])
    catalog.drop_database("demo")
    check("databases in the end", catalog.list_databases(), [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server", type=pathlib.Path, help="the binary of the example rest_server")
    parser.add_argument("dir", type=pathlib.Path, nargs="?", help="folder to write into; a temporary one if left out")
    parser.add_argument("--ftable", type=pathlib.Path, help="the binary of the command line")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = (arguments.dir or pathlib.Path(temporary)).resolve()
        with serving(arguments.server, root) as uri:
            options = {"metastore": "rest", "uri": uri, "warehouse": "any", "token.provider": "bear", "token": TOKEN}
            catalog = CatalogFactory.create(options)
            databases(catalog, root)
            for file_format in ["parquet", "orc"]:
                name = tables(catalog, file_format)
                rows(catalog, name)
                location = files(root, name, file_format)
                if arguments.ftable:
                    scanned(arguments.ftable, location, name, file_format)
                    loaded(arguments.ftable, uri, name)
            partitions(catalog, "demo.events_parquet")
            changes(catalog, "demo.events_parquet")
            names(catalog, "demo.events_orc")


if __name__ == "__main__":
    main()
