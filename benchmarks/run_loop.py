"""A long-lived `redbarn bench run-loop` that runs queries by name."""

import json
import pathlib
import subprocess
import tempfile


def sections(text):
    """name -> query of a file in which a line `-- name` begins one."""
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith("-- ") and " " not in line[3:].strip():
            name = line[3:].strip()
            found[name] = ""
        elif name:
            found[name] += line + "\n"
    return {name: query.strip().rstrip(";") for name, query in found.items()}


class RunLoop:
    def __init__(self, binary, warehouse, queries, threads):
        self.folder = tempfile.TemporaryDirectory()
        for name, text in queries.items():
            (pathlib.Path(self.folder.name) / f"{name}.sql").write_text(text)
        self.command = [
            str(binary), "bench", "run-loop", "--warehouse", str(warehouse), "--queries", self.folder.name, "--workers",
            str(threads)]
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline():
            raise RuntimeError("redbarn ended: " + " ".join(self.command))

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("redbarn ended")
        return json.loads(answer)

    def run(self, name):
        """Milliseconds."""
        answer = self.ask(name)
        if "error" in answer:
            raise RuntimeError(f"{name}: {answer['error']}")
        return answer["ms"]

    def plan(self, name):
        return self.ask("plan " + name).get("ms", 0)

    def rows(self, name):
        answer = self.ask("rows " + name)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["rows"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def hot_minima(loops, name, runs):
    """loop -> milliseconds of a query, the loops taking turns; the first run of each does not count."""
    times = {key: [] for key in loops}
    for _ in range(runs + 1):
        for key, loop in loops.items():
            times[key].append(loop.run(name))
    return {key: min(values[1:]) for key, values in times.items()}
