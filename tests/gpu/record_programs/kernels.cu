// Kernels of the CUDA runtime for tests/gpu/record.py: templates, structs with pointers, shared and constant memory,
// variables, atomics, tables of pointers, streams, cooperative launches.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if (cudaError_t status = (call)) {                                                                                 \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(status));                                              \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

__constant__ float factors[4];
__device__ int counter;

template <typename T> __global__ void scale(T *out, const T *in, T by, int count) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < count)
    out[n] = in[n] * by + T(factors[n % 4]);
}

struct Matrices {
  const float *a, *b;
  float *c;
  int size;
};
__global__ void product(Matrices m) {
  __shared__ float left[16][16], right[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < m.size; k += 16) {
    left[threadIdx.y][threadIdx.x] = m.a[row * m.size + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = m.b[(k + threadIdx.y) * m.size + column];
    __syncthreads();
    for (int n = 0; n < 16; ++n)
      sum += left[threadIdx.y][n] * right[n][threadIdx.x];
    __syncthreads();
  }
  m.c[row * m.size + column] = sum;
}

__global__ void add(float *sum, const float *in, int count) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < count)
    atomicAdd(sum, in[n]);
  if (n == 0)
    atomicAdd(&counter, 1);
}

__global__ void gather(float **rows, float *out, int width) {
  out[blockIdx.x * width + threadIdx.x] = rows[blockIdx.x][threadIdx.x];
}

__global__ void reverse(int *data) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void meet(int *data) {
  auto grid = cooperative_groups::this_grid();
  data[grid.thread_rank()] += 1;
  grid.sync();
  if (grid.thread_rank() == 0)
    data[0] += data[grid.size() - 1];
}

int main() {
  constexpr int kCount = 4096;
  float *a, *b, *c, *sum;
  CHECK(cudaMalloc(&a, kCount * 4));
  CHECK(cudaMalloc(&b, kCount * 4));
  CHECK(cudaMallocManaged(&c, kCount * 4));
  CHECK(cudaMallocAsync(&sum, 4, 0));
  std::vector<float> host(kCount);
  for (int n = 0; n < kCount; ++n)
    host[n] = static_cast<float>(n % 97) / 8;
  const float four[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(factors, four, sizeof four));
  CHECK(cudaMemcpy(a, host.data(), kCount * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemsetAsync(sum, 0, 4));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int size : {64, 100, 1000, 4096}) {
    scale<float><<<(size + 127) / 128, 128>>>(b, a, 2.5f, size);
    scale<int><<<(size + 255) / 256, 256>>>(reinterpret_cast<int *>(c), reinterpret_cast<int *>(a), 3, size);
    add<<<(size + 127) / 128, 128>>>(sum, a, size);
  }
  CHECK(cudaDeviceSynchronize());
  for (int size : {16, 32, 64})
    product<<<dim3(size / 16, size / 16), dim3(16, 16), 0, stream>>>({a, b, c, size});
  CHECK(cudaStreamSynchronize(stream));
  std::vector<float *> rows;
  for (int n = 7; n >= 0; --n)
    rows.push_back(a + n * 64);
  float **table;
  CHECK(cudaMalloc(&table, rows.size() * sizeof(float *)));
  CHECK(cudaMemcpy(table, rows.data(), rows.size() * sizeof(float *), cudaMemcpyHostToDevice));
  gather<<<8, 64>>>(table, b, 64);
  for (int threads : {32, 64, 256})
    reverse<<<4, threads, threads * 4, stream>>>(reinterpret_cast<int *>(a));
  CHECK(cudaStreamSynchronize(stream));
  int *data = reinterpret_cast<int *>(c);
  void *arguments[] = {&data};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(meet), 8, 64, arguments, 0, stream));
  CHECK(cudaDeviceSynchronize());
  int launches = 0;
  float total = 0;
  CHECK(cudaMemcpyFromSymbol(&launches, counter, 4));
  CHECK(cudaMemcpy(&total, sum, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(host.data(), b, kCount * 4, cudaMemcpyDeviceToHost));
  std::printf("%d launches, sum %.0f, %g, %d\n", launches, total, host[100], data[0] != 0);
  return 0;
}
