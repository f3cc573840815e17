"""Functions of Python's files as functions of the kernel language.

A kernel is traced: its statements emit code, and an `if` on a value that only the GPU knows becomes a branch. So the
function's source is read, not run by Python; the names that it uses are taken from its module and from the functions
around it."""

import ast
import inspect
import textwrap
import types
import weakref

from . import _native
from ._errors import Error

_known = weakref.WeakKeyDictionary()  # function -> Definition
_under_way = set()  # functions that are being converted: one that calls itself through others
_reading = True  # functions are read from their sources; otherwise those outside of `@lanescope.kernel` are called
_inside = 0  # how many kernels of the package are being read


def read_sources(on):
    """Whether a function that a native gets is read from its source. Where it is not, Python calls it while the kernel is
    traced, as JAX does."""
    global _reading
    _reading = on



class SourceMissing(Error):
    """A kernel's function whose text Python does not have."""

    def __init__(self, message):
        Exception.__init__(self, message)
        self.findings = []


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
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise SourceMissing(f"`{function.__qualname__}` is no `def`")
        self.function = function
        self.path = inspect.getsourcefile(function) or function.__code__.co_filename
        self.names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        above = first - 1 + tree.lineno - 1  # lines before the `def`; decorators are Python's
        indented = lines[0][:1].isspace()
        head = "\n" * (above - 1) + "if True:\n" if indented else "\n" * above
        self.text = head + "".join(lines[tree.lineno - 1 :])
        around = around or {}
        self.around = {name: around[name] for name in self.names if name in around}

    def environment(self):
        """The names of the text that Python has values for."""
        out = {}
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or ()))
        for name in self.names - {self.function.__name__}:
            if name in cells:
                try:
                    out[name] = cells[name].cell_contents
                except ValueError:  # not bound yet
                    pass
            elif name in self.around:
                out[name] = self.around[name]
            elif name in self.function.__globals__:
                out[name] = self.function.__globals__[name]
        return out


class Converted:
    """A definition as a value of the language; made anew when a name that it uses gets another value."""

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
    """Whether two environments name the same objects; equal numbers and strings count as the same."""
    plain = (bool, int, float, str)
    return a.keys() == b.keys() and all(
        a[name] is b[name] or (type(a[name]) is type(b[name]) and isinstance(a[name], plain) and a[name] == b[name])
        for name in a
    )


def convert(function: types.FunctionType):
    """For `_support.convert`: ("value", the function) where its source can be read; None: Python calls it."""
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
        if error.kind == "syntax":  # Python's own means: it is called with the traced values
            return None
        raise
    finally:
        _under_way.discard(function)
