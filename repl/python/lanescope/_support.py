"""Functions that the extension module calls: places in the user's files, arrays of other packages, exceptions.

Nothing here is for users. repl/python/native calls the functions by name."""

import ast
import functools
import html
import linecache
import sys
import types
import warnings

from . import _errors

# --- places ----------------------------------------------------------------------------------------------------------

_PACKAGE = __name__.partition(".")[0]
_sources = {}  # file name -> (its lines as linecache has them, the native source, the offset of each line)
_places = {}  # (code object's id, instruction) -> (code object, place)


def _source(name, module_globals):
    lines = linecache.getlines(name, module_globals)
    if not lines:
        return None
    known = _sources.get(name)
    if known is None or known[0] is not lines:
        from . import _native

        offsets = [0]
        for line in lines:
            offsets.append(offsets[-1] + len(line.encode("utf-8", "surrogateescape")))
        text = "".join(lines).encode("utf-8", "surrogateescape")
        known = _sources[name] = (lines, _native.source(name, text), offsets, text)
    return known


def _argument_ranges(text, begin, end):
    """The byte ranges of a call's arguments in its text: (positional, keyword). None if the text is no call."""
    try:
        tree = ast.parse(b"(" + text[begin:end] + b")", mode="eval").body
    except (SyntaxError, ValueError):
        return (), {}
    if not isinstance(tree, ast.Call):
        return (), {}
    starts = [0]
    for line in (b"(" + text[begin:end]).split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def span(node):
        first = begin - 1 + starts[node.lineno - 1] + node.col_offset
        return first, begin - 1 + starts[node.end_lineno - 1] + node.end_col_offset

    positional = []
    for node in tree.args:
        if isinstance(node, ast.Starred):
            break
        positional.append(span(node))
    return tuple(positional), {word.arg: span(word.value) for word in tree.keywords if word.arg}


