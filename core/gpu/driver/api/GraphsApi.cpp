// Graphs: nodes that the program adds or a capture records, and their launch.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"
#include "core/gpu/driver/DriverKernels.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace lanescope::core::driver {

namespace {

// CUgraphNodeType, in the order of Work's alternatives.
constexpr int kNodeTypes[] = {5, 0, 1, 2, 3, 4, 7, 6, 10, 11};

bool hasNode(const Graph &graph, const GraphNode *node) {
  return std::ranges::any_of(graph.nodes, [&](const auto &one) { return one.get() == node; });
}

/// Returns null if the handle is not a node of any graph.
GraphNode *knownNode(const State &state, GraphNode *node) {
  bool known = std::ranges::any_of(state.graphs, [&](const auto &one) { return hasNode(*one.second, node); });
  return known ? node : nullptr;
}

template <typename Make>
Status add(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, Make make) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || (count && !dependencies))
    return kInvalidValue;
  if (!state.graphs.has(graph))
    return kInvalidHandle;
  std::vector<GraphNode *> before(dependencies, dependencies + count);
  if (!std::ranges::all_of(before, [&](const GraphNode *one) { return hasNode(*graph, one); }))
    return kInvalidValue;
  Work work;
  if (Status status = make(state, work))
    return status;
  *out = state.append(*graph, std::move(work), std::move(before));
  return kSuccess;
}

/// Copies the nodes and edges of another graph; returns the copy of each node.
std::unordered_map<const GraphNode *, GraphNode *> copyInto(State &state, Graph &to, const Graph &from) {
  std::unordered_map<const GraphNode *, GraphNode *> copies;
  for (const auto &node : from.nodes) {
    copies[node.get()] = state.append(to, node->work, {});
    copies[node.get()]->enabled = node->enabled;
  }
  for (const auto &node : from.nodes)
    for (const GraphNode *before : node->dependencies)
      copies[node.get()]->dependencies.push_back(copies[before]);
  return copies;
}

Status instantiate(GraphExec **out, Graph *graph) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.graphs.has(graph))
    return kInvalidHandle;
  auto exec = std::make_unique<GraphExec>();
  exec->copies = copyInto(state, exec->graph, *graph);
  *out = state.graphExecs.add(std::move(exec));
  return kSuccess;
}

/// Changes a node of an executable graph. `node` is the node of the original graph that it was copied from.
template <typename Change> Status change(GraphExec *exec, GraphNode *node, Change change) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.graphExecs.has(exec))
    return kInvalidHandle;
  auto found = exec->copies.find(node);
  return found == exec->copies.end() ? kInvalidValue : change(state, *found->second);
}

Status list(Graph *graph, GraphNode **out, size_t *count, bool roots) {
  LANESCOPE_ENTER(Needs::Library);
  if (!count)
    return kInvalidValue;
  if (!state.graphs.has(graph))
    return kInvalidHandle;
  size_t room = *count;
  *count = 0;
  for (const auto &node : graph->nodes) {
    if (roots && !node->dependencies.empty())
      continue;
    if (out && *count < room)
      out[*count] = node.get();
    ++*count;
  }
  return kSuccess;
}

Status connect(Graph *graph, GraphNode *const *from, GraphNode *const *to, size_t count) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.graphs.has(graph))
    return kInvalidHandle;
  if (count && (!from || !to))
    return kInvalidValue;
  for (size_t n = 0; n < count; ++n) {
    if (!hasNode(*graph, from[n]) || !hasNode(*graph, to[n]) || from[n] == to[n])
      return kInvalidValue;
    to[n]->dependencies.push_back(from[n]);
  }
  return kSuccess;
}

/// Lists the edges. `from` and `to` may be null: then only `count` is set.
Status edgesOf(Graph *graph, GraphNode **from, GraphNode **to, size_t *count) {
  LANESCOPE_ENTER(Needs::Library);
  if (!count)
    return kInvalidValue;
  if (!state.graphs.has(graph))
    return kInvalidHandle;
  const size_t room = from && to ? *count : 0;
  *count = 0;
  for (const auto &node : graph->nodes)
    for (GraphNode *before : node->dependencies) {
      if (*count < room) {
        from[*count] = before;
        to[*count] = node.get();
      }
      ++*count;
    }
  return kSuccess;
}

