// Runs a snippet with kernels on the emulator and keeps the results.
//
//   Snippet done("…");
//   EXPECT_TRUE(done.ok) << done.errors;
//   done.printed, done.runtime->launches(), done.diagnostics
//
// With LANESCOPE_PACKAGES=FOLDER in the environment, every kernel that ran is also written to the folder as a package,
// with the emulator's results, so that a GPU can repeat it (tests/gpu/README.md). LANESCOPE_FULL=1 runs whole parameter
// spaces. LANESCOPE_ARCH=sm_100a compiles snippets for that target if they name no other.
#pragma once

#include "repl/kernel/Kernels.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/layouts/HostBuiltins.h"

#include "core/gpu/runtime/Package.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace lanescope::repl {

struct Snippet {
  explicit Snippet(std::string text, KernelOptions options = {.device = "emulator"})
      : runtime(std::make_shared<KernelRuntime>(recording(std::move(options)))),
        evaluator(withKernels(hostBuiltins(), runtime), {.print = [this](std::string_view more) { printed += more; }}) {
    again(std::move(text));
  }

  /// Runs more text in the same session.
  void again(std::string text) {
    printed.clear();
    auto done = evaluator.run(Source::make("k.py", std::move(text)));
    ok = done.has_value();
    diagnostics = done ? Diagnostics{} : done.error();
    errors = render(diagnostics);
    if (const char *folder = std::getenv("LANESCOPE_PACKAGES"); folder && ok)
      keepPackages(folder);
  }

  /// The place of the first error, such as "3:21"; empty if there is none.
  std::string place() const {
    if (diagnostics.empty() || !diagnostics.front().span.source)
      return "";
    LineColumn at = diagnostics.front().span.source->lineColumn(diagnostics.front().span.begin);
    return std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  /// The IR from which the last launch was compiled. It needs keepTexts.
  std::string ir() const {
    if (runtime->launches().empty())
      return "";
    const core::Stage *stage = runtime->launches().back().stages->find("ir");
    return stage ? stage->text() : "";
  }

  static KernelOptions recording(KernelOptions options) {
    options.recordInputs = options.recordInputs || std::getenv("LANESCOPE_PACKAGES");
    if (const char *arch = std::getenv("LANESCOPE_ARCH"); arch && options.arch == KernelOptions{}.arch)
      options.arch = arch;
    if (std::getenv("LANESCOPE_FULL")) // full sizes take long on the emulator
      options.timeoutSeconds = 1800;
    return options;
  }

  void keepPackages(const std::filesystem::path &folder) const {
    static int count = 0;
    for (const KernelLaunch &launch : runtime->launches()) {
      if (launch.device == "none" || !launch.stages->kernel || !launch.result || hasErrors(launch.result->diagnostics))
        continue;
      const auto *test = ::testing::UnitTest::GetInstance()->current_test_info();
      std::string name =
          std::string(test->test_suite_name()) + "." + test->name() + "-" + std::to_string(++count) + ".lspkg";
      std::ranges::replace(name, '/', '_');
      auto saved = core::savePackage(
          folder / name,
          {.kernel = *launch.stages->kernel, .inputs = launch.inputs, .expected = launch.result->outputs});
      EXPECT_TRUE(saved) << render(saved.error());
    }
  }

  std::shared_ptr<KernelRuntime> runtime;
  Evaluator evaluator;
  bool ok = false;
  Diagnostics diagnostics;
  std::string errors, printed;
};

/// LANESCOPE_FULL=1 runs every parameter of the inventory instead of a sample.
inline bool full() { return std::getenv("LANESCOPE_FULL") != nullptr; }

/// The snippet checks its own numbers and ends without an error.
inline void expectRuns(const std::string &text) {
  Snippet done(text);
  EXPECT_TRUE(done.ok) << text << "\n" << done.errors;
}

/// The snippet ends with an error that contains `message`.
inline void expectError(const std::string &text, const std::string &message) {
  Snippet done(text);
  EXPECT_FALSE(done.ok) << text;
  EXPECT_NE(done.errors.find(message), std::string::npos) << message << "\n" << done.errors;
}

/// The same, with the error at `place`, such as "3:21".
inline void expectError(const std::string &text, const std::string &place, const std::string &message) {
  Snippet done(text);
  EXPECT_FALSE(done.ok) << text;
  EXPECT_EQ(done.place(), place) << done.errors;
  EXPECT_NE(done.errors.find(message), std::string::npos) << message << "\n" << done.errors;
}

} // namespace lanescope::repl
