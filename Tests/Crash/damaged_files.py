"""COPY of damaged files by a server: truncated, bits flipped, pieces missing. Each is an error or rows, never the end of
the server, never memory far beyond its figure, and the table has what the statements that succeeded have loaded. Where
the format has checksums rows are the right ones.

    Tests/Crash/damaged_files.py REDBARN                      some variants of each file
    Tests/Crash/damaged_files.py REDBARN --variants 10000     the long form: so many of each format
    Tests/Crash/damaged_files.py REDBARN --only avro --seed 7
"""
import argparse
import bz2
import gzip
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

import psycopg

from server import Server

TESTS = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = TESTS / "Fixtures" / "BulkTransfer"
PARQUET = TESTS / "BulkTransferTests" / "Fixtures" / "parquet"
ORC_COLUMNS = ["bigint", "integer", "smallint", "smallint", "boolean", "smallint", "double precision", "real",
               "varchar(20)", "varchar(40)", "decimal(12,2)", "decimal(30,4)", "date", "timestamp", "timestamp"]
AVRO_COLUMNS = ["id bigint", "flag boolean", "small smallint", "ratio double precision", "single real",
                "name varchar(20)", "price decimal(12,2)", "tax decimal(18,4)", "day date", "moment timestamp",
                "exact timestamptz", "clock time", "kind char(3)", "tags varchar(40)", "attributes varchar(40)",
                "address varchar(80)"]
PARQUET_FILES = ["codec_none", "codec_snappy", "codec_gzip", "codec_zstd", "codec_lz4", "groups_v1", "plain_v2", "deltas",
                 "deltas_v2", "decimals_bytes", "integers", "strings", "datetimes", "int96", "dictionary_overflow"]
# The server has 512 MB; what allocators hold, and the program, come on top.
LARGEST_RESIDENT_BYTES = 900 << 20

PASSED = FAILED = 0


def check(what, found, detail=""):
    global PASSED, FAILED
    if found:
        PASSED += 1
    else:
        FAILED += 1
        print(f"FAILED: {what} {detail}")


class File:
    """A whole file, and what loads it."""

    def __init__(self, kind, name, content, columns, options, has_checksums=False):
        self.kind, self.name, self.content, self.options = kind, name, content, options
        self.columns = columns if " " in columns[0] and not columns[0].startswith("double") else [
            f"c{number} {column}" for number, column in enumerate(columns)]
        self.has_checksums = has_checksums


def parquet_columns(name):
    types = open(PARQUET / f"{name}.tsv", encoding="utf-8").readline().rstrip("\n").split("\t")
    return ["double precision" if kind == "double" else kind for kind in types]


def files():
    for name in PARQUET_FILES:
        yield File("parquet", name, (PARQUET / f"{name}.parquet").read_bytes(), parquet_columns(name), "parquet")
    for name in ("nested_v1", "nested_v2"):
        yield File("parquet", name, (PARQUET / f"{name}.parquet").read_bytes(), ["integer"] + ["varchar(1000)"] * 5,
                   "parquet serializetojson")
    for name in ("uncompressed", "zlib", "snappy", "lz4", "zstd", "first"):
        yield File("orc", name, (FIXTURES / f"columns_{name}.orc").read_bytes(), ORC_COLUMNS, "orc")
    yield File("orc", "nested", (FIXTURES / "nested.orc").read_bytes(), ["integer"] + ["varchar(100)"] * 4,
               "orc serializetojson")
    for name in ("null", "deflate", "snappy", "zstandard", "bzip2"):
        yield File("avro", name, (FIXTURES / f"orders_{name}.avro").read_bytes(), AVRO_COLUMNS,
                   "avro 'auto ignorecase'")
    lines = b"".join(b"%d|value %d\n" % (number, number * 2_654_435_761 % (1 << 32)) for number in range(500))
    text = ["integer", "varchar(60)"]
    yield File("gzip", "text", gzip.compress(lines), text, "delimiter '|' gzip", has_checksums=True)
    yield File("bzip2", "text", bz2.compress(lines, 1), text, "delimiter '|' bzip2", has_checksums=True)
    for name in ("fast", "best", "crc", "plain"):
        yield File("lzop", name, (FIXTURES / f"lines_{name}.lzo").read_bytes(), ["varchar(20)", "varchar(20001)"],
                   "delimiter '|' lzop fillrecord", has_checksums=name != "plain")


