"""CuPy's kernels and a kernel of the program."""
import cupy

cupy.cuda.set_allocator(None)
raw = cupy.RawKernel(r'''extern "C" __global__ void twice(const float *x, float *y, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }''', "twice")
for n in (100, 1000):
    x = cupy.arange(n, dtype=cupy.float32)
    y = cupy.empty_like(x)
    raw(((n + 127) // 128,), (128,), (x, y, cupy.int32(n)))
    print(float(y.sum()), float((cupy.sqrt(x) * 3 + y).max()))
