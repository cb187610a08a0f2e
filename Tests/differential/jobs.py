"""Several runs of a program beside each other, each with a seed of its own, whose counts are summed."""
import re
import signal
import subprocess
import sys
import threading


def run_jobs(arguments, jobs, seed, count):
    """Starts this program `jobs` times with these arguments; the seeds follow each other, `count` is shared out. Says what the
    runs say, a paragraph at a time, then their sum; gives the number of failures."""
    shares = [count // jobs + (1 if job < count % jobs else 0) for job in range(jobs)]
    processes = []
    for job, share in enumerate(shares):
        own = ["--seed", str(seed + job), *(["--count", str(share)] if count else [])]
        processes.append(subprocess.Popen([sys.executable, *arguments, *own], stdout=subprocess.PIPE, text=True))

    def end(*_):
        for process in processes:
            process.send_signal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    totals = Totals()
    threads = [threading.Thread(target=totals.follow, args=(process.stdout,)) for process in processes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for process in processes:
        # One that ended without a count is a failure of its own.
        process.wait()
    totals.failed += jobs - totals.ended
    print(f"{totals.passed} passed, {totals.failed} failed")
    return totals.failed


class Totals:
    def __init__(self):
        self.passed = self.failed = self.ended = 0
        self.lock = threading.Lock()

    def follow(self, stream):
        paragraph = []
        for line in stream:
            found = re.match(r"(\d+) passed, (\d+) failed", line)
            if found:
                with self.lock:
                    self.passed += int(found.group(1))
                    self.failed += int(found.group(2))
                    self.ended += 1
            paragraph.append(line)
            if line == "\n":
                self.say(paragraph)
        self.say(paragraph)

    def say(self, paragraph):
        with self.lock:
            sys.stdout.write("".join(paragraph))
            sys.stdout.flush()
        paragraph.clear()
