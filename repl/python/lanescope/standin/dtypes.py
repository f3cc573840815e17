"""Element types: NumPy's dtypes, and JAX's small dtypes, which NumPy lacks. Also the promotion of two dtypes."""

import warnings

import numpy as np

from .. import _native, _support
from . import missing

# `np.dtype(jnp.int4)` reads `.dtype` twice. NumPy is going to forbid this for objects that are not its own dtypes.
warnings.filterwarnings("ignore", message="in the future the `.dtype` attribute", category=DeprecationWarning)

__getattr__ = missing("jax.dtypes")


class SmallDtype:
    """A dtype that NumPy lacks. Its arrays are kept in a wider dtype, but hold only values that the small dtype has."""

    def __init__(self, name, ours, bits, kind):
        self.name, self.ours, self.bits, self.kind = name, ours, bits, kind
        self.itemsize = max(bits // 8, 1)
        self.carrier = np.dtype("float32" if kind == "f" else "int8" if kind == "i" else "uint8")

    @property
    def type(self):
        return SCALARS[self.name]

    @property
    def dtype(self):
        """NumPy's dtype: that of ml_dtypes if it is installed. Otherwise a small int has a record of the wider dtype,
        which equals no dtype of numbers, and a small float has none, because NumPy would not round to it."""
        theirs = _support.numpy_dtype(self.ours)
        if theirs is not None:
            return theirs
        if self.kind == "f":
            raise TypeError(f"NumPy has no {self.name}: `jnp.asarray(x, jnp.{self.name})` makes an array of it, or install ml_dtypes")
        return np.dtype([(self.name, self.carrier)])

    def __lanescope__(self):
        return _native.builtin(self.ours)

    def __eq__(self, other):
        other = _known(other)
        return other is self

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"dtype({self.name})"

    def __str__(self):
        return self.name


SMALL = {
    name: SmallDtype(name, ours, bits, kind)
    for name, ours, bits, kind in (
        ("bfloat16", "bf16", 16, "f"), ("float8_e4m3fn", "f8e4m3fn", 8, "f"), ("float8_e5m2", "f8e5m2", 8, "f"),
        ("float8_e8m0fnu", "f8e8m0fnu", 8, "f"), ("float6_e2m3fn", "f6e2m3fn", 6, "f"),
        ("float6_e3m2fn", "f6e3m2fn", 6, "f"), ("float4_e2m1fn", "f4e2m1fn", 4, "f"), ("int4", "i4", 4, "i"),
        ("uint4", "u4", 4, "u"), ("uint2", "u2", 2, "u"),
    )
}  # fmt: skip
_OURS = {each.ours: each for each in SMALL.values()}
_OURS |= {
    ours: np.dtype(name)
    for ours, name in (
        ("i1", "bool"), ("i8", "int8"), ("i16", "int16"), ("i32", "int32"), ("i64", "int64"), ("u8", "uint8"),
        ("u16", "uint16"), ("u32", "uint32"), ("u64", "uint64"), ("f16", "float16"), ("f32", "float32"), ("f64", "float64"),
    )
}  # fmt: skip


class ScalarType:
    """The type of `jnp.float32`, which names a dtype, and makes a number of that dtype when it is called."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.__name__ = self.name = dtype.name

    def __call__(self, x=0):
        from . import arrays

        if arrays.is_traced(x):
            return x.astype(self)
        return arrays.asarray(x, self.dtype)

    def __lanescope__(self):
        return lanescope_dtype(self.dtype)

    def __eq__(self, other):
        return dtype_or_none(other) == self.dtype

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.dtype)

    def __repr__(self):
        return f"<class 'jax.numpy.{self.name}'>"


SCALARS = {name: ScalarType(dtype) for name, dtype in SMALL.items()}
SCALARS |= {name: ScalarType(np.dtype(name)) for name in (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")}  # fmt: skip
bfloat16 = SCALARS["bfloat16"]

_NARROW = {np.dtype(wide): np.dtype(narrow) for wide, narrow in (("int64", "int32"), ("uint64", "uint32"), ("float64", "float32"))}  # fmt: skip
_PYTHON = {bool: np.dtype("bool"), int: np.dtype("int32"), float: np.dtype("float32")}


def _known(x):
    """The dtype of NumPy or the small dtype that x names; None if x names no dtype."""
    if isinstance(x, (np.dtype, SmallDtype)):
        return SMALL.get((getattr(x, "names", None) or (x.name,))[0], x)
    if isinstance(x, ScalarType):
        return x.dtype
    if isinstance(x, str):
        if x in SMALL:
            return SMALL[x]
        try:
            return np.dtype(x)
        except TypeError:
            return None
    if x in _PYTHON if isinstance(x, type) else False:
        return _PYTHON[x]
    if isinstance(x, _native.Value):
        text = str(x)
        return _OURS.get(text) or SMALL.get(text) or (np.dtype(text) if text in SCALARS else None)
    if isinstance(x, type) and issubclass(x, np.generic):
        found = np.dtype(x)
        return SMALL.get(found.name, found)
    return None


def dtype_or_none(x):
    found = _known(x)
    return _known(x.dtype) if found is None and hasattr(x, "dtype") else found


def dtype(x):
    """`jnp.dtype`"""
    found = dtype_or_none(x)
    if found is None:
        raise TypeError(f"{x!r} is not a dtype")
    return found


def canonicalize_dtype(x):
    """The dtype that JAX uses in place of x: 64-bit dtypes become 32-bit ones."""
    found = dtype(x)
    return found if isinstance(found, SmallDtype) else _NARROW.get(found, found)


def lanescope_dtype(x):
    x = dtype(x)
    if isinstance(x, SmallDtype):
        return x.__lanescope__()
    return _support._dtype(x)


def kind(x):
    """The kind of a dtype: "b", "i", "u", "f" or "c"."""
    return dtype(x).kind


def itemsize_bits(x):
    found = dtype(x)
    return found.bits if isinstance(found, SmallDtype) else found.itemsize * 8


bit_width = itemsize_bits

_GROUPS = {"generic": "biufc", "number": "iufc", "integer": "iu", "signedinteger": "i", "unsignedinteger": "u",
           "inexact": "fc", "floating": "f", "complexfloating": "c", "bool": "b", "bool_": "b"}  # fmt: skip


def issubdtype(x, group):
    """True if a dtype belongs to a group: `jnp.integer`, `jnp.floating`, …"""
    found = dtype_or_none(x)
    if isinstance(group, type) and issubclass(group, np.generic) and group.__name__ in _GROUPS:
        if found is None:
            return isinstance(x, type) and issubclass(x, group)
        return found.kind in _GROUPS[group.__name__]
    return found is not None and found == dtype_or_none(group)


class finfo:
    """The limits of a floating dtype."""

    _SMALL = {  # bits, exponent bits, mantissa bits, largest, smallest normal
        "bfloat16": (16, 7, 3.3895313892515355e38, 1.1754943508222875e-38),
        "float8_e4m3fn": (8, 3, 448.0, 0.015625), "float8_e5m2": (8, 2, 57344.0, 6.103515625e-05),
        "float8_e8m0fnu": (8, 0, 1.7014118346046923e38, 5.877471754111438e-39), "float4_e2m1fn": (4, 1, 6.0, 1.0),
        "float6_e2m3fn": (6, 3, 7.5, 1.0), "float6_e3m2fn": (6, 2, 28.0, 0.25),
    }  # fmt: skip

    def __init__(self, x):
        self.dtype = dtype(x)
        if isinstance(self.dtype, SmallDtype):
            self.bits, self.nmant, most, tiny = self._SMALL[self.dtype.name]
            self.max, self.tiny = np.float32(most), np.float32(tiny)
            self.min, self.eps = -self.max, np.float32(2.0**-self.nmant)
        else:
            info = np.finfo(self.dtype)
            self.bits, self.nmant, self.max, self.min = info.bits, info.nmant, info.max, info.min
            self.tiny, self.eps = info.tiny, info.eps
        self.smallest_normal = self.tiny


class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, x):
        self.dtype = dtype(x)
        self.bits = itemsize_bits(self.dtype)
        if self.dtype.kind not in "iu":
            raise ValueError(f"{self.dtype} is no integer dtype")
        signed = self.dtype.kind == "i"
        self.min = -(1 << (self.bits - 1)) if signed else 0
        self.max = (1 << (self.bits - signed)) - 1


# --- promotion -------------------------------------------------------------------------------------------------------

_WIDTHS = {"i": {8: "int8", 16: "int16", 32: "int32"}, "u": {8: "uint8", 16: "uint16", 32: "uint32"}}


def promote_types(a, b):
    """The dtype of a sum of values of two dtypes, by JAX's lattice without 64-bit types."""
    a, b = canonicalize_dtype(a), canonicalize_dtype(b)
    if a == b or b.kind == "b":
        return a
    if a.kind == "b":
        return b
    wide_a, wide_b = itemsize_bits(a), itemsize_bits(b)
    small_int = any(each.kind in "iu" and itemsize_bits(each) < 8 for each in (a, b))
    if not small_int and (a.kind == "f") != (b.kind == "f"):
        return a if a.kind == "f" else b
    if min(wide_a, wide_b) < 8 or (a.kind == b.kind == "f" and min(wide_a, wide_b) == 8):
        raise TypeError(f"{a.name} and {b.name} do not meet by themselves; convert one: `x.astype({a.name})`")
    if a.kind == "f":
        return a if wide_a > wide_b else b if wide_b > wide_a else np.dtype("float32")
    if a.kind == b.kind:
        return a if wide_a > wide_b else b
    signed, unsigned = (wide_a, wide_b) if a.kind == "i" else (wide_b, wide_a)
    return np.dtype(_WIDTHS["i"][min(max(signed, 2 * unsigned), 32)])


def weak_kind(x):
    """The kind of a Python number, which takes the dtype of the other operand; None for anything else."""
    return "b" if isinstance(x, bool) else "i" if type(x) is int else "f" if type(x) is float else None


def result_type(*values):
    """The common dtype of values: arrays, dtypes and Python's numbers."""
    found, weak = None, ""
    for each in values:
        number = weak_kind(each)
        if number is None and getattr(each, "weak_type", False):
            number = dtype(each).kind
        if number is not None:
            weak = max(weak, number, key=" bif".find) if weak else number
            continue
        here = canonicalize_dtype(each if dtype_or_none(each) is not None else np.asarray(each))
        found = here if found is None else promote_types(found, here)
    if found is None:
        return {"b": np.dtype("bool"), "i": np.dtype("int32"), "f": np.dtype("float32"), "": np.dtype("float32")}[weak]
    if weak == "f" and found.kind in "biu":
        return promote_types(found, "float32")
    if weak == "i" and found.kind == "b":
        return np.dtype("int32")
    return found


float0 = np.dtype([("float0", np.void, 0)])
prng_key = np.uint32
extended = ()
