"""The engines of compare.py: each loads the same .tbl files and runs the same queries with the same number of threads."""

import importlib.util
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUERIES = ROOT / "benchmarks" / "tpch" / "queries"
TABLES = ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"]


def query_text(name):
    text = (QUERIES / f"q{int(name[1:]):02d}.sql").read_text()
    return text.strip().rstrip(";")


def plain_ddl():
    """(table, [(column, type, not null)]) of the plain table definitions."""
    text = re.sub(r"--.*", "", (ROOT / "benchmarks" / "tpch" / "ddl_plain.sql").read_text())
    for table, body in re.findall(r"create table (\w+)\s*\((.*?)\)\s*;", text, re.S):
        columns = []
        for line in re.split(r",\s*\n", body):
            words = line.split()
            if words and words[0] not in ("primary", "foreign"):
                columns.append((words[0], words[1], "not null" in line))
        yield table, columns


def folder_bytes(path):
    path = pathlib.Path(path)
    if path.is_file():
        return path.stat().st_size
    return sum(entry.stat().st_size for entry in path.rglob("*") if entry.is_file())


class Engine:
    """Runs in a process of its own (see worker.py) except Redbarn, which is one."""

    name = ""
    module = ""
    memory = None

    def __init__(self, folder, data, threads):
        self.folder = pathlib.Path(folder)
        self.data = pathlib.Path(data)
        self.threads = threads

    @classmethod
    def version(cls):
        return importlib.metadata.version(cls.module)

    @classmethod
    def is_installed(cls):
        return importlib.util.find_spec(cls.module) is not None

    def load(self):
        raise NotImplementedError

    def open(self):
        raise NotImplementedError

    def run(self, name):
        """Rows of a query, fetched."""
        raise NotImplementedError

    def disk_bytes(self):
        return folder_bytes(self.folder)


class DuckDB(Engine):
    name = "duckdb"
    module = "duckdb"

    def connect(self):
        import duckdb

        self.connection = duckdb.connect(str(self.folder / "tpch.duckdb"), config={"threads": self.threads})

    def load(self):
        self.connect()
        for table, columns in plain_ddl():
            body = ", ".join(f"{name} {kind}{' not null' if strict else ''}" for name, kind, strict in columns)
            self.connection.execute(f"create table {table} ({body})")
        for table in TABLES:
            self.connection.execute(f"copy {table} from '{self.data / table}.tbl' (delimiter '|', header false)")
        self.connection.execute("checkpoint")
        self.connection.close()

    def open(self):
        self.connect()

    def run(self, name):
        return len(self.connection.execute(query_text(name)).fetchall())


class DataFusion(Engine):
    """Reads Parquet, which is what its users do; it writes the files itself."""

    name = "datafusion"
    module = "datafusion"

    def context(self):
        import datafusion

        config = datafusion.SessionConfig().with_target_partitions(self.threads)
        return datafusion.SessionContext(config)

    def load(self):
        import pyarrow

        context = self.context()
        kinds = {"integer": pyarrow.int32(), "bigint": pyarrow.int64(), "date": pyarrow.date32()}
        for table, columns in plain_ddl():
            fields = []
            for name, kind, _ in columns:
                decimal = re.match(r"decimal\((\d+),(\d+)\)", kind)
                if decimal:
                    fields.append((name, pyarrow.decimal128(int(decimal[1]), int(decimal[2]))))
                else:
                    fields.append((name, kinds.get(kind, pyarrow.string())))
            # The trailing delimiter makes one column more.
            fields.append(("trailing", pyarrow.string()))
            context.register_csv(
                table, str(self.data / f"{table}.tbl"), schema=pyarrow.schema(fields), has_header=False,
                delimiter="|", file_extension=".tbl")
            names = ", ".join(name for name, _, _ in columns)
            (self.folder / table).mkdir(parents=True, exist_ok=True)
            context.sql(f"select {names} from {table}").write_parquet(str(self.folder / table))

    def open(self):
        self.session = self.context()
        for table in TABLES:
            self.session.register_parquet(table, str(self.folder / table))

    def run(self, name):
        return sum(batch.num_rows for batch in self.session.sql(query_text(name)).collect())


