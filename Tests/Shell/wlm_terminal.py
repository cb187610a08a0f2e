#!/usr/bin/env python3
"""Queues in the shell: \\wlm on a terminal and in a pipe, waiting in the progress line and with \\timing, and what /metrics
says of the same server. The clients are shells.

usage: wlm_terminal.py REDBARN"""
import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
import urllib.request

passed = failed = 0


def check(what, holds, detail=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what}: {detail}", flush=True)


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, redbarn, address):
        self.text = ""
        environment = dict(os.environ, TERM="xterm", HOME="/nonexistent", COLUMNS="150")
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.execve(redbarn, [redbarn, "sql", address, "--quiet"], environment)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def until(self, pattern, seconds=30.0):
        """What the terminal has shown from the last match on."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = re.search(pattern, self.text, re.S)
            if found:
                shown, self.text = self.text[:found.end()], self.text[found.end():]
                return shown
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.terminal, 65536).decode(errors="replace")
                except OSError:
                    break
        return None

    def close(self):
        self.type("\\q\n")
        self.until("never", 0.5)
        os.close(self.terminal)
        os.waitpid(self.child, 0)


def serve(redbarn, folder):
    with open(os.path.join(folder, "wlm.json"), "w") as file:
        json.dump([{"name": "reports", "query_group": ["reports"], "query_concurrency": 1}, {},
                   {"short_query_queue": False}], file)
    server = subprocess.Popen(
        [redbarn, "serve", os.path.join(folder, "warehouse"), "--dev", "--port", "0", "--http-port", "0",
         "--no-restart", "--wlm", os.path.join(folder, "wlm.json")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    port = http = None
    for line in server.stdout:
        found = re.search(r"event=listening port=(\d+)", line)
        if found:
            port = int(found[1])
            status = re.search(r"http_port=(\d+)", line)
            http = int(status[1]) if status else None
            break
    return server, f"postgres://dev:x@127.0.0.1:{port}/dev?sslmode=disable", http


def metrics(http):
    with urllib.request.urlopen(f"http://127.0.0.1:{http}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))


def shell(redbarn, address, *commands):
    arguments = [part for command in commands for part in ("-c", command)]
    return subprocess.run([redbarn, "sql", address, *arguments], capture_output=True, text=True, check=False).stdout


SLOW = "select count(*) from n a join n b on a.i <> b.i and a.i % 7 < b.i % 11;\n"


def main():
    redbarn = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        server, address, http = serve(redbarn, folder)
        try:
            run(redbarn, address, http)
        finally:
            server.terminate()
            server.wait(30)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def run(redbarn, address, http):
    shell(redbarn, address, "create table n as select g as i from generate_series(1, 60000) g")
    first, second, watch = (Terminal(redbarn, address) for _ in range(3))
    for terminal in (first, second):
        terminal.until("=> ")
        terminal.type("set query_group to 'reports'; \\timing on\n")
        terminal.until("Timing is on.*=> ")
    first.type(SLOW)
    first.until("running")
    second.type(SLOW.replace("count(*)", "count(*) as second"))
    line = second.until('waiting in "reports", position 1  [0-9.]+ s')
    check("waiting in the progress line", line is not None, second.text)

    watch.until("=> ")
    watch.type("\\wlm 0.2\n")
    frame = watch.until(r"1 waiting, 1 running.*reports.*as second.*1 waiting, 1 running.*as second[^\n]*\n")
    check("the live board is drawn again", frame is not None and "queuedwaiting" in frame, watch.text)
    watch.type("x")
    check("a key ends it", watch.until(r"\x1b\[\?1049l.*=> ") is not None, watch.text)
    watch.type("select 5 as five;\n")
    check("the terminal is as before", watch.until(r"five.*1 row") is not None, watch.text)
    once = shell(redbarn, address, "\\wlm")
    check("once in a pipe", once.count("1 waiting, 1 running") == 1 and "as second" in once, once)
    lines = shell(redbarn, address, "\\pset format csv", "\\wlm").splitlines()
    check("as csv", any(re.match(r"6,reports,1,normal,1,1,", line) for line in lines), lines)
    check("a wrong time", "SECONDS is a number" in subprocess.run(
        [redbarn, "sql", address, "-c", "\\wlm soon"], capture_output=True, text=True, check=False).stderr)

    if http:
        values = metrics(http)
        queue = '{service_class="6",queue="reports"}'
        check("gauges", values.get("redbarn_wlm_waiting" + queue) == "1" and
              values.get("redbarn_wlm_running" + queue) == "1" and
              values.get("redbarn_wlm_slots" + queue) == "1" and
              values.get("redbarn_wlm_slots_used" + queue) == "1", values)
    first.type("\x03")
    check("the first is cancelled", first.until("canceling statement.*=> ") is not None, first.text)
    time.sleep(1.2)
    line = second.until(r"running  [0-9.]+ s  \(queued [0-9.]+ s\)")
    check("queued in the progress line of one that runs", line is not None, second.text)
    second.type("\x03")
    told = second.until(r"\(queued [0-9.]+ s, ran [0-9.]+ s\)")
    check("queued and ran with \\timing", told is not None, second.text)
    if http:
        values = metrics(http)
        label = 'service_class="6",queue="reports"'
        waited = float(values.get("redbarn_wlm_queue_seconds_sum{%s}" % label, 0))
        check("sums", waited > 1 and values.get("redbarn_wlm_run_seconds_count{%s}" % label) == "2" and
              values.get('redbarn_wlm_queue_seconds_bucket{%s,le="+Inf"}' % label) == "2", values)
    for terminal in (first, second, watch):
        terminal.close()


if __name__ == "__main__":
    sys.exit(main())
