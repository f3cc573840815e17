// The driver functions that the recorder intercepts. The library is loaded before all others (LD_PRELOAD): a program
// that is linked with the driver calls these functions, and a program that looks up a function with dlsym() or
// cuGetProcAddress() gets them. Each of them calls the driver's own function. The program calls all other functions of
// the driver directly.
#include "core/gpu/record/library/Interposer.h"
#include "core/gpu/driver/TensorMapArguments.h"
#include "core/gpu/record/Recorder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <pthread.h>
#include <string>
#include <string_view>
#include <utility>

#define RECORDED __attribute__((visibility("default")))

namespace lanescope::core::record {

namespace {

enum Watched : size_t {
  kGetProcAddress,
  kGetProcAddressV2,
  kModuleLoad,
  kModuleLoadData,
  kModuleLoadDataEx,
  kModuleLoadFatBinary,
  kModuleUnload,
  kModuleGetFunction,
  kLibraryLoadData,
  kLibraryLoadFromFile,
  kLibraryUnload,
  kLibraryGetKernel,
  kLibraryGetModule,
  kKernelGetFunction,
  kLinkAddData,
  kLinkComplete,
  kLinkDestroy,
  kTensorMapTiled,
  kTensorMapIm2col,
  kTensorMapReplace,
  kLaunchKernel,
  kLaunchKernelPerThread,
  kLaunchKernelEx,
  kLaunchKernelExPerThread,
  kLaunchCooperative,
  kLaunchCooperativePerThread,
  kGraphLaunch,
  kGraphLaunchPerThread,
  kGraphInstantiateFirst,
  kGraphInstantiateSecond,
  kGraphInstantiateFlags,
  kGraphInstantiateParams,
  kGraphInstantiateParamsPerThread,
  kGraphExecDestroy,
  kGraphExecUpdateFirst,
  kGraphExecUpdate,
  kGraphExecKernel,
  kGraphExecKernelSecond,
  kGraphExecCopy,
  kGraphExecFill,
  kGraphExecHost,
  kGraphExecChild,
  kGraphExecNode,
  kGraphSetEnabled,
  kBeginCapture,
  kBeginCapturePerThread,
  kBeginCaptureToGraph,
  kBeginCaptureToGraphPerThread,
  kEndCapture,
  kEndCapturePerThread,
  kWatched,
};

struct Entry {
  const char *symbol; // the exported name
  const char *asked;  // the name in calls of cuGetProcAddress
  bool perThread;     // the variant for per-thread streams
  void *ours;
};
extern const std::array<Entry, kWatched> kEntries;

std::array<std::atomic<void *>, kWatched> theirs;

/// Calls the driver's own function.
template <Watched kWhich, typename... Given, typename... Taken>
Status forward(Status (*)(Taken...), Given... arguments) {
  void *known = theirs[kWhich];
  if (!known)
    theirs[kWhich] = known = driverFunction(kEntries[kWhich].symbol);
  return known ? reinterpret_cast<Status (*)(Taken...)>(known)(arguments...) : Status{kNotFound};
}

/// Returns our function in place of `found` if the program has looked up a watched function.
void *standIn(size_t which, void *found) {
  if (found && found != kEntries[which].ours)
    theirs[which] = found;
  return found ? kEntries[which].ours : nullptr;
}

constexpr uint64_t kPerThreadFlag = 2; // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

constexpr int kSecondForm = 12000; // programs of CUDA 12 and later get the second form of some functions

/// The name of the form that the driver returns, as kEntries has it.
std::string nameAsked(std::string_view name, int version) {
  bool first = version < kSecondForm && (name == "cuGraphExecUpdate" || name == "cuGraphExecKernelNodeSetParams");
  return std::string(name) + (first ? "_v1" : "");
}

void replace(const char *name, void **out, int version, uint64_t flags) {
  if (!name || !out || !*out)
    return;
  if (std::strcmp(name, "cuGetProcAddress") == 0) {
    *out = standIn(version >= kSecondForm ? kGetProcAddressV2 : kGetProcAddress, *out);
    return;
  }
  const bool perThread = (flags & kPerThreadFlag) != 0;
  const std::string asked = nameAsked(name, version);
  size_t plain = kWatched;
  for (size_t n = 0; n < kWatched; ++n)
    if (asked == kEntries[n].asked) {
      if (kEntries[n].perThread == perThread) {
        *out = standIn(n, *out);
        return;
      }
      plain = kEntries[n].perThread ? plain : n;
    }
  if (plain != kWatched)
    *out = standIn(plain, *out);
}

Recorder &recorder() { return Recorder::get(); }

/// Records that a module or a library was loaded.
template <typename Handle> Status loaded(Status status, Handle **out, const void *image) {
  if (status == kSuccess && out && image && recorder().active()) {
    recorder().images.loaded(*out, image);
    recorder().loaded();
  }
  return status;
}
template <typename Handle> Status loadedFile(Status status, Handle **out, const char *file) {
  if (status == kSuccess && out && file && recorder().active()) {
    recorder().images.loadedFile(*out, file);
    recorder().loaded();
  }
  return status;
}
Status named(Status status, Function **out, Module *module, const char *name, bool ofLibrary) {
  if (status == kSuccess && out && name && recorder().active())
    recorder().images.named(*out, module, name, ofLibrary);
  return status;
}
Status unloading(Status status, Module *module) {
  if (status == kSuccess && recorder().active())
    recorder().unloaded(module);
  return status;
}

/// Records that an executable graph was made, or updated, from `graph`.
Status instantiated(Status status, GraphExec **out, Graph *graph) {
  if (status == kSuccess && out && recorder().active())
    recorder().graphs.instantiated(*out, graph);
  return status;
}
/// The executable graph no longer is what it was made from.
Status forgotten(Status status, GraphExec *exec) {
  if (status == kSuccess && recorder().active())
    recorder().graphs.forget(exec);
  return status;
}

/// Records that a capture has begun.
Status capturing(Status status) {
  if (status == kSuccess)
    recorder().captureBegins();
  return status;
}

/// True if a capture is over after cuStreamEndCapture(). Other errors, such as a call for the wrong stream, leave it.
bool endsCapture(Status status) {
  return status == kSuccess || status == kStreamCaptureInvalidated || status == kStreamCaptureUnjoined;
}

template <typename Run> Status launched(const LaunchCall &call, Run run) {
  if (recorder().onlyCounts(call)) {
    auto together = recorder().together();
    return run();
  }
  return recorder().launch(call, run);
}

} // namespace

extern "C" {
#define FORWARD(WHICH, NAME, ...) forward<WHICH>(&NAME, __VA_ARGS__)
// clang-format off

RECORDED Status cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
  Status status = FORWARD(kGetProcAddress, cuGetProcAddress, name, out, version, flags);
  if (status == kSuccess && recorder().active())
    replace(name, out, version, flags);
  return status;
}
RECORDED Status cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found) {
  Status status = FORWARD(kGetProcAddressV2, cuGetProcAddress_v2, name, out, version, flags, found);
  if (status == kSuccess && recorder().active())
    replace(name, out, version, flags);
  return status;
}

