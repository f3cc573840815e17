// Memory that outlives a launch: what a kernel allocates with malloc, and what a graph allocates when it is launched again.
#include <cstdio>

#define CALL(call)                                                                                                     \
  if (cudaError_t status = (call)) {                                                                                   \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorName(status));                                                  \
    return 10;                                                                                                         \
  }

__device__ int *kept;
__global__ void make(int value) {
  kept = static_cast<int *>(malloc(64 * sizeof(int)));
  for (int n = 0; n < 64; ++n)
    kept[n] = value + n;
}
__global__ void another() { *static_cast<int *>(malloc(16)) = -1; } // it must not get the same place
__global__ void use(int *out) { out[threadIdx.x] = kept[threadIdx.x]; }
__global__ void fill(int *to, int value) { to[threadIdx.x] = value; }

int main() {
  int *out = nullptr, host[64] = {};
  CALL(cudaMalloc(&out, sizeof host));
  make<<<1, 1>>>(100);
  another<<<1, 1>>>();
  use<<<1, 64>>>(out);
  CALL(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("the heap has %d and %d\n", host[0], host[63]);
  if (host[0] != 100 || host[63] != 163)
    return 1;

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int *ofGraph = nullptr;
  CALL(cudaStreamCreate(&stream));
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CALL(cudaMallocAsync(&ofGraph, sizeof host, stream));
  fill<<<1, 64, 0, stream>>>(ofGraph, 7);
  CALL(cudaStreamEndCapture(stream, &graph));
  CALL(cudaGraphInstantiate(&exec, graph, 0));
  for (int turn = 0; turn < 2; ++turn) {
    CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaMemcpyAsync(host, ofGraph, sizeof host, cudaMemcpyDeviceToHost, stream));
    CALL(cudaFreeAsync(ofGraph, stream)); // the next launch allocates it again
    CALL(cudaStreamSynchronize(stream));
  }
  std::printf("the graph has %d\n", host[63]);
  return host[63] == 7 ? 0 : 1;
}
