// The places of panels: rectangles, the effect of dragging, and orders.
#include "viz/host/Arrangement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lanescope::viz {
namespace {

constexpr DockRect kArea{10, 20, 1000, 600};

float areaOf(const DockRect &rect) { return rect.width * rect.height; }

TEST(Arrangement, PanelsGapsAndTheViewFillTheArea) {
  std::array<DockWish, kDockPanels> wishes = {{{true, 200}, {true, 100}, {true, 300}}};
  for (DockSide files : {DockSide::Left, DockSide::Right, DockSide::Bottom})
    for (DockSide console : {DockSide::Left, DockSide::Right, DockSide::Bottom})
      for (DockSide editor : {DockSide::Left, DockSide::Right, DockSide::Bottom}) {
        Docks docks = {{DockPanel::Files, files}, {DockPanel::Console, console}, {DockPanel::Editor, editor}};
        DockPlan plan = planDocks(docks, wishes, kArea, 8);
        float sum = areaOf(plan.view);
        for (size_t i = 0; i < kDockPanels; ++i)
          sum += areaOf(plan.panels[i]) + areaOf(plan.gaps[i]);
        EXPECT_NEAR(sum, areaOf(kArea), 1);
        for (size_t i = 0; i < kDockPanels; ++i) { // no panel covers the view
          const DockRect &rect = plan.panels[i];
          EXPECT_FALSE(plan.view.contains(rect.x + rect.width / 2, rect.y + rect.height / 2));
        }
      }
}

TEST(Arrangement, UsuallyFilesAreLeftAndTheConsoleBelowTheRest) {
  DockPlan plan = planDocks(usualDocks(), {{{true, 200}, {true, 100}, {false, 300}}}, kArea, 8);
  EXPECT_EQ(plan.panels[0].height, 600); // the whole height
  EXPECT_EQ(plan.panels[1].x, 10 + 200 + 8);
  EXPECT_EQ(plan.panels[1].y, 20 + 500);
  EXPECT_EQ(plan.view.width, 1000 - 208);
  EXPECT_EQ(plan.view.height, 600 - 108);
  EXPECT_EQ(plan.gaps[2].width, 0) << "what is not there has no gap";
}

TEST(Arrangement, AFoldedPanelLeavesItsGap) {
  DockPlan plan = planDocks(usualDocks(), {{{true, 0}, {true, 100}, {false, 0}}}, kArea, 8);
  EXPECT_EQ(plan.panels[0].width, 0);
  EXPECT_EQ(plan.gaps[0].width, 8);
  EXPECT_EQ(plan.view.x, 18);
}

TEST(Arrangement, MovingToItsOwnSidePutsAPanelOutside) {
  Docks docks = usualDocks();
  moveDock(docks, DockPanel::Console, DockSide::Bottom);
  EXPECT_EQ(docks[0].panel, DockPanel::Console);
  EXPECT_EQ(planDocks(docks, {{{true, 200}, {true, 100}, {false, 0}}}, kArea, 8).panels[1].width, 1000);
  moveDock(docks, DockPanel::Console, DockSide::Right);
  EXPECT_EQ(docks[0], (Dock{DockPanel::Console, DockSide::Right}));
}

TEST(Arrangement, DraggingAGapFollowsThePointer) {
  EXPECT_FLOAT_EQ(draggedShare(DockSide::Left, 200, 50, 9, kArea), 0.25f);
  EXPECT_FLOAT_EQ(draggedShare(DockSide::Right, 200, 50, 9, kArea), 0.15f);
  EXPECT_FLOAT_EQ(draggedShare(DockSide::Bottom, 120, 9, -60, kArea), 0.3f);
  EXPECT_EQ(draggedShare(DockSide::Left, 200, -5000, 0, kArea), kLeastShare);
  EXPECT_EQ(draggedShare(DockSide::Left, 200, 5000, 0, kArea), kMostShare);
}

TEST(Arrangement, APanelIsDroppedAtTheNearestSide) {
  EXPECT_EQ(dropSide(kArea, 30, 300), DockSide::Left);
  EXPECT_EQ(dropSide(kArea, 990, 300), DockSide::Right);
  EXPECT_EQ(dropSide(kArea, 500, 600), DockSide::Bottom);
  EXPECT_FALSE(dropSide(kArea, 510, 250)) << "in the middle it stays where it is";
  EXPECT_EQ(dropRect(kArea, DockSide::Right).x, 10 + 750);
}

TEST(Arrangement, SideBarsChangeSidesFoldAndLeaveTheViewRoom) {
  SideBar bar;
  SidePlan plan = planSide(bar, 300, 1000, 10);
  EXPECT_EQ(plan.main, 690);
  EXPECT_EQ(plan.sideX, 700);
  bar.left = true;
  plan = planSide(bar, 300, 1000, 10);
  EXPECT_EQ(plan.mainX, 310);
  EXPECT_EQ(plan.sideX, 0);
  bar.share = 0.8f;
  EXPECT_NEAR(planSide(bar, 300, 100, 10).main, 15, 1e-3);
  bar.folding.toggle();
  bar.folding.decide(false);
  EXPECT_EQ(planSide(bar, 300, 1000, 10).side, 0);
  bar.folding.toggle();
  EXPECT_FALSE(bar.folding.decide(true)) << "somebody wants it, room or not";
}

TEST(Arrangement, FoldsByItselfUntilSomebodyChooses) {
  Folding folding;
  EXPECT_FALSE(folding.decide(false));
  EXPECT_TRUE(folding.decide(true));
  folding.toggle(); // the panel is folded, so this opens it
  EXPECT_FALSE(folding.decide(true));
  folding.toggle();
  EXPECT_TRUE(folding.decide(false));
}

TEST(Arrangement, GridsAreEvenUntilSomebodyDrags) {
  GridShares grid;
  grid.fit(2, 2);
  DockRect first = grid.rectOf(0, 3, kArea, 10), last = grid.rectOf(2, 3, kArea, 10);
  EXPECT_EQ(first.width, 495);
  EXPECT_EQ(first.height, 295);
  EXPECT_EQ(last.width, 1000) << "the last one has its row";
  EXPECT_EQ(last.y, 20 + 295 + 10);
  GridShares::drag(grid.columns, 0, 0.1f);
  grid.fit(2, 2);
  EXPECT_NEAR(grid.rectOf(0, 3, kArea, 10).width, 0.6f * 990, 1e-3);
  EXPECT_NEAR(grid.rectOf(1, 3, kArea, 10).width, 0.4f * 990, 1e-3);
  EXPECT_EQ(grid.rectOf(2, 3, kArea, 10).width, 1000);
  GridShares::drag(grid.columns, 0, 5);
  EXPECT_NEAR(grid.columns[1], 0.25f, 1e-6) << "half of an even share stays";
  GridShares::drag(grid.columns, 1, 5); // there is no line after the last one
  EXPECT_NEAR(grid.columns[0] + grid.columns[1], 1, 1e-6);
  grid.fit(3, 1);
  EXPECT_EQ(grid.columns, (std::vector<float>(3, 1.0f / 3)));
}

TEST(Arrangement, OrdersKeepWhatIsThere) {
  std::vector<std::string> all = {"a", "b", "c"};
  EXPECT_EQ(inOrder({"c", "x", "c"}, all), (std::vector<std::string>{"c", "a", "b"}));
  moveInOrder(all, "a", 1);
  EXPECT_EQ(all, (std::vector<std::string>{"b", "a", "c"}));
  moveInOrder(all, "c", -9);
  EXPECT_EQ(all, (std::vector<std::string>{"c", "b", "a"}));
  moveInOrder(all, "x", 1);
  EXPECT_EQ(all.size(), 3u);
}

TEST(Arrangement, NamesAreReadBack) {
  for (FoldWish fold : {FoldWish::Auto, FoldWish::Open, FoldWish::Folded})
    EXPECT_EQ(foldNamed(name(fold)), fold);
  for (DockSide side : {DockSide::Left, DockSide::Right, DockSide::Bottom})
    EXPECT_EQ(dockSideNamed(name(side)), side);
  for (DockPanel panel : {DockPanel::Files, DockPanel::Console, DockPanel::Editor})
    EXPECT_EQ(dockPanelNamed(name(panel)), panel);
  EXPECT_FALSE(dockSideNamed("top"));
}

} // namespace
} // namespace lanescope::viz
