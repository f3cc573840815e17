// Helpers that run snippets: they return what a snippet shows and prints, or its first error with its place.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/syntax/Parser.h"
#include "repl/layouts/HostBuiltins.h"

#include "layouts/support/Text.h"

#include <gtest/gtest.h>

#include <string>

namespace lanescope::repl {

/// "2:5: message" for each diagnostic, one per line.
inline std::string places(const Diagnostics &diagnostics) {
  std::string out;
  for (const Diagnostic &diagnostic : diagnostics) {
    LineColumn place =
        diagnostic.span.source ? diagnostic.span.source->lineColumn(diagnostic.span.begin) : LineColumn{};
    out += text(out.empty() ? "" : "\n", diagnostic.span.source ? text(place.line, ":", place.column) : "nowhere", ": ",
                diagnostic.message);
  }
  return out;
}

/// A session of the language without kernels. It keeps its names from one run to the next.
class Snippets {
public:
  explicit Snippets(Limits limits = {}, Builtins more = {}) : evaluator(table(std::move(more)), options(limits)) {}

  /// The output of the snippet, and the repr of each value it shows, one per line; or its errors.
  std::string run(std::string snippet) {
    out_.clear();
    auto done = evaluator.run(Source::make("test.py", std::move(snippet)), [&](const Value &value, const Span &) {
      out_ += repr(value) + "\n";
      return Result<void>();
    });
    if (!done)
      return places(done.error());
    if (out_.ends_with('\n'))
      out_.pop_back();
    return out_;
  }
  std::string kind(std::string snippet) {
    auto done = evaluator.run(Source::make("test.py", std::move(snippet)));
    return done ? "" : done.error().front().kind;
  }

private:
  static Builtins table(Builtins more) {
    Builtins out = hostBuiltins();
    for (Builtin &builtin : more)
      out.push_back(std::move(builtin));
    return out;
  }
  EvaluatorOptions options(Limits limits) {
    return {.print = [this](std::string_view printed) { out_ += printed; }, .limits = limits};
  }
  std::string out_;

public:
  Evaluator evaluator;
};

/// The result of one snippet in a session of its own.
inline std::string run(std::string snippet) { return Snippets().run(std::move(snippet)); }

} // namespace lanescope::repl
