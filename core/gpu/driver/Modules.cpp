#include "core/gpu/driver/Modules.h"

#include "core/gpu/driver/FatBinary.h"
#include "core/gpu/emulator/costs/Liveness.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::driver {

namespace {

constexpr char kHow[] = "build it with PTX, for instance `nvcc -gencode arch=compute_90a,code=[sm_90a,compute_90a]`";
constexpr int kReservedShared = 1024; // bytes of each block that the system uses
constexpr int kRegisterUnit = 8, kRegistersPerMultiprocessor = 65536, kMostRegisters = 255;

std::string programName() {
  char name[256] = {};
  if (FILE *file = std::fopen("/proc/self/comm", "r")) {
    (void)!std::fgets(name, sizeof name, file);
    std::fclose(file);
  }
  std::string out(name);
  out.resize(std::min(out.size(), out.find('\n')));
  return out.empty() ? "program" : out;
}

std::vector<std::array<size_t, 2>> layOut(const emulator::Function &entry) {
  std::vector<std::array<size_t, 2>> out;
  size_t offset = 0;
  for (const emulator::Variable &each : entry.params) {
    size_t align = std::max<size_t>(each.align, 1);
    offset = (offset + align - 1) / align * align;
    out.push_back({offset, each.bytes});
    offset += each.bytes;
  }
  return out;
}

bool isGlobal(const emulator::Variable &variable) {
  return variable.space == emulator::Space::Global || variable.space == emulator::Space::Const ||
         variable.space == emulator::Space::Generic;
}

/// True for `.attribute(.managed)`: the host can access the variable, too.
bool isManaged(const Module &module, const emulator::Variable &variable) {
  std::string_view rest(module.ptx->text());
  rest.remove_prefix(std::min<size_t>(variable.begin, rest.size()));
  return rest.substr(0, rest.find_first_of(";={")).find(".managed") != rest.npos;
}

/// Allocates a variable; returns false if there is no room.
bool place(State &state, Module &module, const emulator::Variable &variable) {
  if (!isGlobal(variable) || module.variables.contains(variable.name))
    return true;
  size_t bytes = std::max<size_t>({variable.bytes, variable.initial.size(), 1});
  auto kind = isManaged(module, variable) ? Allocation::Kind::Managed : Allocation::Kind::Variable;
  Allocation *one = state.memory.allocate(kind, bytes, 0, text("the variable `", variable.name, "`"));
  if (!one)
    return false;
  std::memcpy(one->host, variable.initial.data(), variable.initial.size());
  module.variables.emplace(variable.name, one->region);
  return true;
}

/// Gives a module whose kernels call `malloc` the heap. All modules share one, and what kernels allocate there outlives
/// them, and their modules.
bool placeHeap(State &state, Module &module) {
  constexpr std::string_view kHeap = emulator::kHeapName;
  if (module.ptx->text().find("malloc") == std::string::npos)
    return true;
  Allocation *heap = nullptr;
  for (const emulator::StandingPiece &piece : state.memory.pieces())
    if (piece.name == kHeap)
      heap = state.memory.find(emulator::addressOfRegion(piece.region));
  if (!heap)
    heap = state.memory.allocate(Allocation::Kind::Variable, emulator::kHeapBytes, 0, std::string(kHeap));
  if (heap)
    module.variables.emplace(kHeap, heap->region);
  return heap != nullptr;
}

void addFunction(State &state, Module &module, std::string name, const emulator::Function *entry) {
  auto function = std::make_unique<Function>();
  function->module = &module;
  function->name = name;
  function->entry = entry;
  function->decoded = std::make_unique<emulator::DecodedKernels>();
  if (entry)
    function->parameters = layOut(*entry);
  state.functions[function.get()] = &module;
  module.functions.emplace(std::move(name), std::move(function));
}

/// Returns null if the emulator refuses the kernel.
std::shared_ptr<const emulator::DecodedKernel> decode(Function &function) {
  if (!function.entry)
    return nullptr;
  Launch launch;
  launch.entry = function.name;
  emulator::StandingMemory standing{{}, function.module->variables};
  auto decoded = emulator::DecodedKernel::of(function.module->ptx, launch, nullptr, &standing);
  return decoded ? *decoded : nullptr;
}

/// Writes addresses into initialised variables. A function has the same address in all kernels of a module.
void fillAddresses(State &state, Module &module) {
  for (auto &[name, function] : module.functions) {
    auto decoded = decode(*function);
    if (!decoded)
      continue;
    for (const emulator::AddressInitialiser &one : decoded->program.addressInitialisers) {
      auto region = module.variables.find(decoded->program.globals[one.global]->name);
      if (Allocation *to = state.memory.find(emulator::addressOfRegion(region->second)))
        std::memcpy(to->host + one.at, &one.value, one.bytes);
    }
    return;
  }
}

} // namespace

