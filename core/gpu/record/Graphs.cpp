#include "core/gpu/record/Graphs.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <set>

namespace lanescope::core::record {

namespace {

enum NodeType { kKernelNode = 0, kCopyNode = 1, kFillNode = 2, kEmptyNode = 5 }; // CUgraphNodeType

const char *nameOfType(int type) {
  constexpr const char *kNames[] = {
      "kernel", "copy",      "fill",      "host",       "graph", "empty",           "wait",
      "record", "semaphore", "semaphore", "allocation", "free",  "batch operation", "conditional"};
  return type >= 0 && static_cast<size_t>(type) < std::size(kNames) ? kNames[type] : "unknown";
}

/// Sorts nodes so that each comes after the nodes that it depends on. Returns nothing if the edges cannot be read.
std::vector<GraphNode *> inOrder(Graph *graph) {
  const RealDriver &driver = real();
  size_t count = 0, edges = 0;
  auto edgesOf = [&](GraphNode **from, GraphNode **to) {
    // Edges with data can be read only by the second form.
    std::vector<uint64_t> data(edges);
    return driver.graphGetEdgesWithData
               ? driver.graphGetEdgesWithData(graph, from, to, from ? data.data() : nullptr, &edges)
           : driver.graphGetEdges ? driver.graphGetEdges(graph, from, to, &edges)
                                  : Status{kNotFound};
  };
  if (!driver.graphGetNodes || driver.graphGetNodes(graph, nullptr, &count) || edgesOf(nullptr, nullptr))
    return {};
  std::vector<GraphNode *> nodes(count), from(edges), to(edges), out;
  if (driver.graphGetNodes(graph, nodes.data(), &count) || (edges && edgesOf(from.data(), to.data())))
    return {};
  std::set<GraphNode *> done;
  while (out.size() < nodes.size()) {
    size_t before = out.size();
    for (GraphNode *node : nodes) {
      bool ready = !done.contains(node);
      for (size_t n = 0; ready && n < edges; ++n)
        ready = to[n] != node || done.contains(from[n]);
      if (!ready)
        continue;
      done.insert(node);
      out.push_back(node);
    }
    if (out.size() == before)
      return {};
  }
  return out;
}

std::vector<LaunchAttribute> attributesOf(GraphNode *node) {
  std::vector<LaunchAttribute> out;
  for (int id : {kAttributeCooperative, kAttributeClusterDimension}) {
    LaunchAttribute one{};
    one.id = id;
    if (real().graphKernelNodeGetAttribute && real().graphKernelNodeGetAttribute(node, id, one.bytes) == kSuccess)
      out.push_back(one);
  }
  return out;
}

} // namespace

GraphCopy::~GraphCopy() {
  if (exec_ && real().graphExecDestroy)
    real().graphExecDestroy(exec_);
  if (real().graphDestroy)
    real().graphDestroy(clone_);
}

void GraphCopy::read() {
  if (read_)
    return;
  read_ = true;
  const RealDriver &driver = real();
  if (!driver.graphNodeGetType || !driver.graphKernelNodeGetParams) {
    problem_ = "the driver has no functions for its nodes";
    return;
  }
  for (GraphNode *node : inOrder(clone_)) {
    int type = -1;
    if (driver.graphNodeGetType(node, &type))
      type = -1;
    Step step{.node = node, .kernel = type == kKernelNode, .parameters = {}, .attributes = {}};
    if (step.kernel && driver.graphKernelNodeGetParams(node, &step.parameters)) {
      problem_ = "the driver does not show the launches of its kernels";
      continue;
    }
    if (step.kernel)
      step.attributes = attributesOf(node);
    if (step.kernel || type == kCopyNode || type == kFillNode)
      steps_.push_back(std::move(step));
    else if (type != kEmptyNode)
      problem_ = text("it has a node of the type ", nameOfType(type), ", which cannot be left out of a run");
  }
  if (problem_.empty() && (!driver.graphNodeSetEnabled || !driver.graphInstantiate))
    problem_ = "the driver cannot disable nodes";
}

const std::vector<GraphCopy::Step> &GraphCopy::steps() {
  read();
  return steps_;
}

const std::string &GraphCopy::problem() {
  read();
  if (problem_.empty() && !exec_)
    problem_ = prepare();
  return problem_;
}

std::string GraphCopy::prepare() {
  if (Status status = real().graphInstantiate(&exec_, clone_, 0)) {
    exec_ = nullptr;
    return text("a copy of it cannot be made: error ", status);
  }
  for (const Step &step : steps_)
    if (Status status = real().graphNodeSetEnabled(exec_, step.node, 0))
      return text("its nodes cannot be disabled: error ", status);
  return {};
}

Status GraphCopy::run(size_t step, Stream *stream, bool perThread) {
  const RealDriver &driver = real();
  GraphNode *node = steps_[step].node;
  if (Status status = driver.graphNodeSetEnabled(exec_, node, 1))
    return status;
  auto launch = perThread && driver.graphLaunchPerThread ? driver.graphLaunchPerThread : driver.graphLaunch;
  Status status = launch(exec_, stream);
  driver.graphNodeSetEnabled(exec_, node, 0);
  return status;
}

void GraphCopy::change(GraphNode *original, const KernelNodeParams &parameters) {
  const RealDriver &driver = real();
  GraphNode *node = nullptr;
  bool changed = driver.graphNodeFindInClone && driver.graphKernelNodeSetParams &&
                 driver.graphNodeFindInClone(&node, original, clone_) == kSuccess &&
                 driver.graphKernelNodeSetParams(node, &parameters) == kSuccess;
  if (exec_ && driver.graphExecDestroy)
    driver.graphExecDestroy(exec_);
  exec_ = nullptr;
  steps_.clear();
  problem_.clear();
  counted = nullptr;
  settledIn = 0;
  read_ = false;
  if (!changed) {
    read_ = true; // there are no steps: its kernels are not known any more
    problem_ = "the program changed a node in a way that is not followed";
  }
}

void Graphs::instantiated(GraphExec *exec, Graph *graph) {
  Graph *clone = nullptr;
  bool cloned = real().graphClone && real().graphClone(&clone, graph) == kSuccess;
  std::lock_guard own(lock_);
  copies_.erase(exec);
  if (cloned)
    copies_[exec] = std::make_shared<GraphCopy>(clone);
}

void Graphs::changed(GraphExec *exec, GraphNode *node, const KernelNodeParams *parameters) {
  if (auto copy = find(exec); copy && parameters)
    copy->change(node, *parameters);
}

void Graphs::forget(GraphExec *exec) {
  std::lock_guard own(lock_);
  copies_.erase(exec);
}

std::shared_ptr<GraphCopy> Graphs::find(GraphExec *exec) {
  std::lock_guard own(lock_);
  auto found = copies_.find(exec);
  return found == copies_.end() ? nullptr : found->second;
}

} // namespace lanescope::core::record
