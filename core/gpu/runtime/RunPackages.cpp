#include "core/gpu/runtime/RunPackages.h"

#include "core/data/Files.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/runtime/CompareArrays.h"
#include "core/gpu/runtime/Package.h"
#include "core/gpu/runtime/WorkerClient.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

namespace lanescope::core {

namespace {

namespace fs = std::filesystem;
using Out = nlohmann::ordered_json;

bool isNoGpu(const Diagnostics &problems) { return !problems.empty() && problems[0].kind == "no-gpu"; }

/// The result of one package.
struct Outcome {
  double timeUs = 0;
  std::string device, printed, comparison; // comparison: empty, "as expected", or the difference
  Diagnostics problems;
  bool ok = false;
};

std::string resultJson(const Outcome &outcome) {
  Out json = {{"ok", outcome.ok}, {"time_us", outcome.timeUs}, {"device", outcome.device}};
  if (!outcome.comparison.empty())
    json["comparison"] = outcome.comparison;
  if (!outcome.printed.empty())
    json["printed"] = outcome.printed;
  if (!outcome.problems.empty()) {
    json["kind"] = outcome.problems[0].kind;
    json["error"] = render(outcome.problems);
  }
  return json.dump(1, ' ', false, Out::error_handler_t::replace) + "\n";
}

class Runner {
public:
  explicit Runner(const PackageRunOptions &options)
      : options_(options),
        client_(options.worker, {}, [](const std::string &line) { std::fprintf(stderr, "note: %s\n", line.c_str()); }) {
  }

  Outcome run(const fs::path &folder, const fs::path &output) {
    Outcome outcome;
    Result<Package> package = loadPackage(folder);
    Result<RunResult> result = package ? runKernel(*package) : Result<RunResult>(std::unexpected(package.error()));
    if (!result) {
      outcome.problems = result.error();
      if (package)
        judge(*package, outcome);
      return outcome;
    }
    outcome.timeUs = result->timeUs;
    outcome.device = result->device;
    outcome.printed = result->printed;
    outcome.problems = result->diagnostics;
    compare(*package, *result, outcome);
    if (Result<void> saved = save(*package, *result, output); !saved)
      outcome.problems.insert(outcome.problems.end(), saved.error().begin(), saved.error().end());
    judge(*package, outcome);
    return outcome;
  }

private:
  Result<RunResult> runKernel(const Package &package) {
    RunOptions run;
    run.timeoutSeconds = options_.timeoutSeconds;
    run.repeat = options_.repeat;
    Result<RunRequest> request = makeRequest(package.kernel, package.inputs, run);
    if (!request)
      return std::unexpected(request.error());
    Result<RunReply> reply = client_.run(*request, nullptr);
    if (!reply)
      return std::unexpected(reply.error());
    return makeResult(package.kernel, std::move(*reply));
  }

  /// Decides if the run went as the package expects.
  static void judge(const Package &package, Outcome &outcome) {
    if (outcome.printed.find(package.expectedPrinted) == std::string::npos)
      outcome.problems.push_back(
          {Severity::Error, "unexpected-output", {}, text("it did not print `", package.expectedPrinted, "`"), {}});
    outcome.ok = !hasErrors(outcome.problems);
    if (package.expectedError.empty())
      return;
    // There may be several expected kinds, separated by spaces, because devices report a fault differently.
    std::string kinds = " " + package.expectedError + " ";
    outcome.ok = std::ranges::any_of(
        outcome.problems, [&](const Diagnostic &d) { return kinds.find(" " + d.kind + " ") != std::string::npos; });
    outcome.comparison =
        text(outcome.ok ? "failed as expected: " : "did not fail as expected: ", package.expectedError);
  }

