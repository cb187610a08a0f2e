#!/usr/bin/env python3
"""`redbarn serve --memory SIZE` stays within its figure under load, and gives memory back when nobody asks anything.

Several sessions run the queries derived from TPC-H, statements that need more memory than there is, and cursors of all
kinds that stay open. The resident bytes of the server and its children are sampled all the time: at most 15 % over the
figure under load, at most the figure when idle. No statement may fail but where docs/memory.md says so.

    Tests/Limits/memory_bound.py .build/release/redbarn                        # scale 0.1, half a minute
    Tests/Limits/memory_bound.py .build/release/redbarn --long                 # scale 1 at 256MB, 500MB and 1GB
    Tests/Limits/memory_bound.py .build/release/redbarn --scale 1 --memory 500MB --seconds 900 --sessions 12
"""
import argparse
import os
import pathlib
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import psycopg

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNDER_LOAD = 1.15
SAMPLE_SECONDS = 0.05
UNITS = {"MB": 1 << 20, "GB": 1 << 30}

# Every one of them needs, in eight sessions at 256 MB and scale 1, more memory than it can have.
STATEMENTS = [
    "select count(distinct l_orderkey) from lineitem",
    "select count(distinct l_comment) from lineitem",
    "select l_returnflag, count(distinct l_partkey), count(distinct l_suppkey) from lineitem group by 1",
    "select count(*) from (select distinct l_orderkey, l_linenumber, l_shipdate from lineitem) d",
    "select count(*) from (select l_comment, count(*) from lineitem group by 1) g",
    "select max(r) from (select row_number() over (partition by l_suppkey order by l_shipdate) r from lineitem) w",
    "select max(s) from (select sum(l_quantity) over (order by l_orderkey, l_linenumber "
    "rows unbounded preceding) s from lineitem) w",
    "select max(d) from (select dense_rank() over (order by o_totalprice) d from orders) w",
    "select count(*) from (select l_orderkey, l_comment from lineitem order by l_extendedprice, l_orderkey "
    "limit 700000) s",
    "select count(*) from lineitem a join lineitem b on a.l_orderkey = b.l_orderkey "
    "and a.l_linenumber = b.l_linenumber",
    "select count(*) from (select l_partkey, l_suppkey from lineitem except select ps_partkey, ps_suppkey "
    "from partsupp) e",
    "select count(*) from (select o_comment from orders union select l_comment from lineitem) u",
    "with c as (select l_orderkey, l_comment, l_quantity from lineitem) "
    "select count(*), sum(a.l_quantity) from c a join c b on a.l_orderkey = b.l_orderkey "
    "and a.l_quantity < b.l_quantity",
]
# {0} is the session's own number.
CHANGES = [
    ("drop table if exists copy_{0}",),
    ("create table copy_{0} as select * from lineitem where l_orderkey % 4 = {0} % 4",),
    ("insert into copy_{0} select * from lineitem where l_orderkey % 16 = 1",),
    ("update copy_{0} set l_tax = l_tax + 1, l_comment = l_comment || 'x' where l_linenumber < 3",),
    ("delete from copy_{0} where l_linenumber = 4",),
    ("drop table if exists source_{0}", "create table source_{0} as select * from lineitem where l_orderkey % 8 = 2",
     "merge into copy_{0} using source_{0} s on copy_{0}.l_orderkey = s.l_orderkey "
     "and copy_{0}.l_linenumber = s.l_linenumber when matched then update set l_quantity = s.l_quantity "
     "when not matched then insert values (s.l_orderkey, s.l_partkey, s.l_suppkey, s.l_linenumber, s.l_quantity, "
     "s.l_extendedprice, s.l_discount, s.l_tax, s.l_returnflag, s.l_linestatus, s.l_shipdate, s.l_commitdate, "
     "s.l_receiptdate, s.l_shipinstruct, s.l_shipmode, s.l_comment)"),
    ("vacuum copy_{0}",),
    ("analyze copy_{0}",),
    ("drop table if exists loaded_{0}", "create table loaded_{0} (like orders)",
     "copy loaded_{0} from '{1}/orders.tbl' delimiter '|'"),
    ("drop table copy_{0}", "drop table source_{0}", "drop table loaded_{0}"),
]


