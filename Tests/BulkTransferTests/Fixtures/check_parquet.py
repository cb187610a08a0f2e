#!/usr/bin/env python3
"""Reads the files that ParquetWriteTests leaves in a folder with pyarrow and DuckDB, and compares values and statistics.

    REDBARN_PARQUET_OUT=/tmp/out swift test --filter ParquetWriteTests
    /tmp/venv/bin/python Tests/BulkTransferTests/Fixtures/check_parquet.py /tmp/out
"""

import datetime
import decimal
import pathlib
import struct
import sys

import duckdb
import pyarrow.parquet as pq

EPOCH = datetime.datetime(1970, 1, 1)


def text(value):
    """As the tests' texts show values."""
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, decimal.Decimal):
        sign, digits, _ = value.as_tuple()
        return str(int(value.scaleb(-value.as_tuple().exponent, decimal.Context(prec=60))))
    if isinstance(value, datetime.datetime):
        delta = value.replace(tzinfo=None) - EPOCH
        return str((delta.days * 86400 + delta.seconds) * 1_000_000 + delta.microseconds)
    if isinstance(value, datetime.date):
        return str((value - EPOCH.date()).days)
    if isinstance(value, datetime.time):
        return str(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)
    if isinstance(value, float):
        return struct.pack(">d", value).hex() if value == value else "nan"
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def check_statistics(path):
    file = pq.ParquetFile(path)
    for group in range(file.num_row_groups):
        rows = file.read_row_group(group)
        for index in range(file.metadata.num_columns):
            facts = file.metadata.row_group(group).column(index).statistics
            values = [v for v in rows.column(index).to_pylist() if v is not None]
            assert facts.null_count == rows.num_rows - len(values), (path, group, index)
            if facts.has_min_max:
                assert facts.min == min(values) and facts.max == max(values), (path, group, index, facts)


def main():
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.parquet")):
        expected_file = path.with_suffix(".tsv")
        if not expected_file.exists():
            print(f"{path.name}: {path.stat().st_size} bytes, {pq.ParquetFile(path).metadata.num_row_groups} row groups")
            continue
        expected = expected_file.read_text().split("\n")[1:-1]
        if path.stem != "texts":
            for name, rows in [("pyarrow", zip(*[c.to_pylist() for c in pq.read_table(path).columns])),
                               ("duckdb", connection.execute(f"select * from '{path}'").fetchall())]:
                found = ["\t".join(text(v) for v in row) for row in rows]
                assert len(found) == len(expected), (name, path, len(found), len(expected))
                for number, (left, right) in enumerate(zip(found, expected)):
                    assert left == right, f"{name} {path} row {number}:\n{left}\n{right}"
        check_statistics(path)
        print(f"{path.name}: {len(expected)} rows are equal")


main()
