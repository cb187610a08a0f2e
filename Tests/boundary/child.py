"""A `redbarn serve` child that may die: statements get an answer, an SQLSTATE, or the fact that the server died or hung."""
import os
import select
import sys
import time

from psycopg import pq

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Crash"))
from server import Server  # noqa: E402

DEAD, HUNG = "dead", "hung"
TIMEOUT_SECONDS, GRACE_SECONDS = 5, 2


class Answer:
    """`state` is None where `rows` is a result, else an SQLSTATE, DEAD or HUNG."""

    def __init__(self, rows=None, state=None, message="", types=()):
        self.rows, self.state, self.message, self.types = rows, state, message, types

    @property
    def is_fatal(self):
        return self.state in (DEAD, HUNG)


class Child:
    def __init__(self, redbarn, folder, *arguments):
        os.environ.setdefault("SWIFT_BACKTRACE", "enable=no")
        self.server = Server(redbarn, folder, *arguments)
        self.connection = None
        self.zone = "UTC"
        self.deaths = self.statements = 0
        self.begin()

    def begin(self):
        self.server.start()
        self.connect()

    def connect(self):
        self.connection = pq.PGconn.connect(
            f"host=127.0.0.1 port={self.server.port} user=dev dbname=dev connect_timeout=20".encode())
        if self.connection.status != pq.ConnStatus.OK:
            raise AssertionError("cannot connect: " + self.connection.error_message.decode())
        self.connection.exec_(f"set statement_timeout to {TIMEOUT_SECONDS * 1000}; set timezone to '{self.zone}'".encode())

    def set_zone(self, zone):
        if zone != self.zone:
            self.zone = zone
            self.run(f"set timezone to '{zone}'")

    def end(self):
        self.connection.finish()
        self.server.stop()

    def run(self, sql, values=None, oids=None, formats=None, result_format=0):
        """One statement; a server that died or hung is started again before this returns."""
        self.statements += 1
        connection = self.connection
        try:
            text = sql.encode("utf-8")
            if values is None and result_format == 0:
                connection.send_query(text)
            else:
                connection.send_query_params(text, values, oids, formats, result_format)
            answer = self.collect(connection)
        except Exception as error:  # psycopg raises OperationalError for a closed connection
            answer = Answer(state=DEAD, message=str(error))
        if answer.is_fatal:
            answer = self.after_loss(answer)
        return answer

    def collect(self, connection):
        answer = Answer(rows=[])
        limit = time.monotonic() + TIMEOUT_SECONDS + GRACE_SECONDS
        while True:
            connection.flush()
            while connection.is_busy():
                left = limit - time.monotonic()
                if left <= 0:
                    return Answer(state=HUNG, message="no answer in time")
                select.select([connection.socket], [], [], left)
                connection.consume_input()
            result = connection.get_result()
            if result is None:
                return answer
            if result.status == pq.ExecStatus.FATAL_ERROR:
                state = result.error_field(pq.DiagnosticField.SQLSTATE)
                message = (result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b"").decode("utf-8", "replace")
                if state is None or connection.status != pq.ConnStatus.OK:
                    return Answer(state=DEAD, message=message)
                answer = Answer(state=state.decode(), message=message)
            elif result.status == pq.ExecStatus.TUPLES_OK:
                columns = range(result.nfields)
                answer.rows = [[result.get_value(row, column) for column in columns] for row in range(result.ntuples)]
                answer.types = [result.ftype(column) for column in columns]

    def after_loss(self, answer):
        self.connection.finish()
        if answer.state == DEAD:
            # A connection may also be ended on purpose (pg_terminate_backend): then the process lives on.
            deadline = time.monotonic() + 1
            while self.server.process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
            if self.server.process.poll() is None:
                try:
                    self.connect()
                    return Answer(state="57P01", message="the connection was ended")
                except AssertionError:
                    pass
        self.deaths += 1
        self.server.kill()
        log = os.path.join(self.server.folder, f"server{self.server.starts}.log")
        with open(log, encoding="utf-8", errors="replace") as lines:
            fatal = [line.strip() for line in lines if "atal error" in line or "signal" in line.lower()]
        self.begin()
        code = self.server.process.returncode
        return Answer(state=answer.state, message=(fatal[-1][:200] if fatal else answer.message) + (f" ({code})" if code else ""))
