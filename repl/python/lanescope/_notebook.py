"""The magic `%%lanescope` of IPython."""

from . import _native


def register(shell):
    shell.register_magic_function(snippet, "cell", "lanescope")


def snippet(line, cell):
    """Runs the cell as a snippet: its names stay for the next one, its last value is written."""
    if line.strip():
        from IPython.core.error import UsageError

        raise UsageError("%%lanescope takes no arguments: the snippet is in the lines below")
    _native.run_text("<cell>", cell)