template <typename Body> Status onKernelNode(GraphNode *node, Body body) {
  LANESCOPE_ENTER(Needs::Library);
  auto *work = knownNode(state, node) ? std::get_if<KernelWork>(&node->work) : nullptr;
  return work ? body(*work) : Status{kInvalidHandle};
}

} // namespace

Status cuGraphCreate(Graph **out, unsigned flags) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || flags)
    return kInvalidValue;
  *out = state.graphs.add(std::make_unique<Graph>());
  return kSuccess;
}

Status cuGraphDestroy(Graph *graph) {
  LANESCOPE_ENTER(Needs::Library);
  return state.graphs.remove(graph) ? kSuccess : kInvalidHandle;
}

Status cuGraphClone(Graph **out, Graph *graph) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.graphs.has(graph))
    return kInvalidHandle;
  auto copy = std::make_unique<Graph>();
  copy->copies = copyInto(state, *copy, *graph);
  *out = state.graphs.add(std::move(copy));
  return kSuccess;
}

Status cuGraphAddKernelNode_v2(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                               const KernelNodeParams *parameters) {
  return add(out, graph, dependencies, count, [&](State &state, Work &work) -> Status {
    return parameters ? readKernelNode(state, *parameters, work.emplace<KernelWork>()) : kInvalidValue;
  });
}

Status cuGraphAddKernelNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                            const KernelNodeParams *parameters) {
  if (!parameters)
    return kInvalidValue;
  KernelNodeParams first = *parameters; // the first version of the struct lacks the later members
  first.kernel = nullptr;
  first.context = nullptr;
  return cuGraphAddKernelNode_v2(out, graph, dependencies, count, &first);
}

Status cuGraphAddMemcpyNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                            const Copy3D *copy, Context *) {
  return add(out, graph, dependencies, count, [&](State &, Work &work) -> Status {
    if (!copy)
      return kInvalidValue;
    work = CopyWork{*copy};
    return kSuccess;
  });
}

Status cuGraphAddMemsetNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                            const MemsetNodeParams *parameters, Context *) {
  return add(out, graph, dependencies, count, [&](State &, Work &work) -> Status {
    if (!parameters)
      return kInvalidValue;
    work = FillWork{*parameters};
    return kSuccess;
  });
}

Status cuGraphAddHostNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                          const HostNodeParams *parameters) {
  return add(out, graph, dependencies, count, [&](State &, Work &work) -> Status {
    if (!parameters || !parameters->function)
      return kInvalidValue;
    work = HostWork{parameters->function, parameters->data};
    return kSuccess;
  });
}

Status cuGraphAddEmptyNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count) {
  return add(out, graph, dependencies, count, [](State &, Work &) { return kSuccess; });
}

Status cuGraphAddChildGraphNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                                Graph *child) {
  return add(out, graph, dependencies, count, [&](State &state, Work &work) -> Status {
    if (!state.graphs.has(child))
      return kInvalidHandle;
    auto copy = std::make_shared<Graph>();
    copyInto(state, *copy, *child);
    work = ChildWork{std::move(copy)};
    return kSuccess;
  });
}

Status cuGraphAddEventRecordNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                                 Event *event) {
  return add(out, graph, dependencies, count, [&](State &state, Work &work) -> Status {
    work = RecordWork{event};
    return state.events.has(event) ? kSuccess : kInvalidHandle;
  });
}

Status cuGraphAddEventWaitNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                               Event *event) {
  return add(out, graph, dependencies, count, [&](State &state, Work &work) -> Status {
    work = WaitWork{event};
    return state.events.has(event) ? kSuccess : kInvalidHandle;
  });
}

