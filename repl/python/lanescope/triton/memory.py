"""The memory that a launch can reach, as ranges of this process's own memory. Each range is one buffer of the launch.

Tensors that share memory (views, slices, the same tensor twice) share a buffer, as they do on a GPU. A pointer is the
place of a byte in a buffer. Addresses of tensors inside a tensor, which grouped matmuls use, become pointers too."""

import bisect
import ctypes
import gc
import sys

from .. import _support
from . import arrays

_ALIGNMENT = 16  # bytes; Triton specialises kernels on it, and TMA needs it
# A number in a tensor is an address if it lies inside a tensor. Below 2^40, where only a process's heap is, it has to
# be the exact address of a tensor, because numbers of that size are often something else.
_LEAST_ADDRESS, _LEAST_MAPPED, _MOST_ADDRESS = 1 << 24, 1 << 40, 1 << 47
_MOST_POINTERS = 1 << 16  # a longer array of integers is not searched for pointers
_NO_TENSOR = "takes tensors on the CPU, NumPy's arrays, None and numbers"


class Range:
    """Bytes from `begin` to `end`, named after their argument. `number` is the buffer's number once it has one."""

    def __init__(self, begin, end, name, dtype, shape, writable, owner):
        self.begin, self.end, self.name, self.dtype, self.shape = begin, end, name, dtype, shape
        self.writable, self.owner, self.number = writable, owner, None

    @property
    def pad(self):
        """The number of bytes in front of the range that belong to its buffer too, so that the buffer begins at a
        multiple of 16."""
        return self.begin % _ALIGNMENT

    def spec(self):
        plain = {"dtype": "u8", "shape": [self.end - self.begin + self.pad]} if self.pad else {"dtype": self.dtype, "shape": [*self.shape]}
        return {**plain, "name": self.name}

    def native(self):
        spec = self.spec()
        return self.begin, self.end - self.begin, self.pad, spec["dtype"], tuple(spec["shape"]), self.writable


def _dtype(tensor):
    """Lanescope's dtype for a tensor's, and the bytes of an element. Elements are bytes if they are booleans, or if
    Lanescope lacks their dtype."""
    name = str(tensor.dtype).removeprefix("torch.")
    ours = _support._OURS.get(name)
    return (ours, getattr(tensor.dtype, "itemsize", 1)) if ours and name != "bool" else ("u8", 1)


def _extent(tensor, argument):
    """The memory that contains a tensor: (begin, end, True if it is writable, its owner)."""
    if isinstance(tensor, arrays.HostArray):
        root = tensor.array
        while isinstance(root.base, type(root)):
            root = root.base
        numpy = _support._package("numpy")
        bounds = numpy.byte_bounds if hasattr(numpy, "byte_bounds") else numpy.lib.array_utils.byte_bounds  # NumPy 2
        begin, end = bounds(root)
        return begin, end, tensor.array.flags.writeable, root
    device = getattr(tensor, "device", None)
    if device is not None and getattr(device, "type", "cpu") != "cpu":
        raise TypeError(f"{argument} is on {device}: pass `x.cpu()`; on the emulator a kernel {_NO_TENSOR}")
    if hasattr(tensor, "untyped_storage"):
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes(), True, storage
    if isinstance(getattr(tensor, "nbytes", None), int):
        return tensor.data_ptr(), tensor.data_ptr() + tensor.nbytes, True, tensor
    raise TypeError(f"{argument} is a {type(tensor).__name__}, whose size is not known; on the emulator a kernel {_NO_TENSOR}")


