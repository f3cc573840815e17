// Graphs for tests/gpu/record.py: a captured one with two branches, one of nodes with a fill and a copy, which is
// changed after instantiation, and one with a node of the host, whose kernels are recorded without their results.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if (cudaError_t status = (call)) {                                                                                 \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(status));                                              \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

constexpr int kCount = 4096;

__global__ void scale(float *to, const float *from, float by) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  to[n] = from[n] * by + 1;
}
__global__ void join(float *to, const float *a, const float *b) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  to[n] = a[n] - b[n];
}
__global__ void count(int *to) { atomicAdd(to, static_cast<int>(threadIdx.x)); }

static int called = 0;
static void call(void *) { ++called; }

static double sum(const float *from) {
  std::vector<float> host(kCount);
  cudaMemcpy(host.data(), from, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  double all = 0;
  for (int n = 0; n < kCount; ++n)
    all += host[n] * (n % 7);
  return all;
}

static int captured(float *a, float *b, float *c) {
  cudaStream_t first, second;
  cudaEvent_t fork, meet;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreate(&second));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&meet, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  scale<<<kCount / 128, 128, 0, first>>>(b, a, 2);
  CHECK(cudaEventRecord(fork, first));
  CHECK(cudaStreamWaitEvent(second, fork, 0));
  scale<<<kCount / 256, 256, 0, second>>>(c, b, 3);
  scale<<<kCount / 64, 64, 0, first>>>(a, b, 5);
  CHECK(cudaEventRecord(meet, second));
  CHECK(cudaStreamWaitEvent(first, meet, 0));
  join<<<kCount / 128, 128, 0, first>>>(b, a, c);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamEndCapture(first, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int turn = 0; turn < 3; ++turn)
    CHECK(cudaGraphLaunch(exec, first));
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaGraphExecDestroy(exec));
  std::printf("captured %.3f %.3f %.3f\n", sum(a), sum(b), sum(c));
  return 0;
}

static int ofNodes(int *counter, bool host) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t fill, kernel, copy, calling;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams filling{};
  filling.dst = counter;
  filling.elementSize = 4;
  filling.width = filling.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &filling));
  void *parameters[] = {&counter};
  cudaKernelNodeParams launching{};
  launching.func = reinterpret_cast<void *>(count);
  launching.gridDim = dim3(host ? 3 : 2);
  launching.blockDim = dim3(64);
  launching.kernelParams = parameters;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launching));
  int out = 0;
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, &out, counter, sizeof out, cudaMemcpyDeviceToHost));
  cudaHostNodeParams function{call, nullptr};
  if (host)
    CHECK(cudaGraphAddHostNode(&calling, graph, &copy, 1, &function));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf("counted %d\n", out);
  launching.blockDim = dim3(32);
  CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &launching));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf("counted %d, called %d\n", out, called);
  return 0;
}

int main() {
  float *a, *b, *c;
  int *counter;
  std::vector<float> host(kCount);
  for (int n = 0; n < kCount; ++n)
    host[n] = 0.25f * static_cast<float>(n % 13);
  for (float **each : {&a, &b, &c})
    CHECK(cudaMalloc(each, kCount * sizeof(float)));
  CHECK(cudaMalloc(&counter, sizeof(int)));
  CHECK(cudaMemcpy(a, host.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  return captured(a, b, c) || ofNodes(counter, false) || ofNodes(counter, true);
}
