"""A `redbarn serve` process for tests that stop it in every way."""
import os
import re
import signal
import subprocess
import time

import psycopg


class Server:
    all = []
    def __init__(self, redbarn, folder, *arguments):
        Server.all.append(self)
        self.redbarn, self.folder = os.path.realpath(redbarn), folder
        self.warehouse = os.path.join(folder, "warehouse")
        self.arguments = list(arguments)
        self.starts = 0
        self.process = self.port = self.log_path = None

    def start(self, wait_seconds=30):
        self.starts += 1
        path = self.log_path = os.path.join(self.folder, f"server{self.starts}.log")
        with open(path, "wb") as log:
            self.process = subprocess.Popen(
                [self.redbarn, "serve", self.warehouse, "--dev", "--port", "0", *self.arguments],
                stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + wait_seconds
        while time.monotonic() < deadline:
            text = open(path, encoding="utf-8", errors="replace").read()
            found = re.search(r"event=listening port=(\d+)", text)
            if found:
                self.port = int(found.group(1))
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError("the server did not start:\n" + open(path, encoding="utf-8", errors="replace").read())

    def connect(self, level=None):
        connection = psycopg.connect(
            host="127.0.0.1", port=self.port, user="dev", dbname="dev", autocommit=True, prepare_threshold=None,
            connect_timeout=20)
        if level:
            connection.execute(f"set default_transaction_isolation to {level}")
        return connection

    def log(self):
        return open(self.log_path, encoding="utf-8", errors="replace").read()

    def child(self):
        """The process that a parent looks after; None without one."""
        pid = self.process.pid
        children = open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8").read().split()
        return int(children[0]) if children else None

    @property
    def serving(self):
        return self.child() or self.process.pid

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    @classmethod
    def kill_all(cls):
        for server in cls.all:
            if server.process and server.process.poll() is None:
                server.kill()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()

    def doctor(self):
        """The report, and whether it found no damage."""
        ran = subprocess.run([self.redbarn, "doctor", self.warehouse], capture_output=True, text=True, timeout=120)
        return ran.stdout + ran.stderr, ran.returncode == 0


def is_conflict(error):
    """Errors that tell a client to run its transaction again."""
    return error.sqlstate == "40P01" or error.sqlstate == "XX000" and str(error).startswith("1023")
