"""One engine in a process of its own: reads a query's name a line, answers one line of JSON. Used by compare.py."""

import json
import os
import sys
import time

from engines import ENGINES


def main():
    name, folder, data, threads, action = sys.argv[1:]
    # Engines print to standard output at will: answers get a channel of their own.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    engine = ENGINES[name](folder, data, int(threads))

    def answer(**members):
        answers.write(json.dumps(members) + "\n")
        answers.flush()

    if action == "load":
        started = time.perf_counter()
        engine.load()
        elapsed = time.perf_counter() - started
        return answer(seconds=getattr(engine, "load_seconds", elapsed))
    engine.open()
    answer(ready=True)
    for line in sys.stdin:
        query = line.strip()
        try:
            started = time.perf_counter()
            rows = engine.run(query)
            answer(name=query, ms=(time.perf_counter() - started) * 1000, rows=rows)
        except Exception as error:  # an engine's failure is a result
            answer(name=query, error=str(error).splitlines()[0][:200] if str(error) else repr(error))


main()
