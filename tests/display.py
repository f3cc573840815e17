#!/usr/bin/env python3
"""A virtual display: an X server in memory (Xvfb) that picks a free number itself and ends with this process.

Usage: display.py COMMAND…, or `with display() as environment:` around any number of programs. This script does not use
Debian's xvfb-run, which sometimes fails to remove its folder and then returns exit status 5 instead of the
program's."""
import contextlib
import os
import subprocess
import sys


@contextlib.contextmanager
def display(screen="1600x1000x24"):
    """Environment variables for programs that open windows. Raises RuntimeError with the server's message if it does
    not start."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", screen, "-nolisten", "tcp", "-noreset"],
                              pass_fds=[write], stderr=subprocess.PIPE, text=True)
    os.close(write)
    with os.fdopen(read) as answer:
        number = answer.readline().strip()  # empty if the server has ended
    try:
        if not number:
            raise RuntimeError(f"Xvfb did not start: {server.communicate()[1].strip()}")
        yield dict(os.environ, DISPLAY=f":{number}")
    finally:
        server.terminate()
        server.communicate()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with display() as environment:
        status = subprocess.call(sys.argv[1:], env=environment)
    sys.exit(status)