RECORDED Status cuModuleLoad(Module **out, const char *file) {
  return loadedFile(FORWARD(kModuleLoad, cuModuleLoad, out, file), out, file);
}
RECORDED Status cuModuleLoadData(Module **out, const void *image) {
  return loaded(FORWARD(kModuleLoadData, cuModuleLoadData, out, image), out, image);
}
RECORDED Status cuModuleLoadDataEx(Module **out, const void *image, unsigned count, int *options, void **values) {
  return loaded(FORWARD(kModuleLoadDataEx, cuModuleLoadDataEx, out, image, count, options, values), out, image);
}
RECORDED Status cuModuleLoadFatBinary(Module **out, const void *image) {
  return loaded(FORWARD(kModuleLoadFatBinary, cuModuleLoadFatBinary, out, image), out, image);
}
RECORDED Status cuModuleUnload(Module *module) {
  return unloading(FORWARD(kModuleUnload, cuModuleUnload, module), module);
}
RECORDED Status cuModuleGetFunction(Function **out, Module *module, const char *name) {
  return named(FORWARD(kModuleGetFunction, cuModuleGetFunction, out, module, name), out, module, name, false);
}
RECORDED Status cuLibraryLoadData(Module **out, const void *image, int *jit, void **jitValues, unsigned jitCount, int *options, void **values, unsigned count) {
  return loaded(FORWARD(kLibraryLoadData, cuLibraryLoadData, out, image, jit, jitValues, jitCount, options, values, count), out, image);
}
RECORDED Status cuLibraryLoadFromFile(Module **out, const char *file, int *jit, void **jitValues, unsigned jitCount, int *options, void **values, unsigned count) {
  return loadedFile(FORWARD(kLibraryLoadFromFile, cuLibraryLoadFromFile, out, file, jit, jitValues, jitCount, options, values, count), out, file);
}
RECORDED Status cuLibraryUnload(Module *library) {
  return unloading(FORWARD(kLibraryUnload, cuLibraryUnload, library), library);
}
RECORDED Status cuLibraryGetKernel(Function **out, Module *library, const char *name) {
  return named(FORWARD(kLibraryGetKernel, cuLibraryGetKernel, out, library, name), out, library, name, true);
}
RECORDED Status cuLibraryGetModule(Module **out, Module *library) {
  Status status = FORWARD(kLibraryGetModule, cuLibraryGetModule, out, library);
  if (status == kSuccess && out && recorder().active())
    recorder().images.sameModule(*out, library);
  return status;
}
RECORDED Status cuKernelGetFunction(Function **out, Function *kernel) {
  Status status = FORWARD(kKernelGetFunction, cuKernelGetFunction, out, kernel);
  if (status == kSuccess && out && recorder().active())
    recorder().images.sameKernel(*out, kernel);
  return status;
}

