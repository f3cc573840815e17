#include "repl/lsp/Analysis.h"

#include "core/gpu/emulator/EmulatorDevice.h"
#include "repl/lsp/KernelFacts.h"
#include "repl/lsp/Positions.h"
#include "repl/lsp/Watchdog.h"
#include "repl/program/ProgramKind.h"
#include "repl/session/WithoutSaving.h"

namespace lanescope::repl::lsp {

namespace {

bool samePlace(const Diagnostic &a, const Diagnostic &b) {
  return a.kind == b.kind && a.span.source == b.span.source && a.span.begin == b.span.begin;
}

/// The first name in a message: `tile` in "name `tile` is not defined", `torch` in "`torch.zeros` is PyTorch's".
std::string nameIn(std::string_view message) {
  size_t begin = message.find('`');
  size_t end = begin == message.npos ? message.npos : message.find_first_of("`.", begin + 1);
  return end == message.npos ? std::string() : std::string(message.substr(begin + 1, end - begin - 1));
}

/// Copies facts from `before` for those functions that have none in `after`.
void keepFacts(const Analysis &before, Analysis &after) {
  LineMap lines(*before.snippet->code, *after.snippet->code);
  std::vector<TextRange> unknown;
  for (const Parsed &entry : after.snippet->entries) {
    TextRange range = rangeOf(entry);
    auto inside = [&](const ValueFact &fact) {
      return fact.place.begin >= range.begin && fact.place.begin < range.end;
    };
    if (std::ranges::none_of(after.values, inside))
      unknown.push_back(range);
  }
  auto keep = [&](const auto &from, auto &to) {
    for (auto fact : from) {
      auto begin = lines.offset(fact.place.begin);
      if (!begin)
        continue;
      fact.place = {*begin, *begin + (fact.place.end - fact.place.begin)};
      if (std::ranges::any_of(unknown, [&](TextRange range) { return *begin >= range.begin && *begin < range.end; }))
        to.push_back(std::move(fact));
    }
  };
  keep(before.values, after.values);
  keep(before.costs, after.costs);
}

class AnalysisRun {
public:
  AnalysisRun(std::shared_ptr<const Snippet> snippet, const AnalysisOptions &options)
      : options_(options), snippet_(*snippet), analysis_(std::make_shared<Analysis>()), unknown_(snippet->unknown) {
    analysis_->snippet = std::move(snippet);
    analysis_->diagnostics = snippet_.problems;
    start();
  }

  std::shared_ptr<const Analysis> run() {
    Watchdog watchdog(*session_, options_.seconds, options_.cancelled);
    for (const Parsed &entry : snippet_.entries) {
      if (watchdog.expired())
        break;
      statement(entry);
    }
    if (options_.depth == Depth::Compile && !watchdog.expired())
      kernelsWithoutCalls();
    if (watchdog.late() && place_)
      add({Severity::Note,
           "typing-budget",
           *place_,
           text("while you type, a file gets ", static_cast<int>(options_.seconds),
                " seconds, and this statement is not done by then: what comes after it is not checked; `lanescope run` "
                "runs all"),
           {}});
    analysis_->complete = !watchdog.expired();
    analysis_->late = watchdog.late();
    facts();
    return analysis_;
  }

private:
  void start() {
    SessionOptions session;
    // The run must not write files, since the user did not ask for it.
    session.files = {.snippet = snippet_.text->name(), .keepsInMemory = true};
    session.kernels.arch = archOf(*snippet_.text, options_.arch);
    session.kernels.device = options_.depth == Depth::Check ? "emulator" : "none";
    session.kernels.keepTexts = options_.depth == Depth::Compile;
    session.remarks = [this](const Diagnostics &remarks) { addAll(remarks); };
    session.checkAssertions = options_.depth == Depth::Check;
    session_ = analysis_->session = std::make_shared<Session>(std::move(session));
    session_->kernels().setDevice("gpu", core::makeEmulatorDevice()); // a kernel may ask for the GPU by its name
  }

  void statement(const Parsed &entry) {
    TextRange range = rangeOf(entry);
    place_ = entry.module->span({range.begin, range.end});
    size_t launches = session_->kernels().launches().size();
    Result<void> done = session_->evaluator().run(entry.module);
    findings(launches);
    if (done)
      return;
    std::erase_if(done.error(), [&](const Diagnostic &each) { return each.kind == "interrupted" || ofZeros(each); });
    addAll(done.error());
    // The statement's changes are undone, so later statements lack the names that it would have bound.
    for (std::string &name : boundNames(entry.module->body))
      unknown_.insert(std::move(name));
  }

  /// True if the error may come from kernels that returned zeros. The check on the emulator, which has real
  /// results, then shows if the error is real.
  bool ofZeros(const Diagnostic &problem) const {
    if (options_.depth == Depth::Check || session_->kernels().launches().empty())
      return false;
    constexpr std::string_view kOfValues[] = {"assertion", "raised", "division-by-zero", "arithmetic"};
    return std::ranges::find(kOfValues, problem.kind) != std::end(kOfValues);
  }

