#include "repl/debug/StopCommands.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/debug/CommandWords.h"

#include <algorithm>

namespace lanescope::repl {

constexpr char kStopKind[] = "debug-command";

Result<std::string> Stops::breakAt(std::string_view where) {
  std::string_view place = trimmed(where), condition;
  size_t at = place.starts_with("if ") ? 0 : place.find(" if ");
  if (at != place.npos) {
    condition = trimmed(place.substr(at + (at ? 4 : 3)));
    place = trimmed(place.substr(0, at));
    if (condition.empty())
      return error(kStopKind, "a condition is expected after `if`: `break 46 if warp == 4`");
  }
  core::Breakpoint breakpoint;
  if (!place.empty()) {
    auto [wanted, inSnippet] = LANESCOPE_TRY(lineIn(place, target_));
    breakpoint.line = wanted;
    breakpoint.inSnippet = inSnippet;
  } else if (const auto &here = debugger_.stop().place) {
    breakpoint.inSnippet = here->snippetLine != 0;
    breakpoint.line = breakpoint.inSnippet ? here->snippetLine : here->ptxLine;
  } else {
    return error(kStopKind, "the run stands at no line; name one: `break 46`");
  }
  breakpoint.text = condition;
  if (!condition.empty())
    breakpoint.condition = LANESCOPE_TRY(conditions_.make(breakpoint.text));
  uint32_t wanted = breakpoint.line;
  uint32_t made = LANESCOPE_TRY(debugger_.breakAt(std::move(breakpoint)));
  const core::Breakpoint &done = debugger_.breakpoints().at(made);
  return text("breakpoint ", made, " at ", done.inSnippet ? "line " : "PTX line ", done.line,
              done.line == wanted ? text() : text(": line ", wanted, " has no instructions"),
              condition.empty() ? text() : text(", if ", condition));
}

/// A watchpoint on an element of an array. The text gives the array's name, "out[3, 4]", or its number, "1[3, 4]".
Result<core::Watchpoint> Stops::elementOf(std::string_view what) const {
  size_t bracket = what.find('[');
  if (bracket == what.npos || !what.ends_with(']'))
    return error(kStopKind,
                 "`watch` takes an element, `watch out[3, 4]`, or `watch smem ADDRESS`, or `watch mbarrier ADDRESS`");
  std::string_view name = trimmed(what.substr(0, bracket));
  std::vector<const core::BufferSpec *> buffers = target_.launch.buffers();
  auto found = std::ranges::find_if(buffers, [&](const auto *buffer) { return buffer->name == name; });
  auto numbered = parseInteger<size_t>(name);
  if (found == buffers.end() && numbered && *numbered < buffers.size())
    found = buffers.begin() + static_cast<long>(*numbered);
  if (found == buffers.end()) {
    std::vector<std::string> names;
    for (size_t n = 0; n < buffers.size(); ++n)
      names.push_back(buffers[n]->name.empty() ? text(n) : buffers[n]->name);
    return error(kStopKind, Message("there is no array `{name}`; there are {}", name, joined(names, ", ")));
  }
  const core::BufferSpec &buffer = **found;
  int64_t flat = 0;
  size_t dim = 0;
  std::string_view index = what.substr(bracket + 1, what.size() - bracket - 2);
  for (; !index.empty(); ++dim) {
    size_t comma = std::min(index.find(','), index.size());
    uint64_t one = LANESCOPE_TRY(numberIn(trimmed(index.substr(0, comma)), "an index is meant"));
    index.remove_prefix(std::min(comma + 1, index.size()));
    if (dim >= buffer.shape.size() || one >= static_cast<uint64_t>(buffer.shape[dim]))
      return error(kStopKind, Message("the index is outside of `{name}`, which is {shape}", name,
                                      layouts::tupleText(buffer.shape)));
    flat = flat * buffer.shape[dim] + static_cast<int64_t>(one);
  }
  if (dim != buffer.shape.size())
    return error(kStopKind,
                 Message("`{name}` has {dimensions} dimensions, and the index has {}", name, buffer.shape.size(), dim));
  int bits = layouts::bitwidth(buffer.dtype);
  core::Watchpoint watchpoint;
  watchpoint.what = core::Watchpoint::What::Global;
  watchpoint.buffer = static_cast<uint32_t>(found - buffers.begin());
  watchpoint.address = static_cast<uint64_t>(flat) * static_cast<uint64_t>(bits) / 8;
  watchpoint.bytes = static_cast<uint32_t>(std::max(1, bits / 8));
  watchpoint.text = std::string(what);
  return watchpoint;
}

Result<std::string> Stops::watch(std::string_view what) {
  what = trimmed(what);
  std::string_view rest = what, first = takeWord(rest);
  core::Watchpoint watchpoint;
  if (first == "smem" || first == "mbarrier") {
    watchpoint.block = debugger_.focus().block;
    watchpoint.what = first == "smem" ? core::Watchpoint::What::Shared : core::Watchpoint::What::Mbarrier;
    watchpoint.address = LANESCOPE_TRY(numberIn(takeWord(rest), "a shared address is meant"));
    if (!rest.empty())
      watchpoint.bytes = static_cast<uint32_t>(
          std::min<uint64_t>(UINT32_MAX, LANESCOPE_TRY(numberIn(rest, "expected a number of bytes"))));
  } else {
    watchpoint = LANESCOPE_TRY(elementOf(what));
  }
  uint32_t made = LANESCOPE_TRY(debugger_.watch(std::move(watchpoint)));
  const core::Watchpoint &done = debugger_.watchpoints().at(made);
  std::vector<core::BarrierState> barriers = debugger_.barriers(done.block);
  bool none = done.what == core::Watchpoint::What::Mbarrier && std::ranges::none_of(barriers, [&](const auto &one) {
                return !one.named && one.address == done.address;
              });
  return text("watchpoint ", made, ": ", done.text, none ? ", where none is now" : "");
}

Result<std::string> Stops::remove(std::string_view which) {
  if (!trimmed(which).empty()) {
    uint64_t wanted = LANESCOPE_TRY(numberIn(trimmed(which), "a breakpoint's number is meant"));
    if (!debugger_.remove(static_cast<uint32_t>(std::min<uint64_t>(wanted, UINT32_MAX))))
      return error(kStopKind, Message("there is no breakpoint {}", wanted));
    return text("breakpoint ", wanted, " is gone");
  }
  while (!debugger_.breakpoints().empty())
    debugger_.remove(debugger_.breakpoints().begin()->first);
  while (!debugger_.watchpoints().empty())
    debugger_.remove(debugger_.watchpoints().begin()->first);
  return "nothing stops the run";
}

Result<std::string> Stops::setEnabled(std::string_view which, bool enabled) {
  uint64_t wanted = LANESCOPE_TRY(numberIn(trimmed(which), "a breakpoint's number is meant"));
  if (!debugger_.enable(static_cast<uint32_t>(std::min<uint64_t>(wanted, UINT32_MAX)), enabled))
    return error(kStopKind, Message("there is no breakpoint {}", wanted));
  return text("breakpoint ", wanted, enabled ? " stops" : " is switched off");
}

Result<std::string> Stops::obey(std::string_view words) {
  std::string_view rest = words, first = takeWord(rest);
  if (first == "watch")
    return watch(rest);
  if (first == "break")
    return breakAt(rest);
  if (first == "delete")
    return remove(rest);
  if (first == "enable" || first == "disable")
    return setEnabled(rest, first == "enable");
  bool isLine = first == "if" || first.starts_with("ptx:") || parseInteger<uint64_t>(first);
  return isLine ? breakAt(words) : watch(words);
}

} // namespace lanescope::repl
