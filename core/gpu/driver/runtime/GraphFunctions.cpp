// Graphs and their nodes.
#include "core/gpu/driver/runtime/Registry.h"
#include "core/gpu/driver/runtime/RuntimeCopies.h"
#include "core/gpu/driver/runtime/Thread.h"

namespace lanescope::core::runtime {

using namespace driver;

namespace {

using Nodes = GraphNode *const *;

Error nodeOf(const KernelNode &from, KernelNodeParams &out) {
  out = {};
  if (Error problem = Registry::get().function(from.function, out.function))
    return problem;
  out.gridX = from.grid.x;
  out.gridY = from.grid.y;
  out.gridZ = from.grid.z;
  out.blockX = from.block.x;
  out.blockY = from.block.y;
  out.blockZ = from.block.z;
  out.sharedBytes = from.sharedBytes;
  out.kernelParams = from.parameters;
  out.extra = from.extra;
  return runtime::kSuccess;
}

/// Converts a kernel node to the driver's form, and runs `body` on the result.
template <typename Body> Error withNode(const KernelNode *from, Body body) {
  KernelNodeParams node;
  if (!from)
    return remember(runtime::kInvalidValue);
  if (Error problem = nodeOf(*from, node))
    return remember(problem);
  return finish([&] { return body(node); });
}

Copy3D flat(void *to, const void *from, size_t bytes) {
  Copy3D out{};
  out.srcType = out.dstType = kUnifiedMemory;
  out.srcDevice = address(from);
  out.dstDevice = address(to);
  out.width = bytes;
  out.height = out.depth = 1;
  return out;
}

Status addNode(GraphNode **out, Graph *graph, Nodes before, size_t count, NodeParameters &node) {
  KernelNodeParams kernel;
  Copy3D copy{};
  switch (node.type) {
  case 0:
    if (Error problem = nodeOf(node.kernel, kernel))
      return problem;
    return cuGraphAddKernelNode_v2(out, graph, before, count, &kernel);
  case 1: copy = spaceOf(node.copy.copy); return cuGraphAddMemcpyNode(out, graph, before, count, &copy, nullptr);
  case 2: return cuGraphAddMemsetNode(out, graph, before, count, &node.fill, nullptr);
  case 3: return cuGraphAddHostNode(out, graph, before, count, &node.host);
  case 4: return cuGraphAddChildGraphNode(out, graph, before, count, node.child);
  case 5: return cuGraphAddEmptyNode(out, graph, before, count);
  case 6: return cuGraphAddEventWaitNode(out, graph, before, count, node.event);
  case 7: return cuGraphAddEventRecordNode(out, graph, before, count, node.event);
  case 10: return cuGraphAddMemAllocNode(out, graph, before, count, &node.allocation);
  case 11: return cuGraphAddMemFreeNode(out, graph, before, count, address(node.freed));
  default: return kNotSupported;
  }
}

} // namespace

LANESCOPE_RUNTIME Error cudaGraphCreate(Graph **out, unsigned flags) {
  return finish([&] { return cuGraphCreate(out, flags); });
}
LANESCOPE_RUNTIME Error cudaGraphDestroy(Graph *graph) {
  return finish([&] { return cuGraphDestroy(graph); });
}
LANESCOPE_RUNTIME Error cudaGraphClone(Graph **out, Graph *graph) {
  return finish([&] { return cuGraphClone(out, graph); });
}
LANESCOPE_RUNTIME Error cudaGraphAddNode(GraphNode **out, Graph *graph, Nodes before, const void *, size_t count,
                                         NodeParameters *node) {
  if (!node)
    return remember(runtime::kInvalidValue);
  return finish([&] { return addNode(out, graph, before, count, *node); });
}
LANESCOPE_RUNTIME Error cudaGraphAddKernelNode(GraphNode **out, Graph *graph, Nodes before, size_t count,
                                               const KernelNode *kernel) {
  return withNode(
      kernel, [&](const KernelNodeParams &node) { return cuGraphAddKernelNode_v2(out, graph, before, count, &node); });
}
LANESCOPE_RUNTIME Error cudaGraphAddMemcpyNode(GraphNode **out, Graph *graph, Nodes before, size_t count,
                                               const CopyParameters *parameters) {
  if (!parameters)
    return remember(runtime::kInvalidValue);
  Copy3D copy = spaceOf(*parameters);
  return finish([&] { return cuGraphAddMemcpyNode(out, graph, before, count, &copy, nullptr); });
}
LANESCOPE_RUNTIME Error cudaGraphAddMemcpyNode1D(GraphNode **out, Graph *graph, Nodes before, size_t count, void *to,
                                                 const void *from, size_t bytes, int) {
  Copy3D copy = flat(to, from, bytes);
  return finish([&] { return cuGraphAddMemcpyNode(out, graph, before, count, &copy, nullptr); });
}
LANESCOPE_RUNTIME Error cudaGraphAddMemsetNode(GraphNode **out, Graph *graph, Nodes before, size_t count,
                                               const MemsetNodeParams *fill) {
  return finish([&] { return cuGraphAddMemsetNode(out, graph, before, count, fill, nullptr); });
}
LANESCOPE_RUNTIME Error cudaGraphAddHostNode(GraphNode **out, Graph *graph, Nodes before, size_t count,
                                             const HostNodeParams *host) {
  return finish([&] { return cuGraphAddHostNode(out, graph, before, count, host); });
}
LANESCOPE_RUNTIME Error cudaGraphAddEmptyNode(GraphNode **out, Graph *graph, Nodes before, size_t count) {
  return finish([&] { return cuGraphAddEmptyNode(out, graph, before, count); });
}
LANESCOPE_RUNTIME Error cudaGraphAddChildGraphNode(GraphNode **out, Graph *graph, Nodes before, size_t count,
                                                   Graph *child) {
  return finish([&] { return cuGraphAddChildGraphNode(out, graph, before, count, child); });
}
LANESCOPE_RUNTIME Error cudaGraphAddEventRecordNode(GraphNode **out, Graph *graph, Nodes before, size_t count,
                                                    Event *event) {
  return finish([&] { return cuGraphAddEventRecordNode(out, graph, before, count, event); });
}
LANESCOPE_RUNTIME Error cudaGraphAddEventWaitNode(GraphNode **out, Graph *graph, Nodes before, size_t count,
                                                  Event *event) {
  return finish([&] { return cuGraphAddEventWaitNode(out, graph, before, count, event); });
}
LANESCOPE_RUNTIME Error cudaGraphAddMemAllocNode(GraphNode **out, Graph *graph, Nodes before, size_t count,
                                                 AllocationNode *parameters) {
  return finish([&] { return cuGraphAddMemAllocNode(out, graph, before, count, parameters); });
}
LANESCOPE_RUNTIME Error cudaGraphAddMemFreeNode(GraphNode **out, Graph *graph, Nodes before, size_t count,
                                                void *memory) {
  return finish([&] { return cuGraphAddMemFreeNode(out, graph, before, count, address(memory)); });
}
LANESCOPE_RUNTIME Error cudaGraphAddDependencies(Graph *graph, Nodes from, Nodes to, const void *edges, size_t count) {
  return finish([&] { return cuGraphAddDependencies_v2(graph, from, to, edges, count); });
}
LANESCOPE_RUNTIME Error cudaGraphGetNodes(Graph *graph, GraphNode **out, size_t *count) {
  return finish([&] { return cuGraphGetNodes(graph, out, count); });
}
LANESCOPE_RUNTIME Error cudaGraphGetRootNodes(Graph *graph, GraphNode **out, size_t *count) {
  return finish([&] { return cuGraphGetRootNodes(graph, out, count); });
}
LANESCOPE_RUNTIME Error cudaGraphNodeGetType(GraphNode *node, int *out) {
  return finish([&] { return cuGraphNodeGetType(node, out); });
}
LANESCOPE_RUNTIME Error cudaGraphKernelNodeSetParams(GraphNode *node, const KernelNode *kernel) {
  return withNode(kernel, [&](const KernelNodeParams &of) { return cuGraphKernelNodeSetParams_v2(node, &of); });
}

LANESCOPE_RUNTIME Error cudaGraphInstantiate(GraphExec **out, Graph *graph, unsigned long long flags) {
  return finish([&] { return cuGraphInstantiateWithFlags(out, graph, flags); });
}
LANESCOPE_RUNTIME Error cudaGraphInstantiateWithFlags(GraphExec **out, Graph *graph, unsigned long long flags) {
  return finish([&] { return cuGraphInstantiateWithFlags(out, graph, flags); });
}
LANESCOPE_RUNTIME Error cudaGraphExecDestroy(GraphExec *exec) {
  return finish([&] { return cuGraphExecDestroy(exec); });
}
LANESCOPE_RUNTIME Error cudaGraphExecKernelNodeSetParams(GraphExec *exec, GraphNode *node, const KernelNode *kernel) {
  return withNode(kernel,
                  [&](const KernelNodeParams &of) { return cuGraphExecKernelNodeSetParams_v2(exec, node, &of); });
}
LANESCOPE_RUNTIME Error cudaGraphExecMemcpyNodeSetParams1D(GraphExec *exec, GraphNode *node, void *to, const void *from,
                                                           size_t bytes, int) {
  Copy3D copy = flat(to, from, bytes);
  return finish([&] { return cuGraphExecMemcpyNodeSetParams(exec, node, &copy, nullptr); });
}
LANESCOPE_RUNTIME Error cudaGraphExecUpdate(GraphExec *exec, Graph *graph, void *info) {
  return finish([&] { return cuGraphExecUpdate_v2(exec, graph, info); });
}
LANESCOPE_RUNTIME Error cudaGraphUpload(GraphExec *exec, Stream *stream) {
  return finish([&] { return cuGraphUpload(exec, stream); });
}
LANESCOPE_SAME(cudaGraphUpload, "_ptsz");
LANESCOPE_RUNTIME Error cudaGraphLaunch(GraphExec *exec, Stream *stream) {
  return finish([&] { return cuGraphLaunch(exec, stream); });
}
LANESCOPE_SAME(cudaGraphLaunch, "_ptsz");
LANESCOPE_RUNTIME Error cudaDeviceGraphMemTrim(int) { return runtime::kSuccess; }
LANESCOPE_RUNTIME Error cudaDeviceGetGraphMemAttribute(int, int which, void *value) {
  if (!value || which < 0 || which > 3)
    return remember(runtime::kInvalidValue);
  *static_cast<uint64_t *>(value) = 0;
  return runtime::kSuccess;
}

} // namespace lanescope::core::runtime
