// Snippets as arbitrary bytes: parsed whole, entry by entry and as one expression, outlined, and then run with tight
// limits. Nothing may crash, hang or leak, and a failing run must leave the session's names unchanged.
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/syntax/Lexer.h"
#include "repl/lang/syntax/Parser.h"
#include "repl/lang/values/ValueJson.h"
#include "repl/layouts/HostBuiltins.h"

#include <cstdint>
#include <cstdlib>

using namespace lanescope;
using namespace lanescope::repl;

namespace {

constexpr Limits kLimits = {.callDepth = 50,
                            .stackBytes = 1 << 20,
                            .steps = 2000,
                            .containerItems = 10'000,
                            .stringBytes = 1 << 16,
                            .arrayBytes = 1 << 16,
                            .sessionBytes = int64_t{3} << 30};

void require(bool condition) {
  if (!condition)
    std::abort();
}

/// Spans lie inside the text, and no error has an empty message.
void check(const Diagnostics &diagnostics, const SourceRef &source) {
  for (const Diagnostic &diagnostic : diagnostics) {
    require(!diagnostic.message.empty());
    require(diagnostic.span.begin <= diagnostic.span.end);
    require(diagnostic.span.source != source || diagnostic.span.end <= source->text().size());
  }
  (void)render(diagnostics);
}

/// The builtins without `save` and `load`, because a fuzzer must not touch files.
Builtins harmless() {
  Builtins out = hostBuiltins();
  std::erase_if(out, [](const Builtin &builtin) { return builtin.name == "save" || builtin.name == "load"; });
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 4096)
    return 0;
  std::string text(reinterpret_cast<const char *>(data), size);
  auto source = Source::make("fuzz.py", text);
  (void)isIncomplete(text);
  if (auto expression = parseExpression(source); !expression)
    check(expression.error(), source);
  for (const Parsed &entry : parseEntries(source))
    check(entry.diagnostics, source);
  Parsed parsed = parse(source);
  check(parsed.diagnostics, source);
  (void)dump(*parsed.module);
  if (!parsed.diagnostics.empty())
    return 0;

  static const Builtins kBuiltins = harmless();
  Evaluator evaluator(kBuiltins, {.print = nullptr, .limits = kLimits});
  evaluator.set("before", Value(1));
  auto show = [](const Value &value, const Span &) -> Result<void> {
    (void)repr(value);
    (void)toJson(value);
    return {};
  };
  auto done = evaluator.run(parsed.module, show);
  if (!done) {
    require(!done.error().empty());
    check(done.error(), source);
    require(evaluator.globals().size() == 1 && evaluator.globals().contains("before"));
  }
  return 0;
}