Status loadModule(State &state, const void *from, Module *&out, std::string *log) {
  auto fail = [&](const Diagnostics &problems, Status status) {
    state.journal->tell(problems);
    if (log)
      *log = render(problems);
    return status;
  };
  auto image = readImage(from);
  if (!image)
    return fail(image.error(), kInvalidImage);
  auto module = std::make_unique<Module>();
  const PtxText *ptx = choosePtx(*image, state.gpu->major, state.gpu->minor);
  if (!ptx) {
    if (!image->ptx.empty())
      module->machineCodeOnly =
          text("its PTX is for sm_", image->ptx.front().target, image->ptx.front().specific ? "a" : "", ", which ",
               state.gpu->name, " cannot run: choose another GPU with `lanescope cuda --gpu`, of ", gpuModelNames());
    else
      module->machineCodeOnly = text("its module has machine code alone, which the emulator cannot run: ", kHow);
    out = state.modules.add(std::move(module));
    return kSuccess;
  }
  module->target = ptx->target;
  module->ptx = Source::make(text(programName(), ".module-", state.modules.size() + 1, ".ptx"), ptx->text);
  auto parsed = emulator::parsePtx(module->ptx);
  if (!parsed)
    return fail(parsed.error(), kInvalidPtx);
  module->parsed = std::move(*parsed);
  for (const emulator::Variable &variable : module->parsed.variables)
    if (!place(state, *module, variable))
      return kOutOfMemory;
  for (const emulator::Function &function : module->parsed.functions) {
    for (const emulator::Variable &variable : function.variables)
      if (!place(state, *module, variable))
        return kOutOfMemory;
    if (function.entry && function.defined)
      addFunction(state, *module, std::string(function.name), &function);
  }
  if (!placeHeap(state, *module))
    return kOutOfMemory;
  bool addresses = std::ranges::any_of(module->parsed.variables,
                                       [](const emulator::Variable &one) { return !one.addresses.empty(); });
  if (addresses)
    fillAddresses(state, *module);
  out = state.modules.add(std::move(module));
  return kSuccess;
}

void unloadModule(State &state, Module *module) {
  for (const auto &[name, region] : module->variables)
    if (name != emulator::kHeapName)
      state.memory.free(emulator::addressOfRegion(region));
  std::erase_if(state.functions, [&](const auto &one) { return one.second == module; });
  state.modules.remove(module);
}

Function *findFunction(State &state, Module &module, std::string_view name) {
  if (auto found = module.functions.find(name); found != module.functions.end())
    return found->second.get();
  if (module.machineCodeOnly.empty())
    return nullptr;
  addFunction(state, module, std::string(name), nullptr);
  return module.functions.find(name)->second.get();
}

emulator::StandingMemory standingMemoryOf(State &state, const Module &module) {
  return {state.memory.pieces(), module.variables};
}

const KernelNeeds &needsOf(Function &function) {
  if (function.needs)
    return *function.needs;
  KernelNeeds &needs = function.needs.emplace();
  if (auto decoded = decode(function)) {
    std::vector<uint32_t> live = emulator::liveRegisters(*function.entry);
    int most = live.empty() ? 0 : static_cast<int>(std::ranges::max(live));
    needs.sharedBytes = static_cast<int>(decoded->program.sharedBytes);
    needs.localBytes = static_cast<int>(decoded->program.localBytes);
    needs.registers =
        std::clamp((most + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit, kRegisterUnit, kMostRegisters);
  }
  return needs;
}

bool functionAttribute(State &state, Function &function, int attribute, int &out) {
  if (auto set = function.attributes.find(attribute); set != function.attributes.end()) {
    out = set->second;
    return true;
  }
  const KernelNeeds &needs = needsOf(function);
  int threads = function.entry && function.entry->maxThreads ? static_cast<int>(function.entry->maxThreads) : 1024;
  out = 0;
  switch (attribute) {
  case kMaxThreadsPerBlock: out = threads; break;
  case kSharedSizeBytes: out = needs.sharedBytes; break;
  case kConstSizeBytes: break;
  case kLocalSizeBytes: out = needs.localBytes; break;
  case kNumRegs: out = std::min(needs.registers, kRegistersPerMultiprocessor / threads); break;
  case kPtxVersion: out = function.module->target; break;
  case kBinaryVersion: out = state.gpu->major * 10 + state.gpu->minor; break;
  case kMaxDynamicSharedSizeBytes: out = std::max(kPortableShared - needs.sharedBytes, 0); break;
  case kPreferredSharedMemoryCarveout: out = -1; break;
  case kClusterSizeMustBeSet: out = function.entry && function.entry->explicitCluster; break;
  case kRequiredClusterWidth:
  case kRequiredClusterHeight:
  case kRequiredClusterDepth:
    out = function.entry
              ? static_cast<int>(function.entry->cluster[static_cast<size_t>(attribute - kRequiredClusterWidth)])
              : 0;
    break;
  default: return attribute >= 0 && attribute < kFunctionAttributes;
  }
  return true;
}

int residentBlocks(State &state, Function &function, int threads, size_t dynamicShared) {
  const GpuModel &gpu = *state.gpu;
  int shared = needsOf(function).sharedBytes, registers = 0;
  functionAttribute(state, function, kNumRegs, registers);
  registers = std::max(registers, kRegisterUnit);
  threads = (threads + 31) / 32 * 32;
  if (threads <= 0 || threads > 1024 ||
      dynamicShared + static_cast<size_t>(shared) > static_cast<size_t>(gpu.sharedPerBlock))
    return 0;
  int bytes = shared + static_cast<int>(dynamicShared) + kReservedShared;
  return std::min({gpu.blocksPerMultiprocessor, gpu.threadsPerMultiprocessor / threads,
                   gpu.sharedPerMultiprocessor / bytes, kRegistersPerMultiprocessor / (registers * threads)});
}

} // namespace lanescope::core::driver
