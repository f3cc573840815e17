#include "core/gpu/driver/DriverModules.h"

#include "core/gpu/driver/FatBinary.h"
#include "core/gpu/emulator/costs/Liveness.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cstring>
#include <set>

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

/// `owner`: the module that the program has; `module` is it or one of its parts.
void addFunction(State &state, Module &owner, Module &module, std::string name, const emulator::Function *entry) {
  auto function = std::make_unique<Function>();
  function->module = &module;
  function->name = name;
  function->entry = entry;
  function->decoded = std::make_unique<emulator::DecodedKernels>();
  if (entry)
    function->parameters = layOut(*entry);
  state.functions[function.get()] = &owner;
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

/// Allocates the variables of a text. Those that another text of the image defines are that text's.
bool placeVariables(State &state, Module &module, const std::vector<const Module *> &others) {
  for (const emulator::Variable &variable : module.parsed.variables) {
    for (const Module *other : others) {
      auto defines = [&](const emulator::Variable &one) { return !one.external && one.name == variable.name; };
      auto there = other->variables.find(variable.name);
      if (variable.external && there != other->variables.end() && std::ranges::any_of(other->parsed.variables, defines))
        module.variables.emplace(variable.name, there->second);
    }
    if (!place(state, module, variable))
      return false;
  }
  return true;
}

Result<void> parse(Module &module, std::string name, const PtxText &ptx) {
  module.target = ptx.target;
  module.ptx = Source::make(std::move(name), ptx.text);
  module.parsed = LANESCOPE_TRY(emulator::parsePtx(module.ptx));
  return {};
}

bool placeFunctions(State &state, Module &owner, Module &module) {
  for (const emulator::Function &function : module.parsed.functions) {
    for (const emulator::Variable &variable : function.variables)
      if (!place(state, module, variable))
        return false;
    if (function.entry && function.defined)
      addFunction(state, owner, module, std::string(function.name), &function);
  }
  if (!placeHeap(state, module))
    return false;
  bool addresses = std::ranges::any_of(module.parsed.variables,
                                       [](const emulator::Variable &one) { return !one.addresses.empty(); });
  if (addresses)
    fillAddresses(state, module);
  return true;
}

/// The module and its parts.
std::vector<Module *> textsOf(Module &module) {
  std::vector<Module *> out{&module};
  for (const auto &part : module.parts)
    out.push_back(part.get());
  return out;
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
  std::vector<const PtxText *> texts = choosePtx(*image, state.gpu->major, state.gpu->minor);
  if (texts.empty()) {
    if (!image->ptx.empty())
      module->machineCodeOnly =
          text("its PTX is for sm_", image->ptx.front().target, image->ptx.front().specific ? "a" : "", ", which ",
               state.gpu->name, " cannot run: choose another GPU with `lanescope cuda --gpu`, of ", gpuModelNames());
    else
      module->machineCodeOnly = text("its module has only machine code, which the emulator cannot run: ", kHow);
    out = state.modules.add(std::move(module));
    return kSuccess;
  }
  for (size_t n = 0; n < texts.size(); ++n) {
    Module &one = n == 0 ? *module : *module->parts.emplace_back(std::make_unique<Module>());
    std::string part = n == 0 ? text() : text("-", n + 1);
    auto parsed = parse(one, text(programName(), ".module-", state.modules.size() + 1, part, ".ptx"), *texts[n]);
    if (!parsed)
      return fail(parsed.error(), kInvalidPtx);
  }
  // First the texts' own variables, so that each text finds those of the others.
  std::vector<Module *> all = textsOf(*module);
  for (Module *one : all)
    for (const emulator::Variable &variable : one->parsed.variables)
      if (!variable.external && !place(state, *one, variable))
        return kOutOfMemory;
  for (Module *one : all)
    if (!placeVariables(state, *one, {all.begin(), all.end()}) || !placeFunctions(state, *module, *one))
      return kOutOfMemory;
  out = state.modules.add(std::move(module));
  return kSuccess;
}

void unloadModule(State &state, Module *module) {
  std::set<uint32_t> regions; // texts share variables
  for (const Module *one : textsOf(*module))
    for (const auto &[name, region] : one->variables)
      if (name != emulator::kHeapName)
        regions.insert(region);
  for (uint32_t region : regions)
    state.memory.free(emulator::addressOfRegion(region));
  std::erase_if(state.functions, [&](const auto &one) { return one.second == module; });
  state.modules.remove(module);
}

Function *findFunction(State &state, Module &module, std::string_view name) {
  for (Module *one : textsOf(module))
    if (auto found = one->functions.find(name); found != one->functions.end())
      return found->second.get();
  if (module.machineCodeOnly.empty())
    return nullptr;
  addFunction(state, module, module, std::string(name), nullptr);
  return module.functions.find(name)->second.get();
}

std::vector<Function *> functionsOf(Module &module) {
  std::vector<Function *> out;
  for (Module *one : textsOf(module))
    for (const auto &[name, function] : one->functions)
      out.push_back(function.get());
  return out;
}

std::optional<uint32_t> findVariable(Module &module, std::string_view name) {
  for (Module *one : textsOf(module))
    if (auto found = one->variables.find(name); found != one->variables.end())
      return found->second;
  return std::nullopt;
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
