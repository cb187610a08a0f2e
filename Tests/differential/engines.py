"""The systems that answer: Redbarn servers with a connection for each world, PostgreSQL in a cluster of its own, DuckDB."""
import glob
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

import psycopg

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Crash"))
from server import Server  # noqa: E402


class Answer:
    """Rows of texts, or an error with its SQLSTATE ("LOST" when the connection went)."""

    def __init__(self, rows=None, state=None, message=""):
        self.rows, self.state, self.message = rows, state, message


class Watchdog:
    """Calls what a long statement was started with, some seconds later."""

    def __init__(self):
        # Deadline and action together: the thread must not take one statement's deadline for the next one's.
        self.armed = None
        threading.Thread(target=self.watch, daemon=True).start()

    def begin(self, seconds, action):
        self.armed = (time.monotonic() + seconds, action)

    def end(self):
        self.armed = None

    def watch(self):
        while True:
            time.sleep(0.25)
            armed = self.armed
            if armed is not None and time.monotonic() > armed[0] and self.armed is armed:
                self.end()
                armed[1]()


WATCHDOG = Watchdog()


def answer_of(connection, text):
    """By the simple protocol, without conversions: values stay texts."""
    try:
        result = connection.pgconn.exec_(text.encode())
    except psycopg.OperationalError as error:
        return Answer(None, "LOST", str(error))
    status = result.status
    if status == psycopg.pq.ExecStatus.TUPLES_OK:
        value, columns = result.get_value, range(result.nfields)
        return Answer([tuple([value(row, column) for column in columns]) for row in range(result.ntuples)])
    if status in (psycopg.pq.ExecStatus.COMMAND_OK, psycopg.pq.ExecStatus.EMPTY_QUERY):
        return Answer([])
    message = result.error_message.decode(errors="replace").strip()
    state = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
    return Answer(None, state.decode() if state else "LOST", message)


class Redbarn:
    """A warehouse of its own shape; the first world is the plain one."""
    dialect = "R"

    def __init__(self, binary, folder, arguments, timeout_seconds=60):
        self.binary, self.folder, self.arguments, self.timeout_seconds = binary, folder, arguments, timeout_seconds
        self.server, self.connections, self.incarnation, self.analyzes = None, {}, 0, True
        self.start()

    def start(self):
        self.incarnation += 1
        folder = os.path.join(self.folder, str(self.incarnation))
        os.makedirs(folder)
        self.server = Server(self.binary, folder, *self.arguments)
        self.server.start()
        self.connections = {}

    def describe(self):
        return " ".join(self.arguments)

    def connection(self, settings):
        """None when the server does not know a setting."""
        if settings not in self.connections:
            connection = self.server.connect()
            connection.execute(f"set statement_timeout to {self.timeout_seconds * 1000}")
            try:
                for setting in settings:
                    connection.execute(f"set {setting}")
            except psycopg.Error:
                connection.close()
                connection = None
            self.connections[settings] = connection
        return self.connections[settings]

    def run(self, text, settings=()):
        connection = self.connection(settings)
        WATCHDOG.begin(self.timeout_seconds * 2, self.server.kill)
        answer = answer_of(connection, text)
        WATCHDOG.end()
        if answer.state == "LOST":
            self.wait_for_end()
            answer.message = self.last_words() or answer.message
        return answer

    def wait_for_end(self, seconds=3):
        try:
            self.server.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.server.kill()

    def last_words(self):
        path = os.path.join(self.folder, str(self.incarnation), "server1.log")
        text = open(path, encoding="utf-8", errors="replace").read()
        for mark in ("Fatal error", "*** Signal", "*** Program crashed"):
            if mark in text:
                thread = text.find(" crashed:\n")
                trace = text[thread:thread + 2500] if thread >= 0 else ""
                return text[text.index(mark):].split("\n")[0] + trace
        return text[-1000:]

    def is_alive(self):
        """A dying server may take long to write down why: it is ended here."""
        if self.server.process.poll() is None and self.run("select 1").state is None:
            return True
        self.server.kill()
        return False

    def stop(self):
        for connection in self.connections.values():
            if connection is not None:
                connection.close()
        self.server.stop()
        shutil.rmtree(os.path.join(self.folder, str(self.incarnation)), ignore_errors=True)

    def create(self, table, paths):
        self.must(f"drop table if exists {table.name}")
        self.must(table.definition("R"))
        if len(table.rows) + len(table.ghosts) <= 60:
            for text in table.insertions("R"):
                self.must(text)
        else:
            for path in paths:
                self.must(f"copy {table.name} from '{path}' csv null as '@N@'")
        for text in table.changes:
            self.must(text)
        if self.analyzes:
            self.must(f"analyze {table.name}")

    def must(self, text):
        answer = self.run(text)
        if answer.state:
            raise SystemExit(f"set-up failed: {answer.message}\n{text[:2000]}")


