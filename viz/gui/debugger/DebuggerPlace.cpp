#include "viz/gui/debugger/DebuggerPlace.h"

#include "viz/gui/debugger/DebuggerActions.h"
#include "viz/gui/debugger/DebuggerModel.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace lanescope::viz {

using nlohmann::json;

json debuggerState(const DebuggerModel &model) {
  const DebugPage *page = model.page();
  if (!page)
    return nullptr;
  json stops = json::array();
  for (const DebugStop &stop : page->stops) {
    json one = {{"words", stop.command}};
    if (!stop.enabled)
      one["off"] = true;
    if (stop.block != 0)
      one["block"] = stop.block;
    stops.push_back(std::move(one));
  }
  json out = {{"last", page->last},
              {"block", page->focus.block},
              {"warp", page->focus.warp},
              {"panel", debugPanels()[static_cast<size_t>(model.panel())].name},
              {"stops", std::move(stops)}};
  if (page->lastIsEnd)
    out["end"] = true;
  using enum core::StopReason;
  if (page->stop.reason != Start && page->stop.reason != End && page->stop.reason != Fault)
    out["moment"] = page->stop.moment;
  if (model.sharedWord != 0)
    out["word"] = model.sharedWord;
  return out;
}

namespace {

using core::Json;

constexpr size_t kMostStops = 200; // the stops that one state may name

std::string textIn(const Json &object, std::string_view name) {
  const Json *found = object.find(name);
  return found && found->is(Json::Kind::String) ? found->string : std::string();
}

bool truthIn(const Json &object, std::string_view name) {
  const Json *found = object.find(name);
  return found && found->is(Json::Kind::Bool) && found->boolean;
}

/// Nothing if there is no such number.
std::optional<double> numberIn(const Json &object, std::string_view name) {
  const Json *found = object.find(name);
  bool known =
      found && (found->is(Json::Kind::Number) || found->is(Json::Kind::Integer)) && std::isfinite(found->number);
  return known ? std::optional(std::max(found->number, 0.0)) : std::nullopt;
}

uint32_t countIn(const Json &object, std::string_view name) {
  return static_cast<uint32_t>(std::min(numberIn(object, name).value_or(0), double(UINT32_MAX)));
}

} // namespace

std::deque<DebuggerStep> debuggerSteps(const Json &state) {
  std::deque<DebuggerStep> out;
  auto add = [&](std::function<void(DebuggerModel &)> run, bool setsStop = false) {
    out.push_back({std::move(run), setsStop});
  };
  add([](DebuggerModel &model) { model.setFocus({}); });
  if (const Json *stops = state.find("stops"); stops && stops->is(Json::Kind::Array))
    for (const Json &stop : std::span(stops->items).first(std::min(stops->items.size(), kMostStops))) {
      // A watchpoint is for the focused block.
      add([block = countIn(stop, "block")](DebuggerModel &model) { model.setFocus({block, 0}); });
      add([words = textIn(stop, "words")](DebuggerModel &model) { model.obey(words); }, true);
      if (truthIn(stop, "off"))
        add([](DebuggerModel &model) {
          const DebugPage *page = model.page();
          if (page && !page->refused && !page->stops.empty())
            model.enableStop(std::ranges::max(page->stops, {}, &DebugStop::number).number, false);
        });
    }
  auto panel = std::ranges::find(debugPanels(), textIn(state, "panel"), &DebugPanelEntry::name);
  add([panel = panel == debugPanels().end() ? DebugPanel::Warps : panel->panel,
       word = countIn(state, "word")](DebuggerModel &model) {
    model.showPanel(panel);
    model.sharedWord = word;
  });
  // The page shows how far the run has gone, so it goes there first. A state without a moment stands at the start, at
  // the end, or before the fault.
  auto goTo = [&](std::optional<double> moment) {
    if (moment)
      add([at = static_cast<uint64_t>(std::min(*moment, 1e18))](DebuggerModel &model) { model.goTo(at); });
  };
  if (truthIn(state, "end"))
    add([](DebuggerModel &model) { model.perform(DebugAction::End); });
  else if (auto last = numberIn(state, "last"); last > 0)
    goTo(last);
  goTo(state.find("moment") ? std::optional(numberIn(state, "moment").value_or(0)) : std::nullopt);
  add([warp = core::WarpRef{countIn(state, "block"), countIn(state, "warp")}](DebuggerModel &model) {
    model.setFocus(warp);
  });
  return out;
}

} // namespace lanescope::viz
