// The driver's state in a process: devices, contexts, modules, streams, events and graphs as plain data, and the single
// lock that every API function takes (api/Entered.h).
//
// Work runs when it is submitted, in the order of the calls. This is one of the orders that streams permit.
#pragma once

#include "core/gpu/driver/AddressSpace.h"
#include "core/gpu/driver/DriverJournal.h"
#include "core/gpu/driver/DriverTypes.h"
#include "core/gpu/driver/GpuModels.h"
#include "core/gpu/driver/Settings.h"
#include "core/gpu/emulator/DecodedKernels.h"
#include "core/gpu/emulator/ptx/PtxModule.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace lanescope::core::driver {

struct Context {
  int device = 0;
  bool primary = false;
  unsigned flags = 0;
  Status sticky = kSuccess; // the error of a kernel's fault, which every later call returns
  std::map<int, size_t> limits;
  uint64_t id = 0;
};

/// The resources that a compiled kernel needs; zeros if the emulator refuses it.
struct KernelNeeds {
  int sharedBytes = 0, localBytes = 0, registers = 0;
};

struct Function {
  Module *module = nullptr;
  std::string name;
  const emulator::Function *entry = nullptr; // in the module's PTX
  int maxDynamicShared = 0;                  // the limit that the program has set for a launch; it may exceed 48 KiB
  std::map<int, int> attributes;             // set by the program
  std::optional<KernelNeeds> needs;          // computed on the first query
  std::unique_ptr<emulator::DecodedKernels> decoded;
  std::vector<std::array<size_t, 2>> parameters; // offset and size
};

struct Module {
  SourceRef ptx;
  emulator::Module parsed;
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions;
  emulator::PlacedVariables variables;
  std::string machineCodeOnly;    // the reason why there is no PTX; all other fields are then empty
  int ptxVersion = 0, target = 0; // 80, 90
  // An image has several texts if `nvcc -rdc=true` has made it. These modules have all but the first one.
  std::vector<std::unique_ptr<Module>> parts;
};

struct GraphNode;
struct Capture {
  Graph *graph = nullptr;
  Stream *origin = nullptr;
  uint64_t id = 0;
  bool active = true, invalid = false;
};

struct Stream {
  Context *context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode *> tail; // the captured nodes that the next node depends on
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  double timeUs = 0; // on the device's clock
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode *> tail;
};

// Work that a stream carries out, or that a graph keeps.
struct KernelWork {
  Function *function = nullptr;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0}; // a zero cluster: the kernel's own
  uint32_t sharedBytes = 0;
  bool cooperative = false;
  std::vector<std::vector<std::byte>> parameters;
};
struct CopyWork {
  Copy3D copy{};
};
struct FillWork {
  MemsetNodeParams fill{};
};
struct HostWork {
  HostFunction function = nullptr;
  void *data = nullptr;
};
struct EmptyWork {};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct RecordWork {
  Event *event = nullptr;
};
struct WaitWork {
  Event *event = nullptr;
};
struct AllocateWork {
  DevicePointer address = 0;
};
struct FreeWork {
  DevicePointer address = 0;
};
using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, ChildWork, RecordWork, WaitWork,
                          AllocateWork, FreeWork>;

struct GraphNode {
  Graph *graph = nullptr;
  Work work;
  std::vector<GraphNode *> dependencies;
  std::vector<void *> shownParameters; // returned by the API
  bool enabled = true;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  std::unordered_map<const GraphNode *, GraphNode *> copies; // a clone's nodes, by the node of the original graph
};

struct GraphExec {
  Graph graph;
  std::unordered_map<const GraphNode *, GraphNode *> copies; // keyed by the node of the original graph
};

struct MemoryPool {
  int device = 0;
  std::map<int, uint64_t> attributes;
};

/// Texels that only textures, surfaces and copies access (CUarray). Rows, layers and planes have no gaps between them.
struct TexelArray {
  ArrayDescriptor3D shape{};
  DevicePointer texels = 0;
  size_t rowBytes = 0, rows = 0, planes = 0;
};

/// A texture or surface object. The handle is the address of its description.
struct TextureObject {
  ResourceDescriptor resource{};
  TextureDescriptor texture{};
  bool surface = false;
};

/// Objects that the API returns as handles. A handle is looked up before use, so an invalid one is never dereferenced.
template <typename T> class Handles {
public:
  T *add(std::unique_ptr<T> one) {
    T *handle = one.get();
    owned_[handle] = std::move(one);
    return handle;
  }
  bool has(const T *handle) const { return owned_.contains(const_cast<T *>(handle)); }
  bool remove(T *handle) { return owned_.erase(handle) != 0; }
  size_t size() const { return owned_.size(); }
  auto begin() const { return owned_.begin(); }
  auto end() const { return owned_.end(); }

private:
  std::unordered_map<T *, std::unique_ptr<T>> owned_;
};

/// Memory without an address (cuMemCreate).
struct PhysicalMemory {
  int file = -1; // its contents
  size_t bytes = 0;
  int handles = 0; // how often the program has to release it
  bool mapped = false;
  MemoryProperties properties{};
};

/// Physical memory at an address.
struct Mapping {
  size_t bytes = 0;
  uint64_t handle = 0;
};

struct State {
  /// The process's state. It is never destroyed, because a program's last calls may come from destructors.
  static State &get();

  std::mutex lock;
  bool initialised = false;
  Settings settings;
  const GpuModel *gpu = nullptr;
  GpuTarget machine; // `gpu` as a machine of the emulator
  std::unique_ptr<Journal> journal;
  AddressSpace memory;
  Handles<Context> contexts;
  Handles<Module> modules;
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Graph> graphs;
  Handles<GraphExec> graphExecs;
  Handles<MemoryPool> pools;
  Handles<TexelArray> arrays;
  std::map<DevicePointer, TextureObject> textures; // keyed by handle
  std::map<const Function *, Module *> functions;  // each kernel's module
  std::vector<Context *> primaries;                // indexed by device
  std::vector<uint32_t> retained;
  std::vector<MemoryPool *> devicePools, currentPools; // indexed by device
  std::map<uint64_t, PhysicalMemory> physical;         // keyed by handle
  std::map<DevicePointer, Mapping> mappings;           // keyed by the first address
  Stream legacy, perThread;
  double clockUs = 0; // the devices' clock: total time of kernels and copies
  uint64_t nextId = 1;

  Status initialise();
  Context *current() const;
  /// The stream of a handle; null: there is none. The handles 0, 1 and 2 are the default streams.
  Stream *stream(Stream *handle);
  bool isFunction(const Function *function) const { return functions.contains(function); }

  /// Runs the work, or captures it. Errors are CUDA's.
  Status submit(Stream *stream, Work work);
  Status run(const Work &work);
  Status runGraph(const Graph &graph);
  GraphNode *append(Graph &graph, Work work, std::vector<GraphNode *> dependencies);

  /// Calls code of the program without holding the lock.
  template <typename Body> void unlocked(Body body) {
    lock.unlock();
    body();
    lock.lock();
  }
};

/// The calling thread's stack of contexts, the current one last.
std::vector<Context *> &contextStack();

// DriverLaunch.cpp, DriverCopies.cpp
Status runKernel(State &state, const KernelWork &work);
Status runCopy(State &state, const Copy3D &copy);
Status runFill(State &state, const MemsetNodeParams &fill);
/// Performs the driver's checks of a launch before it has any effect.
Status checkLaunch(State &state, const KernelWork &work);

} // namespace lanescope::core::driver
