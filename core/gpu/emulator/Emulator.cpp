#include "core/gpu/emulator/Emulator.h"

#include "core/gpu/emulator/GridRunner.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "layouts/support/Text.h"

#include <algorithm>
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

Result<RunResult> runGrid(const Program &program, const Launch &launch, std::span<const Array> arrays,
                          const EmulatorOptions &options, Grid &grid, EmulatorStatistics &statistics) {
  double seconds = 0; // of all runs
  for (uint32_t threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());;
       threads = 1) {
    LaunchImage image;
    if (auto built = image.build(program, launch, arrays, grid); !built)
      return std::unexpected(built.error());
    RunResult result;
    GridRunner runner(grid, options, threads);
    runner.run(result, statistics);
    statistics.seconds = seconds += statistics.seconds;
    if (threads == 1 || !runner.needsOrder()) {
      result.outputs = image.arrays();
      return result;
    }
    if (grid.flights)
      grid.flights->clear();
  }
}

bool isOfUnwritten(const Diagnostic &finding) {
  return finding.severity == Severity::Note && finding.kind.starts_with("uninitialised-");
}

/// Reads of memory that nobody wrote are faults where its content comes to a result: where runs with other content give
/// others.
Result<void> judgeUnwritten(RunResult &result, const Program &program, const Launch &launch,
                            std::span<const Array> arrays, const EmulatorOptions &options, Grid &grid) {
  if (hasErrors(result.diagnostics) || std::ranges::none_of(result.diagnostics, isOfUnwritten))
    return {};
  bool matters = false;
  grid.flights = nullptr;
  for (std::byte large : {std::byte{0x7B}, std::byte{0xFB}}) { // of either sign in every type: no min or max hides both
    grid.unwritten = large;
    EmulatorStatistics ignored;
    Result<RunResult> other = runGrid(program, launch, arrays, options, grid, ignored);
    if (!other)
      return std::unexpected(std::move(other.error()));
    matters |= hasErrors(other->diagnostics) || other->printed != result.printed ||
               !std::ranges::equal(other->outputs, result.outputs, {}, &Array::bytes, &Array::bytes);
  }
  for (Diagnostic &finding : result.diagnostics)
    if (isOfUnwritten(finding)) {
      finding.message += matters ? "; results depend on what it holds" : "; no result depends on what it holds";
      if (matters)
        finding.severity = Severity::Error;
    }
  return {};
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
  grid.strict = options.strict;
  grid.flights = options.flights;
  EmulatorStatistics counted;
  Result<RunResult> ran = runGrid(program, launch, arrays, options, grid, counted);
  if (!ran)
    return ran;
  RunResult result = std::move(*ran);
  if (auto judged = judgeUnwritten(result, program, launch, arrays, options, grid); !judged)
    return std::unexpected(judged.error());
  result.note = noteOf(program, counted, hasErrors(result.diagnostics));
  result.device = text("emulator (", program.module.target, ")");
  if (statistics)
    *statistics = counted;
  return result;
}

} // namespace lanescope::core
