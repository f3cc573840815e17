"""Kernels of Numba."""
import numpy
from numba import cuda


@cuda.jit
def axpy(a, x, y):
    n = cuda.grid(1)
    if n < x.size:
        y[n] += a * x[n]


for count in (100, 1000):
    x, y = cuda.to_device(numpy.arange(count, dtype=numpy.float32)), cuda.to_device(numpy.ones(count, numpy.float32))
    axpy[(count + 63) // 64, 64](2.0, x, y)
    print(y.copy_to_host().sum())
