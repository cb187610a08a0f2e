#!/usr/bin/env python3
"""Types characters beyond ASCII into the shell on a terminal of its own, under several locales: they must arrive.

usage: typed_characters.py REDBARN"""
import os
import pty
import select
import sys
import time

TYPED = "select length('näïve 漢字') as n, 'näïve 漢字' as t;\n"
WANTED = "│ näïve 漢字 │"


def run(redbarn, locale):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
    environment.update(locale, TERM="xterm", HOME="/nonexistent")
    child, terminal = pty.fork()
    if child == 0:
        os.execve(redbarn, [redbarn, "sql", "--quiet"], environment)
    output, typed, deadline = b"", False, time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                output += os.read(terminal, 65536)
            except OSError:
                break
        if not typed and b"=> " in output:
            os.write(terminal, TYPED.encode())
            typed = True
        elif WANTED.encode() in output or b"row)" in output:
            os.write(terminal, b"\\q\n")
    os.close(terminal)
    os.waitpid(child, 0)
    return output.decode(errors="replace")


def main():
    passed = failed = 0
    for locale in ({}, {"LANG": "C"}, {"LANG": "C.UTF-8"}, {"LC_ALL": "POSIX"}):
        output = run(sys.argv[1], locale)
        # The number of characters says that none was lost on the way.
        if WANTED in output and "│ 8 │" in output:
            passed += 1
        else:
            failed += 1
            print(f"FAILED: typed under {locale}:\n{output}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
