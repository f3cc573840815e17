// What several grid pictures say and check alike: legends of numbered things, warps and classes; slices.
#pragma once

#include "layouts/Placement.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/LayoutScene.h"

#include <functional>

namespace lanescope::viz {

/// What colours mean when they stand for a numbered thing: each one of few, the ends of a scale of many.
void addScale(Scene &scene, std::string_view what, int64_t count);
/// Which of `count` classes the cells of the scene's grid are of: `classesOf(element, add)` calls `add` for each class
/// of an element that is drawn. All of them where there are too many cells to look at every one.
std::vector<bool>
presentClasses(const Scene &scene, int64_t count,
               const std::function<void(int64_t element, const std::function<void(int64_t)> &add)> &classesOf);
/// One entry per warp of the map, as far as they are `present`.
void addWarps(Scene &scene, const layouts::ElementMap &map, const std::vector<bool> &present);
/// One entry per four neighbours that are `present` (of the 8 such groups).
constexpr int kBankGroups = 8;
void addBanks(Scene &scene, const std::vector<bool> &present);
/// "each element is held by 4 lanes of its warp"; empty where no thread holds what another one does.
std::string copiesWords(const layouts::ElementMap &map);
/// A note on a tile that repeats over the array, and on elements without an owner; each once.
void addCoverage(Scene &scene, const layouts::Placement &placed);
/// The names of ColourBy::Custom's classes; nothing for other colourings.
void addClasses(Scene &scene, const LayoutSceneOptions &options);

/// Errors: a slice outside the shape; ColourBy::Custom without a class for each element.
Result<void> checkPicture(const layouts::Shape &shape, const LayoutSceneOptions &options);
/// " at (2, …)" for a slice, for titles; empty for none.
std::string sliceWords(const layouts::Shape &slice);
CellGridOptions gridOptions(const LayoutSceneOptions &options);

} // namespace lanescope::viz