def _place_of(frame):
    known = _source(frame.f_code.co_filename, frame.f_globals)
    if known is None:
        return None
    _, source, offsets, text = known
    positions = next(
        (each for i, each in enumerate(frame.f_code.co_positions()) if i == frame.f_lasti // 2), (None,) * 4
    )
    line, end_line, column, end_column = positions
    if None in positions or end_line >= len(offsets):
        line = frame.f_lineno
        if line is None or line >= len(offsets):
            return None
        written = text[offsets[line - 1] : offsets[line]]
        begin = offsets[line - 1] + len(written) - len(written.lstrip())
        return source, (begin, offsets[line - 1] + len(written.rstrip())), (), {}
    begin, end = offsets[line - 1] + column, offsets[end_line - 1] + end_column
    return source, (begin, end), *_argument_ranges(text, begin, end)


def place():
    """The place of the innermost call outside the package: (source, range, positional ranges, keyword ranges). None
    if there is no such call."""
    frame = sys._getframe(1)
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    if frame is None:
        return None
    key = id(frame.f_code), frame.f_lasti
    known = _places.get(key)
    if known is None:
        # Keeps the code object alive, so that no other one gets its id.
        known = _places[key] = (frame.f_code, _place_of(frame))
    return known[1]


# --- exceptions ------------------------------------------------------------------------------------------------------


def findings_from(diagnostics):
    return [_errors.Finding(each) for each in diagnostics]


def exception_of(diagnostics):
    return _errors.exception_of(findings_from(diagnostics))


def warn(diagnostic):
    finding = _errors.Finding(diagnostic)
    _errors.remark(finding)
    kind = _errors.HazardWarning if finding.severity == "warning" else _errors.NoteWarning
    place = diagnostic["place"]
    if place is None:
        warnings.warn(finding.text, kind, stacklevel=2)
    else:  # Python itself writes the place and the line with the error below it
        warnings.warn_explicit(f"{finding.message} [{finding.kind}]", kind, place["path"], place["line"])


# --- arrays ----------------------------------------------------------------------------------------------------------

_NUMPY = {
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64", "tf32": "float32",
}  # fmt: skip
_ML_DTYPES = {
    "i4": "int4", "u2": "uint2", "u4": "uint4", "bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2", "f8e8m0fnu": "float8_e8m0fnu", "f6e2m3fn": "float6_e2m3fn",
    "f6e3m2fn": "float6_e3m2fn", "f4e2m1fn": "float4_e2m1fn",
}  # fmt: skip
_OURS = {theirs: ours for ours, theirs in [*_ML_DTYPES.items(), *_NUMPY.items()] if ours != "tf32"}


@functools.cache
def _package(name):
    """Imports a package; None if it is missing."""
    try:
        return __import__(name)
    except ImportError:
        return None


def numpy_dtype(ours):
    """NumPy's dtype for a dtype of Lanescope; None if the installed NumPy and ml_dtypes lack it."""
    numpy = _package("numpy")
    if ours in _NUMPY:
        return numpy.dtype(_NUMPY[ours])
    theirs = getattr(_package("ml_dtypes"), _ML_DTYPES[ours], None)
    return None if theirs is None else numpy.dtype(theirs)


def array_of(handle):
    """NumPy's array over the bytes of a value; the value itself if NumPy is missing or lacks the dtype."""
    numpy = _package("numpy")
    name = str(handle.dtype)
    dtype = numpy and numpy_dtype(_OURS.get(name, name))  # an array of the language's `numpy` has NumPy's names
    return numpy.ndarray(handle.shape, dtype, buffer=handle) if dtype else handle


def array_interface(pair):
    """`numpy.asarray(value)`. Numbers for which NumPy has no dtype become f32."""
    handle, arguments = pair
    numpy = _package("numpy")
    if not hasattr(handle, "dtype") or not hasattr(handle, "astype"):
        out = numpy.empty((), object)  # NumPy gets a value that is no array as an object
        out[()] = handle
        return out
    from . import _native

    try:
        out = array_of(handle)
    except BufferError:
        raise TypeError(
            f"NumPy's functions cannot read {handle!r}, which the kernel computes on the device; "
            "use those of the kernel language, in Pallas `jnp` and `lax`"
        ) from None
    if out is handle:
        out = handle.astype(_native.builtin("f32"))
    return out.astype(arguments[0]) if arguments and arguments[0] is not None else out


def _array_parts(array):
    """A NumPy array as ("array", (buffer, dtype's name, shape)), row by row. Copies the elements only if they lie in
    another order."""
    numpy = _package("numpy")
    ours = _OURS.get(array.dtype.name)
    if ours is None:
        raise TypeError(
            f"an array of {array.dtype} is none that kernels and layouts know; `.astype(numpy.float32)` makes one"
        )
    if not array.dtype.isnative:  # the dtype's name does not give the byte order
        array = array.astype(array.dtype.newbyteorder("="))
    whole = numpy.ascontiguousarray(array)
    return "array", (whole.reshape(-1).view(numpy.uint8) if whole.size else b"", ours, array.shape)


def _torch_tensor(tensor):
    torch = sys.modules["torch"]
    if tensor.device.type != "cpu":
        raise TypeError(f"the tensor is on {tensor.device}: pass `x.cpu()`, Lanescope takes arrays of the host")
    tensor = tensor.detach().contiguous()
    name = str(tensor.dtype).removeprefix("torch.")
    if name in _OURS and not hasattr(_package("numpy"), name):  # NumPy has no view for bfloat16 and smaller floats
        return "array", (tensor.reshape(-1).view(torch.uint8).numpy(), _OURS[name], tuple(tensor.shape))
    return _array_parts(tensor.numpy())


def _is(value, module, name):
    """True if the value is an instance of that class. False if this process has not loaded the class's package."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, getattr(loaded, name, ()))


def _dtype(value):
    """The dtype of Lanescope for one of NumPy, JAX or PyTorch; None for anything else."""
    from . import _native

    numpy = sys.modules.get("numpy")
    if _is(value, "torch", "dtype"):
        name = str(value).removeprefix("torch.")
    elif numpy and isinstance(value, numpy.dtype):
        name = value.name
    elif numpy and isinstance(value, type) and (issubclass(value, numpy.generic) or hasattr(value, "dtype")):
        name = numpy.dtype(value).name  # JAX's `jnp.float32` is a type that only has a dtype
    else:
        return None
    return _native.builtin(_OURS[name]) if name in _OURS else None


def _foreign_layout(value):
    """Lanescope's layout for a layout object of JAX, Triton or CuTe DSL, whose repr is a notation. None for anything
    else."""
    kind = type(value)
    if kind.__module__.partition(".")[0] not in ("jax", "triton", "cutlass") or "Layout" not in kind.__name__:
        return None
    from . import _native

    return _native.builtin("layout")(repr(value))


def convert(value):
    """An object of another package as ("array", parts) or ("value", an object that the extension knows). None if it
    stays a Python object."""
    if hasattr(value, "__lanescope_array__") and (parts := value.__lanescope_array__()):
        return "array", parts
    if hasattr(value, "__lanescope__"):
        return "value", value.__lanescope__()
    if isinstance(value, types.FunctionType):
        from . import _functions

        return _functions.convert(value)
    if isinstance(value, (types.ModuleType, type)):
        dtype = _dtype(value)
        return None if dtype is None else ("value", dtype)
    if isinstance(value, int):  # an instance of a subclass, such as an IntEnum or a NumPy integer
        return "value", int(value)
    if isinstance(value, float):
        return "value", float(value)
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(value, numpy.ndarray):
        return _array_parts(value)
    if numpy and isinstance(value, numpy.generic):
        plain = value.item()
        return ("value", plain) if isinstance(plain, (bool, int, float)) else _array_parts(numpy.asarray(value))
    if _is(value, "torch", "Tensor"):
        return _torch_tensor(value)
    for other in (_dtype(value), _foreign_layout(value)):
        if other is not None:
            return "value", other
    if isinstance(value, (memoryview, bytes, bytearray)) or hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        return _other_array(value)
    if _has_buffer(value):
        return _other_array(memoryview(value))
    return None


def _has_buffer(value):
    """True if the object lets Python read its bytes, as `array.array`, ctypes' arrays and `mmap` do."""
    try:
        memoryview(value).release()
    except (TypeError, BufferError):
        return False
    return True


def _other_array(value):
    numpy = _package("numpy")
    if numpy is None:
        if isinstance(value, (bytes, bytearray)):
            return "array", (value, "u8", (len(value),))
        raise TypeError("arrays of other packages need NumPy, which this Python does not have")
    if isinstance(value, (memoryview, bytes, bytearray)):
        return _array_parts(numpy.frombuffer(value, numpy.uint8) if not isinstance(value, memoryview) else numpy.asarray(value))
    if hasattr(value, "__array__"):
        return _array_parts(numpy.asarray(value))
    return _array_parts(numpy.from_dlpack(value))


# --- notebooks -------------------------------------------------------------------------------------------------------


def bound(pair):
    return types.MethodType(*pair)


def frame(page):
    """A page as a part of a notebook's cell, isolated from the notebook's own styles and scripts."""
    return (
        '<iframe style="width: 100%; height: 32em; border: 0" loading="lazy" '
        f'sandbox="allow-scripts" srcdoc="{html.escape(page)}"></iframe>'
    )


def in_notebook():
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return bool(shell and hasattr(shell, "kernel"))


def show_page(page):
    from IPython.display import display

    display({"text/html": frame(page), "text/plain": "a picture, for notebooks that show HTML"}, raw=True)
