#include "repl/session/Session.h"

#include "repl/dumps/DumpObject.h"
#include "repl/kernel/Kernels.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/layouts/HostBuiltins.h"
#include "repl/layouts/LayoutArguments.h"
#include "repl/layouts/LayoutBuiltins.h"
#include "repl/session/Debug.h"
#include "repl/session/PageLinkBuiltin.h"
#include "repl/session/Render.h"
#include "repl/session/RunEntry.h"
#include "repl/session/Show.h"

#include <algorithm>
#include <iterator>

namespace lanescope::repl {
namespace {

constexpr int kShownRows = 1024; // rows of a picture that the user asked for

} // namespace

Session::Session(SessionOptions options)
    : options_(std::move(options)), parameters_(std::make_shared<Parameters>()),
      files_(std::make_shared<SnippetFiles>(options_.files)) {
  auto remark = [this](const Diagnostics &remarks) {
    if (options_.remarks)
      options_.remarks(remarks);
    else
      write(lanescope::render(remarks, options_.colour));
  };
  if (!options_.kernels.waiting)
    options_.kernels.waiting = [remark](const std::string &line) {
      remark({{Severity::Note, "worker-silent", {}, line, {}}});
    };
  kernels_ = std::make_shared<KernelRuntime>(options_.kernels);
  for (const auto &[name, value] : options_.parameters)
    parameters_->set(name, value);
  parameters_->strict = !options_.parameters.empty();
  Builtins builtins = withKernels(hostBuiltins(), kernels_, files_);
  std::ranges::move(parameterBuiltins(parameters_), std::back_inserter(builtins));
  std::ranges::move(helpBuiltins([this] { return options_.width; }),
                    std::back_inserter(builtins)); // replaces the `help` of the host's builtins
  ShowSink sink;
  sink.picture = [this](const Shown &shown, const std::string &text) {
    if (!options_.onShow || !options_.onShow(shown))
      write(text);
  };
  sink.value = [this](const Value &value) { write(render(value)); };
  sink.terminal = [this] { return terminal(); };
  for (Builtin &builtin : std::vector{layoutBuiltin(remark), viewBuiltin(sink), openDumpBuiltin(kernels_, files_),
                                      debugBuiltin(kernels_, *this), pageLinkBuiltin(), showBuiltin(std::move(sink))}) {
    builtin.worksIn = WorksIn::Host;
    builtins.push_back(std::move(builtin));
  }
  evaluator_ = std::make_unique<Evaluator>(std::move(builtins),
                                           EvaluatorOptions{.print = [this](std::string_view text) { write(text); },
                                                            .remark = remark,
                                                            .limits = options_.limits,
                                                            .checkAssertions = options_.checkAssertions});
}

Session::~Session() = default;

void Session::interrupt() {
  if (DebugPrompt *prompt = debugging_)
    prompt->interrupt();
  else
    evaluator_->interrupt();
}

Session::Debugging::Debugging(Session &session, DebugPrompt &prompt) : session_(session) {
  session.debugging_ = &prompt;
}
Session::Debugging::~Debugging() { session_.debugging_ = nullptr; }

Result<void> Session::run(const SourceRef &source) { return evaluator_->run(source); }

Result<void> Session::entry(const SourceRef &source) {
  return runEntry(*evaluator_, source, [this](const Value &value) { write(render(value)); }, options_.remarks);
}

Result<void> Session::entry(const ModuleRef &module) {
  return runEntry(*evaluator_, module, [this](const Value &value) { write(render(value)); });
}

Result<Value> Session::evaluate(const SourceRef &source) { return evaluator_->evaluate(source); }

std::string Session::render(const Value &value) { return renderValue(*evaluator_, value, terminal()); }

Completion Session::complete(std::string_view text, size_t cursor) const {
  return repl::complete(*evaluator_, text, cursor);
}

bool Session::needsMoreText(std::string_view text) { return entryNeedsMoreText(text); }

std::shared_ptr<const core::Trace> Session::lastTrace() const {
  const std::vector<KernelLaunch> &launches = kernels_->launches();
  for (auto launch = launches.rbegin(); launch != launches.rend(); ++launch)
    if (launch->result && launch->result->trace)
      // The pointer shares ownership with the result that contains the trace.
      return {launch->result, &*launch->result->trace};
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
