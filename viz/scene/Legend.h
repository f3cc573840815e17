// What several grid pictures say and check alike: legends of numbered things, warps and classes; slices.
#pragma once

#include "viz/scene/CellGrid.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// What colours mean when they stand for a numbered thing: each one of few, the ends of a scale of many.
void addScale(Scene &scene, std::string_view what, int64_t count);
/// One entry per warp of a layout of so many threads.
void addWarps(Scene &scene, int threads);
void addBanks(Scene &scene);
/// The names of ColourBy::Custom's classes; nothing for other colourings.
void addClasses(Scene &scene, const LayoutSceneOptions &options);

/// Errors: a slice outside the shape; ColourBy::Custom without a class for each element.
Result<void> checkPicture(const layouts::Shape &shape, const LayoutSceneOptions &options);
/// " at (2, …)" for a slice, for titles; empty for none.
std::string sliceWords(const layouts::Shape &slice);
CellGridOptions gridOptions(const LayoutSceneOptions &options);

} // namespace lanescope::viz
