#!/bin/sh
# From a kernel's text to its first result on this machine's GPU, the driver's cache of compiled kernels switched off:
# reading, compiling to PTX, the driver's compiler (or ptxas), copies, one launch. The worker runs already.
#
#   tests/gpu/first_result.sh LANESCOPE [WORKER_COMMAND]
#
# Each line is of one kernel, seven that differ in a constant, so that nothing is reused; "again" is the same kernel's
# second call.
# Exit status: 0 good, 1 something is wrong.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lanescope=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sed '/^# The check/,$d' "$here/../../kernels/matmul.py" > "$scratch/first.py"
cat >> "$scratch/first.py" <<'EOF'
import time

def make_add(shape, n):
  @kernel(grid=(1,), num_threads=1)
  def add(x: GMEM(shape, f32), out: Out(shape, f32)):
    out[...] = x[...] + n
  return add

def timed(name, make, *inputs):
  start = time.perf_counter()
  made = make()
  outputs = made(*inputs)
  first = time.perf_counter()
  made(*inputs)
  print(f"{name}: {(first - start) * 1e3:.1f} ms, again {(time.perf_counter() - first) * 1e3:.1f} ms")
  return outputs

make_add((128,), 0)(random((128,), f32, seed=0))  # starts the worker
for name, shape in ("one element a thread", (128,)), ("128 elements a thread", (128, 128)):
  x = random(shape, f32, seed=0)
  for n in range(1, 8):
    assert allclose(timed(name, lambda: make_add(shape, n), x), x + n)
a, b = random((1024, 1024), f16, seed=0), random((1024, 1024), f16, seed=1)
expected = a.astype(f32) @ b.astype(f32)
for group in (1, 2, 3, 4, 5, 6, 7):
  result = timed("matmul", lambda: make_matmul(f16, group=group), a, b)
  assert allclose(result.astype(f32), expected, rtol=2e-2, atol=6e-1)
EOF
CUDA_CACHE_DISABLE=1 "$lanescope" run "$scratch/first.py" --device "${LANESCOPE_DEVICE:-gpu}" ${2:+--worker "$2"}
