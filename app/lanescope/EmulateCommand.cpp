#include "app/lanescope/Common.h"

#include "app/lanescope/EmulatePackages.h"
#include "core/data/Files.h"
#include "core/data/PlainHash.h"
#include "core/data/Version.h"
#include "core/gpu/emulator/check/Rules.h"
#include "core/gpu/emulator/LaunchSketch.h"
#include "core/gpu/emulator/parts/RunInParts.h"
#include "core/gpu/emulator/TracedRun.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/record/CompareRecorded.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "layouts/support/Words.h"
#include "repl/check/CheckTargets.h"
#include "repl/files/FileKind.h"
#include "repl/terminal/Interruption.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

namespace lanescope::app {

namespace {

namespace fs = std::filesystem;

/// The launch description beside the PTX; empty if none describes one of the PTX's entries.
fs::path besideFor(const EmulateArguments &arguments, const SourceRef &ptx) {
  fs::path beside = repl::launchBeside(arguments.file);
  if (beside.empty())
    return {};
  auto entries = core::entryNames(ptx);
  auto json = core::readSource(beside, core::FileRole::Json);
  if (json && entries)
    if (auto launch = core::parseLaunch(*json); launch && std::ranges::count(*entries, launch->entry) == 0)
      return {};
  const bool sketch = json && (*json)->text().find("\"comment\"") != std::string::npos;
  complain(text("launched as ", shownName(beside.string()), " says",
                sketch ? ", a sketch: its `comment` names the numbers that are guesses" : "", "\n"));
  return beside;
}

/// Writes a launch description for the PTX, for the user to complete.
int writeSketch(const EmulateArguments &arguments, const SourceRef &ptx) {
  auto sketch = core::sketchLaunch(ptx, {});
  if (!sketch)
    return report(sketch.error());
  const fs::path beside = fs::path(arguments.file).parent_path() / "launch.json";
  std::error_code ignored;
  fs::path file = arguments.output;
  if (file.empty()) // never overwrite the description of another kernel
    file = fs::exists(beside, ignored) ? fs::path(arguments.file).replace_extension(".launch.json") : beside;
  if (arguments.output.empty() && fs::exists(file, ignored)) {
    complain(text(shownName(file.string()),
                  " describes none of this PTX's entries; `--launch` names another description, "
                  "`-o FILE` writes a sketch of one\n"));
    return kUsage;
  }
  if (auto written = core::writeFile(file, core::sketchJson(*sketch)); !written)
    return report(written.error());
  say(text("wrote ", shownName(file.string()), "\n"));
  complain("PTX needs a launch description. This is a sketch of one; put in what your program passes:\n");
  for (const std::string &guess : sketch->guesses)
    complain(text("  ", shownName(guess), "\n"));
  complain(text("then: lanescope emulate ", shownName(arguments.file), " --launch ", shownName(file.string()), "\n"));
  return kUsage;
}

/// The element as text, with the fewest digits that distinguish it from its neighbours.
std::string elementText(const core::Array &array, int64_t n) {
  char room[64];
  char *end = room + sizeof room;
  double number = array.number(n);
  auto written = !layouts::isFloat(array.dtype)         ? std::to_chars(room, end, array.integer(n))
                 : layouts::hostBytes(array.dtype) == 8 ? std::to_chars(room, end, number)
                                                        : std::to_chars(room, end, static_cast<float>(number));
  return {room, written.ptr};
}

/// The distance of two elements, counted in representable numbers of their type; nothing for integers, narrow floats
/// and NaN.
std::optional<uint64_t> stepsApart(const core::Array &a, const core::Array &b, int64_t n) {
  int64_t bytes = layouts::hostBytes(a.dtype);
  if (!layouts::isFloat(a.dtype) || bytes < 2 || std::isnan(a.number(n)) || std::isnan(b.number(n)))
    return std::nullopt;
  auto order = [&](const core::Array &array) { // maps numbers to integers in the same order
    uint64_t bits = 0;
    std::memcpy(&bits, array.bytes.data() + n * bytes, static_cast<size_t>(bytes));
    uint64_t sign = uint64_t{1} << (8 * bytes - 1);
    return static_cast<int64_t>(bits & sign ? ~(bits & ~sign) + 1 : bits);
  };
  int64_t one = order(a), other = order(b);
  return one > other ? static_cast<uint64_t>(one) - static_cast<uint64_t>(other)
                     : static_cast<uint64_t>(other) - static_cast<uint64_t>(one);
}

/// Compares an output with the expected one. Error "unexpected-output": the two differ; the message says where and by
/// how much.
Result<void> compare(const fs::path &expected, const core::Array &array, const EmulateArguments &arguments) {
  constexpr char kKind[] = "unexpected-output";
  auto wanted = core::loadNpy(expected, array.dtype);
  if (!wanted)
    return std::unexpected(std::move(wanted.error()));
  if (wanted->shape != array.shape)
    return error(kKind, Message("{path} has shape {shape}, the output has {other_shape}", expected.string(),
                                layouts::tupleText(wanted->shape), layouts::tupleText(array.shape)));
  int64_t wrong = 0, first = 0;
  for (int64_t i = array.size(); i-- > 0;) {
    double is = array.number(i), should = wanted->number(i);
    bool same = is == should || (std::isnan(is) && std::isnan(should)) ||
                std::abs(is - should) <= arguments.atol + arguments.rtol * std::abs(should);
    first = same ? first : i;
    wrong += !same;
  }
  if (wrong == 0)
    return {};
  std::string apart;
  if (auto steps = stepsApart(array, *wanted, first))
    apart = text(", ", counted(*steps, "ulp"), " apart");
  return error(kKind, Message("{path}: {} of {elements} elements differ, first element {}: {} instead of {}{}",
                              expected.string(), wrong, array.size(), first, elementText(array, first),
                              elementText(*wanted, first), apart));
}

core::EmulatorOptions optionsOf(const EmulateArguments &arguments) {
  core::EmulatorOptions options;
  options.bounds = true;
  options.seed = arguments.emulation.seed;
  options.instant = arguments.emulation.fast;
  options.strict = arguments.emulation.strict;
  options.strictRules = arguments.emulation.strictRules;
  options.keepGoing = arguments.emulation.keepGoing;
  options.threads = arguments.emulation.threads;
  options.timeoutSeconds = arguments.timeLimit;
  options.blocks = arguments.blocks;
  return options;
}

/// A text that is the same for two calls only if they run the same launch, with the same arrays and options.
std::string checkpointKey(const SourceRef &ptx, const SourceRef &launch, const std::vector<core::Array> &arrays,
                          const core::EmulatorOptions &options) {
  uint64_t hash = core::plainHash(launch->text(), core::plainHash(ptx->text()));
  for (const core::Array &array : arrays)
    hash = core::plainHash({reinterpret_cast<const char *>(array.bytes.data()), array.bytes.size()}, hash);
  for (const std::string &rule : options.strictRules)
    hash = core::plainHash(rule + ",", hash);
  return text(core::kVersion, " ", hash, " seed ", options.seed, options.instant ? " fast" : "",
              options.strict ? " strict" : "", options.keepGoing ? " keep-going" : "");
}

/// Compares a replay of a recorded launch with the memory after the launch on the GPU.
int compareWithRecorded(const fs::path &folder, const SourceRef &ptx, const core::Launch &launch,
                        const std::vector<core::Array> &arrays, const core::RunResult &result, bool part) {
  auto verdict = core::record::compareRecorded(folder, ptx, launch, arrays, result.outputs, part);
  if (!verdict)
    return report(verdict.error());
  say(text(core::record::name(verdict->grade), ": ", verdict->words, "\n"));
  return verdict->grade == core::record::ReplayGrade::Different ? kInputAtFault : kDone;
}

} // namespace

int runEmulate(const EmulateArguments &arguments) {
  if (auto rules = core::checkRuleNames(arguments.emulation.strictRules); !rules)
    return report(rules.error());
  if (std::vector<fs::path> packages = recordedIn(arguments.file); !packages.empty()) {
    if (!arguments.checkpoint.empty()) {
      complain("`--checkpoint` is for one launch: name one of the folder's packages\n");
      return kUsage;
    }
    return emulatePackages(packages, optionsOf(arguments));
  }
  auto opened = repl::openFor("emulate", arguments.file);
  if (!opened)
    return report(opened.error());
  const SourceRef &ptx = opened->source;
  if (opened->kind != repl::FileKind::Ptx) {
    const bool checkpoint = !arguments.checkpoint.empty();
    if (checkpoint || !arguments.blocks.isAll()) {
      complain(text(checkpoint ? "`--checkpoint` is for PTX" : "`--blocks` is for PTX and packages", ", and ",
                    shownName(arguments.file), " is a module\n"));
      return kUsage;
    }
    if (arguments.launch.empty())
      return runEmulateModule(arguments, ptx);
    complain(text("`--launch` is for PTX, and ", shownName(arguments.file), " is a module, which takes `--inputs`\n"));
    return kUsage;
  }
  const fs::path description = arguments.launch.empty() ? besideFor(arguments, ptx) : fs::path(arguments.launch);
  if (description.empty())
    return writeSketch(arguments, ptx);
  auto json = core::readSource(description, core::FileRole::Json);
  if (!json)
    return report(json.error());
  auto launch = core::parseLaunch(*json);
  if (!launch)
    return report(launch.error());
  fs::path folder = description.parent_path();
  auto arrays = core::loadBuffers(*launch, folder, *json);
  if (!arrays)
    return report(at({*json, 0, 0}, arrays.error()).error());
  core::EmulatorOptions options = optionsOf(arguments);
  repl::Interruption interruption;
  options.interrupted = interruption.flag();
  options.progress = &progressLine().progress();
  auto run = [&] {
    if (!arguments.checkpoint.empty())
      return core::emulateInParts(ptx, *launch, *arrays, options,
                                  {.path = arguments.checkpoint, .key = checkpointKey(ptx, *json, *arrays, options)});
    return arguments.trace.empty() ? core::emulate(ptx, *launch, *arrays, options)
                                   : core::emulateTraced(ptx, *launch, *arrays, options);
  };
  auto result = run();
  if (!result)
    return report(result.error());
  say(result->printed);
  int status = report(result->diagnostics);
  if (status != kDone)
    complain(text("`--fast` looks for no races, ",
                  options.keepGoing ? "" : "`--keep-going` goes on after faults and compares all the same; ",
                  "`lanescope debug ", shownName(arguments.file), " --launch ", shownName(description.string()),
                  " --fault` opens it at the moment before\n"));
  if (core::record::isRecorded(folder)) {
    if (status != kDone && !options.keepGoing)
      if (std::string words = core::record::ptxByNameWords(folder); !words.empty())
        complain(words + "\n");
    if (status == kDone || options.keepGoing)
      status = std::max(status, compareWithRecorded(folder, ptx, *launch, *arrays, *result, !options.blocks.isAll()));
  } else if (status == kDone || options.keepGoing) {
    auto buffers = launch->buffers();
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i]->out.empty())
        continue;
      auto saved = core::saveOutput(folder, buffers[i]->out, result->outputs[i]);
      if (!saved)
        return report(saved.error());
      say(text("wrote ", shownName((folder / buffers[i]->out).string()), "\n"));
      if (arguments.expected.empty())
        continue;
      auto same = compare(fs::path(arguments.expected) / buffers[i]->out, result->outputs[i], arguments);
      status = same ? status : report(same.error());
    }
    if (result->trace) {
      if (auto written = core::writeFile(arguments.trace, core::toChromeJson(*result->trace)); !written)
        return report(written.error());
      say(text("wrote ", shownName(arguments.trace), "\n"));
    }
  }
  say(text(result->note, "\n"));
  return status;
}

} // namespace lanescope::app
