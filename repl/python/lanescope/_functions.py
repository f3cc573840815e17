"""Converts Python functions to functions of the kernel language.

A kernel is traced: its statements emit code, and an `if` on a value that only the GPU knows becomes a branch.
Therefore this module reads the function's source, and Python does not run the function. The names that the source
uses come from its module and from the functions around it."""

import ast
import inspect
import symtable
import textwrap
import types
import weakref

from . import _native
from ._errors import Error

_known = weakref.WeakKeyDictionary()  # function -> Definition
_under_way = set()  # functions that are being converted, which may call themselves through others
_reading = True  # True: functions are read from their sources. False: functions outside `@lanescope.kernel` are called
_inside = 0  # the number of the package's kernels that are being read


def read_sources(on):
    """Sets whether a function that is passed to a native function is read from its source. Otherwise Python calls it
    while the kernel is traced, as JAX does."""
    global _reading
    _reading = on


class SourceMissing(Error):
    """Python does not have the source of a kernel's function."""

    def __init__(self, message):
        Exception.__init__(self, message)
        self.findings = []


def _names_outside(text, tree):
    """The names in a function's text that its own parameters and assignments do not give."""
    signature = [*ast.walk(tree.args), *(ast.walk(tree.returns) if tree.returns else ())]
    out = {node.id for node in signature if isinstance(node, ast.Name)}
    open_tables = symtable.symtable(text, "", "exec").get_children()
    while open_tables:
        table = open_tables.pop()
        out.update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
        open_tables.extend(table.get_children())
    return out


class Definition:
    """A function's text with the lines and columns of its file, and the names that the text uses."""

    def __init__(self, function, around=None):
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise SourceMissing(
                f"the source of `{function.__qualname__}` is not at hand, and kernels are read from it: "
                "write it in a file or a notebook's cell"
            ) from None
        text = textwrap.dedent("".join(lines))
        tree = ast.parse(text).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise SourceMissing(f"`{function.__qualname__}` is no `def`")
        self.function = function
        self.path = inspect.getsourcefile(function) or function.__code__.co_filename
        self.names = _names_outside(text, tree)
        # Number of lines before the `def`, with its decorators, which only Python runs.
        above = first - 1 + tree.lineno - 1
        indented = lines[0][:1].isspace()
        head = "\n" * (above - 1) + "if True:\n" if indented else "\n" * above
        self.text = head + "".join(lines[tree.lineno - 1 :])
        around = around or {}
        self.around = {name: around[name] for name in self.names if name in around}

    def environment(self):
        """The names outside of the function to which Python has given values, with these values."""
        out = {}
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or ()))
        for name in self.names - {self.function.__name__}:
            if name in cells:
                try:
                    out[name] = cells[name].cell_contents
                except ValueError:  # the name has no value yet
                    pass
            elif name in self.around:
                out[name] = self.around[name]
            elif name in self.function.__globals__:
                out[name] = self.function.__globals__[name]
        return out


class Converted:
    """A definition as a value of the language. It is converted again when a name that it uses gets another value."""

    def __init__(self, definition):
        self.definition = definition
        self.environment = None
        self.value = None

    def current(self):
        global _inside
        environment = self.definition.environment()
        if self.value is None or not _same(environment, self.environment):
            definition = self.definition
            _inside += 1
            try:
                self.value = _native.define(definition.path, definition.text, definition.function.__name__, environment)
            finally:
                _inside -= 1
            self.environment = environment
        return self.value


def _same(a, b):
    """True if two environments name the same objects. Equal numbers and strings count as the same object."""
    plain = (bool, int, float, str)
    return a.keys() == b.keys() and all(
        a[name] is b[name] or (type(a[name]) is type(b[name]) and isinstance(a[name], plain) and a[name] == b[name])
        for name in a
    )


def convert(function: types.FunctionType):
    """The conversion for `_support.convert`: ("value", the function) if the function's source can be read. None if
    Python has to call it."""
    if function in _under_way or function.__name__ == "<lambda>" or not (_reading or _inside):
        return None
    converted = _known.get(function)
    if converted is None:
        try:
            converted = _known[function] = Converted(Definition(function))
        except SourceMissing:
            return None
    _under_way.add(function)
    try:
        return "value", converted.current()
    except Error as error:
        # The function uses parts of Python that the language lacks, so Python calls it with the traced values.
        if error.kind == "syntax":
            return None
        raise
    finally:
        _under_way.discard(function)
