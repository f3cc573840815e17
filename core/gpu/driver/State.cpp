#include "core/gpu/driver/State.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <new>
#include <pthread.h>
#include <unordered_set>

namespace lanescope::core::driver {

namespace {

constexpr uint32_t kMostDevices = 16;

/// The machine that the emulator imitates for a GPU: its generation, with its sizes.
GpuTarget machineOf(const GpuModel &gpu) {
  GpuTarget machine = *findGpuTarget(gpu.major, gpu.minor); // a test looks for each model
  machine.multiprocessors = gpu.multiprocessors;
  machine.sharedBytesPerBlock = gpu.sharedPerBlock;
  machine.sharedBytesPerMultiprocessor = gpu.sharedPerMultiprocessor;
  machine.threadsPerMultiprocessor = gpu.threadsPerMultiprocessor;
  machine.blocksPerMultiprocessor = gpu.blocksPerMultiprocessor;
  return machine;
}

/// After a fork, the child has one thread and needs a new lock.
void surviveForks() {
  ::pthread_atfork([] { State::get().lock.lock(); }, [] { State::get().lock.unlock(); },
                   [] { new (&State::get().lock) std::mutex; });
}

} // namespace

State &State::get() {
  static State *state = new State;
  return *state;
}

std::vector<Context *> &contextStack() {
  thread_local std::vector<Context *> stack;
  return stack;
}

Status State::initialise() {
  if (initialised)
    return kSuccess;
  settings = settingsFromEnvironment();
  journal = std::make_unique<Journal>(settings);
  gpu = findGpuModel(settings.gpu);
  if (!gpu) {
    journal->couldNotRun(text("there is no GPU `", settings.gpu, "`: there are ", gpuModelNames()));
    return kNoDevice;
  }
  machine = machineOf(*gpu);
  settings.devices = std::clamp(settings.devices, 1u, kMostDevices);
  for (uint32_t n = 0; n < settings.devices; ++n) {
    auto context = std::make_unique<Context>();
    context->device = static_cast<int>(n);
    context->primary = true;
    context->id = nextId++;
    primaries.push_back(contexts.add(std::move(context)));
    auto pool = std::make_unique<MemoryPool>();
    pool->device = static_cast<int>(n);
    devicePools.push_back(pools.add(std::move(pool)));
  }
  currentPools = devicePools;
  retained.assign(settings.devices, 0);
  surviveForks();
  initialised = true;
  return kSuccess;
}

Context *State::current() const {
  const auto &stack = contextStack();
  return stack.empty() || !contexts.has(stack.back()) ? nullptr : stack.back();
}

Stream *State::stream(Stream *handle) {
  auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= 1)
    return &legacy;
  if (number == 2)
    return &perThread;
  return streams.has(handle) ? handle : nullptr;
}

GraphNode *State::append(Graph &graph, Work work, std::vector<GraphNode *> dependencies) {
  auto node = std::make_unique<GraphNode>();
  node->graph = &graph;
  node->work = std::move(work);
  node->dependencies = std::move(dependencies);
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

Status State::submit(Stream *stream, Work work) {
  if (!stream->capture) {
    Context *context = current();
    return context && context->sticky ? context->sticky : run(work);
  }
  if (stream->capture->invalid)
    return kStreamCaptureInvalidated;
  if (auto *kernel = std::get_if<KernelWork>(&work))
    if (Status status = checkLaunch(*this, *kernel))
      return status;
  stream->tail = {append(*stream->capture->graph, std::move(work), stream->tail)};
  return kSuccess;
}

namespace {

struct Runner {
  State &state;
  Status operator()(const EmptyWork &) const { return kSuccess; }
  Status operator()(const KernelWork &work) const { return runKernel(state, work); }
  Status operator()(const CopyWork &work) const { return runCopy(state, work.copy); }
  Status operator()(const FillWork &work) const { return runFill(state, work.fill); }
  Status operator()(const HostWork &work) const {
    state.unlocked([&] { work.function(work.data); });
    return kSuccess;
  }
  Status operator()(const ChildWork &work) const { return state.runGraph(*work.graph); }
  Status operator()(const RecordWork &work) const {
    if (state.events.has(work.event)) {
      work.event->recorded = true;
      work.event->timeUs = state.clockUs;
    }
    return kSuccess;
  }
  Status operator()(const WaitWork &) const { return kSuccess; }
  Status operator()(const AllocateWork &) const { return kSuccess; }
  Status operator()(const FreeWork &) const { return kSuccess; }
};

} // namespace

Status State::run(const Work &work) { return std::visit(Runner{*this}, work); }

Status State::runGraph(const Graph &graph) {
  std::unordered_set<const GraphNode *> done;
  size_t before = 0;
  do {
    before = done.size();
    for (const auto &node : graph.nodes) {
      bool ready = std::ranges::all_of(node->dependencies, [&](const GraphNode *one) { return done.contains(one); });
      if (done.contains(node.get()) || !ready)
        continue;
      if (node->enabled)
        if (Status status = run(node->work))
          return status;
      done.insert(node.get());
    }
  } while (done.size() > before);
  return done.size() == graph.nodes.size() ? kSuccess : kInvalidValue;
}

} // namespace lanescope::core::driver
