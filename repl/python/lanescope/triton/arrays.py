"""Gives NumPy's arrays the methods of tensors that Triton calls."""

import sys
import weakref

_wrapped = {}  # address of the first element -> weak reference to the array, for pointers inside tensors


class Dtype:
    """A NumPy dtype with the attributes of PyTorch's dtypes that Triton uses."""

    def __init__(self, dtype):
        self.name, self.itemsize = dtype.name, dtype.itemsize
        self.is_floating_point = dtype.kind not in "biuc" and "int" not in dtype.name

    def __str__(self):
        return self.name

    __repr__ = __str__

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(self.name)


class HostArray:
    """A NumPy array that stands in for a tensor."""

    def __init__(self, array):
        if not array.dtype.isnative:
            raise TypeError(f"the bytes of an array of {array.dtype.str!r} are in the other order: pass `x.astype(x.dtype.newbyteorder('='))`")
        self.array = array
        self.dtype = Dtype(array.dtype)
        self.shape = array.shape
        self.ndim = array.ndim

    def data_ptr(self):
        address = self.array.ctypes.data
        _wrapped[address] = weakref.ref(self.array)
        return address

    def stride(self, dim=None):
        strides = tuple(each // self.dtype.itemsize for each in self.array.strides)
        return strides if dim is None else strides[dim]

    def numel(self):
        return self.array.size

    def element_size(self):
        return self.dtype.itemsize


def wrap(value):
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(value, numpy.ndarray):
        return HostArray(value)
    if type(value) is tuple:
        return tuple(map(wrap, value))
    return value


def wrapped():
    """The arrays that still exist and whose address was requested."""
    for address, reference in list(_wrapped.items()):
        if (array := reference()) is None:
            del _wrapped[address]
        else:
            yield array
