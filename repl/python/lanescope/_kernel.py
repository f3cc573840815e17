"""`@lanescope.kernel` and `lanescope.sc_kernel`."""

import functools
import sys
import types

from . import _builtins, _functions, _native


class Kernel:
    """A function that runs on a GPU or on the emulator. A call with arrays returns its outputs.

    Its body is in the kernel language (docs/reference.md lists its functions), and is read from the function's source."""

    def __init__(self, function, decorator, options, around):
        functools.update_wrapper(self, function, updated=())
        self._source = _functions.Converted(_functions.Definition(function, around))
        self._decorator = decorator
        self._options = options
        self._function = None
        self._value = None

    def __lanescope__(self):
        function = self._source.current()
        if function is not self._function:
            self._value = self._decorator(**self._options)(function)
            self._function = function
        return self._value

    def __call__(self, *arguments, **named):
        return self.__lanescope__()(*arguments, **named)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.__lanescope__(), name)

    def __repr__(self):
        return f"<kernel {self.__qualname__}>"

    def _repr_html_(self):
        return self.__lanescope__()._repr_html_()


def _decorator(name):
    def decorate(function=None, /, **options):
        if isinstance(function, types.FunctionType):
            around = sys._getframe(1).f_locals if "<locals>" in function.__qualname__ else {}
            return Kernel(function, builtin, options, around)
        if function is not None:
            raise TypeError(f"`@lanescope.{name}(…)` goes above a `def`")

        def apply(function):
            if not isinstance(function, types.FunctionType):
                raise TypeError(f"`@lanescope.{name}(…)` goes above a `def`")
            around = sys._getframe(1).f_locals if "<locals>" in function.__qualname__ else {}
            return Kernel(function, builtin, options, around)

        return apply

    builtin = _native.builtin(name)
    decorate.__name__ = decorate.__qualname__ = name
    decorate.__doc__ = _builtins.entries()[name]["doc"]
    return decorate


kernel = _decorator("kernel")
sc_kernel = _decorator("sc_kernel")
