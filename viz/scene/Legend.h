// Words and checks that several grid pictures share: legends of numbered things, warps and classes; slices.
#pragma once

#include "layouts/Placement.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/LayoutScene.h"

#include <functional>

namespace lanescope::viz {

/// Explains colours that stand for numbered things: each one if they are few, else the ends of a scale.
void addScale(Scene &scene, std::string_view what, int64_t count);
/// The classes (of `count`) that occur in the cells of the scene's grid. `classesOf(element, add)` calls `add` for each
/// class of a drawn element. Returns all classes if there are too many cells to examine.
std::vector<bool>
presentClasses(const Scene &scene, int64_t count,
               const std::function<void(int64_t element, const std::function<void(int64_t)> &add)> &classesOf);
/// Adds one entry per warp of the map that is `present`.
void addWarps(Scene &scene, const layouts::ElementMap &map, const std::vector<bool> &present);
/// Adds one entry per group of four neighbouring banks that is `present` (there are 8 groups).
constexpr int kBankGroups = 8;
void addBanks(Scene &scene, const std::vector<bool> &present);
/// "each element is held by 4 lanes of its warp"; empty if there are no copies.
std::string copiesWords(const layouts::ElementMap &map);
/// Adds a note on a tile that repeats over the array, and on elements without an owner; each once.
void addCoverage(Scene &scene, const layouts::Placement &placed);
/// Adds the names of ColourBy::Custom's classes; nothing for other colourings.
void addClasses(Scene &scene, const LayoutSceneOptions &options);

/// Errors: a slice outside the shape; ColourBy::Custom without a class for each element.
Result<void> checkPicture(const layouts::Shape &shape, const LayoutSceneOptions &options);
/// " at (2, …)" for a slice, for titles; empty if there is none.
std::string sliceWords(const layouts::Shape &slice);
CellGridOptions gridOptions(const LayoutSceneOptions &options);

} // namespace lanescope::viz
