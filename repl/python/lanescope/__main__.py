"""`python3 -m lanescope run [OPTIONS] FILE [ARGUMENT …]`, or `run [OPTIONS] -m MODULE [ARGUMENT …]`;
`python3 -m lanescope torch [OPTIONS] FILE [ARGUMENT …]`."""
import ast
import importlib.util
import os
import runpy
import sys

from .jax.imports import OnImport
from .jax.options import parse

USAGE = """usage: python3 -m lanescope run [OPTIONS] FILE [ARGUMENT …]
       python3 -m lanescope torch [OPTIONS] FILE [ARGUMENT …]
`python3 -m lanescope run --help` lists the options"""


def main():
    if sys.argv[1:2] == ["host"]:  # the window, `lanescope check` or `lanescope debug` started this process
        from . import _host

        return _host.main(sys.argv[2:])
    if sys.argv[1:2] == ["torch"]:
        from ._torch import main as record_torch  # needs no extension module

        return record_torch(sys.argv[2:])
    if sys.argv[1:2] != ["run"]:
        print(USAGE, file=sys.stderr)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    options, program = parse(sys.argv[2:])
    if program[0] != "-m" and not os.path.exists(program[0]):
        print(f"error: there is no file {program[0]!r}", file=sys.stderr)
        return 2
    os.environ["JAX_PLATFORMS"] = "cpu"  # has to be set before jax is imported
    bridges = []

    def install():
        from .jax import hooks

        bridges.append(hooks.install(options))

    if importlib.util.find_spec("jax") is None:
        return without_jax(options, program)
    OnImport("jax", install)
    run(program)
    for bridge in bridges:
        sys.modules["jax"].effects_barrier()
        if bridge.faults:
            print(f"lanescope: {bridge.faults} of {next(bridge.count)} calls of kernels are at fault", file=sys.stderr)
            return 1
    return 0


def without_jax(options, program):
    """Runs the program with our stand-in for JAX, and its kernels on the emulator or on this machine's GPU."""
    from . import _native, standin

    arch = {"b200": "sm_100a", "rtx5090": "sm_120a"}.get(options.gpu, "sm_90a")
    _native.configure(device=options.device, arch=arch, seed=options.seed, strict=options.strict, fast=options.fast, timeout=options.timeout)
    if program[0] != "-m" and is_snippet(program[0]):
        with open(program[0], encoding="utf-8") as file:
            _native.run_text(program[0], file.read())
        return 0
    standin.install(stop=options.stop, chip=options.tpu or "7x", sees_tpu=bool(options.tpu))
    run(program)
    return standin.status()


def is_snippet(path):
    """True if a file is in the snippet language. A file that imports something, or that Python cannot read, is a
    program."""
    with open(path, "rb") as file:
        return is_snippet_text(file.read())


def is_snippet_text(text):
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    return not any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(tree))


def run(program):
    """Runs a program as Python does. A `sys.exit` without an error only ends the program."""
    try:
        if program[0] == "-m":
            sys.argv = program[1:]
            runpy.run_module(program[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = program
            sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
            runpy.run_path(program[0], run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise


if __name__ == "__main__":
    sys.exit(main())
