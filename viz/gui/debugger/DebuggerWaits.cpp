// The graph of waits. The waiting warps are on the left. The barriers and other things for which they wait are in the
// middle. The warps and copies that have not arrived yet are on the right.
#include "viz/gui/debugger/DebuggerView.h"

#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerWords.h"
#include "viz/gui/style/Widgets.h"

namespace lanescope::viz {

namespace {

/// Edges of warps that wait for the same thing. They are drawn once.
struct WaitGroup {
  std::string what;
  std::vector<core::WarpRef> from, on;
  std::vector<uint32_t> flights;
};

std::vector<WaitGroup> grouped(const std::vector<core::WaitEdge> &edges) {
  std::vector<WaitGroup> out;
  for (const core::WaitEdge &edge : edges) {
    auto same = std::ranges::find_if(out, [&](const WaitGroup &group) {
      return group.what == edge.what && group.on == edge.on && group.flights == edge.flights;
    });
    if (same == out.end())
      same = out.insert(out.end(), WaitGroup{edge.what, {}, edge.on, edge.flights});
    same->from.push_back(edge.from);
  }
  return out;
}

struct WaitNode {
  std::string words;
  ImU32 fill;
};

class WaitColumn {
public:
  WaitColumn(float x, float width, const Theme &theme) : x_(x), width_(width), theme_(theme) {}
  float height(size_t nodes) const { return static_cast<float>(nodes) * (size() + theme_.px(5)); }
  /// Draws the nodes from `y` downwards. Returns the y coordinate of each node's middle.
  std::vector<float> draw(const std::vector<WaitNode> &nodes, float y) const {
    ImDrawList *draw = ImGui::GetWindowDrawList();
    std::vector<float> middles;
    for (const WaitNode &node : nodes) {
      draw->AddRectFilled({x_, y}, {x_ + width_, y + size()}, node.fill, theme_.px(4));
      draw->AddText({x_ + theme_.px(6), y + theme_.px(4)}, Theme::inkOn(node.fill),
                    elided(node.words, width_ - theme_.px(12)).c_str());
      middles.push_back(y + size() / 2);
      y += size() + theme_.px(5);
    }
    return middles;
  }

private:
  float size() const { return ImGui::GetTextLineHeight() + theme_.px(8); }

  float x_, width_;
  const Theme &theme_;
};

} // namespace

/// A warp in a node: "block 0, warp 3"; with several devices of one block "device 1, warp 3".
static std::string nodeWords(const DebugPage &page, core::WarpRef warp) {
  bool oneBlock = page.devices > 1 && page.grid[0] * page.grid[1] * page.grid[2] == 1;
  return oneBlock ? text("device ", warp.block, ", warp ", warp.warp) : warpWords(page, warp);
}

void drawWaits(const DebugPage &page, ViewContext &context) {
  const Theme &theme = context.theme;
  if (page.waits.empty())
    return wrapped("no warp waits", theme.faint);
  wrapped("left: warps that wait; middle: what they wait for; right: the warps or copies that have yet to arrive",
          theme.faint);
  ImGui::BeginChild("waits");
  ImVec2 begin = ImGui::GetCursorScreenPos();
  float width = ImGui::GetContentRegionAvail().x, gap = theme.px(36), pad = theme.px(6), y = begin.y;
  float side = page.devices > 1 ? std::min(theme.px(190), width * 0.3f) : std::min(theme.px(140), width * 0.25f),
        middle = width - 2 * side - 2 * gap;
  WaitColumn left(begin.x, side, theme), right(begin.x + width - side, side, theme);
  ImDrawList *draw = ImGui::GetWindowDrawList();
  for (const WaitGroup &group : grouped(page.waits)) {
    std::vector<WaitNode> from, on;
    for (core::WarpRef warp : group.from)
      from.push_back({nodeWords(page, warp), warpInk(warp.warp, theme)});
    for (core::WarpRef warp : group.on)
      on.push_back({nodeWords(page, warp), warpInk(warp.warp, theme)});
    for (uint32_t flight : group.flights)
      if (flight < page.flights.size())
        on.push_back({text(kindWords(page.flights[flight]), " of ",
                           page.devices > 1 ? blockWords(page, page.flights[flight].warp.block) + " " : std::string(),
                           "warp ", page.flights[flight].warp.warp),
                      theme.raised});
    if (on.empty())
      on.push_back(page.stop.reason == core::StopReason::Fault ? WaitNode{"nothing will arrive", theme.error}
                                                               : WaitNode{"nothing arrives soon", theme.raised});
    float words = ImGui::CalcTextSize(group.what.c_str(), nullptr, false, middle - 2 * pad).y + 2 * pad;
    float height = std::max({words, left.height(from.size()), right.height(on.size())});
    float x = begin.x + side + gap, centre = y + height / 2;
    draw->AddRectFilled({x, centre - words / 2}, {x + middle, centre + words / 2}, theme.panel, theme.px(4));
    draw->AddText(ImGui::GetFont(), ImGui::GetFontSize(), {x + pad, centre - words / 2 + pad}, theme.ink,
                  group.what.c_str(), nullptr, middle - 2 * pad);
    for (float start : left.draw(from, y + (height - left.height(from.size())) / 2))
      draw->AddLine({begin.x + side, start}, {x, centre}, theme.faint, theme.px(1.5f));
    for (float end : right.draw(on, y + (height - right.height(on.size())) / 2))
      draw->AddLine({x + middle, centre}, {begin.x + width - side, end}, theme.faint, theme.px(1.5f));
    y += height + theme.px(14);
  }
  ImGui::Dummy({width, y - begin.y});
  ImGui::EndChild();
}

} // namespace lanescope::viz
