"""Runs PTX with a launch description in a worker process, by the worker's protocol (docs/worker-protocol.md).

    worker = Worker(["lanescope-worker", "serve", "--device", "emulator"])
    reply = worker.run("k", "sm_90a", ptx, launch_json, buffers, wanted=[1], timeout=60)
    reply.buffers[0], reply.diagnostics"""
import dataclasses
import json
import struct
import subprocess
import threading

PROTOCOL = 1
HEAD = struct.Struct("<3s1sIQ")


class WorkerError(Exception):
    """The worker cannot be started, has ended, or does not follow the protocol."""


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    severity: str  # "error" or "warning"
    kind: str
    message: str
    notes: tuple


@dataclasses.dataclass(frozen=True)
class Reply:
    buffers: list  # bytes of each wanted buffer; empty after an error
    diagnostics: list
    device: str = ""
    printed: str = ""
    time_us: float = 0.0

    def failed(self):
        return any(each.severity == "error" for each in self.diagnostics)


def encode(message, blob=b""):
    text = json.dumps(message).encode()
    return HEAD.pack(b"LSW", b"%d" % PROTOCOL, len(text), len(blob)) + text + blob


def read_frame(stream):
    """Reads a frame: (message, blob). Raises WorkerError if the stream ends or holds something else."""
    head = read_exactly(stream, HEAD.size)
    mark, version, text_size, blob_size = HEAD.unpack(head)
    if mark != b"LSW" or version != b"%d" % PROTOCOL:
        raise WorkerError(f"it speaks another protocol, or something else: {head!r}")
    return json.loads(read_exactly(stream, text_size)), read_exactly(stream, blob_size)


def read_exactly(stream, size):
    data = stream.read(size)
    if len(data) != size:
        raise WorkerError("it is gone")
    return data


class Worker:
    """A worker process. It starts with the first run, and starts again if it ended during the last run. Threads use
    it one at a time."""

    def __init__(self, command):
        self.command, self.process, self.turn, self.gpu = command, None, threading.Lock(), None

    def run(self, kernel, arch, ptx, launch, buffers, wanted, timeout):
        """Runs a launch. `buffers`: the bytes of each buffer; empty for zeros. `wanted`: the numbers of the buffers
        to return. `timeout` is in seconds."""
        ptx = ptx.encode()
        message = {"type": "run", "kernel": kernel, "arch": arch, "launch": launch, "wanted": list(wanted),
                   "timeout_ms": int(timeout * 1000), "repeat": 1, "ptx_bytes": len(ptx), "buffers": [len(each) for each in buffers]}
        with self.turn:
            return self.ask(message, b"".join([ptx, *buffers]))

    def ask(self, message, blob):
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(encode(message, blob))
            self.process.stdin.flush()
            while True:
                answer, blob = read_frame(self.process.stdout)
                if answer["type"] == "result":
                    return Reply(split(blob, answer["buffers"]), diagnostics(answer), answer["device"], answer["printed"], answer["time_us"])
                if answer["type"] == "error":
                    if answer["fatal"]:
                        self.close()
                    return Reply([], diagnostics(answer))
        except (WorkerError, OSError, ValueError, KeyError) as problem:
            self.close()
            raise WorkerError(f"`{' '.join(self.command)}`: {problem}") from None

    def start(self):
        try:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.process.stdin.write(encode({"type": "hello", "protocol": PROTOCOL, "program": "lanescope-python", "ends_with_input": True}))
            self.process.stdin.flush()
            hello, _ = read_frame(self.process.stdout)
        except (WorkerError, OSError, ValueError) as problem:
            self.close()
            raise WorkerError(f"`{' '.join(self.command)}` cannot be started: {problem}") from None
        if hello.get("problem"):
            self.close()
            raise WorkerError(f"`{' '.join(self.command)}` has no device: {hello['problem']}")
        self.gpu = hello.get("gpu")

    def close(self):
        process, self.process = self.process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            try:
                pipe.close()
            except OSError:
                pass  # the worker has ended before it read all bytes
        process.terminate()
        process.wait()


def diagnostics(answer):
    return [Diagnostic(each["severity"], each["kind"], each["message"], tuple(each["notes"])) for each in answer["diagnostics"]]


def split(blob, sizes):
    parts, begin = [], 0
    for size in sizes:
        parts.append(blob[begin:begin + size])
        begin += size
    return parts
