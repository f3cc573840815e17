#include "core/emulator/Emulator.h"

#include "core/emulator/Decoder.h"
#include "core/emulator/FlightRecorder.h"
#include "core/emulator/GridRunner.h"
#include "core/emulator/LaunchImage.h"
#include "core/emulator/PtxParser.h"
#include "layouts/support/Text.h"

#include <thread>

namespace lanescope::core {

namespace {

using namespace emulator;

std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kShown = 8;
  std::string out;
  for (size_t n = 0; n < names.size() && n < kShown; ++n)
    out += text(n ? ", `" : "`", names[n], "`");
  if (names.size() > kShown)
    out += text(" and ", names.size() - kShown, " more");
  return out;
}

/// A run that a fault ended has no figures: how far the other blocks came depends on the number of threads.
std::string noteOf(const Program &program, const EmulatorStatistics &statistics, bool faulted) {
  std::string note = faulted ? "emulated until a fault; "
                             : text("emulated ", statistics.warpInstructions, " warp instructions in ",
                                    statistics.cycles, " modelled cycles; ");
  if (program.approximate.empty())
    note += "all instructions are exact";
  else
    note += text("approximate: ", listed(program.approximate), "; all others are exact");
  if (!program.ignored.empty())
    note += text("; without effect here: ", listed(program.ignored));
  return note + "; unsupported: none";
}

} // namespace

Result<RunResult> emulate(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                          const EmulatorOptions &options, EmulatorStatistics *statistics) {
  auto module = parsePtx(ptx);
  if (!module)
    return std::unexpected(module.error());
  Program program;
  program.module = std::move(*module);
  Decoder decoder(program);
  if (auto decoded = decoder.run(launch.entry, launch.dynamicSmem); !decoded)
    return std::unexpected(decoded.error());
  Grid grid;
  grid.snippet = options.snippet;
  grid.seed = options.seed;
  grid.instant = options.instant;
  grid.checks = options.checks && !options.instant;
  grid.flights = options.flights;
  RunResult result;
  EmulatorStatistics counted;
  double seconds = 0; // of all runs
  for (uint32_t threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());;
       threads = 1) {
    LaunchImage image;
    if (auto built = image.build(program, launch, arrays, grid); !built)
      return std::unexpected(built.error());
    result = {};
    GridRunner runner(grid, options, threads);
    runner.run(result, counted);
    counted.seconds = seconds += counted.seconds;
    if (threads == 1 || !runner.needsOrder()) {
      result.outputs = image.arrays();
      break;
    }
    if (options.flights)
      options.flights->clear();
  }
  result.note = noteOf(program, counted, hasErrors(result.diagnostics));
  result.device = text("emulator (", program.module.target, ")");
  if (statistics)
    *statistics = counted;
  return result;
}

} // namespace lanescope::core
