"""Runs a program within limits, and reports behaviour that no input may cause: a signal, a hang, unbounded memory."""
import dataclasses
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time

ADDRESS_SPACE = 6 << 30  # bytes; libMLIR alone maps half a GiB
RESIDENT = 2 << 30
KEPT = 16 << 20  # bytes of a program's output


def limit_this_process():
    """Limits this process. Its children inherit the limits."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@dataclasses.dataclass
class Ended:
    status: int  # negative: the number of a signal
    out: bytes
    err: bytes
    seconds: float
    resident: int  # the largest number of bytes
    hung: bool = False

    def problem(self, allowed_signals=()):
        """Names a behaviour that no input may cause; empty if there is none."""
        if self.hung:
            return f"hangs (over {self.seconds:.0f} s)"
        if self.status < 0 and -self.status not in allowed_signals:
            return f"ended by {signal.Signals(-self.status).name}"
        if self.status >= 0 and self.status not in (0, 1, 2, 3):
            return f"exit status {self.status}"
        if self.resident > RESIDENT:
            return f"takes {self.resident >> 20} MiB"
        return ""

    def text(self):
        return self.err.decode("utf-8", "replace")


@dataclasses.dataclass
class Later:
    """Input that is sent after standard output has been idle for that many seconds."""
    data: bytes
    quiet: float = 3

    def send(self, out, pipe):
        size, since = -1, time.monotonic()
        while time.monotonic() - since < self.quiet:
            if (now := os.fstat(out.fileno()).st_size) != size:
                size, since = now, time.monotonic()
            time.sleep(0.02)
        try:
            pipe.write(self.data)
            pipe.close()
        except BrokenPipeError:
            pass  # it has ended, and its status says why


def run(command, stdin=b"", timeout=20, cwd=None, env=None, streams=None, prepare=None, signals=(), later=None):
    """`streams`: standard streams that are not files, such as {"stdout": None} for a closed one. `signals`: (seconds,
    number) to send."""
    streams = streams or {}
    begin = time.monotonic()
    with tempfile.TemporaryFile() as fed, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        fed.write(stdin)
        fed.seek(0)
        given = {"stdin": subprocess.PIPE if later else fed, "stdout": out, "stderr": err, **streams}
        closed = [n for n, name in enumerate(("stdin", "stdout", "stderr")) if given[name] is None]

        def before():
            for number in closed:
                os.close(number)
            if prepare:
                prepare()
        process = subprocess.Popen(command, cwd=cwd, env=env, preexec_fn=before if closed or prepare else None, **given)
        hung = threading.Event()

        def end():
            hung.set()
            os.kill(process.pid, signal.SIGKILL)  # Popen.kill() would take the status that wait4 waits for
        watchdog = threading.Timer(timeout, end)
        watchdog.start()
        if later:
            try:
                process.stdin.write(stdin)
                process.stdin.flush()
            except BrokenPipeError:
                pass
            later.send(out, process.stdin)
        for seconds, number in signals:
            time.sleep(seconds)
            try:
                os.kill(process.pid, number)
            except ProcessLookupError:
                break
        _, status, usage = os.wait4(process.pid, 0)
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        contents = []
        for file in (out, err):
            file.seek(0)
            contents.append(file.read(KEPT))
    return Ended(process.returncode, *contents, time.monotonic() - begin, usage.ru_maxrss << 10, hung.is_set())
