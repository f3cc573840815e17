#include "viz/host/Arrangement.h"

#include <algorithm>

namespace lanescope::viz {

namespace {

constexpr std::array<std::string_view, 3> kFolds = {"auto", "open", "folded"};
constexpr std::array<std::string_view, kDockPanels> kPanels = {"files", "console", "editor"};
constexpr std::array<std::string_view, 3> kSides = {"left", "right", "bottom"};

template <typename E> std::optional<E> named(const std::array<std::string_view, 3> &names, std::string_view name) {
  auto at = std::ranges::find(names, name);
  return at == names.end() ? std::nullopt : std::optional(static_cast<E>(at - names.begin()));
}

/// Cuts a strip of `size` pixels off one side of the area.
DockRect cut(DockRect &area, DockSide side, float size) {
  DockRect strip = area;
  if (side == DockSide::Bottom) {
    strip.height = std::min(size, area.height);
    strip.y = area.y + area.height - strip.height;
    area.height -= strip.height;
    return strip;
  }
  strip.width = std::min(size, area.width);
  area.width -= strip.width;
  if (side == DockSide::Left)
    area.x += strip.width;
  else
    strip.x = area.x + area.width;
  return strip;
}

} // namespace

Docks usualDocks() {
  return {
      {DockPanel::Files, DockSide::Left}, {DockPanel::Console, DockSide::Bottom}, {DockPanel::Editor, DockSide::Left}};
}

Dock &dockOf(Docks &docks, DockPanel panel) {
  auto at = std::ranges::find(docks, panel, &Dock::panel);
  return at != docks.end() ? *at : docks.emplace_back(Dock{panel});
}

void moveDock(Docks &docks, DockPanel panel, DockSide side) {
  Dock moved = dockOf(docks, panel);
  if (moved.side != side) {
    dockOf(docks, panel).side = side;
    return;
  }
  std::erase_if(docks, [&](const Dock &dock) { return dock.panel == panel; });
  docks.insert(docks.begin(), moved);
}

DockPlan planDocks(const Docks &docks, const std::array<DockWish, kDockPanels> &wishes, DockRect area, float gap) {
  DockPlan plan;
  for (const Dock &dock : docks) {
    const DockWish &wish = wishes[static_cast<size_t>(dock.panel)];
    if (!wish.there)
      continue;
    if (wish.size > 0)
      plan.panels[static_cast<size_t>(dock.panel)] = cut(area, dock.side, wish.size);
    plan.gaps[static_cast<size_t>(dock.panel)] = cut(area, dock.side, gap);
  }
  plan.view = area;
  return plan;
}

float draggedShare(DockSide side, float size, float movedX, float movedY, DockRect area) {
  float moved = side == DockSide::Left ? movedX : side == DockSide::Right ? -movedX : -movedY;
  float whole = std::max(side == DockSide::Bottom ? area.height : area.width, 1.0f);
  return std::clamp((size + moved) / whole, kLeastShare, kMostShare);
}

std::optional<DockSide> dropSide(DockRect area, float x, float y) {
  constexpr float kNear = 0.3f; // part of the area's width or height
  float left = (x - area.x) / std::max(area.width, 1.0f),
        below = (area.y + area.height - y) / std::max(area.height, 1.0f);
  float right = 1 - left, nearest = std::min({left, right, below});
  if (nearest > kNear)
    return std::nullopt;
  return nearest == below ? DockSide::Bottom : nearest == left ? DockSide::Left : DockSide::Right;
}

DockRect dropRect(DockRect area, DockSide side) {
  constexpr float kShown = 0.25f;
  return cut(area, side, kShown * (side == DockSide::Bottom ? area.height : area.width));
}

SidePlan planSide(const SideBar &bar, float usual, float width, float gap) {
  SidePlan plan;
  constexpr float kLeastMain = 0.15f;
  float most = std::max(width * (1 - kLeastMain) - gap, 0.0f);
  plan.side = bar.folding.folded ? 0 : std::min(bar.share > 0 ? bar.share * width : usual, most);
  plan.main = std::max(width - gap - plan.side, 0.0f);
  plan.mainX = bar.left ? plan.side + gap : 0;
  plan.gapX = bar.left ? plan.side : plan.main;
  plan.sideX = bar.left ? 0 : plan.main + gap;
  return plan;
}

void GridShares::fit(int columnCount, int rowCount) {
  auto even = [](std::vector<float> &shares, int count) {
    if (shares.size() != static_cast<size_t>(count))
      shares.assign(static_cast<size_t>(count), 1.0f / static_cast<float>(std::max(count, 1)));
  };
  even(columns, columnCount);
  even(rows, rowCount);
}

DockRect GridShares::rectOf(int index, int count, DockRect area, float gap) const {
  auto across = static_cast<int>(columns.size());
  int row = index / across, column = index % across, inRow = std::min(across, count - row * across);
  auto before = [](const std::vector<float> &shares, int end) {
    float sum = 0;
    for (int i = 0; i < end; ++i)
      sum += shares[static_cast<size_t>(i)];
    return sum;
  };
  float height = area.height - gap * static_cast<float>(rows.size() - 1);
  float width = area.width - gap * static_cast<float>(inRow - 1);
  bool whole = inRow == across;
  float left = whole ? before(columns, column) : static_cast<float>(column) / static_cast<float>(inRow);
  float share = whole ? columns[static_cast<size_t>(column)] : 1.0f / static_cast<float>(inRow);
  return {area.x + left * width + gap * static_cast<float>(column),
          area.y + before(rows, row) * height + gap * static_cast<float>(row), share * width,
          rows[static_cast<size_t>(row)] * height};
}

void GridShares::drag(std::vector<float> &shares, size_t line, float moved) {
  if (line + 1 >= shares.size())
    return;
  constexpr float kLeast = 0.5f; // part of an equal share
  float both = shares[line] + shares[line + 1];
  float least = std::min(kLeast / static_cast<float>(shares.size()), both / 2);
  shares[line] = std::clamp(shares[line] + moved, least, both - least);
  shares[line + 1] = both - shares[line];
}

std::vector<std::string> inOrder(const std::vector<std::string> &chosen, const std::vector<std::string> &all) {
  std::vector<std::string> out;
  for (const std::string &each : chosen)
    if (std::ranges::find(all, each) != all.end() && std::ranges::find(out, each) == out.end())
      out.push_back(each);
  for (const std::string &each : all)
    if (std::ranges::find(out, each) == out.end())
      out.push_back(each);
  return out;
}

void moveInOrder(std::vector<std::string> &order, std::string_view name, int places) {
  auto at = std::ranges::find(order, name);
  if (at == order.end())
    return;
  auto from = at - order.begin(), last = static_cast<std::ptrdiff_t>(order.size()) - 1;
  auto to = std::clamp<std::ptrdiff_t>(from + places, 0, last);
  if (to < from)
    std::rotate(order.begin() + to, at, at + 1);
  else
    std::rotate(at, at + 1, order.begin() + to + 1);
}

std::string_view name(FoldWish wish) { return kFolds[static_cast<size_t>(wish)]; }
std::string_view name(DockPanel panel) { return kPanels[static_cast<size_t>(panel)]; }
std::string_view name(DockSide side) { return kSides[static_cast<size_t>(side)]; }
std::optional<FoldWish> foldNamed(std::string_view name) { return named<FoldWish>(kFolds, name); }
std::optional<DockPanel> dockPanelNamed(std::string_view name) { return named<DockPanel>(kPanels, name); }
std::optional<DockSide> dockSideNamed(std::string_view name) { return named<DockSide>(kSides, name); }

} // namespace lanescope::viz
