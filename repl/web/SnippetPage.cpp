#include "repl/web/SnippetPage.h"

#include "layouts/support/Text.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/builtins/FileBuiltins.h"
#include "repl/layouts/HostBuiltins.h"
#include "repl/layouts/LayoutBuiltins.h"
#include "repl/session/Completion.h"
#include "repl/session/Render.h"
#include "repl/session/RunEntry.h"
#include "repl/session/Show.h"
#include "viz/scene/ViewText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <ranges>

namespace lanescope::repl {

using nlohmann::json;

namespace {

constexpr int kShownRows = 256;                 // rows of a picture that is written as text
constexpr size_t kMostOutput = size_t{1} << 20; // bytes of an entry's output
constexpr size_t kMostCandidates = 400;
// The memory of a page is small, and a stopped module loses its names.
constexpr Limits kLimits{.steps = 50'000'000,
                         .containerItems = 2'000'000,
                         .stringBytes = 32 << 20,
                         .arrayBytes = 128 << 20,
                         .sessionBytes = int64_t{1} << 30};

constexpr size_t kExampleColumns = 81; // of the longest example in `help()`

/// The text of `help()` without the examples that need a file or a kernel. In a narrow page, examples stand below what
/// they do. The page wraps the lines of the introduction.
std::string overviewText(const std::string &overview, size_t width) {
  std::string out;
  bool introduces = true;
  for (auto part : overview | std::views::split('\n')) {
    std::string_view line(part);
    introduces &= !line.empty();
    if (line.contains(" run(\"") || line.contains(" help(debug)"))
      continue;
    size_t gap = line.starts_with("  ") && line.contains('(') ? line.find("  ", 2) : line.npos;
    if (gap != line.npos && width < kExampleColumns)
      out += text(line.substr(0, gap), "\n    ", line.substr(line.find_first_not_of(' ', gap)));
    else
      out += line;
    out += introduces && !line.ends_with(':') ? ' ' : '\n';
  }
  if (size_t ten = out.find("Ten things"); ten != out.npos)
    out.replace(ten, 3, "Some");
  return out;
}

} // namespace

/// The output of the running entry, in its order.
struct SnippetPage::Output {
  json parts = json::array();
  size_t bytes = 0;
  bool full = false;

  void add(std::string_view kind, std::string_view words, const std::string &view = {}) {
    if (full)
      return;
    if ((bytes += words.size() + view.size()) > kMostOutput) {
      full = true;
      parts.push_back({{"kind", "remark"}, {"text", "this entry writes more than the page shows"}});
      return;
    }
    if (view.empty() && !parts.empty() && parts.back()["kind"] == kind && kind == "text") {
      parts.back()["text"].get_ref<std::string &>() += words;
      return;
    }
    json part = {{"kind", kind}, {"text", words}};
    if (!view.empty())
      part["view"] = view;
    parts.push_back(std::move(part));
  }
  void remark(const Diagnostics &remarks) {
    for (const Diagnostic &each : remarks)
      add("remark", render({each}, false));
  }
};

SnippetPage::SnippetPage() : output_(std::make_unique<Output>()) {
  auto remark = [this](const Diagnostics &remarks) { output_->remark(remarks); };
  Builtins builtins = hostBuiltins();
  std::ranges::move(fileBuiltins(std::make_shared<SnippetFiles>(FileRules{.keepsInMemory = true})),
                    std::back_inserter(builtins));
  std::ranges::move(helpBuiltins([this] { return width_; }), std::back_inserter(builtins));
  ShowSink sink;
  sink.picture = [this](const Shown &shown, const std::string &words) {
    const auto *view = std::get_if<ShownView>(&shown);
    viz::ViewSpec spec = view ? writtenSpec(*view) : viz::ViewSpec();
    // The page with layouts draws no shared memory without a layout.
    bool draws = view && (!spec.layout.empty() || !spec.arrays.empty());
    output_->add(draws ? "picture" : "text", words, draws ? viz::viewText(spec) : std::string());
  };
  sink.value = [this](const Value &value) { output_->add("text", renderValue(*evaluator_, value, terminal())); };
  sink.terminal = [this] { return terminal(); };
  for (Builtin &builtin : std::vector{layoutBuiltin(remark), viewBuiltin(sink), showBuiltin(std::move(sink))}) {
    builtin.worksIn = WorksIn::Host;
    builtins.push_back(std::move(builtin));
  }
  evaluator_ = std::make_unique<Evaluator>(
      std::move(builtins), EvaluatorOptions{.print = [this](std::string_view words) { output_->add("text", words); },
                                            .remark = remark,
                                            .limits = kLimits});
}

SnippetPage::~SnippetPage() = default;

viz::TerminalOptions SnippetPage::terminal() const { return {.width = width_, .maxRows = kShownRows}; }

std::string SnippetPage::entry(const std::string &words) {
  *output_ = {};
  auto done = runEntry(
      *evaluator_, Source::make(text("<", ++entries_, ">"), words),
      [this](const Value &value) { output_->add("text", renderValue(*evaluator_, value, terminal())); },
      [this](const Diagnostics &remarks) { output_->remark(remarks); });
  if (!done) {
    output_->full = false;
    output_->add("problem", render(done.error(), false));
  }
  return viz::written({{"entry", {{"ok", done.has_value()}, {"parts", std::exchange(output_->parts, json::array())}}}});
}

std::string SnippetPage::complete(const std::string &words, size_t cursor) {
  Completion found = repl::complete(*evaluator_, words, cursor);
  if (found.candidates.size() > kMostCandidates)
    found.candidates.resize(kMostCandidates);
  return viz::written(
      {{"completion",
        {{"from", found.from}, {"common", commonBeginning(found.candidates)}, {"candidates", found.candidates}}}});
}

Result<std::string> SnippetPage::answer(const viz::Asked &asked) {
  const std::string what = asked.text("do"), words = asked.text("text");
  width_ = static_cast<int>(std::clamp(asked.number("width", width_), 40.0, 400.0));
  if (what == "entry")
    return entry(words);
  if (what == "complete")
    return complete(words, static_cast<size_t>(std::clamp(asked.number("cursor"), 0.0, double(words.size()))));
  if (what == "more") // the blank line that Enter adds would end a block
    return viz::written({{"more", entryNeedsMoreText(lanescope::text(words, "\n"))}});
  if (what == "about") { // of a candidate, which may end with `(`
    std::string name = words.substr(0, words.find('('));
    const Value *value = evaluator_->lookup(name);
    return viz::written({{"about", value ? helpText(*evaluator_, *value, name) : std::string()}});
  }
  if (what == "overview")
    return viz::written({{"about", overviewText(helpOverview(*evaluator_, width_), static_cast<size_t>(width_))}});
  return error("bad-view", Message("`{}` is no request", what));
}

std::string SnippetPage::call(std::string_view request) {
  return viz::answered(request, [this](const viz::Asked &asked) { return answer(asked); });
}

} // namespace lanescope::repl