class Hyper(Engine):
    name = "hyper"
    module = "tableauhyperapi"

    def start(self, create):
        import tableauhyperapi as api

        parameters = {"log_config": "", "hard_concurrent_query_thread_limit": str(self.threads)}
        self.process = api.HyperProcess(api.Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU, parameters=parameters)
        mode = api.CreateMode.CREATE_AND_REPLACE if create else api.CreateMode.NONE
        self.connection = api.Connection(self.process.endpoint, str(self.folder / "tpch.hyper"), mode)

    def load(self):
        self.start(True)
        for table, columns in plain_ddl():
            body = ", ".join(f"{name} {kind}{' not null' if strict else ''}" for name, kind, strict in columns)
            self.connection.execute_command(f"create table {table} ({body})")
            cut = self.folder / f"{table}.csv"
            # Hyper does not take the delimiter at the end of the lines.
            subprocess.run(f"sed 's/|$//' '{self.data / table}.tbl' > '{cut}'", shell=True, check=True)
            started = time.perf_counter()
            self.connection.execute_command(
                f"copy {table} from '{cut}' with (format csv, delimiter '|', header false)")
            self.load_seconds = getattr(self, "load_seconds", 0) + time.perf_counter() - started
            cut.unlink()
        self.connection.close()
        self.process.close()

    def open(self):
        self.start(False)

    def run(self, name):
        return len(self.connection.execute_list_query(query_text(name)))


class ChDB(Engine):
    name = "chdb"
    module = "chdb"

    def connect(self):
        from chdb import session

        self.session = session.Session(str(self.folder / "chdb"))
        self.settings = f" settings max_threads = {self.threads}, joined_subquery_requires_alias = 0, join_use_nulls = 1"

    def load(self):
        self.connect()
        kinds = {"integer": "Int32", "bigint": "Int64", "date": "Date32"}
        order = {"lineitem": "(l_shipdate, l_orderkey)", "orders": "(o_orderdate, o_orderkey)"}
        self.session.query("create database if not exists tpch engine = Atomic")
        for table, columns in plain_ddl():
            fields = []
            for name, kind, _ in columns:
                decimal = re.match(r"decimal\((\d+),(\d+)\)", kind)
                fields.append(f"{name} " + (kind if decimal else kinds.get(kind, "String")))
            key = order.get(table, columns[0][0])
            self.session.query(f"create table tpch.{table} ({', '.join(fields)}) engine = MergeTree order by {key}")
            names = ", ".join(f"{name} {kind.split(' ', 1)[1]}" for (name, _, _), kind in zip(columns, fields))
            self.session.query(
                f"insert into tpch.{table} select * except (trailing) from file('{self.data / table}.tbl', 'CSV', "
                f"'{names}, trailing Nullable(String)') settings format_csv_delimiter = '|', max_threads = {self.threads}")

    def open(self):
        self.connect()
        self.session.query("use tpch")

    def run(self, name):
        result = self.session.query(query_text(name) + self.settings, "TabSeparated")
        return len(result.bytes().splitlines())


class Redbarn(Engine):
    name = "redbarn"
    keys = "redshift"

    def __init__(self, folder, data, threads):
        super().__init__(folder, data, threads)
        self.folder = self.folder / "warehouse"
        self.binary = binary()

    @classmethod
    def version(cls):
        commit = subprocess.run(
            ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        version = subprocess.run([binary(), "--version"], capture_output=True, text=True).stdout.split()[-1]
        return f"{version} {commit}".strip()

    @classmethod
    def is_installed(cls):
        return pathlib.Path(binary()).exists()

    def load(self):
        report = self.folder.parent / "load.json"
        shutil.rmtree(self.folder, ignore_errors=True)
        report.unlink(missing_ok=True)
        # The answer of the one query that it insists on is not looked at: the scale is not known here.
        done = subprocess.run(
            [self.binary, "bench", "tpch", "--data", str(self.data), "--warehouse", str(self.folder), "--runs", "0",
             "--queries", "6", "--keys", self.keys, "--workers", str(self.threads), "--slices", str(self.threads),
             "--json", str(report)],
            capture_output=True, text=True)
        if not report.exists():
            raise RuntimeError(done.stderr.strip())
        self.load_seconds = json.loads(report.read_text())["load"]["seconds"]

    def open(self):
        self.process = subprocess.Popen(
            [self.binary, "bench", "run-loop", "--warehouse", str(self.folder), "--workers", str(self.threads)]
            + (["--memory", self.memory] if self.memory else []),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def ask(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class RedbarnWithoutKeys(Redbarn):
    """Tables without DISTKEY and SORTKEY."""

    name = "redbarn-nokeys"
    keys = "none"


def binary():
    return os.environ.get("REDBARN", str(ROOT / ".build" / "release" / "redbarn"))


ENGINES = {engine.name: engine for engine in (Redbarn, RedbarnWithoutKeys, DuckDB, Hyper, DataFusion, ChDB)}
