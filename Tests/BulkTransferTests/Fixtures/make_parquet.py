#!/usr/bin/env python3
"""Makes the Parquet files of the tests, each with its values as text beside it (pyarrow's, or DuckDB's).

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pyarrow duckdb
    /tmp/venv/bin/python Tests/BulkTransferTests/Fixtures/make_parquet.py

name.tsv: the table's column types in the first line, then a line for each row; NULL is \\N, decimals and datetimes are the
integers that Redbarn keeps (unscaled, days, microseconds).
"""

import datetime
import decimal
import pathlib
import random
import struct
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = pathlib.Path(__file__).parent / "parquet"
EPOCH = datetime.datetime(1970, 1, 1)


def text(value, kind):
    if value is None:
        return "\\N"
    if kind == "boolean":
        return str(int(value))
    if kind.startswith("decimal"):
        scale = int(kind.split(",")[1].rstrip(")")) if "," in kind else 0
        return str(int(decimal.Decimal(value).scaleb(scale, decimal.Context(prec=60))))
    if kind == "date":
        return str((value - EPOCH.date()).days)
    if kind == "time":
        return str(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)
    if kind.startswith("timestamp"):
        delta = value.replace(tzinfo=None) - EPOCH
        return str((delta.days * 86400 + delta.seconds) * 1_000_000 + delta.microseconds)
    if kind in ("real", "double"):
        value = struct.unpack("f", struct.pack("f", value))[0] if kind == "real" else float(value)
        return struct.pack(">d", value).hex() if value == value else "nan"
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bytes):
        value = value.decode()
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def expect(name, kinds, rows):
    lines = ["\t".join(kinds)] + ["\t".join(text(v, k) for v, k in zip(row, kinds)) for row in rows]
    (FOLDER / f"{name}.tsv").write_text("\n".join(lines) + "\n")


def save(name, columns, kinds, **options):
    """columns: name to (arrow type, values)."""
    table = pa.table({key: pa.array(values, kind) for key, (kind, values) in columns.items()})
    pq.write_table(table, FOLDER / f"{name}.parquet", **options)
    if kinds:
        # Floating point as the file has it.
        rows = [table[key].to_pylist() if pa.types.is_floating(kind) else values
                for key, (kind, values) in columns.items()]
        expect(name, kinds, zip(*rows))


def nulls(values, every=5):
    return [None if i % every == 3 else v for i, v in enumerate(values)]


def mixed(rows):
    rng = random.Random(7)
    words = ["", "a", "bc", "déjà", "naïve café", "x" * 40, "日本語テキスト", "tab\tand\\", "🙂"]
    return {
        "i": (pa.int32(), nulls([rng.randrange(-2**31, 2**31) for _ in range(rows)])),
        "l": (pa.int64(), nulls([rng.randrange(-2**63, 2**63) for _ in range(rows)], 7)),
        "small": (pa.int16(), [rng.randrange(-5, 5) for _ in range(rows)]),
        "f": (pa.float32(), nulls([rng.uniform(-1e6, 1e6) for _ in range(rows)])),
        "d": (pa.float64(), [rng.uniform(-1e300, 1e300) for _ in range(rows)]),
        "b": (pa.bool_(), nulls([rng.random() < 0.4 for _ in range(rows)])),
        "s": (pa.string(), nulls([rng.choice(words) for _ in range(rows)], 11)),
        "u": (pa.string(), [f"value number {i * 7919 % 10007}" for i in range(rows)]),
        "day": (pa.date32(), nulls([datetime.date(1990, 1, 1) + datetime.timedelta(days=i * 37) for i in range(rows)])),
        "t": (pa.timestamp("us"), nulls([EPOCH + datetime.timedelta(microseconds=rng.randrange(-10**15, 10**15))
                                         for _ in range(rows)])),
        "n": (pa.decimal128(15, 2), nulls([decimal.Decimal(rng.randrange(-10**14, 10**14)).scaleb(-2)
                                           for _ in range(rows)])),
    }


MIXED = ["integer", "bigint", "smallint", "real", "double", "boolean", "varchar(100)", "varchar(100)", "date", "timestamp",
         "decimal(15,2)"]


