"""Lets a server die in every way and looks at what comes after: it is there again at once, on the same port and with all
commits, and says what died, in its log and in SVL_REDBARN_CRASHES; a statement that has brought it down twice is refused
until a superuser has run it without harm; signals and exit codes pass through the parent; a server that cannot start is
given up.

    Tests/Crash/restarts.py REDBARN
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import psycopg

from server import Server

PASSED = FAILED = 0
ENVIRONMENT = {"REDBARN_TEST_CRASH": "1"}


def check(what, found, detail=""):
    global PASSED, FAILED
    if found:
        PASSED += 1
    else:
        FAILED += 1
        print(f"FAILED: {what} {detail}")


def connected(server, seconds=20):
    """A connection to the next life, and how long it took."""
    start = time.monotonic()
    while True:
        try:
            return server.connect(), time.monotonic() - start
        except psycopg.Error:
            if time.monotonic() - start > seconds:
                raise
            time.sleep(0.01)


def dies(connection, statement):
    try:
        connection.execute(statement)
    except psycopg.OperationalError as error:
        return error.sqlstate is None
    except psycopg.Error as error:
        print(f"   {error}")
    return False


def log_after_death(server, word, seconds=5):
    """The log, once it has the word."""
    deadline = time.monotonic() + seconds
    while True:
        text = server.log()
        if word in text or time.monotonic() > deadline:
            return text
        time.sleep(0.01)


def each_kind(server):
    """One death of each kind, each by a statement of its own."""
    times = []
    for kind, signals in [("trap", ("SIGILL", "SIGTRAP")), ("address", ("SIGSEGV",)), ("abort", ("SIGABRT",)),
                          ("recursion", ("SIGSEGV",)), ("helper", ("SIGILL", "SIGTRAP"))]:
        connection = server.connect()
        connection.execute(f"insert into t values ('{kind}')")
        check(f"{kind}: dies", dies(connection, f"select /* crash: {kind} */ 'hidden', password '{kind}-secret'"))
        connection, seconds = connected(server)
        times.append(seconds)
        rows = connection.execute("select v from t").fetchall()
        check(f"{kind}: keeps commits", (kind,) in rows, rows)
        row = connection.execute(
            "select signal_name, is_blamed, is_refused, user_name, text, stack from svl_redbarn_crashes "
            "order by recordtime desc limit 1").fetchone()
        check(f"{kind}: in the table", row and row[0].strip() in signals and row[1] and not row[2], row)
        check(f"{kind}: user", row and row[3] == "dev", row)
        check(f"{kind}: text", row and f"crash: {kind}" in row[4] and "secret" not in row[4], row)
        # A recursion fills the stack with itself; what calls rb_die may be inlined into anything.
        inner = ["recurse"] if kind == "recursion" else ["CrashTrial", "rb_die"]
        check(f"{kind}: stack", row and any(name in row[5] for name in inner), row)
        log = log_after_death(server, f"crash: {kind}")
        check(f"{kind}: in the log", f"crash: {kind}" in log and "secret" not in log)
        connection.close()
    print(f"back after {', '.join(f'{seconds:.2f}' for seconds in times)} s")
    check("back within two seconds", max(times) < 2, times)


def from_outside(server):
    """A signal that no statement has caused lists what runs and blames nobody."""
    connection = server.connect()
    running = server.connect()
    running.execute("create temp table big as select 1")
    for sent, name in [(signal.SIGSEGV, "SIGSEGV"), (signal.SIGKILL, "SIGKILL")]:
        process = server.child()
        os.kill(process, sent)
        connection, _ = connected(server)
        row = connection.execute(
            f"select signal_name, is_blamed, process from svl_redbarn_crashes where process = {process}").fetchone()
        check(f"{name} from outside", row and row[0].strip() == name and not row[1], row)
    check("same port", f"event=listening port={server.port} " in server.log().rsplit("event=restart", 1)[1])


def refused(server):
    statement = "select /* crash: trap */ 1"
    for _ in range(2):
        connection, _ = connected(server)
        check("dies before it is refused", dies(connection, statement))
    connection, _ = connected(server)
    process = server.child()
    for run in [lambda: connection.execute(statement),
                lambda: psycopg.ClientCursor(connection).execute(statement),
                lambda: connection.execute(statement, prepare=True)]:
        try:
            run()
            check("refused", False)
        except psycopg.Error as error:
            check("refused", error.sqlstate == "55000" and "redbarn_run_refused" in (error.diag.message_hint or ""), error)
    check("same process", server.child() == process)
    row = connection.execute("select count(*) from svl_redbarn_crashes where is_refused").fetchone()
    check("marked in the table", row[0] == 2, row)
    # Not by just anybody.
    connection.execute("create user somebody password disable")
    connection.execute("set session authorization somebody")
    connection.execute("set redbarn_run_refused to on")
    try:
        connection.execute(statement)
        check("refused for other users", False)
    except psycopg.Error as error:
        check("refused for other users", error.sqlstate == "55000", error)
    try:
        check("hidden from other users", not connection.execute("select * from svl_redbarn_crashes").fetchall())
    except psycopg.Error as error:
        check("hidden from other users", error.sqlstate == "42501", error)
    connection.execute("set session authorization default")
    check("runs for a superuser, and dies again", dies(connection, statement))
    # Without the crash on order it comes to its end.
    server.stop()
    os.environ.pop("REDBARN_TEST_CRASH")
    server.start()
    connection = server.connect()
    try:
        connection.execute(statement)
        check("refused after a restart", False)
    except psycopg.Error as error:
        check("refused after a restart", error.sqlstate == "55000", error)
    connection.execute("set redbarn_run_refused to on")
    check("runs for a superuser", connection.execute(statement).fetchone() == (1,))
    connection.execute("set redbarn_run_refused to off")
    check("allowed again", server.connect().execute(statement).fetchone() == (1,))
    server.stop()
    server.start()
    check("allowed after a restart", server.connect().execute(statement).fetchone() == (1,))
    server.stop()
    os.environ.update(ENVIRONMENT)


def signals_and_codes(redbarn, folder):
    for number in [signal.SIGTERM, signal.SIGINT]:
        server = Server(redbarn, folder)
        server.start()
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        check("SIGHUP is ignored", server.process.poll() is None and server.connect() is not None)
        server.process.send_signal(number)
        check(f"exit code after {number.name}", server.process.wait(30) == 0, server.process.returncode)
    # The child goes with its parent, and the directory is free at once.
    server = Server(redbarn, folder)
    for _ in range(5):
        server.start()
        child = server.child()
        server.kill()
        server.start()
        try:
            status = open(f"/proc/{child}/stat", encoding="utf-8").read().rpartition(")")[2].split()[0]
            check("the child is gone", status == "Z", status)
        except FileNotFoundError:
            check("the child is gone", True)
        server.stop()
    ran = subprocess.run([redbarn, "serve", os.path.join(folder, "x"), "--port", "0"], capture_output=True, timeout=60)
    check("exit code of an error", ran.returncode == 1, ran)
    # Without a parent a death is the end, and quick.
    server = Server(redbarn, folder, "--no-restart")
    server.start()
    check("one process", server.child() is None)
    start = time.monotonic()
    check("dies without a parent", dies(server.connect(), "select /* crash: trap */ 1"))
    code = server.process.wait(30)
    check("ends by its signal", code in (-signal.SIGILL, -signal.SIGTRAP), code)
    check("does not linger", time.monotonic() - start < 2, time.monotonic() - start)
    check("says so", "redbarn: ended by signal" in server.log())


def given_up(redbarn, folder):
    """A process that dies before it listens, again and again."""
    start = time.monotonic()
    ran = subprocess.run(
        [redbarn, "serve", os.path.join(folder, "loop"), "--dev", "--port", "0"], capture_output=True, text=True,
        timeout=120, env={**os.environ, "REDBARN_TEST_CRASH": "start"})
    check("given up", "giving up" in ran.stderr and ran.returncode > 128, ran)
    check("five lives", ran.stderr.count("event=death ") == 5, ran.stderr)
    check("in time", time.monotonic() - start < 20)


def main():
    redbarn = os.path.realpath(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="redbarn-restarts-")
    os.environ.update(ENVIRONMENT)
    try:
        server = Server(redbarn, folder, "--workers", "2")
        server.start()
        server.connect().execute("create table t (v varchar(20))")
        each_kind(server)
        from_outside(server)
        refused(server)
        signals_and_codes(redbarn, folder)
        given_up(redbarn, folder)
    finally:
        Server.kill_all()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{PASSED} passed, {FAILED} failed")
    sys.exit(FAILED != 0)


if __name__ == "__main__":
    main()
