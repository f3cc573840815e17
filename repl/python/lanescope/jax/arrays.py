"""Arrays as bytes: element types by NumPy's names, sub-byte packing, .npy files.

A host array holds one element per byte if elements have fewer than 8 bits. A device packs them, with the first one
in the lowest bits (docs/worker-protocol.md)."""
import ast
import dataclasses
import math
import struct

# From the names of NumPy and ml_dtypes to Lanescope's names.
NAMES = {
    "bool": "i1",
    **{f"int{bits}": f"i{bits}" for bits in (4, 8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    "int2": "u2",  # Lanescope's two-bit integers have no sign
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e8m0fnu": "f8e8m0fnu", "float4_e2m1fn": "f4e2m1fn",
    "float6_e2m3fn": "f6e2m3fn", "float6_e3m2fn": "f6e3m2fn",
}
BITS = {"tf32": 32, **{name: int("".join(filter(str.isdigit, name.split("e")[0]))) for name in NAMES.values()},
        "i1": 8, "f6e2m3fn": 8, "f6e3m2fn": 8}  # these take a byte
NPY = {"i1": "|b1", "f16": "<f2", "f32": "<f4", "f64": "<f8", "bf16": "<V2", "i8": "|i1", "u8": "|u1",
       **{f"{kind}{bits}": f"<{kind}{bits // 8}" for kind in "iu" for bits in (16, 32, 64)}}


@dataclasses.dataclass(frozen=True)
class Array:
    dtype: str  # the name in Lanescope
    shape: tuple
    # The elements, row-major, as bytes or another buffer of bytes; an element of less than a byte takes one byte.
    data: bytes

    def size(self):
        return math.prod(self.shape)


def zeros(dtype, shape):
    return Array(dtype, tuple(shape), bytes(math.prod(shape) * host_bytes(dtype)))


def all_zero(array):
    return bytes(array.data).count(0) == len(array.data)


def host_bytes(dtype):
    """The number of bytes of an element of a host array."""
    return max(BITS[dtype] // 8, 1)


def to_device(array):
    """The content of the buffer in the form that a kernel sees."""
    bits = BITS[array.dtype]
    if bits >= 8:
        return bytes(array.data)
    per_byte, mask = 8 // bits, (1 << bits) - 1
    data = bytes(array.data) + bytes(-len(array.data) % per_byte)
    packed = bytearray(len(data) // per_byte)
    for part in range(per_byte):
        for at, element in enumerate(data[part::per_byte]):
            packed[at] |= (element & mask) << (part * bits)
    return bytes(packed)


def from_device(dtype, shape, data):
    """A buffer's bytes as a host array. Signed elements are sign-extended to a byte, as in ml_dtypes."""
    bits = BITS[dtype]
    if bits >= 8:
        return Array(dtype, tuple(shape), bytes(data))
    per_byte, mask, signed = 8 // bits, (1 << bits) - 1, dtype.startswith("i")
    table = [value - (1 << bits) & 0xFF if signed and value >> (bits - 1) else value for value in range(mask + 1)]
    elements = bytearray(len(data) * per_byte)
    for part in range(per_byte):
        elements[part::per_byte] = bytes(table[byte >> (part * bits) & mask] for byte in data)
    return Array(dtype, tuple(shape), bytes(elements[:math.prod(shape)]))


def save_npy(path, array):
    header = repr({"descr": NPY.get(array.dtype, "|V1"), "fortran_order": False, "shape": array.shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(array.data))


def load_npy(path, dtype):
    """Reads a .npy file whose elements are known to be `dtype`."""
    data = path.read_bytes()
    size, begin = (struct.unpack_from("<H", data, 8)[0], 10) if data[6] == 1 else (struct.unpack_from("<I", data, 8)[0], 12)
    return Array(dtype, tuple(ast.literal_eval(data[begin:begin + size].decode())["shape"]), data[begin + size:])
