// The arrangement of a window: the side, size and folding of each panel around the view, and of the side bar beside
// each view's pictures.
//
//   Docks docks;                                    // files left, console below, editor left of the view
//   moveDock(docks, DockPanel::Console, DockSide::Right);
//   DockPlan plan = planDocks(docks, wishes, {0, 0, 1600, 900}, 8);     // a rectangle per panel, and the view's
//
// Plain data and rectangles: no Dear ImGui, no drawing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

/// Auto: folded if the pictures need the room.
enum class FoldWish : uint8_t { Auto, Open, Folded };
struct Folding {
  FoldWish wish = FoldWish::Auto;
  bool folded = false; // its state in the last frame
  void toggle() { wish = folded ? FoldWish::Open : FoldWish::Folded; }
  /// Sets and returns `folded` for this frame. `needed`: the pictures need the panel's room.
  bool decide(bool needed) { return folded = wish == FoldWish::Folded || (wish == FoldWish::Auto && needed); }
};

enum class DockPanel : uint8_t { Files, Console, Editor };
enum class DockSide : uint8_t { Left, Right, Bottom };
constexpr size_t kDockPanels = 3;
constexpr float kLeastShare = 0.04f, kMostShare = 0.8f;

struct Dock {
  DockPanel panel = DockPanel::Files;
  DockSide side = DockSide::Left;
  float width = 0, height = 0; // shares of the window's size, for its sides and its bottom; 0: default
  bool operator==(const Dock &) const = default;
  float share() const { return side == DockSide::Bottom ? height : width; }
};
/// All panels, the outermost first. Each takes its side of the area that the panels before it leave.
using Docks = std::vector<Dock>;
Docks usualDocks();
Dock &dockOf(Docks &docks, DockPanel panel);
/// Moves a panel to another side, or on its own side outside of all others.
void moveDock(Docks &docks, DockPanel panel, DockSide side);

struct DockRect {
  float x = 0, y = 0, width = 0, height = 0;
  bool contains(float atX, float atY) const { return atX >= x && atX < x + width && atY >= y && atY < y + height; }
};
/// A panel's requested size in a frame, in pixels.
struct DockWish {
  bool there = true; // false: also hide the gap from which it can be dragged out
  float size = 0;    // extent away from its side; 0: only the gap
};
struct DockPlan {
  std::array<DockRect, kDockPanels> panels, gaps; // indexed by panel
  DockRect view;
};
DockPlan planDocks(const Docks &docks, const std::array<DockWish, kDockPanels> &wishes, DockRect area, float gap);
/// The panel's share of the window after its gap was dragged by `movedX` and `movedY` pixels.
float draggedShare(DockSide side, float size, float movedX, float movedY, DockRect area);
/// The side that a panel goes to when it is dropped at a point: the nearest side; nothing in the middle.
std::optional<DockSide> dropSide(DockRect area, float x, float y);
/// The rectangle of a panel that is dropped at that side.
DockRect dropRect(DockRect area, DockSide side);

/// The bar beside a view's pictures.
struct SideBar {
  Folding folding;
  bool left = false; // it is left of the pictures
  float share = 0;   // share of the view's width; 0: default
};
struct SidePlan {
  float mainX = 0, main = 0, gapX = 0, sideX = 0, side = 0; // from the view's left edge, and widths
};
/// `usual`: the default width in pixels. If the bar is folded, only the gap remains.
SidePlan planSide(const SideBar &bar, float usual, float width, float gap);

/// The sizes of pictures or texts in a grid. All rows have the same columns, but the last row's pictures share it
/// equally. Shares are equal until the user drags a line, and become equal again when the grid changes.
struct GridShares {
  std::vector<float> columns, rows; // each adds up to 1
  void fit(int columnCount, int rowCount);
  /// The rectangle of picture `index` of `count`, after fit().
  DockRect rectOf(int index, int count, DockRect area, float gap) const;
  /// Moves the line after a column or a row by a share of the whole.
  static void drag(std::vector<float> &shares, size_t line, float moved);
};

struct ViewArrangement {
  SideBar side;
  GridShares grid;
};

/// The whole arrangement, as a workspace stores it.
struct Arrangement {
  Docks docks = usualDocks();
  Folding files, console;
  std::map<std::string, ViewArrangement> views; // by name
  std::vector<std::string> tabs;                // views in the order that the user chose; others follow in theirs
};
/// The names in the order of their tabs: those of `chosen` first, in its order.
std::vector<std::string> inOrder(const std::vector<std::string> &chosen, const std::vector<std::string> &all);
/// Moves a name by `places`, at most to the end; `order` must contain it.
void moveInOrder(std::vector<std::string> &order, std::string_view name, int places);

std::string_view name(FoldWish wish);
std::string_view name(DockPanel panel);
std::string_view name(DockSide side);
std::optional<FoldWish> foldNamed(std::string_view name);
std::optional<DockPanel> dockPanelNamed(std::string_view name);
std::optional<DockSide> dockSideNamed(std::string_view name);

} // namespace lanescope::viz
