#include "viz/gui/debugger/DebuggerState.h"

#include "viz/gui/debugger/DebuggerActions.h"
#include "viz/gui/debugger/DebuggerModel.h"

#include <nlohmann/json.hpp>

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

} // namespace lanescope::viz
