// Runs a snippet with kernels on the emulator and keeps what came of it.
//
//   Snippet done("…");
//   EXPECT_TRUE(done.ok) << done.errors;
//   done.printed, done.runtime->launches(), done.diagnostics
#pragma once

#include "repl/kernel/Launches.h"
#include "repl/lang/Evaluator.h"

#include <gtest/gtest.h>

namespace lanescope::repl {

struct Snippet {
  explicit Snippet(std::string text, KernelOptions options = {.device = "emulator"})
      : runtime(std::make_shared<KernelRuntime>(std::move(options))),
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
  }

  /// "3:21" of the first error; empty without one.
  std::string place() const {
    if (diagnostics.empty() || !diagnostics.front().span.source)
      return "";
    LineColumn at = diagnostics.front().span.source->lineColumn(diagnostics.front().span.begin);
    return std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  /// The IR that the last launch was compiled from; needs keepTexts.
  std::string ir() const {
    if (runtime->launches().empty())
      return "";
    const core::Stage *stage = runtime->launches().back().stages->find(core::StageKind::Ir);
    return stage ? stage->text : "";
  }

  std::shared_ptr<KernelRuntime> runtime;
  Evaluator evaluator;
  bool ok = false;
  Diagnostics diagnostics;
  std::string errors, printed;
};

} // namespace lanescope::repl
