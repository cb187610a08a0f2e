#!/usr/bin/env python3
"""Makes the files of this folder: what other programs write, for the tests of COPY's readers.

    python3 -m venv venv; venv/bin/pip install fastavro pyarrow cramjam backports.zstd; apt-get install lzop
    venv/bin/python make.py
"""

import datetime
import decimal
import json
import pathlib
import random
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


def orc():
    import pyarrow
    from pyarrow import orc as writer

    count = 1200
    rows = range(count)
    day = datetime.timedelta(days=1)
    moment = datetime.datetime(2026, 11, 24, 10, 20, 30, 123456)
    columns = {
        "id": pyarrow.array([n * n * 7919 - 1000 for n in rows], pyarrow.int64()),
        "seq": pyarrow.array([n for n in rows], pyarrow.int32()),
        "same": pyarrow.array([5 for _ in rows], pyarrow.int32()),
        "spike": pyarrow.array([30000 if n % 100 == 0 else n % 10 for n in rows], pyarrow.int16()),
        "flag": pyarrow.array([n % 3 == 0 for n in rows], pyarrow.bool_()),
        "tiny": pyarrow.array([n % 200 - 100 for n in rows], pyarrow.int8()),
        "ratio": pyarrow.array([n / 8 for n in rows], pyarrow.float64()),
        "single": pyarrow.array([n / 4 for n in rows], pyarrow.float32()),
        "name": pyarrow.array([None if n % 5 == 4 else f"name {n % 50}" for n in rows], pyarrow.string()),
        "text": pyarrow.array([f"t\u00e9 {n}" * (n % 3) for n in rows], pyarrow.string()),
        "price": pyarrow.array([decimal.Decimal(n * 7 - 100).scaleb(-2) for n in rows], pyarrow.decimal128(12, 2)),
        "wide": pyarrow.array([decimal.Decimal(-n * 10**20) for n in rows], pyarrow.decimal128(30, 4)),
        "day": pyarrow.array([datetime.date(1969, 12, 30) + n * day for n in rows], pyarrow.date32()),
        "moment": pyarrow.array([moment + n * datetime.timedelta(milliseconds=1001) for n in rows],
                                pyarrow.timestamp("us")),
        "old": pyarrow.array([datetime.datetime(1968, 1, 1, 0, 0, 0, 500000) + n * day for n in rows],
                             pyarrow.timestamp("us")),
    }
    table = pyarrow.table(columns)
    for compression in ["uncompressed", "zlib", "snappy", "lz4", "zstd"]:
        writer.write_table(
            table, str(HERE / f"columns_{compression}.orc"), compression=compression, stripe_size=20_000,
            dictionary_key_size_threshold=0.5)
    writer.write_table(table, str(HERE / "columns_first.orc"), file_version="0.11", compression="zlib")
    orc_nested(writer)


def orc_nested(writer):
    """Six rows: lists, structures, maps and what is in them; the fourth row has nothing but NULL."""
    import pyarrow

    inner = pyarrow.struct([("x", pyarrow.int32()), ("y", pyarrow.string())])
    rows = [
        {"id": 1, "l": [1, None, 3], "s": {"x": 1, "y": "a\"b"}, "m": [("k", 1.5)], "d": [{"x": 1, "y": None}]},
        {"id": 2, "l": [], "s": {"x": None, "y": "\né"}, "m": [], "d": []},
        {"id": 3, "l": [7], "s": {"x": -5, "y": ""}, "m": [("a", None), ("b", -2.0)], "d": [None, {"x": 2, "y": "z"}]},
        {"id": 4, "l": None, "s": None, "m": None, "d": None},
        {"id": 5, "l": [2**40], "s": {"x": 9, "y": None}, "m": [("", 0.25)], "d": [{"x": None, "y": "q"}]},
        {"id": 6, "l": [6, 6, 6, 6], "s": {"x": 6, "y": "six"}, "m": [("six", 6.0)], "d": None},
    ]
    table = pyarrow.table({
        "id": pyarrow.array([row["id"] for row in rows], pyarrow.int32()),
        "l": pyarrow.array([row["l"] for row in rows], pyarrow.list_(pyarrow.int64())),
        "s": pyarrow.array([row["s"] for row in rows], inner),
        "m": pyarrow.array([row["m"] for row in rows], pyarrow.map_(pyarrow.string(), pyarrow.float64())),
        "d": pyarrow.array([row["d"] for row in rows], pyarrow.list_(inner)),
    })
    writer.write_table(table, str(HERE / "nested.orc"), compression="zlib")


def json_values():
    """Records as Python's json writes them, and their strings as hexadecimal UTF-8, a line for each."""
    random.seed(14)
    alphabet = ["a", "Z", " ", '"', "\\", "/", "\n", "\t", "\b", "\x01", "\x1f", "\x7f", "\u00e9", "\u20ac", "\ud7ff",
                "\ue000", "\uffff", "\U0001f600", "\U0010ffff", "{", "}", "[", "]", ":", ",", "'", "null"]
    def text():
        return "".join(random.choice(alphabet) for _ in range(random.randrange(12)))
    def value(depth):
        kind = random.randrange(8 if depth < 3 else 5)
        if kind == 0: return text()
        if kind == 1: return random.randrange(-10**6, 10**6)
        if kind == 2: return random.choice([None, True, False])
        if kind == 3: return random.random() * 10 ** random.randrange(-20, 20)
        if kind == 4: return []
        if kind < 7: return {text(): value(depth + 1) for _ in range(random.randrange(4))}
        return [value(depth + 1) for _ in range(random.randrange(4))]
    records, expected = [], []
    for n in range(200):
        record = {"c1": random.randrange(-2**31, 2**31), "c2": text(), text() + "x": value(0)}
        nested = [value(1)]
        ascii = random.random() < 0.5
        indent = random.choice([None, None, None, 1])
        packed = json.dumps(nested, ensure_ascii=ascii)
        pairs = list(record.items()) + [("c3", nested)]
        random.shuffle(pairs)
        line = json.dumps(dict(pairs), ensure_ascii=ascii, indent=indent)
        if indent is None:
            expected_nested = packed
        else:
            # One level further in than the value alone would be.
            expected_nested = json.dumps({"c3": nested}, ensure_ascii=ascii, indent=indent)[len('{\n "c3": '):-2]
        records.append(line + random.choice(["\n", "\n", " ", "", "\r\n\n"]))
        expected.append(f"{record['c1']} {record['c2'].encode().hex()} {expected_nested.encode().hex()}")
    (HERE / "values.json").write_bytes("".join(records).encode())
    (HERE / "values.expected").write_text("\n".join(expected) + "\n")


json_values()
lzop()
avro()
orc()
