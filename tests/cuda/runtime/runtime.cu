// The CUDA runtime: variables, managed memory, dynamic shared memory, streams, events, a captured graph, printf, errors.
#include <cstdio>
#include <cstdlib>

#define CALL(call)                                                                                                     \
  do {                                                                                                                 \
    if (cudaError_t error = (call)) {                                                                                  \
      std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error));                                      \
      std::exit(10);                                                                                                   \
    }                                                                                                                  \
  } while (false)
#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::printf("line %d: not %s\n", __LINE__, #condition);                                                          \
      std::exit(11);                                                                                                   \
    }                                                                                                                  \
  } while (false)

__managed__ int shared = 3;
__constant__ float factors[4];
__device__ int counter;

template <typename T> __device__ __noinline__ T product(T a, T b) { return a * b; }

__global__ void reverse(float *out, int count) {
  extern __shared__ float room[];
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  room[threadIdx.x] = n;
  __syncthreads();
  if (n < count)
    out[n] = product(room[blockDim.x - 1 - threadIdx.x], factors[n & 3]);
  atomicAdd(&counter, 1);
  if (n == 0)
    shared += 4;
}

__global__ void greet(const char *name) { printf("thread %d greets %s\n", threadIdx.x, name); }

int main() {
  const float values[] = {1, 2, 3, 4};
  CALL(cudaMemcpyToSymbol(factors, values, sizeof values));
  float *out = nullptr;
  CALL(cudaMallocManaged(&out, 256 * sizeof(float)));
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CALL(cudaStreamCreate(&stream));
  CALL(cudaEventCreate(&start));
  CALL(cudaEventCreate(&stop));
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  reverse<<<2, 128, 128 * sizeof(float), stream>>>(out, 256);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CALL(cudaStreamEndCapture(stream, &graph));
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  CALL(cudaEventRecord(start, stream));
  CALL(cudaGraphLaunch(exec, stream));
  CALL(cudaGraphLaunch(exec, stream));
  CALL(cudaEventRecord(stop, stream));
  CALL(cudaStreamSynchronize(stream));
  float milliseconds = 0;
  CALL(cudaEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds > 0);
  EXPECT(out[0] == 127 && out[1] == 252 && out[255] == 512);
  int counted = 0;
  CALL(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  EXPECT(counted == 512 && shared == 11);

  char *name = nullptr;
  CALL(cudaMalloc(&name, 8));
  CALL(cudaMemcpy(name, "Ada", 4, cudaMemcpyHostToDevice));
  greet<<<1, 2>>>(name);
  CALL(cudaDeviceSynchronize());

  reverse<<<1, 2048>>>(out, 1);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaSuccess);
  cudaFuncAttributes attributes;
  CALL(cudaFuncGetAttributes(&attributes, reverse));
  EXPECT(attributes.maxThreadsPerBlock == 1024 && attributes.numRegs > 0);
  int grid = 0, block = 0;
  CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, reverse, 0, 0));
  EXPECT(block >= 256 && grid >= 132);
  cudaDeviceProp properties;
  CALL(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.major == 9 && properties.multiProcessorCount == 132 && properties.warpSize == 32);
  cudaPointerAttributes pointer;
  CALL(cudaPointerGetAttributes(&pointer, out));
  EXPECT(pointer.type == cudaMemoryTypeManaged && pointer.devicePointer == out);
  CALL(cudaPointerGetAttributes(&pointer, &counted));
  EXPECT(pointer.type == cudaMemoryTypeUnregistered);
  std::printf("the runtime runs\n");
}
