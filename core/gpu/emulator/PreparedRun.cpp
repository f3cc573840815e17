#include "core/gpu/emulator/PreparedRun.h"

#include "core/gpu/emulator/Residency.h"
#include "layouts/support/Try.h"

namespace lanescope::core::emulator {

Result<std::unique_ptr<PreparedRun>> PreparedRun::of(const SourceRef &ptx, const Launch &launch,
                                                     const EmulatorOptions &options) {
  auto run = std::make_unique<PreparedRun>();
  run->kernel = LANESCOPE_TRY(options.decoded ? options.decoded->get(ptx, launch, options.snippet, options.standing)
                                              : DecodedKernel::of(ptx, launch, options.snippet, options.standing));
  Program &program = run->program = run->kernel->program; // observers change this copy
  if (options.machine)
    program.machine = options.machine;
  else if (launch.multiprocessors) {
    run->machine = *program.machine;
    run->machine->multiprocessors = static_cast<int>(launch.multiprocessors);
    program.machine = &*run->machine;
  }
  RecordedGrid &grid = run->grid;
  Schedule schedule = Schedule::of(options.seed);
  if (options.coverage || schedule.observed())
    grid.observer = &run->observer.emplace(program, schedule, options.coverage != nullptr);
  if (!options.instant)
    grid.conflicts = &run->conflicts.emplace(program);
  if (options.bounds && !options.instant && launch.devices <= 1)
    grid.traffic = &run->traffic.emplace(program);
  if (launch.devices > 1) {
    grid.links = options.links ? options.links : &run->links.emplace(launch.devices);
    grid.links->attach(program);
    if (schedule.adversary == Adversary::SlowLink)
      grid.links->slow(schedule.seed);
  }
  if (options.record) // must come last of the functions that replace handlers
    grid.recorder = &run->recorder.emplace(program, options.record->limit);
  if (schedule.adversary == Adversary::LateWarp)
    grid.late = {schedule.warp, schedule.seed};
  grid.program = &program;
  grid.block = launch.block;
  grid.snippet = options.snippet;
  grid.seed = schedule.adversary == Adversary::LateWarp ? 0 : schedule.seed;
  grid.instant = options.instant;
  grid.checks = options.checks && !options.instant;
  grid.strict = options.strict;
  grid.keepGoing = options.keepGoing;
  grid.flights = options.flights;
  grid.residentBlocks = residentBlocksOf(program, launch);
  grid.copyBytesPerCycle = copyBytesPerCycleOf(program, launch);
  grid.dynamicSmem = launch.dynamicSmem;
  if (auto fits = checkResidency(grid, launch); !fits)
    return std::unexpected(std::move(fits.error()));
  return run;
}

} // namespace lanescope::core::emulator
