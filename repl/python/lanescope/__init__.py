"""Lanescope: GPU fragment layouts and kernels, on a machine with or without a GPU.

    import lanescope as ls

    print(ls.WGMMA.owners((64, 8), (9, 2)))       # which warp, lane and register holds an element
    ls.show(ls.layout("(8,4):(4,1)"))             # any notation: CuTe, Triton, JAX, Tilus, linear layouts

    @ls.kernel(grid=(1,))
    def double(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
      out[...] = x[...] * 2

    double(numpy.ones(128, numpy.float32))        # compiled, run on the GPU or the emulator
    ls.check(double, numpy.ones(128, "f4"))       # races, missing waits and fences, deadlocks

`help(ls.relayout)` explains a function; `ls.help()` lists them all. The functions are those of the snippet language."""

from ._errors import (
    ArgumentTypeError,
    ArgumentValueError,
    Error,
    Fault,
    Finding,
    HazardWarning,
    NotInRangeError,
    NoteWarning,
)

_LATER = {  # loaded on first use, so that `import lanescope` takes only a few milliseconds
    "kernel": "_kernel", "sc_kernel": "_kernel", "check": "_check", "checked": "_check", "Findings": "_check",
    "layout": "_layouts", "ptx": "_ptx", "cuda": "_ptx", "Value": "_native", "configure": "_native",
    "recorded": "_record", "check_many": "_many", "tune": "_tune",
}  # fmt: skip


def __getattr__(name):
    import importlib

    if name.startswith("__") and name != "__version__":
        raise AttributeError(f"module 'lanescope' has no attribute {name!r}")
    if name in ("recorded", "check_many"):  # these use the recorder's library and a program, not the extension module
        return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    try:
        importlib.import_module(f"{__name__}._native")
    except ModuleNotFoundError:
        raise ImportError(
            f"the extension module of lanescope is not in {__path__[0]}: `./dev build` makes it, and the whole package "
            "then lies in build/release/python"
        ) from None
    if name == "triton":
        return importlib.import_module(f"{__name__}.triton")
    if name == "__version__":
        return importlib.import_module(f"{__name__}._native").version
    if name in _LATER:
        value = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    else:
        value = importlib.import_module(f"{__name__}._builtins").get(name)
    globals()[name] = value
    return value


def _names():
    from . import _builtins

    return sorted(set(_builtins.entries()) | set(_LATER))


def __dir__():
    return sorted(set(_names()) | set(globals()))


def load_ipython_extension(shell):
    """Loads the magic: after `%load_ext lanescope`, cells that begin with `%%lanescope` are snippets."""
    from . import _notebook

    _notebook.register(shell)