def damaged(content, generator):
    """Some change of the bytes; half of them near the end, where footers are."""
    copy = bytearray(content)

    def place():
        near_end = generator.random() < 0.5
        return generator.randrange(max(0, len(copy) - 1500) if near_end else 0, len(copy))

    way = generator.randrange(8)
    if way == 0:
        del copy[generator.randrange(len(copy)):]
    elif way == 1:
        start = generator.randrange(len(copy))
        del copy[start:start + 1 + generator.randrange(64)]
    elif way == 2:
        start = place()
        copy[start:start + 4] = b"\xff" * len(copy[start:start + 4])
    elif way == 3:
        start, length = generator.randrange(len(copy)), 1 + generator.randrange(200)
        copy[start:start] = copy[start:start + length]
    elif way == 4:
        copy[place()] = generator.randrange(256)
    else:
        for _ in range(1 + generator.randrange(4)):
            copy[place()] ^= 1 << generator.randrange(8)
    return bytes(copy)


class Trial:
    def __init__(self, server, folder, seed):
        self.server, self.folder, self.seed = server, folder, seed
        self.connection = server.connect()
        self.errors = self.loads = 0

    def run(self, file, count):
        table = f"{file.kind}_{file.name}"
        self.connection.execute(f"create table {table} ({', '.join(file.columns)})")
        path = os.path.join(self.folder, f"{table}.data")
        copy = f"copy {table} from '{path}' {file.options}"
        pathlib.Path(path).write_bytes(file.content)
        self.connection.execute(copy)
        whole = self.rows(table)
        check(f"{table}: the whole file", whole[0] > 0, whole)
        self.connection.execute(f"truncate {table}")
        expected = 0
        for number in range(count):
            pathlib.Path(path).write_bytes(damaged(file.content, random.Random(f"{self.seed} {table} {number}")))
            loaded = self.load(copy, f"{table}, variant {number}, seed {self.seed}")
            if loaded is None:
                return False
            if loaded and file.has_checksums:
                found = self.rows(table)
                check(f"{table}, variant {number}: other rows than the file's", found == whole, (found, whole))
                self.connection.execute(f"truncate {table}")
            else:
                expected += loaded
        if not file.has_checksums:
            found = self.connection.execute(f"select count(*) from {table}").fetchone()[0]
            check(f"{table}: rows of the loads that succeeded", found == expected, (found, expected))
        self.connection.execute(f"drop table {table}")
        return True

    def rows(self, table):
        return self.connection.execute(
            f"select count(*), sum(length(c1)), sum(checksum(c1)) from {table}"
            if table.startswith(("gzip", "bzip2", "lzop")) else f"select count(*) from {table}").fetchone()

    def load(self, copy, what):
        """Rows loaded, 0 after an error, None when the server has ended."""
        try:
            self.connection.execute(copy)
            self.loads += 1
            return self.connection.execute("select pg_last_copy_count()").fetchone()[0]
        except psycopg.OperationalError as error:
            if self.server.process.poll() is not None or self.connection.closed:
                kept = os.path.join(tempfile.gettempdir(), "damaged-file.data")
                shutil.copy(copy.split("'")[1], kept)
                check(f"{what}: the server ended (the file is {kept})", False, error)
                return None
            self.errors += 1
        except psycopg.Error as error:
            self.errors += 1
            check(f"{what}: an error with a code", error.sqlstate is not None, error)
        return 0


def resident_bytes(process):
    for line in open(f"/proc/{process}/status", encoding="utf-8"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) << 10
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("redbarn")
    parser.add_argument("--variants", type=int, default=300, help="of each format, over its files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one format")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="damaged-files-")
    server = Server(options.redbarn, folder, "--memory", "512MB", "--slices", "2", "--workers", "2")
    try:
        server.start()
        trial = Trial(server, folder, options.seed)
        chosen = [file for file in files() if options.only in (None, file.kind)]
        for kind in dict.fromkeys(file.kind for file in chosen):
            of_kind = [file for file in chosen if file.kind == kind]
            started, errors, loads = time.monotonic(), trial.errors, trial.loads
            for file in of_kind:
                if not trial.run(file, -(-options.variants // len(of_kind))):
                    break
            print(f"{kind}: {trial.errors - errors} errors, {trial.loads - loads} loads, "
                  f"{time.monotonic() - started:.1f} s", flush=True)
            if server.process.poll() is not None:
                break
        peak = resident_bytes(server.serving)
        check("peak of memory", peak <= LARGEST_RESIDENT_BYTES, f"{peak >> 20} MB with --memory 512MB")
        print(f"peak of memory: {peak >> 20} MB")
    finally:
        Server.kill_all()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{PASSED} passed, {FAILED} failed")
    sys.exit(FAILED > 0)


main()