class Memory:
    def __init__(self):
        self.ranges = []
        self._firsts = set()  # the addresses of tensors
        self._live = None
        self.links = []  # for each pointer inside a buffer: (the pointer's own address, its target)

    def add(self, tensor, argument):
        """Makes a tensor's memory reachable. Returns the address of its first element."""
        address = tensor.data_ptr()
        while not isinstance(tensor, arrays.HostArray) and not hasattr(tensor, "untyped_storage") and hasattr(tensor, "base"):
            tensor = tensor.base  # Triton's `reinterpret`
        begin, end, writable, owner = _extent(tensor, f"`{argument}`")
        if begin == end:  # the tensor has no elements, so no access is allowed
            return address
        dtype, size = _dtype(tensor)
        whole = address == begin and end - begin == tensor.numel() * size and _in_rows(tensor)
        self._firsts.add(address)
        self._join(Range(begin, end, argument, *_shaped(dtype, size, tuple(tensor.shape) if whole else None, end - begin), writable, owner))
        return address

    def scratch(self, size, name):
        """Allocates new memory. Returns its address."""
        owner = (ctypes.c_char * (size + _ALIGNMENT))()
        begin = -(-ctypes.addressof(owner) // _ALIGNMENT) * _ALIGNMENT
        self.ranges.append(Range(begin, begin + size, name, "u8", (size,), True, owner))
        return begin

    def _join(self, new):
        for each in [each for each in self.ranges if each.begin < new.end and new.begin < each.end]:
            if each.begin <= new.begin and new.end <= each.end:
                each.writable |= new.writable
                return
            begin, end = min(each.begin, new.begin), max(each.end, new.end)
            self.ranges.remove(each)
            new = Range(begin, end, each.name, *_shaped(each.dtype, 1, None, end - begin), each.writable | new.writable, (each.owner, new.owner))
        self.ranges.append(new)

    def at(self, address):
        """The range that contains an address; None if there is none. The first byte after a range belongs to it,
        too."""
        return next((each for each in self.ranges if each.begin <= address < each.end), None) or next(
            (each for each in self.ranges if address in (each.begin, each.end)), None
        )

    def lookup(self, address):
        """The range that contains an address; None if the number is not an address. Also finds live tensors that are
        not arguments, and adds their ranges."""
        if not _LEAST_ADDRESS <= address < _MOST_ADDRESS:
            return None
        exact = address < _LEAST_MAPPED
        if self.at(address) is None:
            self._live = self._live or Live()
            if (tensor := self._live.at(address, exact)) is not None:
                self.add(tensor, f"the tensor at {address:#x}")
        return self.at(address) if not exact or address in self._firsts else None

    def follow(self):
        """Searches tensors of integers for the addresses of tensors."""
        seen = 0
        while seen < len(self.ranges):  # the list grows in the loop
            one = self.ranges[seen]
            seen += 1
            words = (one.end - one.begin) // 8
            if one.dtype not in ("i64", "u64") or one.begin % 8 or words > _MOST_POINTERS:
                continue
            for n, value in enumerate((ctypes.c_uint64 * words).from_address(one.begin)):
                if _LEAST_ADDRESS <= value < _MOST_ADDRESS and self.lookup(value):
                    self.links.append((one.begin + 8 * n, value))

    def restore(self):
        """Restores the host's addresses inside tensors, except where the kernel has overwritten them."""
        for word, value in self.links:
            place = ctypes.c_uint64.from_address(word)
            target = self.at(value)
            if place.value & ((1 << 36) - 1) == value - target.begin + target.pad:
                place.value = value


def _in_rows(tensor):
    expected = 1
    for size, stride in zip(reversed(tensor.shape), reversed(tensor.stride())):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def _shaped(dtype, size, shape, count):
    """(dtype, shape) of a buffer of `count` bytes whose shape is not known."""
    if shape is not None:
        return dtype, shape
    return (dtype, (count // size,)) if count % size == 0 and size > 1 else ("u8", (count,))


class Live:
    """The tensors that exist while a launch is prepared, by address. Searching them is slow, so numbers that are not
    addresses of this process are excluded first."""

    def __init__(self):
        self._mapped = _mapped()
        self._tensors = None

    def at(self, address, exact):
        """The tensor that begins at the address or, unless `exact`, contains it; None if there is none."""
        if self._mapped is not None:
            n = bisect.bisect_right(self._mapped, (address, float("inf"))) - 1
            if n < 0 or address >= self._mapped[n][1]:
                return None
        if self._tensors is None:
            self._tensors = [*_tensors()]
        for tensor, first, begin, end in self._tensors:
            if first == address or (not exact and begin <= address < end):
                return tensor
        return None


def _mapped():
    """The memory that this process may write, as (begin, end) in order; None if the system does not report it."""
    try:
        with open("/proc/self/maps") as file:
            words = [line.split(maxsplit=2) for line in file]
    except OSError:
        return None
    return [tuple(int(each, 16) for each in range_.split("-")) for range_, rights, _ in words if "w" in rights]


def _tensors():
    """All PyTorch tensors on the CPU and all wrapped arrays: (tensor, its address, begin and end of its memory)."""
    torch = sys.modules.get("torch")
    for each in gc.get_objects() if torch else ():
        if issubclass(type(each), torch.Tensor) and each.device.type == "cpu" and each.layout == torch.strided:
            storage = each.untyped_storage()
            yield each, each.data_ptr(), storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    for each in arrays.wrapped():
        first = each.ctypes.data
        yield arrays.HostArray(each), first, first, first + each.nbytes