class Postgres:
    dialect = "P"

    def __init__(self, folder, timeout_seconds=4):
        self.folder = folder
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise FileNotFoundError("PostgreSQL is not installed")
        self.programs = programs[-1]
        self.user = "postgres" if os.geteuid() == 0 else None
        os.makedirs(folder)
        if self.user:
            shutil.chown(folder, self.user)
        data = os.path.join(folder, "data")
        self.program("initdb", "-D", data, "--locale=C", "--lc-ctype=C.UTF-8", "-E", "UTF8", "-A", "trust", "-N", "-U", "fuzz")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": folder, "fsync": "off",
                    "synchronous_commit": "off", "full_page_writes": "off", "jit": "off", "max_parallel_workers_per_gather": 0,
                    "autovacuum": "off", "statement_timeout": f"{timeout_seconds}s", "timezone": "UTC", "work_mem": "64MB",
                    "standard_conforming_strings": "on", "temp_file_limit": "1GB"}
        with open(os.path.join(data, "postgresql.auto.conf"), "a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.data = data
        self.program("pg_ctl", "-D", data, "-l", os.path.join(folder, "log"), "-w", "start")
        self.connection = psycopg.connect(host="127.0.0.1", port=self.port, user="fuzz", dbname="postgres", autocommit=True)

    def program(self, name, *arguments):
        subprocess.run([os.path.join(self.programs, name), *arguments], user=self.user, check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def is_alive(self):
        return True

    def run(self, text):
        return answer_of(self.connection, text)

    def create(self, table, paths):
        self.connection.execute(f"drop table if exists {table.name}")
        self.connection.execute(table.definition("P"))
        for path in paths:
            with self.connection.cursor().copy(f"copy {table.name} from stdin (format csv, null '@N@')") as copy:
                with open(path, "rb") as file:
                    copy.write(file.read())
        self.connection.execute(f"analyze {table.name}")

    def stop(self):
        self.connection.close()
        self.program("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class DuckDB:
    dialect = "D"

    def __init__(self, timeout_seconds=8):
        import duckdb
        self.errors, self.timeout_seconds, self.connect = duckdb.Error, timeout_seconds, duckdb.connect
        self.start()

    def start(self):
        self.connection = self.connect(config={"threads": 1, "memory_limit": "2GB"})
        self.connection.execute("set timezone = 'UTC'")
        try:
            # DuckDB 2.0.1 finds parts of chains of self-joins to be common that differ in their columns, and sorts the
            # sum of 200 rows behind an outer join that finds nothing as a byte: -56.
            self.connection.execute("set disabled_optimizers = 'common_subplan,compressed_materialization'")
        except self.errors:
            pass  # Another version has no such pass.

    def is_alive(self):
        """After an internal error of its own a database answers nothing."""
        try:
            self.connection.execute("select 1")
        except self.errors:
            return False
        return True

    def run(self, text):
        WATCHDOG.begin(self.timeout_seconds, self.connection.interrupt)
        try:
            rows = self.connection.execute(f"select columns(*)::varchar from ({text})").fetchall()
        except self.errors as error:
            return Answer(None, "DUCK", str(error))
        except RuntimeError as error:
            # What becomes of a signal that comes while it runs.
            raise KeyboardInterrupt from error
        finally:
            WATCHDOG.end()
        return Answer([tuple([None if value is None else value.encode() for value in row]) for row in rows])

    def create(self, table, paths):
        self.connection.execute(f"drop table if exists {table.name}")
        if table.has_far_days:
            return
        self.connection.execute(table.definition("D"))
        for path in paths:
            self.connection.execute(f"copy {table.name} from '{path}' (format csv, header false, nullstr '@N@')")

    def stop(self):
        self.connection.close()
