"""The magic `%%lanescope` of IPython."""

from . import _native


def register(shell):
    shell.register_magic_function(snippet, "cell", "lanescope")


def snippet(line, cell):
    """Runs the cell as a snippet. Its names stay for the next cell, and its last value is printed."""
    if line.strip():
        from IPython.core.error import UsageError

        raise UsageError("%%lanescope takes no arguments: the snippet is in the lines below")
    _native.run_text("<cell>", cell)
