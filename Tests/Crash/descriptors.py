"""Takes descriptors away from a running server: commits fail while none is free and work afterwards, without a restart;
accept() does not spin; clients that do not log in have a limit and a time limit of their own.

    Tests/Crash/descriptors.py REDBARN
"""
import os
import resource
import shutil
import socket
import struct
import sys
import tempfile
import time

import psycopg

from server import Server

PASSED = FAILED = 0


def check(what, found, detail=""):
    global PASSED, FAILED
    if found:
        PASSED += 1
    else:
        FAILED += 1
        print(f"FAILED: {what} {detail}")


class Descriptors:
    """The limit of another process."""

    def __init__(self, process):
        self.process = process
        self.usual = resource.prlimit(process, resource.RLIMIT_NOFILE)

    def leave(self, free):
        taken = {int(name) for name in os.listdir(f"/proc/{self.process}/fd")}
        # New ones take the lowest numbers that nobody has.
        unused = [number for number in range(max(taken) + free + 2) if number not in taken]
        limit = unused[free]
        resource.prlimit(self.process, resource.RLIMIT_NOFILE, (limit, self.usual[1]))

    def restore(self):
        resource.prlimit(self.process, resource.RLIMIT_NOFILE, self.usual)


def cpu_seconds(process):
    fields = open(f"/proc/{process}/stat", encoding="utf-8").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def prepare(connection, statement):
    connection.execute("drop table if exists x")
    if statement.endswith("snapshot s"):
        try:
            connection.execute("create snapshot s" if statement.startswith("drop") else "drop snapshot s")
        except psycopg.Error as error:
            check(f"{statement}: its preparation", error.sqlstate in ("42710", "42704"), error)
    # The next commit begins a segment of the log.
    connection.execute("insert into t values (0)")
    connection.execute("vacuum")


def commits(server):
    descriptors = Descriptors(server.serving)
    connection = server.connect()
    connection.execute("create table t (a integer)")
    expected = failures = 0
    for statement in ["insert into t values (1)", "vacuum", "insert into t select * from t", "create temp table x as select 1",
                      "create snapshot s", "drop snapshot s", "analyze t"]:
        for free in range(7):
            prepare(connection, statement)
            before = connection.execute("select count(*) from t").fetchone()[0]
            descriptors.leave(free)
            try:
                connection.execute(statement)
                is_done = True
            except psycopg.Error as error:
                is_done = False
                failures += 1
                check(f"{statement} with {free} free: its error", error.sqlstate in ("53000", "58030"), error)
            descriptors.restore()
            grown = {"insert into t values (1)": 1, "insert into t select * from t": before}.get(statement, 0)
            expected = before + (grown if is_done else 0)
            try:
                connection.execute("insert into t values (2)")
                count = connection.execute("select count(*) from t").fetchone()[0]
                check(f"{statement} with {free} free: rows", count == expected + 1, (count, expected + 1))
            except psycopg.Error as error:
                check(f"{statement} with {free} free: works afterwards", False, error)
                return
            # It would grow twofold each time.
            if count > 10000:
                connection.execute("truncate t")
    check("some failed", failures > 0)
    count = connection.execute("select count(*) from t").fetchone()[0]
    server.stop()
    server.start()
    check("rows after a restart", server.connect().execute("select count(*) from t").fetchone()[0] == count)


def accepts(server):
    process = server.serving
    descriptors = Descriptors(process)
    descriptors.leave(0)
    waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(4)]
    time.sleep(0.3)
    before = cpu_seconds(process)
    time.sleep(2)
    used = cpu_seconds(process) - before
    check("accept() does not spin", used < 0.2, f"{used:.2f} s of CPU in 2 s")
    descriptors.restore()
    start = time.monotonic()
    check("serves again", server.connect().execute("select 1").fetchone() == (1,))
    check("serves again soon", time.monotonic() - start < 5)
    for one in waiting:
        one.close()


def is_open(client):
    client.settimeout(0.05)
    try:
        return client.recv(100) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


def logins(redbarn, folder):
    server = Server(redbarn, folder, "--tls", "--max-logins", "5", "--login-timeout", "4")
    server.start()
    try:
        sessions = [server.connect() for _ in range(10)]
        check("sessions do not count", all(one.execute("select 1").fetchone() == (1,) for one in sessions))
        start = time.monotonic()
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
        silent[1].sendall(b"\0\0")
        silent[2].sendall(struct.pack("!ii", 8, 80877103))
        check("TLS is offered", silent[2].recv(1) == b"S")
        silent[3].sendall(struct.pack("!ii", 8, 80877103))
        check("TLS is offered", silent[3].recv(1) == b"S")
        silent[3].sendall(b"\x16\x03\x01")
        try:
            psycopg.connect(f"host=127.0.0.1 port={server.port} user=dev dbname=dev sslmode=disable")
            check("one too many", False)
        except psycopg.OperationalError as error:
            check("one too many", "not logged in" in str(error), error)
        check("sessions go on", sessions[0].execute("select 2").fetchone() == (2,))
        time.sleep(1.2)
        check("the oldest makes way", server.connect().execute("select 3").fetchone() == (3,))
        check("only one", [is_open(client) for client in silent].count(True) == 4)
        while time.monotonic() - start < 10 and any(is_open(client) for client in silent):
            time.sleep(0.1)
        seconds = time.monotonic() - start
        check("time limit", 3 < seconds < 9, seconds)
        check("all gone", not any(is_open(client) for client in silent))
    finally:
        server.stop()


def main():
    redbarn = os.path.realpath(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="redbarn-descriptors-")
    server = Server(redbarn, folder, "--workers", "2", "--slices", "2")
    try:
        server.start()
        commits(server)
        accepts(server)
        server.stop()
        logins(redbarn, folder)
    finally:
        Server.kill_all()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{PASSED} passed, {FAILED} failed")
    sys.exit(FAILED != 0)


if __name__ == "__main__":
    main()
