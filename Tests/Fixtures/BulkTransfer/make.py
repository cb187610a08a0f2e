#!/usr/bin/env python3
"""Makes the files of this folder: what other programs write, for the tests of COPY's readers.

    python3 -m venv venv; venv/bin/pip install fastavro pyarrow cramjam backports.zstd; apt-get install lzop
    venv/bin/python make.py
"""

import datetime
import decimal
import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent


def lines(count):
    """As SourceTests.text."""
    return "".join(f"{n}|value {n * 2654435761}\n" for n in range(count)).encode()


def lzop():
    text = lines(2000) + b"9|" + b"ab" * 10_000 + b"\n"
    for name, options in {"fast": ["-1"], "best": ["-9"], "crc": ["--crc32", "-3"], "plain": ["-F", "-3"]}.items():
        packed = subprocess.run(["lzop", "-c", *options], input=text, capture_output=True, check=True).stdout
        (HERE / f"lines_{name}.lzo").write_bytes(packed)


AVRO_SCHEMA = {
    "type": "record", "name": "Order", "namespace": "shop", "fields": [
        {"name": "id", "type": "long"},
        {"name": "flag", "type": "boolean"},
        {"name": "small", "type": ["null", "int"]},
        {"name": "ratio", "type": "double"},
        {"name": "single", "type": "float"},
        {"name": "name", "type": ["null", "string"]},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}},
        {"name": "tax", "type": {"type": "fixed", "name": "Tax", "size": 8, "logicalType": "decimal", "precision": 18,
                                 "scale": 4}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "moment", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "exact", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["NEW", "OLD"]}},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "attributes", "type": {"type": "map", "values": "long"}},
        {"name": "Address", "type": ["null", {"type": "record", "name": "Address", "fields": [
            {"name": "city", "type": "string"}, {"name": "next", "type": ["null", "Address"]}]}]},
    ],
}


def avro_records(count):
    utc = datetime.timezone.utc
    start = datetime.datetime(2026, 11, 24, 10, 20, 30, 123000, tzinfo=utc)
    for n in range(count):
        yield {
            "id": n * 10**9 - 5, "flag": n % 2 == 0, "small": None if n % 3 == 0 else n - 40, "ratio": n / 8 - 1,
            "single": n / 4, "name": None if n % 5 == 4 else f'n\u00e9 "{n}"',
            "price": decimal.Decimal(n * 7 - 100).scaleb(-2), "tax": decimal.Decimal(-n).scaleb(-4),
            "day": datetime.date(1969, 12, 30) + datetime.timedelta(days=n),
            "moment": start + datetime.timedelta(seconds=n), "exact": start + datetime.timedelta(microseconds=n),
            "clock": datetime.time(1, 2, n % 60, 5000), "kind": "NEW" if n % 2 else "OLD",
            "tags": [f"t{i}" for i in range(n % 3)], "attributes": {"k": n} if n % 2 else {},
            "Address": None if n % 4 == 3 else {"city": f"c{n}", "next": {"city": "x\\y", "next": None}},
        }


def avro():
    import fastavro

    schema = fastavro.parse_schema(AVRO_SCHEMA)
    for codec in ["null", "deflate", "snappy", "zstandard", "bzip2"]:
        with open(HERE / f"orders_{codec}.avro", "wb") as target:
            fastavro.writer(target, schema, list(avro_records(60)), codec=codec, sync_interval=1500,
                            sync_marker=b"0123456789abcdef")


lzop()
avro()
