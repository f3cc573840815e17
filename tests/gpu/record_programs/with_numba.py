"""Kernels of Numba: grids of one and two dimensions, shared memory, atomics, functions, and arrays that a kernel captures."""
import math

import numpy

for name, instead in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):  # Numba looks for what newer NumPys lack
    if not hasattr(numpy, name):
        setattr(numpy, name, getattr(numpy, instead))
from numba import cuda, float32  # noqa: E402


@cuda.jit
def axpy(a, x, y):
    n = cuda.grid(1)
    if n < x.size:
        y[n] += a * x[n]


@cuda.jit(device=True)
def bump(x):
    return math.exp(-x * x) + math.sqrt(abs(x))


@cuda.jit
def bumps(x, y):
    for n in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[n] = bump(x[n])


@cuda.jit
def product(a, b, c):
    left, right = cuda.shared.array((8, 8), float32), cuda.shared.array((8, 8), float32)
    x, y = cuda.grid(2)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(a.shape[1] // 8):
        left[i, j] = a[x, k * 8 + j]
        right[i, j] = b[k * 8 + i, y]
        cuda.syncthreads()
        for n in range(8):
            total += left[i, n] * right[n, j]
        cuda.syncthreads()
    c[x, y] = total


@cuda.jit
def histogram(x, counts):
    n = cuda.grid(1)
    if n < x.size:
        cuda.atomic.add(counts, x[n] % counts.size, 1)


@cuda.jit
def transpose(x, y):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        y[j, i] = x[i, j]


@cuda.jit
def warp_sums(x, y):
    value = x[cuda.grid(1)]
    step = 16
    while step:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        step //= 2
    if cuda.laneid == 0:
        y[cuda.grid(1) // 32] = value


captured = cuda.to_device(numpy.arange(64, dtype=numpy.float32) * 3)


def reading_a_captured_array():
    table = captured

    @cuda.jit
    def looked_up(at, out):
        n = cuda.grid(1)
        if n < at.size:
            out[n] = table[at[n]]

    at, out = cuda.to_device(numpy.arange(40, dtype=numpy.int32)[::-1].copy()), cuda.device_array(40, numpy.float32)
    looked_up[2, 32](at, out)
    return float(out.copy_to_host().sum())


for count in (100, 1000):
    for kind in (numpy.float32, numpy.float64, numpy.int64):
        x, y = cuda.to_device(numpy.arange(count).astype(kind)), cuda.to_device(numpy.ones(count, kind))
        axpy[(count + 63) // 64, 64](kind(2), x, y)
        print(y.copy_to_host().sum())
    for kind in (numpy.float32, numpy.float64):
        x, y = cuda.to_device(numpy.linspace(-3, 3, count).astype(kind)), cuda.device_array(count, kind)
        bumps[3, 32](x, y)
        print(f"{y.copy_to_host().sum():.5g}")
for size in (16, 40):
    a, b = (numpy.random.RandomState(n).rand(size, size).astype(numpy.float32) for n in range(2))
    c = cuda.device_array((size, size), numpy.float32)
    product[(size // 8, size // 8), (8, 8)](cuda.to_device(a), cuda.to_device(b), c)
    print(f"{c.copy_to_host().sum():.5g}")
    y = cuda.device_array((size, size), numpy.float32)
    transpose[(size // 8, size // 8), (8, 8)](cuda.to_device(a), y)
    print(bool((y.copy_to_host() == a.T).all()))
counts = cuda.to_device(numpy.zeros(7, numpy.int32))
histogram[4, 64](cuda.to_device(numpy.arange(200, dtype=numpy.int32)), counts)
print(counts.copy_to_host().tolist())
sums = cuda.device_array(4, numpy.float32)
warp_sums[2, 64](cuda.to_device(numpy.arange(128, dtype=numpy.float32)), sums)
print(sums.copy_to_host().tolist())
try:
    print(reading_a_captured_array())
except Exception as error:  # older versions copy the array into the kernel, or refuse it
    print("captured arrays:", type(error).__name__)
