"""`python3 -P -m lanescope host [MODULE …]`: runs one program for the window, `lanescope check` or `lanescope debug`.

It imports the modules that the program will need, waits for the program on its standard input, runs it, and ends. It
sends kernel calls as frames to the original standard output (docs/worker-protocol.md). The program's own output goes to
standard error."""

import dataclasses
import importlib
import importlib.util
import json
import linecache
import os
import struct
import sys
import traceback
import types

HEAD = struct.Struct("<3s1sIQ")


def main(words):
    control, frames = take_streams()
    from . import _native

    jax = prepare()
    preload(words)
    warm(_native)
    read = read_frame(control)
    if read is None:  # the process that started this one does not need it any more
        return 0
    request, text = read
    request_path = os.path.abspath(request["path"])
    configure(_native, request)
    jax.configure(request)
    _native.report_to(frames, request_path, text, request["mark_values"])
    ended = run(_native, request_path, request["arguments"], text)
    ended["status"] = ended["status"] or jax.status()
    sys.stdout.flush(), sys.stderr.flush()
    ended["calls"], ended["faults"] = _native.reported()
    _native.report(json.dumps({"type": "ended", **ended}))
    return ended["status"]


def take_streams():
    """Returns the descriptors for messages in and out. The program gets an empty standard input, and one stream for its
    output and its errors, so that they stay in order."""
    control, frames = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0), os.close(empty)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True, errors="replace")
    sys.stderr.reconfigure(errors="replace")
    return control, frames


def prepare():
    """Makes kernels of JAX, or of the stand-in for JAX, run in this process."""
    os.environ["JAX_PLATFORMS"] = "cpu"  # has to be set before jax is imported
    if importlib.util.find_spec("jax") is None:
        from . import standin

        standin.install()
        return types.SimpleNamespace(configure=lambda request: None, status=standin.status)
    return Jax()


class Jax:
    """The installed JAX. Once it is imported, before the request or by the program, its kernels run in this process."""

    def __init__(self):
        from .jax.imports import OnImport
        from .jax.options import Options

        self.options, self.bridge = Options(), None
        OnImport("jax", self.install)

    def install(self):
        from .jax import hooks

        self.bridge = hooks.install(self.options)

    def configure(self, request):
        named = {key: request[key] for key in ("seed", "strict", "fast", "timeout")}
        gpu = {"sm_10": "b200", "sm_12": "rtx5090"}.get(request["arch"][:5], self.options.gpu)
        self.options = dataclasses.replace(self.options, gpu=gpu, **named)
        if self.bridge:
            from .jax import gpus

            self.bridge.options = self.options
            gpus.describe(sys.modules["jax"], gpu)

    def status(self):
        """The exit status of the process, which depends on the kernels' faults."""
        if self.bridge is None:
            return 0
        sys.modules["jax"].effects_barrier()
        return 1 if self.bridge.faults else 0


def preload(names):
    for name in names:
        try:
            importlib.import_module(name)
        except BaseException:  # if the import fails in the program too, the program reports it at its own line
            pass


def warm(native):
    """Starts the compiler now, since the first start takes as long as compiling a small kernel."""
    native.run_text(
        "<lanescope>",
        "@kernel\ndef _first(out: Out((128,), f32)):\n  out[...] = full((128,), 0.0, f32)\n_first = ptx(_first)\n",
    )


def read_exactly(descriptor, size):
    out = bytearray()
    while len(out) < size:
        piece = os.read(descriptor, min(size - len(out), 1 << 20))
        if not piece:
            return None
        out += piece
    return bytes(out)


def read_frame(descriptor):
    """Reads a frame: (the message, its raw bytes as text), or None at the end of the input."""
    head = read_exactly(descriptor, HEAD.size)
    if head is None:
        return None
    mark, version, json_bytes, blob_bytes = HEAD.unpack(head)
    if mark != b"LSW" or version != b"1":
        sys.exit("lanescope host: this is no frame; `lanescope gui`, `check` and `debug` start this command")
    message, blob = read_exactly(descriptor, json_bytes), read_exactly(descriptor, blob_bytes)
    if message is None or blob is None:
        return None
    return json.loads(message), blob.decode("utf-8", "replace")


def configure(native, request):
    settings = {key: request[key] for key in ("seed", "strict", "fast", "timeout", "keep_going", "strict_rules")}
    if request["arch"]:
        settings["arch"] = request["arch"]
    native.configure(device="emulator", **settings)


def run(native, path, arguments, text):
    """Runs the text as Python runs a file. Returns how the program ended."""
    from .__main__ import is_snippet_text

    lines = text.splitlines(keepends=True)
    linecache.cache[path] = len(text), None, lines, path  # this text runs, even if the file has changed since
    sys.argv = [path, *arguments]
    # As Python does, the folder of the file itself, not that of a link to it.
    sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__builtins__ = __builtins__
    sys.modules["__main__"] = module
    try:
        if is_snippet_text(text):
            native.run_text(path, text)
        else:
            exec(compile(text.removeprefix("\ufeff"), path, "exec", dont_inherit=True), module.__dict__)
    except SystemExit as end:
        return {"status": exit_status(end.code)}
    except BaseException as problem:
        return {"status": 1, "exception": exception(path, problem)}
    return {"status": 0}


def exit_status(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 255
    print(code, file=sys.stderr)
    return 1


def exception(path, problem):
    """Describes an exception by its message and its innermost place in the program, and writes the traceback."""
    from ._errors import Error, Fault

    shown = traceback.TracebackException.from_exception(problem)
    while shown.stack and shown.stack[0].filename.startswith(os.path.dirname(__file__) + os.sep):
        del shown.stack[0]  # drops the frames of this package, which called the program
    print("".join(shown.format()), end="", file=sys.stderr)
    out = {"message": f"{type(problem).__name__}: {problem}".strip(), "line": 0, "column": 0, "end_column": 0}
    if isinstance(problem, Error) and problem.findings:
        out["message"] = f"{problem.findings[0].message} [{problem.findings[0].kind}]"
    out["fault"] = int(isinstance(problem, Fault))
    if isinstance(problem, SyntaxError) and problem.filename == path:
        out["message"] = f"{type(problem).__name__}: {problem.msg}"
        out["line"] = problem.lineno or 0
    place = next((each for each in reversed(shown.stack) if each.filename == path and each.lineno), None)
    if place is not None:
        out["line"] = place.lineno
        if place.colno is not None and place.end_colno is not None and place.end_lineno == place.lineno:
            out["column"], out["end_column"] = place.colno + 1, place.end_colno + 1  # both columns count bytes
    return out
