// A matrix over F2 as a picture: how a linear layout maps bits.
//
//   f2Scene({.rows = {"dim0 bit 0", …}, .columns = {"lane 1", "lane 2", …}, .entries = {1, 0, …}}, "a layout")
//
// Rows are bits of the element's coordinates, columns are bits of its place. A 1 means that flipping the place's bit
// flips that bit of the coordinate. Rows and columns whose names share all but their last word form a group.
#pragma once

#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

struct MatrixSceneOptions {
  bool tooltips = true;
  ColourTheme theme = ColourTheme::Light;
};

/// Errors: no rows or no columns, more than 64 of either, entries that are not rows x columns of 0 and 1.
Result<Scene> f2Scene(const MatrixSubject &matrix, std::string title, const MatrixSceneOptions &options = {});

} // namespace lanescope::viz
