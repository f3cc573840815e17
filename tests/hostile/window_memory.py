#!/usr/bin/env python3
"""Checks that the window's memory does not grow while files are opened and closed again and again.
Usage: window_memory.py LANESCOPE REPOSITORY [--rounds N] [--most MEGABYTES]

Each round opens two snippets with kernels, a trace, a dump and layouts, and closes the views. After half of the rounds,
when the caches are full, the script reads the process's private memory. At the end it may be at most MEGABYTES larger,
for any number of rounds."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from display import display  # noqa: E402: found through the line above

ROUND = """open samples/kernels/double.py
wait
open samples/traces/mosaic_matmul.json.gz
wait
open samples/kernels/pipeline.py
wait
view layout
layout WGMMA
shape 64x64
panes array threads smem f2
wait
layout WGMMA_TRANSPOSED
wait
panes array
view code
view trace
view data
view console
wait
screenshot {mark}
"""
SECONDS = 20  # the time limit of a round


def private_memory(pid):
    """The resident megabytes that are not mapped from files."""
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lanescope")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--most", type=float, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lanescope-window-") as name, display() as environment:
        marks = [pathlib.Path(name) / f"{number}.png" for number in range(options.rounds)]
        script = pathlib.Path(name) / "rounds.gui"
        script.write_text("".join(ROUND.format(mark=mark) for mark in marks) + "quit\n")
        environment = dict(environment, XDG_STATE_HOME=name, XDG_CACHE_HOME=name)
        window = subprocess.Popen([options.lanescope, "gui", "--script", str(script)], cwd=options.root, env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        memory = []
        for mark in marks:
            end = time.monotonic() + SECONDS
            while not mark.exists() and window.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            if not mark.exists():
                window.kill()
                sys.exit(f"round {len(memory)} did not end: {window.communicate()[1][-500:]}")
            memory.append(private_memory(window.pid))
        said = window.communicate(timeout=60)[1]
    if window.returncode:
        sys.exit(f"exit status {window.returncode}: {said[-500:]}")
    first, last = memory[options.rounds // 2], memory[-1]
    print(f"{options.rounds} rounds: {memory[0]:.1f}, {first:.1f}, {last:.1f} MB after the first, half, and all of them")
    if last - first > options.most:
        sys.exit(f"grew by {last - first:.1f} MB; at most {options.most} MB are allowed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
