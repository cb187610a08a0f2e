"""Random message sequences: the server answers, refuses or closes, keeps its memory, and serves everybody else.

REDBARN_SEQUENCES says how many (100000 for the long form), REDBARN_SEED which. A failing run names its seed.
"""
import os
import random
import socket
import struct
import threading
import time

import psycopg

from expectations import PORT, check

SEQUENCES = int(os.environ.get("REDBARN_SEQUENCES", "2000"))
SEED = int(os.environ.get("REDBARN_SEED", "1"))
PID = os.environ.get("REDBARN_PID")
THREADS = 4


def message(kind, body):
    return kind + struct.pack("!i", len(body) + 4) + body


STARTUP_BODY = struct.pack("!i", 196608) + b"user\0dev\0database\0dev\0\0"
STARTUP = struct.pack("!i", len(STARTUP_BODY) + 4) + STARTUP_BODY
QUERIES = [
    b"select 1", b"select 1; select 2", b"", b";", b"selec", b"begin", b"commit", b"rollback", b"select 1/0",
    b"copy fuzz from stdin", b"copy fuzz from stdin csv", b"copy fuzz from stdin (format binary)",
    b"copy fuzz to stdout", b"copy (select g from generate_series(1, 100) g) to stdout (format binary)",
    b"select * from generate_series(1, 2000) g", b"declare c cursor for select 1", b"fetch all from c",
    b"set statement_timeout to 1", b"set statement_timeout to 0", b"select $1", b"select a from fuzz where a = 5",
    b"prepare p as select 1", b"execute p", b"deallocate all", b"\xff\xfe", b"select 'x", b"cancel 1",
    b"select pg_cancel_backend(pg_backend_pid())"]


def step(rng):
    """One message, usually a sensible one."""
    name = rng.choice([b"", b"a", b"b"])
    kind = rng.randrange(16)
    if kind == 0:
        return message(b"Q", rng.choice(QUERIES) + b"\0")
    if kind == 1:
        types = rng.choice([b"\0\0", struct.pack("!hi", 1, 23), struct.pack("!hi", 1, 999999)])
        return message(b"P", name + b"\0" + rng.choice(QUERIES) + b"\0" + types)
    if kind == 2:
        values = rng.choice([b"\0\0", struct.pack("!hi", 1, 1) + b"7", struct.pack("!hi", 1, -1)])
        return message(b"B", name + b"\0" + rng.choice([b"", b"a"]) + b"\0\0\0" + values + rng.choice([b"\0\0", b"\0\1\0\1"]))
    if kind == 3:
        return message(b"D", rng.choice([b"S", b"P"]) + name + b"\0")
    if kind in (4, 5):
        return message(b"E", name + b"\0" + struct.pack("!i", rng.choice([0, 1, 100, -1])))
    if kind == 6:
        return message(b"C", rng.choice([b"S", b"P"]) + name + b"\0")
    if kind in (7, 8):
        return message(b"S", b"")
    if kind == 9:
        return message(b"H", b"")
    if kind == 10:
        return message(b"d", rng.choice([b"1\tx\n", b"1,x\n", b"\\.\n", b"PGCOPY\n\xff\r\n\0" + bytes(8), os.urandom(9)]))
    if kind == 11:
        return message(b"c", b"")
    if kind == 12:
        return message(b"f", b"enough\0")
    if kind == 13:
        return message(bytes([rng.randrange(256)]), rng.randbytes(rng.randrange(20)))
    if kind == 14:
        return rng.choice([b"", b"Q\x7f\xff\xff\xff", b"Q\0\0\0\1", rng.randbytes(rng.randrange(12))])
    data = bytearray(message(b"Q", rng.choice(QUERIES) + b"\0"))
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def sequence(number):
    rng = random.Random(SEED * 1_000_003 + number)
    client = socket.create_connection(("127.0.0.1", PORT), timeout=20)
    try:
        if rng.random() < 0.05:
            client.sendall(rng.randbytes(rng.randrange(1, 60)))
        else:
            client.sendall(STARTUP)
            for _ in range(rng.randrange(1, 10)):
                client.sendall(step(rng))
        end = rng.randrange(4)
        if end == 0:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif end == 1:
            client.sendall(message(b"S", b"") + message(b"X", b""))
            client.shutdown(socket.SHUT_WR)
            while client.recv(65536):
                pass
        elif end == 2:
            client.settimeout(0.01)
            client.recv(65536)
    except OSError as error:
        if isinstance(error, TimeoutError) and end != 2:
            raise SystemExit(f"no answer: REDBARN_SEED={SEED}, sequence {number}")
    finally:
        client.close()


def memory():
    if not PID:
        return 0
    with open(f"/proc/{PID}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024


with psycopg.connect(f"host=127.0.0.1 port={PORT} user=dev dbname=dev", autocommit=True) as bystander:
    bystander.execute("drop table if exists fuzz")
    bystander.execute("create table fuzz (a int, b varchar(10))")
    bystander.execute("insert into fuzz values (5, 'five')")
    failures = []

    def work(first):
        try:
            for number in range(first, SEQUENCES, THREADS):
                sequence(number)
        except (Exception, SystemExit) as error:
            failures.append(error)

    for number in range(200):
        sequence(number)
    before = memory()
    threads = [threading.Thread(target=work, args=(first,)) for first in range(THREADS)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        check(b"five", bystander.execute("select b from fuzz where a = %s limit 1", [5]).fetchone()[0].encode(), "others")
        time.sleep(0.05)
    check([], failures, "sequences")
    for _ in range(100):
        sessions = bystander.execute("select count(*) from stv_sessions").fetchone()[0]
        if sessions <= 2:
            break
        time.sleep(0.2)
    check(True, sessions <= 2, f"sessions left: {sessions}")
    growth = memory() - before
    check(True, growth < 200, f"memory grew by {growth} MB")
    print(f"{SEQUENCES} sequences, {before} MB before, {before + growth} MB after")
