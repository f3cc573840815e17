"""Writes __init__.pyi from the builtins, for completion in editors: `python3 -m lanescope._stubs FILE`. The build runs
it."""

import inspect
import keyword
import pathlib
import sys

from . import _builtins

HEAD = '''# Made by lanescope/_stubs.py from the tables of builtins.
from typing import Any

from ._check import Findings as Findings, check as check, checked as checked
from ._errors import (
    ArgumentTypeError as ArgumentTypeError,
    ArgumentValueError as ArgumentValueError,
    Error as Error,
    Fault as Fault,
    Finding as Finding,
    HazardWarning as HazardWarning,
    NotInRangeError as NotInRangeError,
    NoteWarning as NoteWarning,
)
from ._kernel import Kernel as Kernel
from ._layouts import layout as layout
from ._many import check_many as check_many
from ._ptx import Ptx as Ptx, cuda as cuda, ptx as ptx
from ._record import recorded as recorded
from ._tune import tune as tune

__version__: str

class Value:
    """A layout, dtype, function, kernel, result or traced array."""

    def __getattr__(self, name: str) -> Any: ...
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...

def configure(
    *, device: str = ..., arch: str = ..., seed: int = ..., strict: bool = ..., fast: bool = ..., timeout: float = ...,
    worker: str | list[str] = ...
) -> dict[str, Any]: ...
'''
OWN = {"layout", "check", "checked", "ptx", "tune"}  # defined by the package's Python side
QUOTES = '"' * 3


def parameter(each):
    mark = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(each.kind, "")
    return f"{mark}{each.name}: Any{'' if each.default is inspect.Parameter.empty else ' = ...'}"


def signature(text):
    out, starred = [], False
    for each in _builtins.parameters_of(text):
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            out.append("*")
        starred = starred or each.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_POSITIONAL)
        out.append(parameter(each))
    return ", ".join(out)


def declaration(entry):
    if not entry["signature"]:
        return f"{entry['name']}: Any"
    summary = entry["doc"].partition("\n")[0].replace("\\", "\\\\").replace('"', "'")
    return f"\ndef {entry['name']}({signature(entry['signature'])}) -> Any:\n    {QUOTES}{summary}{QUOTES}"


def text():
    names = sorted(name for name in _builtins.entries() if name.isidentifier() and not keyword.iskeyword(name))
    return HEAD + "\n".join(declaration(_builtins.entries()[name]) for name in names if name not in OWN) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(text())
