#include "core/gpu/emulator/PreparedRun.h"

#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/LineSources.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "core/gpu/emulator/Residency.h"

#include <charconv>

namespace lanescope::core::emulator {

namespace {

/// The place in the snippet of the PTX before `offset`, by the last `.loc` of its file, number 1, that names a line.
Span placeInSnippet(std::string_view ptx, size_t offset, const SourceRef &snippet) {
  constexpr std::string_view kLoc = ".loc";
  for (size_t at = ptx.rfind(kLoc, offset); at != std::string_view::npos;
       at = at ? ptx.rfind(kLoc, at - 1) : ptx.npos) {
    uint32_t numbers[3] = {};
    const char *text = ptx.data() + at + kLoc.size(), *end = ptx.data() + ptx.size();
    for (uint32_t &number : numbers) {
      while (text < end && (*text == ' ' || *text == '\t'))
        ++text;
      text = std::from_chars(text, end, number).ptr;
    }
    if (numbers[0] == 1 && numbers[1] > 0)
      return spanAt(snippet, numbers[1], numbers[2]);
  }
  return {};
}

/// What is wrong with the PTX, told at the line of the snippet that it was made from.
Diagnostics atSnippet(Diagnostics problems, const SourceRef &ptx, const SourceRef &snippet) {
  for (Diagnostic &problem : problems) {
    if (!snippet || problem.span.source != ptx)
      continue;
    if (Span place = placeInSnippet(ptx->text(), problem.span.begin, snippet); place.source) {
      problem.notes.insert(problem.notes.begin(), {problem.span, "this is the PTX"});
      problem.span = place;
    }
  }
  return problems;
}

} // namespace

Result<std::unique_ptr<PreparedRun>> PreparedRun::of(const SourceRef &ptx, const Launch &launch,
                                                     const EmulatorOptions &options) {
  auto module = parsePtx(ptx);
  if (!module)
    return std::unexpected(atSnippet(std::move(module.error()), ptx, options.snippet));
  auto run = std::make_unique<PreparedRun>();
  Program &program = run->program;
  RecordedGrid &grid = run->grid;
  program.module = std::move(*module);
  if (!options.snippet)
    program.module.sources = lineSources(program.module);
  Decoder decoder(program, instructionTable());
  if (auto decoded = decoder.run(launch.entry, launch.dynamicSmem); !decoded)
    return std::unexpected(atSnippet(std::move(decoded.error()), ptx, options.snippet));
  run->registers = decoder.registers();
  Schedule schedule = Schedule::of(options.seed);
  if (options.coverage || schedule.observed())
    grid.observer = &run->observer.emplace(program, schedule);
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
  if (options.record) // the last that takes the place of handlers
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