class Server:
    """A `redbarn serve` with one figure of memory, watched."""

    def __init__(self, redbarn, warehouse, memory, folder):
        self.log = os.path.join(folder, f"server-{memory}.log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [redbarn, "serve", warehouse, "--dev", "--port", "0", "--memory", memory], stdout=log, stderr=log)
        self.port = None
        deadline = time.monotonic() + 60
        while self.port is None and time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"event=listening port=(\d+)", pathlib.Path(self.log).read_text(errors="replace"))
            self.port = int(found[1]) if found else None
            time.sleep(0.02)
        if self.port is None:
            raise SystemExit("the server did not start:\n" + pathlib.Path(self.log).read_text(errors="replace"))
        self.peak, self.peak_detail = 0, ""
        self.watching = True
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()

    def processes(self):
        """The server and everything below it."""
        found, left = [], [self.process.pid]
        while left:
            pid = left.pop()
            found.append(pid)
            for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
                try:
                    left += [int(child) for child in path.read_text().split()]
                except OSError:
                    pass
        return found

    def resident(self):
        """Pages of files, such as the program's own, are the same ones in the server and its parent."""
        own, files = 0, 0
        for pid in self.processes():
            try:
                text = pathlib.Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            own += sum(int(size) for size in re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+)", text, re.M)) * 1024
            files = max([files] + [int(size) * 1024 for size in re.findall(r"^RssFile:\s+(\d+)", text, re.M)])
        return own + files

    def watch(self):
        while self.watching:
            now = self.resident()
            if now > self.peak:
                self.peak = now
            time.sleep(SAMPLE_SECONDS)

    def connect(self):
        # Queries are to run however often they come.
        return psycopg.connect(f"host=127.0.0.1 port={self.port} user=dev dbname=dev", autocommit=True,
                               options="-c enable_result_cache_for_session=off")

    def stop(self):
        self.watching = False
        self.watcher.join()
        self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Load:
    """Sessions that run statements until the time is over; what failed is kept."""

    def __init__(self, server, sessions, seconds):
        self.server, self.sessions, self.seconds = server, sessions, seconds
        self.errors, self.done, self.lock = {}, 0, threading.Lock()

    def run(self, work):
        end = time.monotonic() + self.seconds
        threads = [threading.Thread(target=self.session, args=(work, number, end)) for number in range(self.sessions)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self

    def session(self, work, number, end):
        try:
            with self.server.connect() as connection:
                work(self, connection, number, end)
        except Exception as error:  # the connection itself
            self.failed("connection", error)

    def execute(self, connection, sql):
        try:
            cursor = connection.execute(sql)
            if cursor.description:
                cursor.fetchall()
        except psycopg.Error as error:
            self.failed(sql, error)
        with self.lock:
            self.done += 1

    def failed(self, sql, error):
        text = f"{getattr(error, 'sqlstate', None)} {' / '.join(str(error).splitlines()) or type(error)}"
        key = (" ".join(sql.split())[:100], text)
        with self.lock:
            self.errors[key] = self.errors.get(key, 0) + 1


def tpch_queries(load, connection, number, end):
    texts = [(ROOT / f"benchmarks/tpch/queries/q{query:02}.sql").read_text() for query in range(1, 23)]
    chance = random.Random(number)
    while time.monotonic() < end:
        chance.shuffle(texts)
        for text in texts:
            load.execute(connection, text)
            if time.monotonic() >= end:
                return


def large_queries(load, connection, number, end):
    chance = random.Random(100 + number)
    texts = list(STATEMENTS)
    while time.monotonic() < end:
        chance.shuffle(texts)
        for text in texts:
            load.execute(connection, text)
            if time.monotonic() >= end:
                return


def changes(data):
    def work(load, connection, number, end):
        while True:
            for group in CHANGES:
                for text in group:
                    load.execute(connection, text.format(number, data))
            if time.monotonic() >= end:
                return
    return work


WAITING = "select o_orderkey, o_totalprice, o_comment from orders limit 300000"


def open_cursors(load, connection, number, end):
    """Large results that wait for their client in cursors, one in each session as Redshift has them."""
    connection.autocommit = False
    load.execute(connection, f"declare c cursor for {' union all '.join(['(' + WAITING + ')'] * 6)}")
    load.execute(connection, "fetch 100 from c")
    time.sleep(max(0, end - time.monotonic()))
    load.execute(connection, "fetch 300000 from c")
    connection.rollback()


def open_portals(load, connection, number, end):
    """Results that wait for their client in portals that have been read in part."""
    client = PortalClient(load.server.port)
    try:
        client.exchange(b"Q", b"begin\0")
        client.send(b"P", b"s\0" + WAITING.encode() + b"\0\0\0")
        for count in range(12):
            name = f"p{count}\0".encode()
            client.send(b"B", name + b"s\0" + bytes(6))
            client.send(b"E", name + struct.pack("!i", 100))
        client.exchange(b"S", b"")
        with load.lock:
            load.done += 12
        time.sleep(max(0, end - time.monotonic()))
        client.send(b"E", b"p0\0" + struct.pack("!i", 0))
        client.exchange(b"S", b"")
    finally:
        client.socket.close()


class PortalClient:
    """Just enough of the protocol for portals with names, which drivers do not offer."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.read = self.socket.makefile("rb").read
        start = b"user\0dev\0database\0dev\0\0"
        self.socket.sendall(struct.pack("!ii", len(start) + 8, 196608) + start)
        self.until_ready()

    def send(self, kind, body):
        self.socket.sendall(kind + struct.pack("!i", len(body) + 4) + body)

    def exchange(self, kind, body):
        self.send(kind, body)
        self.until_ready()

    def until_ready(self):
        while True:
            kind, length = struct.unpack("!ci", self.read(5))
            body = self.read(length - 4)
            if kind == b"E":
                raise RuntimeError(body.replace(b"\0", b" ").decode())
            if kind == b"Z":
                return


class Verdicts:
    passed = failed = 0

    def check(self, holds, text):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
        print(("ok      " if holds else "FAILED  ") + text, flush=True)


def measure(options, warehouse, data, memory, folder, verdicts):
    limit = bytes_of(memory)
    server = Server(options.redbarn, warehouse, memory, folder)
    works = {"tpch": tpch_queries, "large": large_queries, "changes": changes(data), "cursors": open_cursors,
             "portals": open_portals}
    for name in options.loads.split(","):
        server.peak = 0
        load = Load(server, options.sessions, options.seconds).run(works[name])
        verdicts.check(
            server.peak <= limit * UNDER_LOAD,
            f"{memory} {name}: {load.done} statements in {options.sessions} sessions, at most "
            f"{server.peak / 1e6:.0f} MB resident ({server.peak / limit:.2f})")
        verdicts.check(not load.errors, f"{memory} {name}: no statement failed")
        for (text, error), count in sorted(load.errors.items()):
            print(f"          {count} x {error}\n            {text}")
    end = time.monotonic() + options.idle
    while time.monotonic() < end:
        time.sleep(0.5)
    resident = server.resident()
    verdicts.check(resident <= limit, f"{memory} idle: {resident / 1e6:.0f} MB resident ({resident / limit:.2f})")
    code = server.stop()
    verdicts.check(code == 0, f"{memory}: the server ended with {code}")


def bytes_of(text):
    found = re.fullmatch(r"(\d+)(MB|GB)", text, re.I)
    if not found:
        raise SystemExit(f"not a size: {text}")
    return int(found[1]) * UNITS[found[2].upper()]


def loaded(options, folder):
    """The folder of the warehouse and the one of the .tbl files."""
    data = options.data or subprocess.run(
        [ROOT / "datasets/tpch.sh", options.scale], check=True, capture_output=True, text=True).stdout.strip()
    warehouse = options.warehouse or os.path.join(folder, "warehouse")
    if not os.path.exists(warehouse):
        subprocess.run(
            [options.redbarn, "bench", "tpch", "--scale", options.scale, "--data", data, "--warehouse", warehouse,
             "--runs", "1", "--queries", "6", "--assets", ROOT], check=True, stdout=subprocess.DEVNULL)
    return warehouse, data


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("redbarn")
    parser.add_argument("--long", action="store_true", help="scale 1; 256MB, 500MB, 1GB; a minute of each load")
    parser.add_argument("--memory", help="one figure or several, such as 256MB,1GB")
    parser.add_argument("--sessions", type=int, default=8)
    parser.add_argument("--seconds", type=float, help="of each load")
    parser.add_argument("--idle", type=float, help="seconds of rest at the end")
    parser.add_argument("--scale")
    parser.add_argument("--loads", default="tpch,large,changes,cursors,portals")
    parser.add_argument("--warehouse", help="kept and reused when given")
    parser.add_argument("--data", help="folder of the .tbl files; made when not given")
    parser.add_argument("--folder", help="for the server's log")
    options = parser.parse_args()
    options.redbarn = os.path.realpath(options.redbarn)
    options.scale = options.scale or ("1" if options.long else "0.1")
    options.memory = options.memory or ("256MB,500MB,1GB" if options.long else "160MB")
    options.seconds = options.seconds or (60 if options.long else 4)
    options.idle = options.idle or (60 if options.long else 6)
    return options


def main():
    options = arguments()
    verdicts = Verdicts()
    with tempfile.TemporaryDirectory(prefix="redbarn-memory-") as folder:
        warehouse, data = loaded(options, folder)
        for memory in options.memory.split(","):
            measure(options, warehouse, data, memory, options.folder or folder, verdicts)
    print(f"{verdicts.passed} passed, {verdicts.failed} failed")
    return 1 if verdicts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