  /// Adds the emulator's findings about the launches from `first` on. Findings that are no errors become remarks.
  void findings(size_t first) {
    const std::vector<KernelLaunch> &launches = session_->kernels().launches();
    for (size_t n = std::min(first, launches.size()); n < launches.size(); ++n)
      if (launches[n].result)
        for (const Diagnostic &finding : launches[n].result->diagnostics)
          add(finding);
  }

  /// True if the error is only a consequence of an error that has been reported.
  bool follows(const Diagnostic &problem) const {
    if ((problem.kind == "unknown-name" || problem.kind == "unbound-name") &&
        unknown_.contains(nameIn(problem.message)))
      return true;
    // A function with a syntax error may lack any name that it uses.
    if (problem.span.source == snippet_.code)
      for (const Parsed &entry : snippet_.entries)
        if (TextRange range = rangeOf(entry); problem.span.begin >= range.begin && problem.span.begin < range.end)
          return snippet_.broken(range.begin, range.end);
    return false;
  }

  void add(Diagnostic problem) {
    if (follows(problem))
      return;
    // The error is in a library or in a layout's text: report it at the statement.
    if (problem.span.source != snippet_.code && place_) {
      if (problem.span.source)
        problem.notes.insert(problem.notes.begin(), Note{problem.span, "here"});
      problem.span = *place_;
    }
    addNew(analysis_->diagnostics, {problem});
  }

  void addAll(const Diagnostics &problems) {
    for (const Diagnostic &each : problems)
      add(each);
  }

  void kernelsWithoutCalls() {
    Evaluator &evaluator = session_->evaluator();
    for (const FunctionStmt *function : functionsOf(snippet_)) {
      const Value *value = evaluator.lookup(function->function.name);
      const Kernel *kernel = value ? value->as<Kernel>() : nullptr;
      if (!kernel || kernel->span().begin != function->function.nameRange.begin)
        continue;
      analysis_->kernels.push_back(function->function.name);
      if (kernel->last())
        continue;
      // Evaluate it as a separate entry, since `ir` needs a running entry.
      auto shown =
          session_->evaluate(Source::make("<editor>", text("ir(", function->function.name, ", stage=\"laid-out\")")));
      if (auto stages = kernel->last()) {
        addAll(stages->diagnostics);
        uncalled_.push_back(std::move(stages));
      } else if (!shown) {
        // Annotations that leave a size open are no mistake, since a call will give the size. However, an error in the
        // kernel's body is a mistake.
        std::erase_if(shown.error(), [&](const Diagnostic &each) {
          return each.span.source != snippet_.code || each.span.begin <= function->function.nameRange.end;
        });
        addAll(shown.error());
      }
    }
  }

  void facts() {
    for (const KernelLaunch &launch : session_->kernels().launches())
      if (launch.stages)
        addFacts(*launch.stages, *analysis_);
    for (const auto &stages : uncalled_)
      addFacts(*stages, *analysis_);
    if (options_.before)
      keepFacts(*options_.before, *analysis_);
  }

  const AnalysisOptions &options_;
  const Snippet &snippet_;
  std::shared_ptr<Analysis> analysis_;
  std::shared_ptr<Session> session_;
  std::set<std::string> unknown_; // names that are missing because of reported errors
  std::optional<Span> place_;     // the place of the running statement
  std::vector<std::shared_ptr<const core::KernelStages>> uncalled_;
};

} // namespace

std::string archOf(const Source &text, const std::string &otherwise) {
  constexpr std::string_view kOption = "--arch ";
  for (uint32_t line = 1; text.lineText(line).starts_with('#'); ++line) {
    std::string_view words = text.lineText(line);
    size_t option = words.find(kOption);
    if (option == words.npos)
      continue;
    words.remove_prefix(option + kOption.size());
    words = words.substr(0, words.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"));
    if (core::findGpuTarget(words))
      return std::string(words);
  }
  return otherwise;
}

void addNew(Diagnostics &all, const Diagnostics &more) {
  for (const Diagnostic &each : more)
    if (std::ranges::none_of(all, [&](const Diagnostic &other) { return samePlace(other, each); }))
      all.push_back(each);
}

/// The analysis of a program, which Python runs. It has one remark, at the program's first import.
static std::shared_ptr<const Analysis> ofProgram(std::shared_ptr<const Snippet> snippet) {
  const SourceRef text = snippet->text;
  auto out = std::make_shared<Analysis>();
  out->snippet = std::move(snippet);
  out->session = std::make_shared<Session>(SessionOptions());
  const std::string module = importsOf(text->text()).front();
  const auto begin = static_cast<uint32_t>(text->text().find(module));
  out->diagnostics.push_back({Severity::Note,
                              "program",
                              {text, begin, begin + static_cast<uint32_t>(module.size())},
                              "this file imports modules, so it is a program, which Python runs: `lanescope run` and "
                              "`lanescope check` take it; layouts and findings are shown here for snippets, which have "
                              "no imports",
                              {}});
  return out;
}

std::shared_ptr<const Analysis> analyse(std::shared_ptr<const Snippet> snippet, const AnalysisOptions &options) {
  if (isProgram(snippet->text->text()))
    return ofProgram(std::move(snippet));
  return AnalysisRun(std::move(snippet), options).run();
}

} // namespace lanescope::repl::lsp