  void compare(const Package &package, const RunResult &result, Outcome &outcome) const {
    if (package.expected.empty())
      return;
    outcome.comparison = "as expected";
    std::vector<const BufferSpec *> buffers = package.kernel.launch.buffers();
    for (size_t i = 0; i < package.expected.size(); ++i) {
      Comparison difference = compareArrays(result.outputs[i], package.expected[i], options_.ulps);
      if (difference.same())
        continue;
      uint32_t output = package.kernel.outputs[i];
      outcome.comparison = text(bufferText(*buffers[output], output), ": ", difference.message);
      outcome.problems.push_back({Severity::Error, "unexpected-output", {}, outcome.comparison, {}});
    }
  }

  static Result<void> save(const Package &package, const RunResult &result, const fs::path &output) {
    std::vector<const BufferSpec *> buffers = package.kernel.launch.buffers();
    for (size_t i = 0; i < result.outputs.size(); ++i)
      if (const std::string &name = buffers[package.kernel.outputs[i]]->out; !name.empty())
        if (Result<void> saved = saveNpy(output / name, result.outputs[i]); !saved)
          return saved;
    if (result.trace)
      return writeFile(output / "trace.json", std::string_view(toChromeJson(*result.trace)));
    return {};
  }

  const PackageRunOptions &options_;
  WorkerClient client_; // starts a new process after a fault
};

std::string lineOf(const std::string &name, const Outcome &outcome) {
  char line[256];
  std::snprintf(line, sizeof line, "%-7s %-32s %10.3f us  ", outcome.ok ? "ok" : "FAILED", name.c_str(),
                outcome.timeUs);
  return text(line, outcome.device, outcome.comparison.empty() ? "" : "  ", outcome.comparison, "\n");
}

std::string indented(const std::string &lines) {
  std::string out;
  for (size_t at = 0; at < lines.size();) {
    size_t end = std::min(lines.find('\n', at), lines.size());
    out += "        " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

/// The packages' names, made unique: the second `double` from several folders is `double-2`.
std::vector<std::string> resultNames(const std::vector<fs::path> &packages) {
  std::vector<std::string> names;
  for (const fs::path &folder : packages) {
    std::string name = (folder.has_filename() ? folder : folder.parent_path()).stem().string();
    names.push_back(name.empty() || name == "." || name == ".." ? "package" : name);
  }
  std::set<std::string> own(names.begin(), names.end()), taken;
  for (std::string &name : names) {
    std::string unique = name;
    for (size_t number = 2; taken.contains(unique) || (unique != name && own.contains(unique)); ++number)
      unique = text(name, "-", number);
    taken.insert(unique);
    name = std::move(unique);
  }
  return names;
}

void print(const std::string &s) {
  std::fputs(visible(s).c_str(), stdout);
  std::fflush(stdout);
}

} // namespace

PackageRunStatus runPackages(const PackageRunOptions &options) {
  Runner runner(options);
  size_t failed = 0;
  std::vector<std::string> names = resultNames(options.packages);
  for (size_t n = 0; n < options.packages.size(); ++n) {
    const fs::path &folder = options.packages[n];
    const std::string &name = names[n];
    fs::path output = options.output / name;
    std::error_code problem;
    fs::create_directories(output, problem);
    Outcome outcome = runner.run(folder, output);
    if (problem)
      outcome.problems.push_back({Severity::Error,
                                  "unwritable-file",
                                  {},
                                  text("cannot create `", output.string(), "`: ", problem.message()),
                                  {}});
    if (Result<void> saved = writeFile(output / "result.json", std::string_view(resultJson(outcome))); !saved) {
      outcome.problems.insert(outcome.problems.end(), saved.error().begin(), saved.error().end());
      outcome.ok = false;
    }
    if (!outcome.ok && isNoGpu(outcome.problems)) {
      std::fputs(render(outcome.problems).c_str(), stderr);
      return PackageRunStatus::NoGpu;
    }
    print(lineOf(shownName(name), outcome) + indented(render(outcome.problems)) + indented(outcome.printed));
    failed += !outcome.ok;
  }
  print(text(options.packages.size() - failed, " passed, ", failed, " failed\n"));
  return failed ? PackageRunStatus::SomeFailed : PackageRunStatus::AllGood;
}

} // namespace lanescope::core