RECORDED Status cuLinkAddData_v2(void *linker, int type, void *data, size_t bytes, const char *name, unsigned count, int *options, void **values) {
  constexpr int kPtxInput = 1; // CU_JIT_INPUT_PTX
  Status status = FORWARD(kLinkAddData, cuLinkAddData_v2, linker, type, data, bytes, name, count, options, values);
  if (status == kSuccess && type == kPtxInput && data && recorder().active())
    recorder().images.linkPtx(linker, data, bytes);
  return status;
}
RECORDED Status cuLinkComplete(void *linker, void **cubin, size_t *bytes) {
  Status status = FORWARD(kLinkComplete, cuLinkComplete, linker, cubin, bytes);
  if (status == kSuccess && cubin && bytes && recorder().active())
    recorder().images.linked(linker, *cubin, *bytes);
  return status;
}
RECORDED Status cuLinkDestroy(void *linker) {
  if (recorder().active())
    recorder().images.linkerEnds(linker);
  return FORWARD(kLinkDestroy, cuLinkDestroy, linker);
}

RECORDED Status cuTensorMapEncodeTiled(TensorMap *out, int type, unsigned rank, void *address, const uint64_t *sizes, const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  Status status = FORWARD(kTensorMapTiled, cuTensorMapEncodeTiled, out, type, rank, address, sizes, strides, box, steps, interleave, swizzle, promotion, fill);
  KnownMap known{.spec = {}, .address = reinterpret_cast<uint64_t>(address)};
  if (status == kSuccess && recorder().active() && tiledMap({rank, sizes, strides, steps, type, interleave, swizzle, fill}, box, known.spec))
    recorder().mapEncoded(out, std::move(known));
  return status;
}
RECORDED Status cuTensorMapEncodeIm2col(TensorMap *out, int type, unsigned rank, void *address, const uint64_t *sizes, const uint64_t *strides, const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  Status status = FORWARD(kTensorMapIm2col, cuTensorMapEncodeIm2col, out, type, rank, address, sizes, strides, lower, upper, channels, pixels, steps, interleave, swizzle, promotion, fill);
  KnownMap known{.spec = {}, .address = reinterpret_cast<uint64_t>(address)};
  if (status == kSuccess && recorder().active() && im2colMap({rank, sizes, strides, steps, type, interleave, swizzle, fill}, {lower, upper, channels, pixels}, known.spec))
    recorder().mapEncoded(out, std::move(known));
  return status;
}
RECORDED Status cuTensorMapReplaceAddress(TensorMap *map, void *address) {
  TensorMap former{};
  if (map)
    former = *map;
  Status status = FORWARD(kTensorMapReplace, cuTensorMapReplaceAddress, map, address);
  if (status == kSuccess && recorder().active())
    recorder().mapReplaced(&former, map, reinterpret_cast<uint64_t>(address));
  return status;
}

// For `with lanescope.recorded(…)` in Python. Returns null, or a text that says why not; it is valid until the next call.
RECORDED const char *lanescopeRecordBegin(const char *changes) {
  static thread_local std::string problem;
  problem = recorder().active() ? recorder().begin(changes ? changes : "") : "this process was not started by `lanescope record`: run `lanescope record --paused -- python3 PROGRAM.py`";
  return problem.empty() ? nullptr : problem.c_str();
}
RECORDED void lanescopeRecordEnd() { recorder().end(); }

