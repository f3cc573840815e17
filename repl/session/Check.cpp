#include "repl/session/Check.h"

#include "core/data/Files.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/Rules.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/session/Session.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

bool samePlace(const Diagnostic &a, const Diagnostic &b) {
  return a.kind == b.kind && a.span.begin == b.span.begin && a.span.source && b.span.source &&
         a.span.source->name() == b.span.source->name();
}

void addFindings(CheckReport &report, const Diagnostics &diagnostics, const CheckOptions &options) {
  for (const Diagnostic &finding : diagnostics) {
    bool wanted = finding.severity == Severity::Error || options.rules.empty() ||
                  std::ranges::find(options.rules, finding.kind) != options.rules.end();
    if (wanted && std::ranges::none_of(report.findings, [&](const Diagnostic &d) { return samePlace(d, finding); }))
      report.findings.push_back(finding);
  }
}

Result<void> checkPtx(const fs::path &path, const fs::path &launchFile, const CheckOptions &options,
                      CheckReport &report) {
  SourceRef ptx = LANESCOPE_TRY(core::readSource(path.string()));
  SourceRef json = LANESCOPE_TRY(core::readSource(launchFile.string()));
  core::Launch launch = LANESCOPE_TRY(core::parseLaunch(json));
  auto arrays = core::loadBuffers(launch, launchFile.parent_path());
  if (!arrays)
    return at({json, 0, 0}, std::move(arrays.error()));
  for (uint32_t seed = 0; seed < options.seeds; ++seed) {
    core::EmulatorOptions emulation{.seed = seed, .threads = options.threads};
    core::RunResult result = LANESCOPE_TRY(core::emulate(ptx, launch, *arrays, emulation));
    addFindings(report, result.diagnostics, options);
    ++report.runs;
  }
  return {};
}

Result<void> checkSnippet(const fs::path &path, const CheckOptions &options, CheckReport &report) {
  SourceRef source = LANESCOPE_TRY(core::readSource(path.string()));
  for (uint32_t seed = 0; seed < options.seeds; ++seed) {
    KernelOptions kernels{.device = "emulator"};
    if (!options.arch.empty())
      kernels.arch = options.arch;
    kernels.emulation = {.seed = seed, .threads = options.threads};
    Session session({.kernels = std::move(kernels)});
    Result<void> done = session.run(source);
    bool faulted = false;
    for (const KernelLaunch &launch : session.kernels().launches()) {
      if (!launch.result)
        continue;
      addFindings(report, launch.result->diagnostics, options);
      faulted |= hasErrors(launch.result->diagnostics);
      ++report.runs;
    }
    if (!done && !faulted) // the program's own mistake: no kernel is at fault
      return done;
  }
  return {};
}

Result<void> checkRules(const CheckOptions &options) {
  for (const std::string &rule : options.rules)
    if (std::ranges::find(core::kCheckerRules, rule) == core::kCheckerRules.end()) {
      std::string all;
      for (std::string_view known : core::kCheckerRules)
        all += text(all.empty() ? "`" : ", `", known, "`");
      return error("no-rule", text("there is no rule `", rule, "`; the rules are ", all));
    }
  return {};
}

Result<CheckReport> checkFolder(const fs::path &folder, const CheckOptions &options) {
  CheckReport report;
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto &entry : fs::recursive_directory_iterator(folder, ignored))
    if (entry.path().extension() == ".ptx")
      files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path &file : files) {
    fs::path launch = file.parent_path() / "launch.json";
    Result<void> done = fs::exists(launch, ignored)
                            ? checkPtx(file, launch, options, report)
                            : error("no-launch", text("there is no `launch.json` beside ", file.string(),
                                                      ", so it is not run (docs/launch.md)"));
    if (!done)
      std::ranges::move(done.error(), std::back_inserter(report.problems));
  }
  if (files.empty())
    return error("no-ptx", text("there is no PTX in ", folder.string()));
  return report;
}

} // namespace

Result<CheckReport> check(const fs::path &path, const CheckOptions &options) {
  LANESCOPE_CHECK(checkRules(options));
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return checkFolder(path, options);
  CheckReport report;
  if (path.extension() == ".ptx") {
    fs::path launch = options.launch.empty() ? path.parent_path() / "launch.json" : options.launch;
    if (options.launch.empty() && !fs::exists(launch, ignored) && fs::exists(path, ignored))
      return error("no-launch",
                   text("PTX needs to be told how it is launched: `--launch launch.json`, or a file of that "
                        "name beside it (docs/launch.md)"));
    LANESCOPE_CHECK(checkPtx(path, launch, options, report));
  } else if (path.extension() == ".py") {
    LANESCOPE_CHECK(checkSnippet(path, options, report));
  } else {
    return error("no-check", text("what is checked is PTX (.ptx), a snippet (.py) or a folder of PTX, and ",
                                  path.string(), " is none of these"));
  }
  return report;
}

} // namespace lanescope::repl
