// Words and checks that several grid pictures share: legends of numbered things, warps and classes; slices.
#pragma once

#include "layouts/Placement.h"
#include "viz/scene/CellGrid.h"
#include "viz/scene/LayoutScene.h"

#include <functional>

namespace lanescope::viz {

/// Explains the colours of numbered things. If they are few, it lists each of them; otherwise it shows the ends of a
/// scale.
void addScale(Scene &scene, std::string_view what, int64_t count);
/// Finds which of the `count` classes occur in the cells of the scene's grid. `classesOf(element, add)` calls `add` for
/// each class of an element. If there are too many cells to examine, all classes count as present.
std::vector<bool>
presentClasses(const Scene &scene, int64_t count,
               const std::function<void(int64_t element, const std::function<void(int64_t)> &add)> &classesOf);
/// Adds one entry for each warp of the map that is `present`.
void addWarps(Scene &scene, const layouts::ElementMap &map, const std::vector<bool> &present);
/// Adds one entry for each group of four neighbouring banks that is `present`. There are 8 groups.
constexpr int kBankGroups = 8;
void addBanks(Scene &scene, const std::vector<bool> &present);
/// "each element is held by 4 lanes of its warp"; empty if there are no copies.
std::string copiesWords(const layouts::ElementMap &map);
/// Adds a note about a tile that repeats over the array, and one about elements without an owner, if they apply.
void addCoverage(Scene &scene, const layouts::Placement &placed);
/// Adds the names of ColourBy::Custom's classes. Does nothing for other colourings.
void addClasses(Scene &scene, const LayoutSceneOptions &options);

/// Errors: a slice outside the shape; ColourBy::Custom without a class for each element.
Result<void> checkPicture(const layouts::Shape &shape, const LayoutSceneOptions &options);
/// " at (2, …)": the words for a slice in a title. Empty if there is no slice.
std::string sliceWords(const layouts::Shape &slice);
CellGridOptions gridOptions(const LayoutSceneOptions &options);

} // namespace lanescope::viz