def main():
    FOLDER.mkdir(exist_ok=True)
    for codec in ["none", "snappy", "gzip", "zstd", "lz4"]:
        save(f"codec_{codec}", mixed(50), MIXED, compression=codec)
    # Several row groups and pages, both versions.
    save("groups_v1", mixed(350), MIXED, row_group_size=150, data_page_size=512, write_batch_size=50)
    save("groups_v2", mixed(350), MIXED, row_group_size=150, data_page_size=512, write_batch_size=50,
         data_page_version="2.0", compression="zstd")
    save("plain", mixed(120), MIXED, use_dictionary=False, data_page_size=700, write_batch_size=40)
    save("plain_v2", mixed(120), MIXED, use_dictionary=False, data_page_size=700, write_batch_size=40,
         data_page_version="2.0", compression="none")
    # The dictionary is given up in the middle of a column.
    save("dictionary_overflow", mixed(300), MIXED, dictionary_pagesize_limit=1000, data_page_size=600,
         write_batch_size=30)
    encodings = {"i": "DELTA_BINARY_PACKED", "l": "DELTA_BINARY_PACKED", "small": "DELTA_BINARY_PACKED",
                 "f": "BYTE_STREAM_SPLIT", "d": "BYTE_STREAM_SPLIT", "b": "RLE", "s": "DELTA_BYTE_ARRAY",
                 "u": "DELTA_BYTE_ARRAY", "day": "DELTA_BINARY_PACKED", "t": "DELTA_BINARY_PACKED",
                 "n": "BYTE_STREAM_SPLIT"}
    save("deltas", mixed(300), MIXED, use_dictionary=False, column_encoding=encodings, data_page_size=900,
         write_batch_size=40)
    encodings |= {"s": "DELTA_LENGTH_BYTE_ARRAY", "u": "DELTA_LENGTH_BYTE_ARRAY", "i": "BYTE_STREAM_SPLIT",
                  "l": "BYTE_STREAM_SPLIT", "n": "DELTA_BYTE_ARRAY"}
    save("deltas_v2", mixed(300), MIXED, use_dictionary=False, column_encoding=encodings, data_page_version="2.0")
    steps = list(range(0, 9000, 1))
    save("long", {"k": (pa.int64(), steps), "same": (pa.string(), ["x"] * 9000),
                  "none": (pa.int32(), [None] * 9000),
                  "some": (pa.int32(), [None if (i // 1000) % 2 else i for i in steps])},
         None, compression="zstd", use_dictionary=["same", "some"],
         column_encoding={"k": "DELTA_BINARY_PACKED", "none": "PLAIN"})

    times = [datetime.time(0, 0), datetime.time(23, 59, 59, 999000), None, datetime.time(12, 34, 56, 789000)]
    stamps = [datetime.datetime(1, 1, 1), datetime.datetime(1969, 12, 31, 23, 59, 59, 999000), None,
              datetime.datetime(2024, 2, 29, 12, 0, 0, 123000)]
    near = [datetime.datetime(1700, 1, 1), datetime.datetime(1969, 12, 31, 23, 59, 59, 999000), None,
            datetime.datetime(2024, 2, 29, 12, 0, 0, 123000)]
    save("datetimes", {
        "tms": (pa.time32("ms"), times), "tus": (pa.time64("us"), times), "tns": (pa.time64("ns"), times),
        "ms": (pa.timestamp("ms"), stamps), "us": (pa.timestamp("us"), stamps), "ns": (pa.timestamp("ns"), near),
        "msz": (pa.timestamp("ms", "UTC"), stamps), "usz": (pa.timestamp("us", "UTC"), stamps),
        "nsz": (pa.timestamp("ns", "UTC"), near), "uszp": (pa.timestamp("us", "UTC"), stamps),
        "d": (pa.date32(), [datetime.date(1, 1, 1), datetime.date(1970, 1, 1), None, datetime.date(9999, 12, 31)]),
    }, ["time"] * 3 + ["timestamp"] * 3 + ["timestamptz"] * 3 + ["timestamp", "date"])
    save("int96", {"t": (pa.timestamp("ns"), near), "z": (pa.timestamp("ns", "UTC"), near)},
         ["timestamp", "timestamptz"], use_deprecated_int96_timestamps=True)

    one = decimal.Decimal(1)
    values = {
        "d4": (pa.decimal128(4, 1), [one / 10, decimal.Decimal("-999.9"), None]),
        "d9": (pa.decimal128(9, 2), [decimal.Decimal("1234567.89"), decimal.Decimal("-0.01"), None]),
        "d18": (pa.decimal128(18, 4), [decimal.Decimal("12345678901234.5678"), decimal.Decimal("-0.0001"), None]),
        "d19": (pa.decimal128(19, 0), [decimal.Decimal("9223372036854775807"), decimal.Decimal("-1"), None]),
        "d38": (pa.decimal128(38, 10), [decimal.Decimal("1234567890123456789012345678.0123456789"),
                                        decimal.Decimal("-9999999999999999999999999999.9999999999"), None]),
    }
    kinds = ["decimal(4,1)", "decimal(9,2)", "decimal(18,4)", "decimal(19,0)", "decimal(38,10)"]
    save("decimals_bytes", values, kinds)
    save("decimals_plain", values, kinds, use_dictionary=False)
    save("decimals_integers", values, kinds, store_decimal_as_integer=True)
    # To other scales and forms: more places, fewer ones (cut), floating point.
    table = pa.table({key: pa.array(column, kind) for key, (kind, column) in values.items()})
    pq.write_table(table, FOLDER / "decimals_other.parquet")
    kinds = ["decimal(10,3)", "decimal(9,1)", "decimal(30,6)", "decimal(25,2)", "double"]
    expect("decimals_other", kinds, [
        ["0.1", "1234567.8", "12345678901234.5678", "9223372036854775807", 1234567890123456789012345678.0123456789],
        ["-999.9", "0", "-0.0001", "-1", -9999999999999999999999999999.9999999999], [None] * 5])

    whole = [0, 1, 127, None]
    save("integers", {
        "i8": (pa.int8(), [-128, 127, 0, None]), "u8": (pa.uint8(), [0, 255, 1, None]),
        "i16": (pa.int16(), [-32768, 32767, 0, None]), "u16": (pa.uint16(), [0, 65535, 1, None]),
        "u32": (pa.uint32(), [0, 4294967295, 1, None]), "u64": (pa.uint64(), [0, 2**64 - 1, 1, None]),
        "i32": (pa.int32(), [-2**31, 2**31 - 1, 0, None]), "i64": (pa.int64(), [-2**31, 2**31 - 1, 0, None]),
        "n": (pa.int32(), whole), "r": (pa.int32(), whole), "x": (pa.int64(), whole),
    }, ["smallint", "smallint", "smallint", "integer", "bigint", "decimal(20,0)", "bigint", "integer", "decimal(8,2)",
        "real", "double"])
    save("floats", {
        "h": (pa.float16(), [0.5, -2.0, 65504.0, 6e-8, None, float("inf"), float("nan")]),
        "f": (pa.float32(), [0.1, -1e38, 1e-45, float("inf"), None, float("-inf"), float("nan")]),
        "d": (pa.float64(), [0.1, -1e308, 5e-324, float("inf"), None, float("-inf"), float("nan")]),
        "r": (pa.float64(), [0.1, -1e38, 1e-45, float("inf"), None, float("-inf"), float("nan")]),
    }, ["real", "double", "double", "real"])

    ids = [uuid.UUID(int=i * 0x123456789ABCDEF0123456789ABCDEF % 2**128) for i in range(5)]
    strings = pa.table({
        "raw": pa.array([b"abc", b"", None, "é".encode(), b"x  "], pa.binary()),
        "fixed": pa.array([b"abcd", b"    ", None, b"1234", b"a  b"], pa.binary(4)),
        "large": pa.array(["abc", "", None, "é", "x  "], pa.large_string()),
        "c": pa.array(["abc  ", "", None, "x", "  y "], pa.string()),
        "dict": pa.array(["red", "green", None, "red", "blue"]).dictionary_encode(),
        "id": pa.array([i.bytes for i in ids], pa.uuid()) if hasattr(pa, "uuid") else pa.array([str(i) for i in ids]),
        "nothing": pa.nulls(5),
    })
    pq.write_table(strings, FOLDER / "strings.parquet")
    expect("strings", ["varchar(10)", "varchar(4)", "varchar(10)", "char(5)", "varchar(5)", "varchar(36)", "integer"], [
        ["abc", "abcd", "abc", "abc", "red", ids[0], None], ["", "    ", "", "", "green", ids[1], None],
        [None, None, None, None, None, ids[2], None], ["é", "1234", "é", "x", "red", ids[3], None],
        ["x  ", "a  b", "x  ", "  y", "blue", ids[4], None]])

    nested()
    duck()
    bad()
    statements()


def nested():
    rows = [
        {"id": 1, "tags": ["a", None, "b\"q"], "point": {"x": 1, "y": 2.5}, "map": [("k", 1), ("l", None)],
         "deep": [[1, 2], [], None, [3]], "list": [{"p": 1, "q": ["x"]}, None, {"p": None, "q": None}]},
        {"id": 2, "tags": [], "point": None, "map": [], "deep": [], "list": []},
        {"id": 3, "tags": None, "point": {"x": None, "y": None}, "map": None, "deep": None, "list": None},
        {"id": 4, "tags": ["é\n"], "point": {"x": -7, "y": 1e100}, "map": [("z", 26)], "deep": [None],
         "list": [{"p": 2**31 - 1, "q": []}]},
    ]
    schema = pa.schema([
        ("id", pa.int32()), ("tags", pa.list_(pa.string())),
        ("point", pa.struct([("x", pa.int32()), ("y", pa.float64())])), ("map", pa.map_(pa.string(), pa.int32())),
        ("deep", pa.list_(pa.list_(pa.int64()))),
        ("list", pa.list_(pa.struct([("p", pa.int32()), ("q", pa.list_(pa.string()))]))),
    ])
    for version in ["1.0", "2.0"]:
        pq.write_table(pa.Table.from_pylist(rows, schema), FOLDER / f"nested_v{version[0]}.parquet",
                       data_page_version=version)


def duck():
    connection = duckdb.connect()
    connection.execute("set threads = 1")
    connection.execute("""create table t as select i::integer i, (i * 1000003)::bigint l, (i % 7)::smallint s,
        case when i % 9 = 0 then null else 'text ' || (i % 50) end v, (i * 1.01)::decimal(12,2) n,
        (i * 1.01)::decimal(30,5) w, i / 7.0 d, (i / 7.0)::real f, i % 3 = 0 b, date '2000-01-01' + i::integer day_,
        timestamp '2000-01-01 00:00:00' + interval (i * 7) minute t, time '01:02:03.000004' + interval (i) second c,
        uuid() id from range(3000) r(i)""")
    connection.execute("alter table t alter day_ type date")
    kinds = ["integer", "bigint", "smallint", "varchar(20)", "decimal(12,2)", "decimal(30,5)", "double", "real", "boolean",
             "date", "timestamp", "time", "varchar(36)"]
    # The first rows only: the expected values are large.
    for name, options in [("duckdb_v1", "compression snappy"), ("duckdb_v2", "compression zstd, parquet_version v2"),
                          ("duckdb_lz4", "compression lz4_raw, row_group_size 2048")]:
        limit = 2500 if "lz4" in name else 400
        path = FOLDER / f"{name}.parquet"
        connection.execute(f"copy (select * from t limit {limit}) to '{path}' (format parquet, {options})")
        if limit == 400:
            expect(name, kinds, connection.execute(f"select * from '{path}'").fetchall())
        else:
            connection.execute(f"copy (select i, v from t limit {limit}) to '{path}' (format parquet, {options})")
            expect(name, [kinds[0], kinds[3]], connection.execute(f"select * from '{path}'").fetchall())


def bad():
    """What cannot be loaded."""
    save("too_long", {"a": (pa.int32(), [1, 2, 3]), "s": (pa.string(), ["ok", "é" * 12, None])},
         ["integer", "varchar(10)"])
    save("too_long_plain", {"a": (pa.int32(), [1, 2, 3]), "s": (pa.string(), [None, "ok", "x" * 300])},
         ["integer", "varchar(10)"], use_dictionary=False)
    pq.write_table(pa.table({"s": pa.array([b"ok", b"a\xff\xfeb", b"nul\0"], pa.binary())}), FOLDER / "not_utf8.parquet")
    save("overflow", {"a": (pa.int64(), [1, 2**40, None]), "n": (pa.decimal128(10, 2), [
        decimal.Decimal("1.00"), decimal.Decimal("2.00"), decimal.Decimal("99999999.99")])}, ["bigint", "decimal(10,2)"])
    pq.write_table(pa.table({"a": pa.array([1, 2, 3], pa.int32())}), FOLDER / "brotli.parquet", compression="brotli")


def statements():
    """For Tests/SQL/copy_parquet.slt."""
    folder = pathlib.Path(__file__).parent.parent.parent / "SQL" / "data" / "parquet"
    folder.mkdir(exist_ok=True)
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(6)]
    for part in range(2):
        pick = slice(3 * part, 3 * part + 3)
        pq.write_table(pa.table({
            "id": pa.array(range(6), pa.int64())[pick],
            "name": pa.array(["Ada", "Blaise", None, "Dorothée", "", "François"], pa.string())[pick],
            "price": pa.array([decimal.Decimal(i * 125).scaleb(-2) for i in range(6)], pa.decimal128(8, 2))[pick],
            "day": pa.array(days, pa.date32())[pick],
            "seen": pa.array([datetime.datetime(2024, 1, 1, 12) + datetime.timedelta(hours=i) for i in range(6)],
                             pa.timestamp("us"))[pick],
            "good": pa.array([True, False, None] * 2, pa.bool_())[pick],
        }), folder / f"people{part}.parquet", compression=["snappy", "zstd"][part])
    pq.write_table(pa.table({
        "id": pa.array([1, 2], pa.int32()),
        "tags": pa.array([["a", "b"], None], pa.list_(pa.string())),
        "place": pa.array([{"x": 1, "y": 2.5}, {"x": None, "y": -1.0}], pa.struct([("x", pa.int32()), ("y", pa.float64())])),
    }), folder / "nested.parquet")
    whole = (folder / "people0.parquet").read_bytes()
    (folder / "broken.parquet").write_bytes(whole[:100] + bytes(60) + whole[160:])
    (folder / "text.parquet").write_bytes(b"1|no Parquet file\n2|at all\n")


main()