Status cuGraphAddDependencies(Graph *graph, GraphNode *const *from, GraphNode *const *to, size_t count) {
  return connect(graph, from, to, count);
}
Status cuGraphAddDependencies_v2(Graph *graph, GraphNode *const *from, GraphNode *const *to, const void *,
                                 size_t count) {
  return connect(graph, from, to, count);
}

Status cuGraphGetNodes(Graph *graph, GraphNode **out, size_t *count) { return list(graph, out, count, false); }
Status cuGraphGetRootNodes(Graph *graph, GraphNode **out, size_t *count) { return list(graph, out, count, true); }

Status cuGraphGetEdges(Graph *graph, GraphNode **from, GraphNode **to, size_t *count) {
  return edgesOf(graph, from, to, count);
}
Status cuGraphGetEdges_v2(Graph *graph, GraphNode **from, GraphNode **to, void *edges, size_t *count) {
  constexpr size_t kEdgeBytes = 8; // CUgraphEdgeData; zeros: the later node waits for the whole earlier one
  Status status = edgesOf(graph, from, to, count);
  if (status == kSuccess && edges)
    std::memset(edges, 0, *count * kEdgeBytes);
  return status;
}

Status cuGraphNodeFindInClone(GraphNode **out, GraphNode *original, Graph *clone) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.graphs.has(clone))
    return kInvalidHandle;
  auto found = clone->copies.find(original);
  if (found == clone->copies.end())
    return kInvalidValue;
  *out = found->second;
  return kSuccess;
}

Status cuGraphKernelNodeGetAttribute(GraphNode *node, int attribute, void *value) {
  return onKernelNode(node, [&](KernelWork &work) -> Status {
    if (!value)
      return kInvalidValue;
    LaunchAttribute out{};
    if (attribute == kAttributeCooperative)
      out.cooperative = work.cooperative;
    else if (attribute == kAttributeClusterDimension)
      out.cluster = {work.cluster[0], work.cluster[1], work.cluster[2]};
    std::memcpy(value, out.bytes, sizeof out.bytes);
    return kSuccess;
  });
}
Status cuGraphKernelNodeSetAttribute(GraphNode *node, int attribute, const void *value) {
  return onKernelNode(node, [&](KernelWork &work) -> Status {
    if (!value)
      return kInvalidValue;
    LaunchAttribute given{};
    std::memcpy(given.bytes, value, sizeof given.bytes);
    if (attribute == kAttributeCooperative)
      work.cooperative = given.cooperative != 0;
    else if (attribute == kAttributeClusterDimension)
      work.cluster = {given.cluster.x, given.cluster.y, given.cluster.z};
    return kSuccess; // other attributes, such as a priority, do not change results
  });
}

Status cuGraphNodeGetType(GraphNode *node, int *out) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!knownNode(state, node))
    return kInvalidHandle;
  *out = kNodeTypes[node->work.index()];
  return kSuccess;
}

Status cuGraphKernelNodeGetParams_v2(GraphNode *node, KernelNodeParams *out) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  auto *work = knownNode(state, node) ? std::get_if<KernelWork>(&node->work) : nullptr;
  if (!work)
    return kInvalidHandle;
  node->shownParameters.clear();
  for (auto &one : work->parameters)
    node->shownParameters.push_back(one.data());
  *out = {work->function, work->grid[0],     work->grid[1],
          work->grid[2],  work->block[0],    work->block[1],
          work->block[2], work->sharedBytes, node->shownParameters.data(),
          nullptr,        work->function,    state.current()};
  return kSuccess;
}

Status cuGraphKernelNodeSetParams_v2(GraphNode *node, const KernelNodeParams *parameters) {
  LANESCOPE_ENTER(Needs::Library);
  if (!parameters)
    return kInvalidValue;
  auto *work = knownNode(state, node) ? std::get_if<KernelWork>(&node->work) : nullptr;
  if (!work)
    return kInvalidHandle;
  KernelWork made = *work;
  if (Status status = readKernelNode(state, *parameters, made))
    return status;
  *work = std::move(made);
  return kSuccess;
}

