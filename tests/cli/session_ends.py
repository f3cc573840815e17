#!/usr/bin/env python3
"""However a session ends, its workers end within a second: busy workers, stopped workers, workers behind shells, pipes
and ssh.

    session_ends.py BIN_FOLDER

Each process that a session starts has a mark in its environment. A second after the session's end, no such process may
exist."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

BIN = pathlib.Path(sys.argv[1])
WITHIN = 1.0  # seconds
SNIPPET = """
@kernel(grid=(1,), num_threads=1)
def spin(out: Out((128,), i32)):
  for i in range(2000000000):
    out[...] = broadcasted_iota(i32, (128,), 0)

run(spin)
"""
WORKER = f"'{BIN}/lanescope-worker' serve --device emulator"
# Commands that start the worker. Each command writes the worker's process number to `pid`.
TRANSPORTS = {
    "directly": f"echo $$ > pid; exec {WORKER}",
    "behind a shell": f"sh -c 'echo $$ > pid; exec \"$0\" serve --device emulator' '{BIN}/lanescope-worker'; echo over >&2",
    "behind pipes": f"cat | (sh -c 'echo $$ > pid; exec \"$0\" serve --device emulator' '{BIN}/lanescope-worker') | cat",
    "in a group of its own": f"exec setsid sh -c 'echo $$ > pid; exec \"$0\" serve --device emulator' '{BIN}/lanescope-worker'",
    "as something that reads nothing": "echo $$ > pid; exec sleep 1000",
}


def marked(mark):
    """The processes whose environment has the mark, without zombies."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if mark in (entry / "environ").read_bytes() and (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                found.append(int(entry.name))
        except OSError:
            pass  # the process has ended meanwhile
    return found


def wait_for(what, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.02)
    return False


def try_one(transport, command, ending, stopped):
    mark = uuid.uuid4().hex.encode()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "spin.py").write_text(SNIPPET)
        environment = dict(os.environ, LANESCOPE_TEST_MARK=mark.decode(), HOME=folder)
        session = subprocess.Popen([BIN / "lanescope", "run", "spin.py", "--device", "gpu", "--worker", command], cwd=folder,
                                   env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        pid = pathlib.Path(folder) / "pid"
        started = wait_for(lambda: pid.exists() and pid.read_text().strip(), 20)
        time.sleep(0.5)  # by then the kernel runs
        alive = session.poll() is None
        if started and stopped:
            os.kill(int(pid.read_text()), signal.SIGSTOP)
        os.kill(session.pid, ending)
        session.wait(5)
        left = [] if wait_for(lambda: not marked(mark), WITHIN) else marked(mark)
        for process in left:
            os.kill(process, signal.SIGKILL)
    problem = "the worker did not start" if not started else "the session ended by itself" if not alive else \
        f"{len(left)} processes are left" if left else ""
    print(f"{'FAILED' if problem else 'ok':7} {transport}, {'stopped' if stopped else 'running'}, {signal.Signals(ending).name} {problem}")
    return not problem


def main():
    if not shutil.which("setsid"):
        del TRANSPORTS["in a group of its own"]
    good = True
    for transport, command in TRANSPORTS.items():
        for ending in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGSEGV):
            for stopped in (False, True):
                good = try_one(transport, command, ending, stopped) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
