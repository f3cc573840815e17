// Launches a kernel: checks it as the driver does, runs it on the emulator, and reports its findings.
#include "core/gpu/driver/DriverModules.h"
#include "core/gpu/driver/State.h"
#include "core/gpu/emulator/Emulator.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace lanescope::core::driver {

namespace {

constexpr uint64_t kMostThreads = 1024, kMostGridX = (uint64_t{1} << 31) - 1, kMostGridYZ = 65535;
constexpr std::array<uint32_t, 3> kMostBlock = {1024, 1024, 64};
constexpr double kLaunchUs = 2; // time that a launch takes in addition to its kernel

/// The error code that a GPU returns for a fault.
Status statusOf(const Diagnostics &findings) {
  auto fault = std::ranges::find(findings, Severity::Error, &Diagnostic::severity);
  if (fault == findings.end())
    return kSuccess;
  std::string_view kind = fault->kind;
  if (kind == "global-out-of-bounds" || kind == "shared-out-of-bounds" || kind == "local-out-of-bounds" ||
      kind == "read-only-memory" || kind == "out-of-bounds")
    return kIllegalAddress;
  if (kind == "misaligned-access")
    return kMisalignedAddress;
  if (kind == "kernel-assertion")
    return kAssert;
  if (kind == "stack-overflow")
    return kHardwareStackError;
  if (kind == "timeout" || kind == "deadlock" || kind == "endless-loop")
    return kLaunchTimeout;
  return kLaunchFailed;
}

core::Launch describe(const KernelWork &work) {
  core::Launch launch;
  launch.entry = work.function->name;
  launch.grid = work.grid;
  launch.block = work.block;
  if (work.cluster[0])
    launch.cluster = work.cluster;
  launch.dynamicSmem = work.sharedBytes;
  launch.cooperative = work.cooperative;
  for (size_t n = 0; n < work.parameters.size(); ++n) {
    const std::vector<std::byte> &bytes = work.parameters[n];
    launch.params.emplace_back(BytesParam{.size = static_cast<uint32_t>(bytes.size()),
                                          .align = std::max(work.function->entry->params[n].align, 1u),
                                          .data = bytes});
  }
  return launch;
}

EmulatorOptions optionsOf(const State &state) {
  EmulatorOptions options;
  options.seed = state.settings.seed;
  options.instant = state.settings.fast;
  options.strict = state.settings.strict;
  options.keepGoing = state.settings.keepGoing;
  options.strictRules = state.settings.strictRules;
  options.threads = state.settings.threads;
  options.timeoutSeconds = state.settings.timeLimit;
  options.machine = &state.machine;
  return options;
}

/// Copies the memory that the kernel has changed back to the program.
void writeBack(const emulator::StandingMemory &standing, const std::vector<Array> &outputs) {
  for (const emulator::StandingPiece &piece : standing.pieces) {
    std::span<const std::byte> bytes = outputs[piece.region].bytes;
    // The host's memory manager gives a page memory at its first write. Pages that the kernel did not change are not
    // written here, so a large allocation takes no memory before it is used.
    constexpr size_t kStep = 4096;
    auto *to = const_cast<std::byte *>(piece.bytes.data());
    for (size_t at = 0; at < bytes.size(); at += kStep)
      if (size_t size = std::min(kStep, bytes.size() - at); std::memcmp(to + at, bytes.data() + at, size) != 0)
        std::memcpy(to + at, bytes.data() + at, size);
  }
}

void print(const std::string &printed) {
  if (printed.empty())
    return;
  std::fwrite(printed.data(), 1, printed.size(), stdout);
}

} // namespace

Status checkLaunch(State &state, const KernelWork &work) {
  Function &function = *work.function;
  if (!function.entry) {
    state.journal->couldNotRun(text("the kernel `", function.name, "` cannot run: ", function.module->machineCodeOnly));
    return kNoBinaryForGpu;
  }
  uint64_t threads = 1;
  for (size_t n = 0; n < 3; ++n) {
    if (work.grid[n] == 0 || work.grid[n] > (n == 0 ? kMostGridX : kMostGridYZ) || work.block[n] == 0 ||
        work.block[n] > kMostBlock[n])
      return kInvalidValue;
    threads *= work.block[n];
    if (work.cluster[0] && (work.cluster[n] == 0 || work.grid[n] % work.cluster[n] != 0))
      return kInvalidValue;
  }
  if (threads > kMostThreads)
    return kInvalidValue;
  if (function.entry->maxThreads && threads > function.entry->maxThreads)
    return kInvalidValue;
  int allowed = std::max(function.maxDynamicShared, kPortableShared - needsOf(function).sharedBytes);
  if (work.sharedBytes > static_cast<uint32_t>(std::max(allowed, 0)))
    return kInvalidValue;
  if (work.cooperative) {
    uint64_t blocks = uint64_t{work.grid[0]} * work.grid[1] * work.grid[2];
    int fit = residentBlocks(state, function, static_cast<int>(threads), work.sharedBytes);
    if (blocks > static_cast<uint64_t>(fit) * static_cast<uint64_t>(state.gpu->multiprocessors))
      return kCooperativeLaunchTooLarge;
  }
  return kSuccess;
}

Status runKernel(State &state, const KernelWork &work) {
  if (Status status = checkLaunch(state, work))
    return status;
  Function &function = *work.function;
  state.journal->launched(function.name);
  core::Launch launch = describe(work);
  emulator::StandingMemory standing = standingMemoryOf(state, *function.module);
  EmulatorOptions options = optionsOf(state);
  options.standing = &standing;
  options.decoded = function.decoded.get();
  auto result = emulate(function.module->ptx, launch, {}, options);
  if (!result) {
    state.journal->tell(result.error());
    state.journal->couldNotRun(text("the kernel `", function.name, "` did not run"));
    return kNotSupported;
  }
  print(result->printed);
  state.journal->tell(result->diagnostics);
  Status status = state.settings.keepGoing ? kSuccess : statusOf(result->diagnostics);
  for (uint32_t n = 1; n < state.settings.seeds && status == kSuccess && !state.settings.fast; ++n) {
    options.seed = state.settings.seed + n;
    if (auto other = emulate(function.module->ptx, launch, {}, options)) {
      state.journal->tell(other->diagnostics);
      status = state.settings.keepGoing ? kSuccess : statusOf(other->diagnostics);
    }
  }
  state.clockUs += kLaunchUs + result->timeUs;
  if (status == kSuccess)
    writeBack(standing, result->outputs);
  else if (Context *context = state.current())
    context->sticky = status;
  return status;
}

} // namespace lanescope::core::driver
