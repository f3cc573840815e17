"""`python3 -m lanescope run [OPTIONS] FILE [ARGUMENT …]`, or `run [OPTIONS] -m MODULE [ARGUMENT …]`."""
import os
import runpy
import sys
import traceback

from .jax.imports import OnImport
from .jax.options import parse

USAGE = "usage: python3 -m lanescope run [OPTIONS] FILE [ARGUMENT …]\n`python3 -m lanescope run --help` lists the options"


def main():
    if sys.argv[1:2] != ["run"]:
        print(USAGE, file=sys.stderr)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    options, program = parse(sys.argv[2:])
    if program[0] != "-m" and not os.path.exists(program[0]):
        print(f"error: there is no file {program[0]!r}", file=sys.stderr)
        return 2
    os.environ["JAX_PLATFORMS"] = "cpu"  # before jax is imported
    bridges = []

    def install():
        from .jax import hooks

        bridges.append(hooks.install(options))

    OnImport("jax", install)
    try:
        run(program)
    except ModuleNotFoundError as problem:
        if problem.name != "jax":
            raise
        traceback.print_exc()
        print("error: jax is not there; `pip install jax`. Without JAX, `lanescope run FILE` runs Pallas programs itself", file=sys.stderr)
        return 3
    for bridge in bridges:
        sys.modules["jax"].effects_barrier()
        if bridge.faults:
            print(f"lanescope: {bridge.faults} of {next(bridge.count)} calls of kernels are at fault", file=sys.stderr)
            return 1
    return 0


def run(program):
    """As Python would; a program that ends well by `sys.exit` has ended."""
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
