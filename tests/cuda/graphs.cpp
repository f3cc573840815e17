// Graphs: captured from two streams that join, built from nodes, and changed after instantiation.
#include "tests/cuda/CudaProgram.h"

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 to, .param .u32 by)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4;
  ld.param.u64 %rd2, [to]; add.s64 %rd3, %rd2, %rd1;
  ld.global.u32 %r2, [%rd3]; ld.param.u32 %r3, [by]; add.u32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2;
  ret;
}
)";

static int called = 0;

static void captured(Function *add, DevicePointer data) {
  Stream *first = nullptr, *second = nullptr;
  Event *fork = nullptr, *join = nullptr;
  CALL(cuStreamCreate(&first, 1));
  CALL(cuStreamCreate(&second, 1));
  CALL(cuEventCreate(&fork, 2));
  CALL(cuEventCreate(&join, 2));
  CALL(cuStreamBeginCapture_v2(first, 0));
  CALL(launch(add, 1, 32, first, data, 1u));
  CALL(cuEventRecord(fork, first));
  CALL(cuStreamWaitEvent(second, fork, 0));
  CALL(launch(add, 1, 32, second, data + 128, 10u));
  EXPECT(cuStreamSynchronize(first) == kStreamCaptureUnsupported);
  EXPECT(cuEventQuery(fork) == kCapturedEvent);
  CALL(cuEventRecord(join, second));
  CALL(cuStreamWaitEvent(first, join, 0));
  CALL(launch(add, 1, 64, first, data, 100u));
  int capturing = 0;
  CALL(cuStreamIsCapturing(second, &capturing));
  EXPECT(capturing == 1);
  Graph *graph = nullptr;
  EXPECT(cuStreamEndCapture(second, &graph) == kStreamCaptureUnmatched);
  CALL(cuStreamEndCapture(first, &graph));
  size_t nodes = 0;
  CALL(cuGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 3);
  EXPECT(read<unsigned>(data, 64)[0] == 0); // no kernel has run
  GraphExec *exec = nullptr;
  CALL(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CALL(cuGraphDestroy(graph));
  CALL(cuGraphLaunch(exec, first));
  CALL(cuGraphLaunch(exec, second));
  auto out = read<unsigned>(data, 64);
  EXPECT(out[0] == 202 && out[63] == 220);
  CALL(cuGraphExecDestroy(exec));
  EXPECT(cuGraphLaunch(exec, first) == kInvalidHandle);
  // A stream that never joins the first one again.
  CALL(cuStreamBeginCapture_v2(first, 0));
  CALL(cuEventRecord(fork, first));
  CALL(cuStreamWaitEvent(second, fork, 0));
  CALL(launch(add, 1, 32, second, data, 1u));
  EXPECT(cuStreamEndCapture(first, &graph) == kStreamCaptureUnjoined);
}

static void ofNodes(Function *add, DevicePointer data) {
  Graph *graph = nullptr;
  CALL(cuGraphCreate(&graph, 0));
  GraphNode *fill = nullptr, *kernel = nullptr, *host = nullptr, *copy = nullptr;
  MemsetNodeParams filling{data, 0, 7, 4, 32, 1};
  CALL(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &filling, nullptr));
  unsigned by = 5;
  void *parameters[] = {&data, &by};
  KernelNodeParams launching{add, 1, 1, 1, 32, 1, 1, 0, parameters, nullptr, nullptr, nullptr};
  CALL(cuGraphAddKernelNode_v2(&kernel, graph, &fill, 1, &launching));
  HostNodeParams calling{[](void *count) { ++*static_cast<int *>(count); }, &called};
  CALL(cuGraphAddHostNode(&host, graph, &kernel, 1, &calling));
  static unsigned out[32];
  Copy3D copying{};
  copying.srcType = kDeviceMemory;
  copying.srcDevice = data;
  copying.dstType = kHostMemory;
  copying.dstHost = out;
  copying.width = sizeof out;
  copying.height = copying.depth = 1;
  CALL(cuGraphAddMemcpyNode(&copy, graph, &host, 1, &copying, nullptr));
  GraphExec *exec = nullptr;
  CALL(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CALL(cuGraphLaunch(exec, nullptr));
  EXPECT(out[31] == 12 && called == 1);
  by = 30;
  CALL(cuGraphExecKernelNodeSetParams_v2(exec, kernel, &launching));
  CALL(cuGraphNodeSetEnabled(exec, host, 0));
  CALL(cuGraphLaunch(exec, nullptr));
  EXPECT(out[31] == 37 && called == 1);
  int type = -1;
  CALL(cuGraphNodeGetType(fill, &type));
  EXPECT(type == 2);
  EXPECT(cuGraphNodeGetType(reinterpret_cast<GraphNode *>(out), &type) == kInvalidHandle);
  EXPECT(cuGraphAddEmptyNode(&fill, nullptr, nullptr, 0) == kInvalidHandle);
}

int main() {
  begin();
  Function *add = load(kPtx, "add");
  DevicePointer data = reserve(256);
  captured(add, data);
  ofNodes(add, data);
  std::printf("graphs run\n");
}
