"""`python3 -m lanescope_jax [OPTIONS] FILE [ARGUMENT …]`, or `-m MODULE [ARGUMENT …]`."""
import os
import runpy
import sys

from .options import parse


def main():
    options, program = parse(sys.argv[1:])
    os.environ["JAX_PLATFORMS"] = "cpu"  # before jax is imported
    try:
        import jax
    except ImportError as problem:
        print(f"error: jax is not there ({problem}); `pip install jax`. Without JAX, `lanescope run FILE` runs Pallas programs itself", file=sys.stderr)
        return 3
    from . import hooks

    bridge = hooks.install(options)
    run(program)
    jax.effects_barrier()
    if bridge.faults:
        print(f"lanescope_jax: {bridge.faults} of {next(bridge.count)} calls of kernels are at fault", file=sys.stderr)
    return 1 if bridge.faults else 0


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
