#include "core/gpu/emulator/Emulator.h"

#include "core/gpu/emulator/GridRunner.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "layouts/support/Text.h"

#include <charconv>
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

Result<RunResult> emulate(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                          const EmulatorOptions &options, EmulatorStatistics *statistics) {
  auto module = parsePtx(ptx);
  if (!module)
    return std::unexpected(atSnippet(std::move(module.error()), ptx, options.snippet));
  Program program;
  program.module = std::move(*module);
  Decoder decoder(program, instructionTable());
  if (auto decoded = decoder.run(launch.entry, launch.dynamicSmem); !decoded)
    return std::unexpected(atSnippet(std::move(decoded.error()), ptx, options.snippet));
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
