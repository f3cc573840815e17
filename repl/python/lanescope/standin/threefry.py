"""The generator Threefry-2x32 with the partitionable stream of JAX 0.5 and later: keys, their bits, and the basic
numbers from which all others are made."""

import numpy as np

from .arrays import rounded

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_NEAR = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941)
_FAR = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682)
_FRACTION = {"float32": 23, "float16": 10, "bfloat16": 7}


def key_words(key):
    words = np.asarray(key)
    if words.dtype != np.uint32 or words.shape != (2,):
        raise TypeError("a key is what `jax.random.key(seed)` makes")
    return words


def _mixed(key, high, low):
    """Mixes each pair of words, and gives two words for it."""
    k = np.array([key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA)], np.uint32)
    with np.errstate(over="ignore"):
        x, y = high + k[0], low + k[1]
        for group in range(5):
            for turn in _ROTATIONS[group % 2]:
                x = x + y
                y = ((y << np.uint32(turn)) | (y >> np.uint32(32 - turn))) ^ x
            x, y = x + k[(group + 1) % 3], y + k[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def _counted(key, shape):
    count = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.uint64)
    return _mixed(key, (count >> np.uint64(32)).astype(np.uint32), count.astype(np.uint32))


def split(key, shape):
    """Makes keys, an array of shape (*shape, 2)."""
    return np.stack(_counted(key_words(key), shape), axis=-1).reshape(*shape, 2)


def fold_in(key, data):
    zero, low = np.zeros((), np.uint32), np.asarray(int(data) & 0xFFFFFFFF, np.uint32)
    return np.stack(_mixed(key_words(key), zero, low))


def bits(key, shape):
    """An array of uint32 with 32 random bits each."""
    x, y = _counted(key_words(key), shape)
    return (x ^ y).reshape(shape)


def _rounded(x, dtype):
    """Rounds to the dtype, as each operation in JAX does."""
    return np.asarray(rounded(np.asarray(x, np.float64), dtype), np.float64)


def uniform(key, shape, dtype, low, high):
    """Random floats in [low, high). As in JAX, a random mantissa gives a number in [1, 2), from which 1 is
    subtracted. They are f64 that the dtype can represent."""
    if str(dtype) not in _FRACTION:
        raise ValueError(f"random floats are float32, float16 or bfloat16, not {dtype}")
    fraction = _FRACTION[str(dtype)]
    width = 8 if fraction < 8 else 32 if fraction == 23 else 16
    drawn = bits(key, shape) & np.uint32((1 << width) - 1 if width < 32 else 0xFFFFFFFF)
    unit = np.ldexp((drawn >> np.uint32(width - fraction)).astype(np.float64), -fraction)
    start = _rounded(low, dtype)
    span = _rounded(_rounded(high, dtype) - start, dtype)
    return np.maximum(start, _rounded(_rounded(unit * span, dtype) + start, dtype))


def inverse_erf(x):
    """The inverse error function in f32, as XLA computes it."""
    x = np.asarray(x, np.float32)
    with np.errstate(all="ignore"):
        w = -np.log1p(-x * x)
        near = w < np.float32(5)
        w = np.where(near, w - np.float32(2.5), np.sqrt(w) - np.float32(3))
        p = np.where(near, np.float32(_NEAR[0]), np.float32(_FAR[0]))
        for a, b in zip(_NEAR[1:], _FAR[1:]):
            p = np.where(near, np.float32(a), np.float32(b)) + p * w
        return np.where(np.abs(x) == 1, x * np.float32(np.inf), p * x)


def normal(key, shape, dtype):
    """Normal numbers with mean 0 and standard deviation 1, as f64 that the dtype can represent."""
    lowest = {"float32": -float.fromhex("0x1.fffffep-1"), "float16": -float.fromhex("0x1.ffcp-1")}.get(str(dtype), -float.fromhex("0x1.fep-1"))
    drawn = uniform(key, shape, dtype, lowest, 1.0)
    return _rounded(_rounded(np.sqrt(2.0), dtype) * _rounded(inverse_erf(drawn), dtype), dtype)


def integers(key, shape, low, high, dtype):
    """Ints in [low, high), as int64."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu" or dtype.itemsize > 4:
        raise ValueError(f"random integers are of 8, 16 or 32 bits, not {dtype}")
    width, limits = 8 * dtype.itemsize, np.iinfo(dtype)
    mask = np.uint64((1 << width) - 1)
    end = np.broadcast_to(np.asarray(high).astype(np.int64), shape)
    low = np.clip(np.broadcast_to(np.asarray(low).astype(np.int64), shape), limits.min, limits.max)
    high = np.clip(end, limits.min, limits.max)
    span = np.where(high <= low, 1, (high - low)).astype(np.uint64) & mask
    # `high` lies above the dtype's largest integer, which is then in range.
    span = np.where((end > limits.max) & (high > low), (span + np.uint64(1)) & mask, span)

    def rest(value):
        return np.where(span == 0, value, value % np.maximum(span, np.uint64(1)))

    multiplier = rest(np.uint64(1 << (width // 2)))
    multiplier = rest((multiplier * multiplier) & mask)
    first, second = split(key, (2,))
    higher, lower = bits(first, shape).astype(np.uint64) & mask, bits(second, shape).astype(np.uint64) & mask
    away = rest(((rest(higher) * multiplier & mask) + rest(lower)) & mask)
    return low + away.astype(np.int64)
