"""Statements that could run past every limit: each must end in time and within memory, and the server must answer afterwards.

usage: planning_bombs.py REDBARN [--memory 1GB] [--slack 1.0] [--patience 30] [--grace 10] [--only WORD]

Starts `REDBARN serve` in a temporary folder and sends it every statement of bombs.py with statement_timeout = 2 s. A bomb has
passed when it ended (with rows or with an error of SQL) within the time limit and half a second, the process's resident
memory stayed under --memory and 15 percent, and another session got its answers meanwhile and afterwards. Every
bomb that took longer than half a second is sent once more and cancelled on its way. Bombs with a bar of their own must succeed
within it. --slack multiplies what is allowed on top of the time limit, and the bars: debug builds and loaded machines.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import psycopg

import bombs

TIMEOUT = 2.0
GRACE = 0.5
EXPECTED_STATES = {"57014", "54001", "53200", "54000", "54011", "54023", "0A000", "42601", "42P20", "42703", "42883", "42846", "42P19", "22003",
                   "42P01", "34000", "25P01", "42804", "21000", "08P01", "22001", "22P02", "54004", "58030", "42P03", "42702", "42809", "53100"}


class Server:
    def __init__(self, binary, memory):
        self.folder = tempfile.mkdtemp(prefix="redbarn-bombs-")
        self.binary, self.memory = binary, memory
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, "serve", os.path.join(self.folder, "warehouse"), "--dev", "--port", "0", "--memory", self.memory,
             "--workers", "2", "--slices", "2", "--no-restart"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.port = None
        deadline = time.monotonic() + 30
        while self.port is None and time.monotonic() < deadline:
            line = self.process.stdout.readline()
            if not line and self.process.poll() is not None:
                raise SystemExit("the server did not start")
            for word in line.replace(",", " ").split():
                if word.startswith("port="):
                    self.port = int(word[5:])
        threading.Thread(target=self.drain, args=(self.process.stdout,), daemon=True).start()

    def drain(self, stream):
        """Shows what the server says, but for who comes and goes."""
        for line in stream:
            if "event=connect " not in line and "event=disconnect " not in line:
                sys.stdout.write("    server: " + line)

    def connect(self):
        connection = psycopg.connect(host="127.0.0.1", port=self.port, user="dev", dbname="dev", password="x", autocommit=True, sslmode="disable")
        connection.prepare_threshold = None
        return connection

    def resident(self):
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                for line in status:
                    if line.startswith("VmRSS:"):
                        return int(line.split()[1]) * 1024
        except OSError:
            pass
        return 0

    def kill(self):
        self.process.kill()
        self.process.wait()

    def remove(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Watch(threading.Thread):
    """Looks at the resident memory all the time; kills a server that does not come back."""

    def __init__(self, server, patience):
        super().__init__(daemon=True)
        self.patience = patience
        self.server, self.peak, self.ended, self.gave_up = server, 0, threading.Event(), False

    def run(self):
        start = time.monotonic()
        while not self.ended.wait(0.01):
            self.peak = max(self.peak, self.server.resident())
            if time.monotonic() - start > self.patience:
                self.gave_up = True
                self.server.kill()
                return


def send(connection, text):
    """Seconds, and the SQLSTATE with its message; empty for success, None for a connection that broke."""
    start = time.monotonic()
    try:
        with connection.cursor() as cursor:
            cursor.execute(text.encode())
            if cursor.description:
                cursor.fetchone()
        state, message = "", ""
    except psycopg.Error as error:
        state = error.sqlstate
        message = str(error).split("\n")[0]
    return time.monotonic() - start, state, message


class Trial:
    def __init__(self, options):
        self.options = options
        self.server = Server(options.redbarn, options.memory)
        self.limit = size(options.memory) * 1.15
        self.passed = self.failed = 0
        self.slowest, self.failures = [], []
        self.connection = None
        self.open()

    def open(self):
        self.connection = self.server.connect()
        self.connection.execute("create table if not exists bomb (a integer, b integer, s varchar(100))")
        self.connection.execute("truncate bomb")
        self.connection.execute("insert into bomb select n, n%7, 'x'||n from generate_series(1,500) as t(n)")
        self.connection.execute("analyze bomb")

    def session(self, timeout):
        connection = self.server.connect()
        connection.execute(f"set statement_timeout = {int(timeout * 1000)}")
        return connection

    def run(self, group, bomb):
        faults = []
        setup = self.server.connect()
        for text in bomb.setup:
            try:
                setup.execute(text)
            except psycopg.Error as error:
                faults.append(f"setup: {error}")
        setup.close()
        timeout = max(TIMEOUT, (bomb.seconds or 0) * self.options.slack)
        connection = self.session(timeout)
        watch = Watch(self.server, self.options.patience)
        watch.start()
        seconds, state, message = send(connection, bomb.text)
        watch.ended.set()
        watch.join()
        allowed = timeout + GRACE * self.options.slack
        if watch.gave_up or state is None:
            faults.append("the server was killed" if watch.gave_up else f"the connection broke: {message}")
        elif state not in EXPECTED_STATES and state != "":
            faults.append(f"unexpected error {state}")
        if seconds > allowed:
            faults.append(f"took {seconds:.2f} s of {allowed:.2f}")
        if bomb.seconds and (state != "" or seconds > bomb.seconds * self.options.slack):
            faults.append(f"should succeed within {bomb.seconds * self.options.slack:.1f} s")
        if watch.peak > self.limit:
            faults.append(f"{watch.peak >> 20} MB resident")
        if self.server.process.poll() is not None:
            self.server.start()
            self.open()
        else:
            connection.close()
            if seconds > 0.5 and not faults:
                faults += self.cancelled(bomb)
            faults += self.answers()
        self.report(bomb, seconds, state, message, watch.peak, faults)

    def cancelled(self, bomb):
        """Sends it again without a limit and cancels it."""
        connection = self.server.connect()
        ended = threading.Event()

        def cancel():
            # Again and again: one that comes before the statement's text has arrived has no effect.
            wait = 0.3
            while not ended.wait(wait):
                connection.cancel()
                wait = 0.1

        timer = threading.Thread(target=cancel, daemon=True)
        watch = Watch(self.server, self.options.patience)
        watch.start()
        timer.start()
        seconds, state, message = send(connection, bomb.text)
        ended.set()
        watch.ended.set()
        watch.join()
        timer.join()
        if watch.gave_up:
            self.server.start()
            self.open()
            return ["cancel had no effect"]
        connection.close()
        if seconds > 0.3 + GRACE * self.options.slack and state != "":
            return [f"cancelled after 0.3 s, ended after {seconds:.2f} s ({state})"]
        return []

    def answers(self):
        try:
            with self.server.connect() as connection:
                count = connection.execute("select count(*) from bomb where a is not null").fetchone()[0]
            return [] if count >= 0 else ["wrong answer afterwards"]
        except psycopg.Error as error:
            return [f"no answer afterwards: {error}"]

    def report(self, bomb, seconds, state, message, peak, faults):
        if faults:
            self.failed += 1
            self.failures.append(f"{bomb.name}: {'; '.join(faults)} ({seconds:.2f} s, {peak >> 20} MB, {state or 'rows'})")
        else:
            self.passed += 1
        self.slowest.append((seconds, bomb.name))
        verdict = "; ".join(faults) if faults else "ok"
        print(f"{seconds:7.2f} s {peak >> 20:6} MB {state or 'rows ':6} {bomb.name}: {verdict}", flush=True)
        if faults and message:
            print(f"            {message[:200]}", flush=True)

    def ending_statement(self):
        """One that takes between one and four seconds here."""
        rows = 1000
        with self.server.connect() as connection:
            while True:
                text = f"select count(*) from generate_series(1,{rows}) a(n), generate_series(1,20000) b(m) where a.n*b.m % 7 = a.n+b.m"
                start = time.monotonic()
                connection.execute(text)
                if time.monotonic() - start > 1:
                    return text
                rows *= 3

    def shut_down(self):
        """With sessions that plan, run and wait, SIGTERM ends the process within its grace period; what ends by itself until
        then has its answer."""
        texts = ["select count(*) from pg_attribute a, pg_attribute b, pg_attribute c where a.attnum<>b.attnum+c.attnum",
                 f"copy bomb from '{self.server.folder}/pipe' csv", "select count(*) from public.self_joined_28"]
        ending, answers = self.ending_statement(), []
        threads = []
        for text in texts:
            connection = self.server.connect()
            threads.append(threading.Thread(target=send, args=(connection, text), daemon=True))
        patient = self.server.connect()
        threads.append(threading.Thread(target=lambda: answers.append(patient.execute(ending).fetchone()), daemon=True))
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        start = time.monotonic()
        self.server.process.send_signal(signal.SIGTERM)
        try:
            self.server.process.wait(self.options.grace + 5)
            seconds = time.monotonic() - start
            late = seconds > self.options.grace + 2 or self.server.process.returncode != 0
        except subprocess.TimeoutExpired:
            seconds, late = time.monotonic() - start, True
        threads[-1].join(5)
        if not answers:
            print("        a statement that would have ended within the grace period was cancelled")
            late = True
        print(f"{seconds:7.2f} s shutdown with running statements: {'too late, or no clean end' if late else 'ok'}")
        if late:
            self.failed += 1
            self.failures.append(f"shutdown with running statements: {seconds:.2f} s")
        else:
            self.passed += 1


def size(text):
    number = text.rstrip("GMKBgmkb")
    unit = text[len(number):].upper()
    return float(number) * {"GB": 1 << 30, "MB": 1 << 20, "KB": 1 << 10}[unit]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("redbarn")
    arguments.add_argument("--memory", default="1GB")
    arguments.add_argument("--slack", type=float, default=1.0)
    arguments.add_argument("--grace", type=float, default=10.0)
    arguments.add_argument("--patience", type=float, default=30.0, help="seconds after which the server is killed")
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    trial = Trial(options)
    pipe = bombs.make_pipes(trial.server.folder)
    try:
        for group, bomb in bombs.all_bombs(trial.server.folder):
            if options.only and options.only not in group and options.only not in bomb.name and not bomb.setup:
                continue
            trial.run(group, bomb)
        trial.shut_down()
    finally:
        os.close(pipe)
        trial.server.remove()
    print("slowest: " + ", ".join(f"{name} {seconds:.2f} s" for seconds, name in sorted(trial.slowest, reverse=True)[:8]))
    for failure in trial.failures:
        print(f"FAILED {failure}")
    print(f"{trial.passed} passed, {trial.failed} failed")
    sys.exit(1 if trial.failed else 0)


if __name__ == "__main__":
    main()
