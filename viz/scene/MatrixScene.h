// A matrix over F2 as a picture, which shows how a linear layout maps bits.
//
//   f2Scene({.rows = {"dim0 bit 0", …}, .columns = {"lane 1", "lane 2", …}, .entries = {1, 0, …}}, "a layout")
//
// Rows are bits of an element's coordinates, and columns are bits of its place. If an entry is 1, flipping the place's
// bit flips that bit of the coordinate. Rows (or columns) whose names differ only in the last word form a group.
#pragma once

#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

struct MatrixSceneOptions {
  bool tooltips = true;
  ColourTheme theme = ColourTheme::Light;
};

/// Errors: no rows or no columns, more than 64 of either, or entries that are not rows x columns of 0 and 1.
Result<Scene> f2Scene(const MatrixSubject &matrix, std::string title, const MatrixSceneOptions &options = {});

} // namespace lanescope::viz
