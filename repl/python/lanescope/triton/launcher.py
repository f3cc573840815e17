"""Converts a launch of Triton to a launch description (docs/launch.md): grid, parameters, descriptors, scratch
memory."""

import json
import operator
import re
import sys

from .. import _native
from .._errors import Fault, Finding
from . import arrays
from .memory import Memory

_SCALARS = {
    "i1": "i8", "u1": "u8", "i8": "i8", "u8": "u8", "i16": "i16", "u16": "u16", "i32": "i32", "u32": "u32", "i64": "i64", "u64": "u64",
    "fp16": "f16", "bf16": "bf16", "fp32": "f32", "f32": "f32", "fp64": "f64",
}  # fmt: skip
# The element types of descriptors. The index is the number in Triton's compiler and in PTX's `tensormap.replace`.
_ELEMENTS = ("u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f32", "f64", "bf16", "tf32", "tf32", "b4x16", "b4x16_p64")
_TF32 = 11
_SWIZZLES = (0, 32, 64, 128)
_LANES = 32


class Kernel:
    """A kernel's PTX, ready to be launched. Triton's driver calls it a function."""

    def __init__(self, name, ptx):
        self.name = name
        self.native = _native.kernel(f"{name}.ptx", ptx)
        entry = re.search(rf"\.entry\s+{re.escape(name)}\s*\(([^)]*)\)", ptx)
        self.parameters = len(re.findall(r"\.param\b", entry[1])) if entry else 0


def _key(key, names):
    """A parameter's place: (2,), or (2, 0) inside a tuple. Triton identifies the parameter by its name, its number
    or its place."""
    return (names.index(key),) if isinstance(key, str) else (key,) if isinstance(key, int) else tuple(key)


class Launcher:
    """Launches one kernel. Triton makes a launcher for each kernel, and calls it for each launch."""

    def __init__(self, driver, source, metadata):
        self.driver = driver
        self.metadata = metadata
        names = getattr(getattr(source, "fn", None), "arg_names", ())
        constants = {_key(key, names) for key in getattr(source, "constants", None) or ()}
        self.types = [(_key(key, names), each) for key, each in source.signature.items()]
        self.names = {(n,): name for n, name in enumerate(names)}
        self.constants = constants

    def __call__(self, x, y, z, stream, kernel, _packed, launch_metadata, enter, leave, *arguments):
        if enter is not None:
            enter(launch_metadata)
        if self.driver.launches and x * y * z > 0:
            self._launch([*map(operator.index, (x, y, z))], kernel, arguments)
        if leave is not None:
            leave(launch_metadata)

    def _launch(self, grid, kernel, arguments):
        if len(arguments) != len(self.types):
            raise TypeError(f"`{kernel.name}` is launched with {len(arguments)} arguments, and compiled for {len(self.types)}")
        blocks = getattr(self.metadata, "num_ctas", 1)
        call = _Call(getattr(self.metadata, "tensordesc_meta", None) or ())
        for (place, kind), value in zip(self.types, arguments):
            self._read(call, place, kind, value, self.names.get(place, f"argument {place[0]}"))
        programs = grid[0] * grid[1] * grid[2] * blocks
        for which in ("global_scratch", "profile_scratch")[: kernel.parameters - len(call.parameters)]:
            call.scratch(which, programs * (getattr(self.metadata, f"{which}_size", 0) or 0))
        description = {
            "entry": kernel.name,
            "grid": [grid[0] * blocks, grid[1], grid[2]],
            "cluster": [blocks, 1, 1],
            "block": [_LANES * self.metadata.num_warps, 1, 1],
            "dynamic_smem": self.metadata.shared,
            "cooperative": bool(getattr(self.metadata, "launch_cooperative_grid", False)),
            **call.described(),
        }
        buffers = call.buffers()
        memory = [each.native() for each in buffers]
        done = _native.launch(kernel.native, json.dumps(description), memory, call.descriptors, self.driver.fast)
        call.memory.restore()
        if done["printed"]:
            sys.stdout.write(done["printed"])
        if done["faults"]:
            raise Fault([Finding(each) for each in done["faults"]])
        if done["changed"]:
            raise ValueError(f"`{kernel.name}` writes `{buffers[done['changed'][0]].name}`, an array that may not be written")
        self.driver.microseconds += done["microseconds"]

    def _read(self, call, place, kind, value, name):
        """Reads one of the kernel's arguments. Each member of a tuple counts as one argument."""
        if isinstance(kind, (tuple, list)):
            for n, (each, inner) in enumerate(zip(kind, value)):
                self._read(call, (*place, n), each, inner, f"{name}[{n}]")
        elif kind == "constexpr" or place in self.constants:
            return
        elif kind.startswith("*"):
            call.pointer(value, name)
        elif kind.startswith("tensordesc"):
            call.descriptor(value, name)
        elif kind in _SCALARS:
            call.scalar(_SCALARS[kind], value)
        else:
            raise TypeError(f"`{name}` is a {kind}, which the emulator cannot be given; a `TensorDescriptor` can")


