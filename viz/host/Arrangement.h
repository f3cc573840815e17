// How a window is arranged: which panels stand on which side of the view, how large they are and whether they are
// folded, and the same of what stands beside each view's pictures.
//
//   Docks docks;                                    // files left, console below, editor left of the view
//   moveDock(docks, DockPanel::Console, DockSide::Right);
//   DockPlan plan = planDocks(docks, wishes, {0, 0, 1600, 900}, 8);     // a rectangle each, and the view's
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

/// Auto: folded where the pictures need the room.
enum class FoldWish : uint8_t { Auto, Open, Folded };
struct Folding {
  FoldWish wish = FoldWish::Auto;
  bool folded = false; // in the last frame
  void toggle() { wish = folded ? FoldWish::Open : FoldWish::Folded; }
  /// What holds in this frame; `needed`: its room is.
  bool decide(bool needed) { return folded = wish == FoldWish::Folded || (wish == FoldWish::Auto && needed); }
};

enum class DockPanel : uint8_t { Files, Console, Editor };
enum class DockSide : uint8_t { Left, Right, Bottom };
constexpr size_t kDockPanels = 3;
constexpr float kLeastShare = 0.04f, kMostShare = 0.8f;

struct Dock {
  DockPanel panel = DockPanel::Files;
  DockSide side = DockSide::Left;
  float width = 0, height = 0; // shares of the window's, for its sides and its bottom; 0: as usual
  bool operator==(const Dock &) const = default;
  float share() const { return side == DockSide::Bottom ? height : width; }
};
/// All panels, the outermost first: each takes its side of what those before it leave.
using Docks = std::vector<Dock>;
Docks usualDocks();
Dock &dockOf(Docks &docks, DockPanel panel);
/// To another side, or (to its own) outside of all others.
void moveDock(Docks &docks, DockPanel panel, DockSide side);

struct DockRect {
  float x = 0, y = 0, width = 0, height = 0;
  bool contains(float atX, float atY) const { return atX >= x && atX < x + width && atY >= y && atY < y + height; }
};
/// What a panel wants in a frame, in pixels.
struct DockWish {
  bool there = true; // false: not even the gap that it is dragged out of
  float size = 0;    // across its side; 0: the gap alone
};
struct DockPlan {
  std::array<DockRect, kDockPanels> panels, gaps; // by panel
  DockRect view;
};
DockPlan planDocks(const Docks &docks, const std::array<DockWish, kDockPanels> &wishes, DockRect area, float gap);
/// The share of the window that a panel has after its gap was dragged by that many pixels.
float draggedShare(DockSide side, float size, float movedX, float movedY, DockRect area);
/// The side that a panel goes to when it is dropped at a point: the nearest one, nothing in the middle.
std::optional<DockSide> dropSide(DockRect area, float x, float y);
/// Where it would lie there.
DockRect dropRect(DockRect area, DockSide side);

/// What stands beside a view's pictures.
struct SideBar {
  Folding folding;
  bool left = false; // of the pictures
  float share = 0;   // of the view's width; 0: as usual
};
struct SidePlan {
  float mainX = 0, main = 0, gapX = 0, sideX = 0, side = 0; // from the view's left edge, and widths
};
/// `usual`: its width in pixels where nobody has chosen one. Folded: the gap alone is left of it.
SidePlan planSide(const SideBar &bar, float usual, float width, float gap);

/// How pictures or texts share their room: rows of equal columns, the last row's pictures sharing it alike. Shares are
/// equal until somebody drags, and again when the grid is another one.
struct GridShares {
  std::vector<float> columns, rows; // each adds up to 1
  void fit(int columnCount, int rowCount);
  /// Of picture `index` of `count`, after fit().
  DockRect rectOf(int index, int count, DockRect area, float gap) const;
  /// The line behind a column or a row moves by a share of the whole.
  static void drag(std::vector<float> &shares, size_t line, float moved);
};

struct ViewArrangement {
  SideBar side;
  GridShares grid;
};

/// All of it, as it is kept with a workspace.
struct Arrangement {
  Docks docks = usualDocks();
  Folding files, console;
  std::map<std::string, ViewArrangement> views; // by their names
  std::vector<std::string> tabs;                // views in the order that somebody chose; others follow in their own
};
/// The names as their tabs stand: those of `chosen` first, in its order.
std::vector<std::string> inOrder(const std::vector<std::string> &chosen, const std::vector<std::string> &all);
/// Moves a name by that many places, as far as there are; `order` holds it.
void moveInOrder(std::vector<std::string> &order, std::string_view name, int places);

std::string_view name(FoldWish wish);
std::string_view name(DockPanel panel);
std::string_view name(DockSide side);
std::optional<FoldWish> foldNamed(std::string_view name);
std::optional<DockPanel> dockPanelNamed(std::string_view name);
std::optional<DockSide> dockSideNamed(std::string_view name);

} // namespace lanescope::viz
