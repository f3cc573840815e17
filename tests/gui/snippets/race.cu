// Each thread reads what its mirror image wrote, without a barrier between.
__global__ void race(float *x, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0;
  x[i] = tile[255 - threadIdx.x];
}
__global__ void fine(float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= a;
}
