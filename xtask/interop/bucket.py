"""Shares a bucket of moto's S3 server with boto3 and pyarrow: `bucket.py FTABLE`.

FTABLE is the command line's binary. What `ftable insert` commits to the bucket, an overwrite included, pyarrow must read
from it, under the keys that boto3 lists; what pyarrow writes there `ftable scan` must read.
"""

import argparse
import contextlib
import json
import logging
import pathlib
import sys
import tempfile

import boto3
import pyarrow as pa
import pyarrow.dataset as ds
from moto.server import ThreadedMotoServer
from pyarrow import fs

from _command import run

BUCKET = "lake"
KEYS = {"aws_access_key_id": "AK", "aws_secret_access_key": "secret"}
VALUES = ["x:y", "R&D", "A/A", "B B", "foo+bar", "100%", "plain"]
NAMES = ["p=100%25", "p=A%2FA", "p=B B", "p=R&D", "p=foo+bar", "p=plain", "p=x%3Ay"]
PARTITIONING = ds.partitioning(pa.schema([("p", pa.string())]), flavor="hive")


def check(what, actual, expected):
    """Ends with what differs."""
    if actual != expected:
        sys.exit(f"{what}: {expected!r} expected, {actual!r} came")
    print(f"{what}: as expected")


def by_id(row):
    return row["id"]


@contextlib.contextmanager
def serving():
    """The endpoint of a server with the bucket."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        endpoint = f"http://{host}:{port}"
        client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **KEYS)
        client.create_bucket(Bucket=BUCKET)
        yield endpoint, client
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ftable", type=pathlib.Path)
    ftable = parser.parse_args().ftable
    with serving() as (endpoint, client), tempfile.TemporaryDirectory() as scratch:
        options = [f"s3.endpoint={endpoint}", "s3.access-key=AK", "s3.secret-key=secret"]
        command = [ftable, "--quiet", "--warehouse", f"s3://{BUCKET}/wh"]
        command += [part for option in options for part in ("-c", option)]
        rows = [{"id": number, "p": value} for number, value in enumerate(VALUES)]
        file = pathlib.Path(scratch, "rows.json")
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        run(*command, "create", "db.t", "--schema", "id BIGINT, p STRING", "--partitioned-by", "p")
        store = fs.S3FileSystem(
            access_key="AK", secret_key="secret", endpoint_override=endpoint, region="us-east-1"
        )

        def read(keys):
            files = [f"{BUCKET}/{key}" for key in keys]
            found = ds.dataset(files, filesystem=store, format="parquet", partitioning=PARTITIONING)
            return sorted(found.to_table(columns=["id", "p"]).to_pylist(), key=by_id)

        for verb in ([], ["--overwrite"]):
            run(*command, "insert", "db.t", file, *verb)
            keys = [entry["Key"] for entry in client.list_objects_v2(Bucket=BUCKET)["Contents"]]
            data = [key for key in keys if key.endswith(".parquet")]
            check(f"keys after {' '.join(['insert', *verb])}", sorted(key.split("/")[-2] for key in data), NAMES)
            check("rows that pyarrow reads", read(data), rows)
        table = pa.Table.from_pylist(rows)
        ds.write_dataset(
            table, f"{BUCKET}/theirs", format="parquet", partitioning=PARTITIONING, filesystem=store
        )
        scan = run(
            *command[:2], *command[4:], "scan", "--path", f"s3a://{BUCKET}/theirs", "--output", "json"
        )
        found = sorted((json.loads(line) for line in scan), key=by_id)
        check("rows of pyarrow that ftable reads", found, rows)


if __name__ == "__main__":
    main()
