"""Records a part of a program's launches (docs/record.md)."""

import contextlib
import ctypes
import operator
import os

from ._errors import Error

COMMAND = "lanescope record --paused -- python3 PROGRAM.py"


class RecorderMissing(Error):
    """The recorder is not in this process, or cannot record as asked."""

    def __init__(self, message):
        Exception.__init__(self, message)
        self.findings = []


def _recorder():
    """The functions of the recorder's library. It has to be in the process before the driver is."""
    process = ctypes.CDLL(None)
    try:
        begin, end = process.lanescopeRecordBegin, process.lanescopeRecordEnd
    except AttributeError:
        raise RecorderMissing(
            f"launches are recorded only in a process that has the recorder from its start: run `{COMMAND}`"
        ) from None
    begin.argtypes, begin.restype = [ctypes.c_char_p], ctypes.c_char_p
    end.argtypes, end.restype = [], None
    return begin, end


@contextlib.contextmanager
def recorded(folder=None, *, kernel="", every="distinct", launch=None):
    """Records the launches of all threads inside the block as packages, in a process that `lanescope record` started.

    folder: the folder for packages; without it the command's. kernel: a regular expression for names (POSIX, extended).
    every: `"distinct"`: the first launch of each PTX, kernel, grid and block in this block; `"launch"`: each one.
    launch: only the launch of this number among those that match, from 1 on. Raises lanescope.Error if the process has no
    recorder, `kernel` is no expression or the folder cannot be made, and ValueError or TypeError for other values."""
    if every not in ("distinct", "launch"):
        raise ValueError(f"`every` is 'distinct' or 'launch', not {every!r}")
    number = 0 if launch is None else operator.index(launch)
    if launch is not None and number < 1:
        raise ValueError(f"launches are counted from 1, so `launch` is not {launch}")
    changes = [f"kernel={kernel or ''}", f"every={int(every == 'launch')}", f"launch={number}"]
    if folder is not None:
        changes.append(f"folder={os.path.abspath(folder)}")
    if any("\n" in change for change in changes):
        raise ValueError("names of folders and expressions have no line breaks here")
    begin, end = _recorder()
    if problem := begin("\n".join(changes).encode()):
        raise RecorderMissing(problem.decode(errors="replace"))
    try:
        yield
    finally:
        end()