Status cuGraphInstantiateWithFlags(GraphExec **out, Graph *graph, unsigned long long) {
  return instantiate(out, graph);
}
Status cuGraphInstantiate(GraphExec **out, Graph *graph, unsigned long long) { return instantiate(out, graph); }
Status cuGraphInstantiateWithParams(GraphExec **out, Graph *graph, void *) { return instantiate(out, graph); }

Status cuGraphExecDestroy(GraphExec *exec) {
  LANESCOPE_ENTER(Needs::Library);
  return state.graphExecs.remove(exec) ? kSuccess : kInvalidHandle;
}

Status cuGraphExecKernelNodeSetParams_v2(GraphExec *exec, GraphNode *node, const KernelNodeParams *parameters) {
  return change(exec, node, [&](State &state, GraphNode &copy) -> Status {
    auto *work = std::get_if<KernelWork>(&copy.work);
    if (!parameters || !work)
      return kInvalidValue;
    KernelWork made = *work;
    if (Status status = readKernelNode(state, *parameters, made))
      return status;
    *work = std::move(made);
    return kSuccess;
  });
}

Status cuGraphExecMemcpyNodeSetParams(GraphExec *exec, GraphNode *node, const Copy3D *copy, Context *) {
  return change(exec, node, [&](State &, GraphNode &of) -> Status {
    auto *work = std::get_if<CopyWork>(&of.work);
    if (!copy || !work)
      return kInvalidValue;
    work->copy = *copy;
    return kSuccess;
  });
}

Status cuGraphExecMemsetNodeSetParams(GraphExec *exec, GraphNode *node, const MemsetNodeParams *parameters, Context *) {
  return change(exec, node, [&](State &, GraphNode &of) -> Status {
    auto *work = std::get_if<FillWork>(&of.work);
    if (!parameters || !work)
      return kInvalidValue;
    work->fill = *parameters;
    return kSuccess;
  });
}

Status cuGraphExecHostNodeSetParams(GraphExec *exec, GraphNode *node, const HostNodeParams *parameters) {
  return change(exec, node, [&](State &, GraphNode &of) -> Status {
    auto *work = std::get_if<HostWork>(&of.work);
    if (!parameters || !parameters->function || !work)
      return kInvalidValue;
    *work = {parameters->function, parameters->data};
    return kSuccess;
  });
}

// CUgraphExecUpdateResultInfo begins with the result: 0, or 3 if the topology differs.
Status cuGraphExecUpdate_v2(GraphExec *exec, Graph *graph, void *info) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.graphExecs.has(exec) || !state.graphs.has(graph))
    return kInvalidHandle;
  bool same = exec->graph.nodes.size() == graph->nodes.size();
  for (size_t n = 0; same && n < graph->nodes.size(); ++n)
    same = exec->graph.nodes[n]->work.index() == graph->nodes[n]->work.index() &&
           exec->graph.nodes[n]->dependencies.size() == graph->nodes[n]->dependencies.size();
  if (info)
    *static_cast<int *>(info) = same ? 0 : 2;
  if (!same)
    return 910; // CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
  exec->graph.nodes.clear();
  exec->copies = copyInto(state, exec->graph, *graph);
  return kSuccess;
}

Status cuGraphNodeSetEnabled(GraphExec *exec, GraphNode *node, unsigned enabled) {
  return change(exec, node, [&](State &, GraphNode &copy) {
    copy.enabled = enabled != 0;
    return kSuccess;
  });
}

Status cuGraphUpload(GraphExec *exec, Stream *) {
  LANESCOPE_ENTER(Needs::Library);
  return state.graphExecs.has(exec) ? kSuccess : kInvalidHandle;
}

Status cuGraphLaunch(GraphExec *exec, Stream *stream) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!state.graphExecs.has(exec))
    return kInvalidHandle;
  if (on->capture) {
    auto copy = std::make_shared<Graph>();
    copyInto(state, *copy, exec->graph);
    return state.submit(on, ChildWork{std::move(copy)});
  }
  return state.current()->sticky ? state.current()->sticky : state.runGraph(exec->graph);
}

} // namespace lanescope::core::driver
