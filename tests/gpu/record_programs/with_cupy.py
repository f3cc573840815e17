"""CuPy's kernels: elementwise, reductions, scans, fusions, and kernels of the program."""
import cupy

cupy.cuda.set_allocator(None)
cupy.random.seed(3)
raw = cupy.RawKernel(r'''extern "C" __global__ void twice(const float *x, float *y, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }''', "twice")
module = cupy.RawModule(code=r'''
template <typename T> __global__ void axpy(T a, const T *x, T *y, int n) {
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i]; }
__constant__ float weights[3];
__device__ int calls;
extern "C" __global__ void blur(const float *x, float *y, int n) {
  __shared__ float tile[130];
  int i = blockDim.x * blockIdx.x + threadIdx.x, at = threadIdx.x + 1;
  tile[at] = i < n ? x[i] : 0;
  if (threadIdx.x == 0) { tile[0] = i ? x[i - 1] : 0; tile[blockDim.x + 1] = i + blockDim.x < n ? x[i + blockDim.x] : 0; }
  __syncthreads();
  if (i < n) y[i] = weights[0] * tile[at - 1] + weights[1] * tile[at] + weights[2] * tile[at + 1];
  if (i == 0) atomicAdd(&calls, 1); }
''', options=("-std=c++17",), name_expressions=["axpy<float>", "axpy<double>"])
weights = cupy.ndarray(3, cupy.float32, module.get_global("weights"))
weights[...] = cupy.asarray([0.25, 0.5, 0.25], cupy.float32)
for n in (100, 1000):
    x = cupy.arange(n, dtype=cupy.float32)
    y = cupy.empty_like(x)
    raw(((n + 127) // 128,), (128,), (x, y, cupy.int32(n)))
    print(float(y.sum()), float((cupy.sqrt(x) * 3 + y).max()))
    for kind, name in ((cupy.float32, "axpy<float>"), (cupy.float64, "axpy<double>")):
        to = cupy.ones(n, kind)
        module.get_function(name)((4,), (64,), (kind(1.5), x.astype(kind), to, cupy.int32(n)))
        print(float(to.sum()))
    module.get_function("blur")(((n + 127) // 128,), (128,), (x, y, cupy.int32(n)))
    print(float(y.sum()))
squares = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squares")
norm = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")


@cupy.fuse()
def fused(x, y):
    return cupy.where(x > y, cupy.exp(-x), cupy.tanh(y)) * 2 + cupy.abs(x)


for kind in (cupy.float32, cupy.float64, cupy.float16, cupy.int32, cupy.int64):
    x = (cupy.arange(15 * 17).reshape(15, 17) * 7 % 31 - 9).astype(kind)
    y = (cupy.arange(15 * 17).reshape(15, 17) * 5 % 23 + 1).astype(kind)
    print(kind.__name__, float(squares(x, y).sum()), float(x.max()), [float(part) for part in y.min(0)[:3]], float(x.mean()))
    print(float(cupy.cumsum(x.astype(cupy.float64), 1)[0, 3]), int(x.argmax()), float(cupy.sort(x, 1)[0, 0]), float(cupy.maximum(x, y).sum()))
    print(float((x * y + 1).sum()), float((x // y).sum()), float(cupy.where(x > y, x, y).sum()), float(cupy.concatenate((x, y.T.reshape(15, 17))).sum()))
    print(float(x.T.copy().sum()), float(cupy.take(x, cupy.asarray([1, 3, 5]), axis=1).sum()), int(cupy.count_nonzero(x)), int((x > 3).any()))
    if kind in (cupy.float32, cupy.float64):
        print(f"{float(norm(x)):.5g} {float(fused(x, y).sum()):.5g} {float(cupy.sin(x).sum()):.4g} {float(cupy.log(y).sum()):.5g} {float(cupy.power(y, 1.5).sum()):.5g}")
print(cupy.bincount(cupy.arange(300) * 7 % 16).tolist(), cupy.histogram(cupy.arange(100.0), 5)[0].tolist())
print(cupy.unique(cupy.arange(50) % 7).tolist(), float(cupy.add.accumulate(cupy.arange(40.0))[-1]))
print(f"{float(cupy.random.rand(100).sum()):.4g}", cupy.searchsorted(cupy.arange(10.0), cupy.asarray([2.5, 7.0])).tolist())
