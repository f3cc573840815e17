#include "core/gpu/emulator/Residency.h"

#include "core/gpu/emulator/costs/Liveness.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/kernel/Occupancy.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

// Granularity of allocation; a thread can name 255 of the 256 registers.
constexpr uint64_t kRegisterUnit = 8, kMostRegisters = 256;

uint64_t blocksOf(const Launch &launch) { return uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]; }

/// The registers of a thread. `threads`: the threads per block, at least one.
uint32_t registersOf(const Program &program, uint64_t threads) {
  const Function &entry = *program.function;
  if (program.launchRegisters)
    return program.launchRegisters;
  auto all = static_cast<uint64_t>(program.machine->registersPerMultiprocessor);
  uint64_t promised = std::max<uint64_t>(threads, entry.maxThreads) * std::max(entry.minBlocks, 1u);
  uint64_t most = std::min<uint64_t>(all / promised, entry.maxRegisters ? entry.maxRegisters : kMostRegisters);
  most = std::max(most / kRegisterUnit * kRegisterUnit, kRegisterUnit);
  std::vector<uint32_t> live = liveRegisters(entry);
  uint64_t needed = live.empty() ? 0 : std::ranges::max(live);
  return static_cast<uint32_t>(std::min((needed + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit, most));
}

} // namespace

uint32_t copyBytesPerCycleOf(const Program &program, const Launch &launch) {
  uint64_t busy = std::clamp<uint64_t>(blocksOf(launch), 1, static_cast<uint64_t>(program.machine->multiprocessors));
  return static_cast<uint32_t>(
      std::min(static_cast<uint64_t>(program.machine->speeds.l2Bytes) / busy, cost::kSmBytesPerCycle));
}

uint32_t residentBlocksOf(const Program &program, const Launch &launch) {
  uint64_t blocks = blocksOf(launch);
  auto sms = static_cast<uint64_t>(program.machine->multiprocessors);
  uint32_t wanted = static_cast<uint32_t>(std::min<uint64_t>((blocks + sms - 1) / sms, UINT32_MAX));
  if (wanted < 2 || !program.tensorForms.empty() || program.cancelsClusters)
    return 1;
  constexpr uint64_t kMostThreads = 1024; // a wrong launch is reported later
  uint64_t threads =
      std::clamp<uint64_t>(uint64_t{launch.block[0]} * launch.block[1] * launch.block[2], 1, kMostThreads);
  int64_t shared = int64_t{program.dynamicBase} + launch.dynamicSmem;
  auto fit = [&](uint32_t registers) {
    int blocks = occupancyOf(*program.machine, static_cast<int>(threads), static_cast<int>(registers), shared).blocks;
    return static_cast<uint32_t>(std::max(blocks, 1));
  };
  wanted = std::min(wanted, fit(0));
  return wanted < 2 ? 1 : std::min(wanted, fit(registersOf(program, threads)));
}

uint32_t mostResidentBlocks(const Grid &grid) {
  const Program &program = *grid.program;
  uint64_t threads = uint64_t{grid.block[0]} * grid.block[1] * grid.block[2];
  int blocks =
      occupancyOf(*program.machine, static_cast<int>(threads), 0, int64_t{program.dynamicBase} + grid.dynamicSmem)
          .blocks;
  return static_cast<uint32_t>(std::max(blocks, 1));
}

Result<void> checkResidency(const Grid &grid, const Launch &launch) {
  uint64_t blocks = blocksOf(launch), each = mostResidentBlocks(grid);
  auto multiprocessors = static_cast<uint64_t>(grid.program->machine->multiprocessors);
  if (!launch.cooperative || blocks <= each * multiprocessors)
    return {};
  return error("launch", Message("a cooperative launch of {blocks} blocks does not fit: at most {} are resident at "
                                 "once ({} multiprocessors, {}{} of {threads} threads on each)",
                                 blocks, each * multiprocessors, multiprocessors, each,
                                 each == 1 ? " block" : " blocks", grid.block[0] * grid.block[1] * grid.block[2]));
}

} // namespace lanescope::core::emulator