class _Call:
    """The parameters of one launch. `described` writes them when all memory of the launch is known."""

    def __init__(self, descriptors):
        self.memory = Memory()
        self.parameters = []  # for each parameter a function that makes its description
        self.descriptors = []  # TMA descriptors, as `_native.launch` takes them
        self._kinds = iter(descriptors) if descriptors else None

    def pointer(self, value, name):
        value = arrays.wrap(value)
        address = 0 if value is None else value if isinstance(value, int) else self.memory.add(value, name)
        self.parameters.append(lambda: self._pointer(address))

    def scalar(self, dtype, value):
        address = dtype in ("i64", "u64") and type(value) is int and value
        if address and self.memory.lookup(address):
            self.parameters.append(lambda: self._pointer(address))
            return
        number = float(value) if dtype[0] in "fb" else int(value)
        if isinstance(number, float) and not abs(number) < float("inf"):
            number = "nan" if number != number else "inf" if number > 0 else "-inf"
        self.parameters.append(lambda: {"kind": "scalar", "dtype": dtype, "value": number})

    def scratch(self, name, size):
        address = self.memory.scratch(size, name) if size else 0
        self.parameters.append(lambda: self._pointer(address))

    def descriptor(self, value, name):
        """Adds a tensor descriptor that the host has made: a TMA descriptor if the kernel uses TMA, then sizes and
        strides."""
        base = arrays.wrap(value.base)
        shape, strides, nan = [*value.shape], [*value.strides], getattr(value, "padding", "zero") == "nan"
        meta = next(self._kinds) if self._kinds else None
        rounded = getattr(value, "round_f32_to_tf32", None)  # Triton has had the attribute since 3.7
        if meta is None:
            self.pointer(base, name)
            for each in (*shape, *strides):
                self.scalar("i64", each)
            for flag in (nan,) if rounded is None else (nan, rounded):
                self.scalar("i8", flag)
        elif meta.get("is_im2col"):
            raise TypeError(f"`{name}` is a descriptor in im2col mode, which the emulator cannot be given by Triton yet")
        else:
            if rounded:
                meta = {**meta, "elem_type": _TF32}
            address = self.memory.add(base, name)
            number = len(self.parameters)
            self.parameters.append(lambda: self._descriptor(number, address, meta, shape, strides, nan))
        for each in shape:
            self.scalar("i32", each)
        for each in strides:
            self.scalar("i64", each)

    def described(self):
        """The `params` and `pointers` of the launch description."""
        self.memory.follow()
        self._owner = None  # the last parameter that has its own buffer
        self._owned = []  # the ranges in the order of their numbers
        params = [make() for make in self.parameters]
        for one in self.memory.ranges:
            if one.number is None:  # only pointers inside buffers lead to the range
                self._own(self._owner, one)
        pointers = []
        for word, address in self.memory.links:
            (one, offset), (to, at) = self._place(word), self._place(address)
            pointers.append({"in": one.number, "offset": offset, "buffer": to.number, "at": at})
        return {"params": params, "pointers": pointers}

    def buffers(self):
        return self._owned

    def _place(self, address):
        found = self.memory.at(address)
        return found, address - found.begin + found.pad if found else 0

    def _own(self, parameter, one):
        one.number = len(self._owned)
        self._owned.append(one)
        self._owner = parameter
        parameter["buffers"].append(one.spec())

    def _pointer(self, address):
        one, at = self._place(address)
        if one is None:
            return {"kind": "scalar", "dtype": "u64", "value": address}
        if one.number is not None:
            return {"kind": "pointer", "buffer": one.number, "at": at}
        parameter = {"kind": "bytes", "size": 8, "align": 8, "buffers": [], "pointers": [{"offset": 0, "buffer": 0, "at": at}]}
        self._own(parameter, one)
        return parameter

    def _descriptor(self, number, address, meta, shape, strides, nan):
        one, at = self._place(address)
        parameter = {"kind": "bytes", "size": 128, "align": 64, "buffers": []}
        if one.number is None:
            self._own(parameter, one)
        sizes = (*shape[:-1], shape[-1] * 2) if meta.get("fp4_padded") else tuple(shape)
        steps = tuple(each * meta["elem_size"] for each in strides[:-1])
        dtype, swizzle = _ELEMENTS[meta["elem_type"]], _SWIZZLES[meta["swizzle"]]
        self.descriptors.append((number, one.number, at, dtype, sizes, steps, tuple(meta["block_size"]), swizzle, nan))
        return parameter
