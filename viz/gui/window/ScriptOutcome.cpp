#include "viz/gui/window/ScriptOutcome.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::viz {

namespace {

std::string fieldFailure(const ExplorerModel &explorer) {
  auto bad = std::ranges::find(explorer.diagnostics(), Severity::Error, &Diagnostic::severity);
  return bad == explorer.diagnostics().end() ? "" : bad->message;
}

std::string debuggerFailure(const ScriptCommand &command, const DebuggerModel &debugger) {
  if (!debugger.problems().empty())
    return debugger.problems().front().message;
  const DebugPage *page = debugger.page();
  if (!page)
    return {};
  auto number = [&](size_t word) { return std::max(0.0, *parseNumber(command.words[word])); };
  if ((command.name == "stop" || command.name == "break") && page->refused && !page->said.empty())
    return page->said;
  if (command.name == "moment" && static_cast<double>(page->stop.moment) < number(0))
    return text("the run ends at moment ", page->stop.moment);
  if (command.name == "focus" && debugger.target() && page->focus != warpOf(command, debugger.target()->launch))
    return text("no warp ", command.words.back(), " of block ", command.words[command.words.size() - 2],
                command.words.size() > 2 ? text(" of device ", command.words[0]) : text(),
                " is running at this moment");
  if (command.name == "value") {
    if (std::ranges::find(page->valueNames, command.rest) == page->valueNames.end())
      return text("the snippet has no value `", command.rest, "`; it has ", joined(page->valueNames, ", "));
    return page->valueProblem;
  }
  return {};
}

} // namespace

std::optional<core::WarpRef> warpOf(const ScriptCommand &command, const core::Launch &launch) {
  std::vector<uint32_t> numbers;
  for (const std::string &word : command.words)
    numbers.push_back(static_cast<uint32_t>(std::clamp(parseNumber(word).value_or(0), 0.0, 4e9)));
  if (numbers.size() == 2)
    numbers.insert(numbers.begin(), 0);
  auto block = core::blockNumberOf(launch, {numbers[0], numbers[1]});
  return block ? std::optional(core::WarpRef{*block, numbers[2]}) : std::nullopt;
}

bool fillsField(const ScriptCommand &command) {
  constexpr std::array<std::string_view, 12> kFields{"layout", "compare", "shape",    "dtype",  "panes",     "slice",
                                                     "tiling", "swizzle", "swizzled", "access", "transpose", "memory"};
  return std::ranges::find(kFields, command.name) != kFields.end();
}

std::string failureOf(const ScriptCommand &command, const ScriptCommand *next, const Workspace &workspace) {
  const std::string &name = command.name;
  const Models &models = workspace.models;
  if (name == "open" || name == "workspace")
    return workspace.openProblem;
  if (name == "export" || name == "paste")
    return models.explorer.messageBad ? models.explorer.message : "";
  if (next && next->name == "expect")
    return {};
  if (fillsField(command))
    return next && fillsField(*next) ? "" : fieldFailure(models.explorer);
  if (name == "param")
    return workspace.live.old();
  if (name == "cast")
    return models.console.lastFailed() ? text("`", command.rest, "` is refused; the console says why") : "";
  if (name == "stop" || name == "break" || name == "moment" || name == "focus" || name == "value")
    return debuggerFailure(command, models.debugger);
  return {};
}

} // namespace lanescope::viz
