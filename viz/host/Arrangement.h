// The arrangement of a window: the side, size and folding of each panel around the view, and those of the side bar
// beside each view's pictures.
//
//   Docks docks;                                    // files left, console below, editor left of the view
//   moveDock(docks, DockPanel::Console, DockSide::Right);
//   DockPlan plan = planDocks(docks, wishes, {0, 0, 1600, 900}, 8);     // a rectangle per panel, and the view's
//
// This is plain data and rectangles, without Dear ImGui or drawing.
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
  bool folded = false; // true if it was folded in the last frame
  void toggle() { wish = folded ? FoldWish::Open : FoldWish::Folded; }
  /// Determines and returns `folded` for this frame. `needed`: the pictures need the panel's room.
  bool decide(bool needed) { return folded = wish == FoldWish::Folded || (wish == FoldWish::Auto && needed); }
};

enum class DockPanel : uint8_t { Files, Console, Editor };
enum class DockSide : uint8_t { Left, Right, Bottom };
constexpr size_t kDockPanels = 3;
constexpr float kLeastShare = 0.04f, kMostShare = 0.8f;

struct Dock {
  DockPanel panel = DockPanel::Files;
  DockSide side = DockSide::Left;
  // Relative to the window's size, for panels at its sides and at its bottom; 0: the default.
  float width = 0, height = 0;
  bool operator==(const Dock &) const = default;
  float share() const { return side == DockSide::Bottom ? height : width; }
};
/// All panels, with the outermost first. Each panel takes its side of the area that the panels before it have left.
using Docks = std::vector<Dock>;
Docks usualDocks();
Dock &dockOf(Docks &docks, DockPanel panel);
/// Moves a panel to another side. If that is its own side, moves it outside of all other panels there.
void moveDock(Docks &docks, DockPanel panel, DockSide side);

struct DockRect {
  float x = 0, y = 0, width = 0, height = 0;
  bool contains(float atX, float atY) const { return atX >= x && atX < x + width && atY >= y && atY < y + height; }
};
/// A panel's requested size in a frame, in pixels.
struct DockWish {
  bool there = true; // false: also hides the gap from which the panel can be dragged out
  float size = 0;    // the extent from the panel's side inwards; 0: only the gap
};
struct DockPlan {
  std::array<DockRect, kDockPanels> panels, gaps; // indexed by panel
  DockRect view;
};
DockPlan planDocks(const Docks &docks, const std::array<DockWish, kDockPanels> &wishes, DockRect area, float gap);
/// The panel's size relative to the window after its gap was dragged by `movedX` and `movedY` pixels.
float draggedShare(DockSide side, float size, float movedX, float movedY, DockRect area);
/// The side to which a panel moves if it is dropped at a point: the nearest side. Nothing if the point is in the
/// middle.
std::optional<DockSide> dropSide(DockRect area, float x, float y);
/// The rectangle that a panel gets if it is dropped at this side.
DockRect dropRect(DockRect area, DockSide side);

/// The bar beside a view's pictures.
struct SideBar {
  Folding folding;
  bool left = false; // it is left of the pictures
  float share = 0;   // relative to the view's width; 0: the default
};
struct SidePlan {
  float mainX = 0, main = 0, gapX = 0, sideX = 0, side = 0; // x positions from the view's left edge, and widths
};
/// `usual`: the default width in pixels. If the bar is folded, only the gap remains.
SidePlan planSide(const SideBar &bar, float usual, float width, float gap);

/// The sizes of pictures or texts in a grid. All rows have the same columns, except that the pictures in the last row
/// divide the row equally. All sizes are equal until the user drags a line. They become equal again when the grid
/// changes.
struct GridShares {
  std::vector<float> columns, rows; // each adds up to 1
  void fit(int columnCount, int rowCount);
  /// The rectangle of picture `index` of `count`. Call this after fit().
  DockRect rectOf(int index, int count, DockRect area, float gap) const;
  /// Moves the line after a column or a row. `moved` is relative to the whole.
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
  std::vector<std::string> tabs; // views in the order that the user chose; all others follow in their own order
};
/// The names in the order of their tabs: those in `chosen` come first, in the order of `chosen`.
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
