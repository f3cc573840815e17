#include "repl/session/Session.h"

#include "repl/kernel/Kernels.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/layouts/LayoutArguments.h"
#include "repl/lang/layouts/LayoutBuiltins.h"
#include "repl/lang/syntax/Parser.h"
#include "repl/session/DumpObject.h"
#include "repl/session/Render.h"
#include "repl/session/Show.h"

namespace lanescope::repl {
namespace {

constexpr int kShownRows = 1024; // of a picture that was asked for

} // namespace

Session::Session(SessionOptions options)
    : options_(std::move(options)), kernels_(std::make_shared<KernelRuntime>(options_.kernels)) {
  Builtins builtins = withKernels(hostBuiltins(), kernels_);
  ShowSink sink;
  sink.picture = [this](const Shown &shown, const std::string &text) {
    if (!options_.onShow || !options_.onShow(shown))
      write(text);
  };
  sink.value = [this](const Value &value) { write(render(value)); };
  sink.terminal = [this] { return terminal(); };
  builtins.push_back(layoutBuiltin([this](const Diagnostics &remarks) {
    if (options_.remarks)
      options_.remarks(remarks);
  }));
  builtins.push_back(viewBuiltin(sink));
  builtins.push_back(openDumpBuiltin(kernels_));
  builtins.push_back(showBuiltin(std::move(sink)));
  evaluator_ = std::make_unique<Evaluator>(std::move(builtins),
                                           EvaluatorOptions{.print = [this](std::string_view text) { write(text); },
                                                            .remark =
                                                                [this](const Diagnostics &remarks) {
                                                                  if (options_.remarks)
                                                                    options_.remarks(remarks);
                                                                },
                                                            .limits = options_.limits,
                                                            .checkAssertions = options_.checkAssertions});
}

Session::~Session() = default;

Result<void> Session::run(const SourceRef &source) { return evaluator_->run(source); }

Result<void> Session::entry(const SourceRef &source) {
  Parsed parsed = parse(source);
  if (!parsed.diagnostics.empty())
    return std::unexpected(std::move(parsed.diagnostics));
  return entry(parsed.module);
}

Result<void> Session::entry(const ModuleRef &module) {
  std::optional<Value> last;
  Result<void> done = evaluator_->run(module, [&](const Value &value, const Span &) -> Result<void> {
    write(render(value));
    last = value;
    return {};
  });
  if (done && last)
    evaluator_->set("_", std::move(*last));
  return done;
}

Result<Value> Session::evaluate(const SourceRef &source) { return evaluator_->evaluate(source); }

std::string Session::render(const Value &value) { return renderValue(*evaluator_, value, terminal()); }

Completion Session::complete(std::string_view text, size_t cursor) const {
  return repl::complete(*evaluator_, text, cursor);
}

bool Session::needsMoreText(std::string_view text) { return isIncomplete(text); }

std::shared_ptr<const core::Trace> Session::lastTrace() const {
  const std::vector<KernelLaunch> &launches = kernels_->launches();
  for (auto launch = launches.rbegin(); launch != launches.rend(); ++launch)
    if (launch->result && launch->result->trace)
      return {launch->result, &*launch->result->trace}; // shares the result that holds it
  return nullptr;
}

viz::TerminalOptions Session::terminal() const {
  return {.width = options_.width,
          .maxRows = kShownRows,
          .colour = options_.colour ? viz::TerminalColour::Ansi256 : viz::TerminalColour::None};
}

void Session::write(std::string_view text) const {
  if (options_.output)
    options_.output(text);
}

} // namespace lanescope::repl