#define LAUNCH_FUNCTIONS(SUFFIX, ENDING, PER_THREAD)                                                                   \
  RECORDED Status cuLaunchKernel##SUFFIX(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream *stream, void **parameters, void **extra) { \
    LaunchCall call{function, {gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0}, parameters, extra, false, PER_THREAD}; \
    return launched(call, [&] { return FORWARD(kLaunchKernel##ENDING, cuLaunchKernel##SUFFIX, function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, parameters, extra); }); \
  }                                                                                                                    \
  RECORDED Status cuLaunchKernelEx##SUFFIX(const LaunchConfig *config, Function *function, void **parameters, void **extra) { \
    LaunchCall call{function, config ? *config : LaunchConfig{}, parameters, extra, false, PER_THREAD};                 \
    return launched(call, [&] { return FORWARD(kLaunchKernelEx##ENDING, cuLaunchKernelEx##SUFFIX, config, function, parameters, extra); }); \
  }                                                                                                                    \
  RECORDED Status cuLaunchCooperativeKernel##SUFFIX(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream *stream, void **parameters) { \
    LaunchCall call{function, {gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0}, parameters, nullptr, true, PER_THREAD}; \
    return launched(call, [&] { return FORWARD(kLaunchCooperative##ENDING, cuLaunchCooperativeKernel##SUFFIX, function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, parameters); }); \
  }                                                                                                                    \
  RECORDED Status cuGraphLaunch##SUFFIX(GraphExec *graph, Stream *stream) {                                            \
    return recorder().launchGraph(graph, stream, PER_THREAD, [&] { return FORWARD(kGraphLaunch##ENDING, cuGraphLaunch##SUFFIX, graph, stream); }); \
  }                                                                                                                    \
  RECORDED Status cuStreamEndCapture##SUFFIX(Stream *stream, Graph **out) {                                            \
    Status status = FORWARD(kEndCapture##ENDING, cuStreamEndCapture##SUFFIX, stream, out);                             \
    if (endsCapture(status))                                                                                           \
      recorder().captureEnds();                                                                                        \
    return status;                                                                                                     \
  }
LAUNCH_FUNCTIONS(, , false)
LAUNCH_FUNCTIONS(_ptsz, PerThread, true)

// The first two forms have the same name as later ones with fewer arguments; those ignore the rest.
RECORDED Status cuGraphInstantiate(GraphExec **out, Graph *graph, void *third, void *fourth, size_t fifth) {
  return instantiated(FORWARD(kGraphInstantiateFirst, cuGraphInstantiate, out, graph, third, fourth, fifth), out, graph);
}
RECORDED Status cuGraphInstantiate_v2(GraphExec **out, Graph *graph, void *third, void *fourth, size_t fifth) {
  return instantiated(FORWARD(kGraphInstantiateSecond, cuGraphInstantiate_v2, out, graph, third, fourth, fifth), out, graph);
}
RECORDED Status cuGraphInstantiateWithFlags(GraphExec **out, Graph *graph, unsigned long long flags) {
  return instantiated(FORWARD(kGraphInstantiateFlags, cuGraphInstantiateWithFlags, out, graph, flags), out, graph);
}
RECORDED Status cuGraphInstantiateWithParams(GraphExec **out, Graph *graph, void *parameters) {
  return instantiated(FORWARD(kGraphInstantiateParams, cuGraphInstantiateWithParams, out, graph, parameters), out, graph);
}
RECORDED Status cuGraphInstantiateWithParams_ptsz(GraphExec **out, Graph *graph, void *parameters) {
  return instantiated(FORWARD(kGraphInstantiateParamsPerThread, cuGraphInstantiateWithParams_ptsz, out, graph, parameters), out, graph);
}
RECORDED Status cuGraphExecDestroy(GraphExec *exec) {
  return forgotten(FORWARD(kGraphExecDestroy, cuGraphExecDestroy, exec), exec);
}
RECORDED Status cuGraphExecUpdate(GraphExec *exec, Graph *graph, void *node, void *result) {
  return instantiated(FORWARD(kGraphExecUpdateFirst, cuGraphExecUpdate, exec, graph, node, result), &exec, graph);
}
RECORDED Status cuGraphExecUpdate_v2(GraphExec *exec, Graph *graph, void *info) {
  return instantiated(FORWARD(kGraphExecUpdate, cuGraphExecUpdate_v2, exec, graph, info), &exec, graph);
}
RECORDED Status cuGraphExecKernelNodeSetParams(GraphExec *exec, GraphNode *node, const void *parameters) {
  return forgotten(FORWARD(kGraphExecKernel, cuGraphExecKernelNodeSetParams, exec, node, parameters), exec);
}
RECORDED Status cuGraphExecKernelNodeSetParams_v2(GraphExec *exec, GraphNode *node, const KernelNodeParams *parameters) {
  Status status = FORWARD(kGraphExecKernelSecond, cuGraphExecKernelNodeSetParams_v2, exec, node, parameters);
  if (status == kSuccess && recorder().active())
    recorder().graphs.changed(exec, node, parameters);
  return status;
}
RECORDED Status cuGraphExecMemcpyNodeSetParams(GraphExec *exec, GraphNode *node, const Copy3D *copy, Context *context) {
  return forgotten(FORWARD(kGraphExecCopy, cuGraphExecMemcpyNodeSetParams, exec, node, copy, context), exec);
}
RECORDED Status cuGraphExecMemsetNodeSetParams(GraphExec *exec, GraphNode *node, const MemsetNodeParams *fill, Context *context) {
  return forgotten(FORWARD(kGraphExecFill, cuGraphExecMemsetNodeSetParams, exec, node, fill, context), exec);
}
RECORDED Status cuGraphExecHostNodeSetParams(GraphExec *exec, GraphNode *node, const HostNodeParams *host) {
  return forgotten(FORWARD(kGraphExecHost, cuGraphExecHostNodeSetParams, exec, node, host), exec);
}
RECORDED Status cuGraphExecChildGraphNodeSetParams(GraphExec *exec, GraphNode *node, Graph *child) {
  return forgotten(FORWARD(kGraphExecChild, cuGraphExecChildGraphNodeSetParams, exec, node, child), exec);
}
RECORDED Status cuGraphExecNodeSetParams(GraphExec *exec, GraphNode *node, void *parameters) {
  return forgotten(FORWARD(kGraphExecNode, cuGraphExecNodeSetParams, exec, node, parameters), exec);
}
RECORDED Status cuGraphNodeSetEnabled(GraphExec *exec, GraphNode *node, unsigned enabled) {
  return forgotten(FORWARD(kGraphSetEnabled, cuGraphNodeSetEnabled, exec, node, enabled), exec);
}

RECORDED Status cuStreamBeginCapture_v2(Stream *stream, int mode) {
  return capturing(FORWARD(kBeginCapture, cuStreamBeginCapture_v2, stream, mode));
}
RECORDED Status cuStreamBeginCapture_v2_ptsz(Stream *stream, int mode) {
  return capturing(FORWARD(kBeginCapturePerThread, cuStreamBeginCapture_v2_ptsz, stream, mode));
}
RECORDED Status cuStreamBeginCaptureToGraph(Stream *stream, Graph *graph, GraphNode *const *dependencies, const void *edges, size_t count, int mode) {
  return capturing(FORWARD(kBeginCaptureToGraph, cuStreamBeginCaptureToGraph, stream, graph, dependencies, edges, count, mode));
}
RECORDED Status cuStreamBeginCaptureToGraph_ptsz(Stream *stream, Graph *graph, GraphNode *const *dependencies, const void *edges, size_t count, int mode) {
  return capturing(FORWARD(kBeginCaptureToGraphPerThread, cuStreamBeginCaptureToGraph_ptsz, stream, graph, dependencies, edges, count, mode));
}
// clang-format on
}

namespace {

#define ENTRY(FUNCTION, ASKED, PER_THREAD)                                                                             \
  Entry { #FUNCTION, ASKED, PER_THREAD, reinterpret_cast<void *>(&FUNCTION) }
const std::array<Entry, kWatched> kEntries = {
    ENTRY(cuGetProcAddress, "cuGetProcAddress", false),
    ENTRY(cuGetProcAddress_v2, "cuGetProcAddress_v2", false),
    ENTRY(cuModuleLoad, "cuModuleLoad", false),
    ENTRY(cuModuleLoadData, "cuModuleLoadData", false),
    ENTRY(cuModuleLoadDataEx, "cuModuleLoadDataEx", false),
    ENTRY(cuModuleLoadFatBinary, "cuModuleLoadFatBinary", false),
    ENTRY(cuModuleUnload, "cuModuleUnload", false),
    ENTRY(cuModuleGetFunction, "cuModuleGetFunction", false),
    ENTRY(cuLibraryLoadData, "cuLibraryLoadData", false),
    ENTRY(cuLibraryLoadFromFile, "cuLibraryLoadFromFile", false),
    ENTRY(cuLibraryUnload, "cuLibraryUnload", false),
    ENTRY(cuLibraryGetKernel, "cuLibraryGetKernel", false),
    ENTRY(cuLibraryGetModule, "cuLibraryGetModule", false),
    ENTRY(cuKernelGetFunction, "cuKernelGetFunction", false),
    ENTRY(cuLinkAddData_v2, "cuLinkAddData", false),
    ENTRY(cuLinkComplete, "cuLinkComplete", false),
    ENTRY(cuLinkDestroy, "cuLinkDestroy", false),
    ENTRY(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled", false),
    ENTRY(cuTensorMapEncodeIm2col, "cuTensorMapEncodeIm2col", false),
    ENTRY(cuTensorMapReplaceAddress, "cuTensorMapReplaceAddress", false),
    ENTRY(cuLaunchKernel, "cuLaunchKernel", false),
    ENTRY(cuLaunchKernel_ptsz, "cuLaunchKernel", true),
    ENTRY(cuLaunchKernelEx, "cuLaunchKernelEx", false),
    ENTRY(cuLaunchKernelEx_ptsz, "cuLaunchKernelEx", true),
    ENTRY(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", false),
    ENTRY(cuLaunchCooperativeKernel_ptsz, "cuLaunchCooperativeKernel", true),
    ENTRY(cuGraphLaunch, "cuGraphLaunch", false),
    ENTRY(cuGraphLaunch_ptsz, "cuGraphLaunch", true),
    ENTRY(cuGraphInstantiate, "cuGraphInstantiate", false),
    ENTRY(cuGraphInstantiate_v2, "cuGraphInstantiate_v2", false),
    ENTRY(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", false),
    ENTRY(cuGraphInstantiateWithParams, "cuGraphInstantiateWithParams", false),
    ENTRY(cuGraphInstantiateWithParams_ptsz, "cuGraphInstantiateWithParams", true),
    ENTRY(cuGraphExecDestroy, "cuGraphExecDestroy", false),
    ENTRY(cuGraphExecUpdate, "cuGraphExecUpdate_v1", false),
    ENTRY(cuGraphExecUpdate_v2, "cuGraphExecUpdate", false),
    ENTRY(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v1", false),
    ENTRY(cuGraphExecKernelNodeSetParams_v2, "cuGraphExecKernelNodeSetParams", false),
    ENTRY(cuGraphExecMemcpyNodeSetParams, "cuGraphExecMemcpyNodeSetParams", false),
    ENTRY(cuGraphExecMemsetNodeSetParams, "cuGraphExecMemsetNodeSetParams", false),
    ENTRY(cuGraphExecHostNodeSetParams, "cuGraphExecHostNodeSetParams", false),
    ENTRY(cuGraphExecChildGraphNodeSetParams, "cuGraphExecChildGraphNodeSetParams", false),
    ENTRY(cuGraphExecNodeSetParams, "cuGraphExecNodeSetParams", false),
    ENTRY(cuGraphNodeSetEnabled, "cuGraphNodeSetEnabled", false),
    ENTRY(cuStreamBeginCapture_v2, "cuStreamBeginCapture", false),
    ENTRY(cuStreamBeginCapture_v2_ptsz, "cuStreamBeginCapture", true),
    ENTRY(cuStreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph", false),
    ENTRY(cuStreamBeginCaptureToGraph_ptsz, "cuStreamBeginCaptureToGraph", true),
    ENTRY(cuStreamEndCapture, "cuStreamEndCapture", false),
    ENTRY(cuStreamEndCapture_ptsz, "cuStreamEndCapture", true),
};

__attribute__((constructor)) void startRecorder() {
  if (recorder().active())
    ::pthread_atfork(nullptr, nullptr, [] { recorder().afterFork(); });
}
__attribute__((destructor)) void endRecorder() { recorder().finish(); }

} // namespace

bool isWatched(const char *symbol) {
  return recorder().active() &&
         std::ranges::any_of(kEntries, [&](const Entry &one) { return std::strcmp(one.symbol, symbol) == 0; });
}

void *standInFor(const char *symbol, void *found) {
  auto entry = std::ranges::find_if(kEntries, [&](const Entry &one) { return std::strcmp(one.symbol, symbol) == 0; });
  return entry == kEntries.end() ? found : standIn(static_cast<size_t>(entry - kEntries.begin()), found);
}

} // namespace lanescope::core::record
