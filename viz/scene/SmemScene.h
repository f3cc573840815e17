// Shared memory as a picture: lines of 128 bytes by 32 banks of 4 bytes, with a box for each element. Another picture
// shows the array, with each element in the colour of its bank.
//
//   smemScene({.shape = {8, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128})   // a Mosaic reference
//   addressScene(map, unswizzled, Dtype::F16)       // any layout's addresses, and those without the swizzle
#pragma once

#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

struct SmemSpec {
  layouts::Shape shape = {};
  layouts::Dtype dtype = layouts::Dtype::F16;
  layouts::Shape tiling = {}; // empty: not tiled
  int swizzle = 0;            // bytes: 32, 64, 128; 0 (or 16): none
  bool transpose = false;
};

/// The property that a colour shows. Chunk: the 16 bytes of a row (of the tile) that hold the element. A swizzle moves
/// whole chunks. Row, Column: the row or column of the array. Bank: the element's bank after the swizzle.
enum class SmemColour { Chunk, Row, Column, Warp, Bank };

std::string_view name(SmemColour colour); // "chunk", "row", "column", "warp", "bank"
std::optional<SmemColour> smemColourNamed(std::string_view name);

/// Shows the elements' places after the swizzle, before it, or both. Auto: if there is a swizzle and enough room, both,
/// one above the other.
enum class SmemStage { Auto, Swizzled, Unswizzled, Both };

std::string_view name(SmemStage stage); // "auto", "after", "before", "both"
std::optional<SmemStage> smemStageNamed(std::string_view name);

struct SmemSceneOptions {
  SmemColour colourBy = SmemColour::Chunk;
  SmemStage stage = SmemStage::Auto;
  std::optional<layouts::Layout> owners = std::nullopt; // the layout whose warps SmemColour::Warp shows
  bool tooltips = true;
  int64_t maxLabelled = 1 << 13;
  int64_t maxLines = 512;    // lines of 128 bytes; later ones are left out with a note
  bool array = false;        // show the array's rows and columns instead of lines and banks
  layouts::Shape slice = {}; // a slice of the array; pictures of lines and banks always show the whole array
  ColourTheme theme = ColourTheme::Light;
  bool boxes = true; // false: makes only Scene::raster, axes and legend
};

/// Errors: a tiling or swizzle that does not fit the shape or dtype.
Result<Scene> smemScene(const SmemSpec &spec, const SmemSceneOptions &options = {});
/// Errors: element widths that do not divide a line, or a `before` of another shape. `before` is the same map if there
/// is no swizzle, and null if it is unknown. `scene` must have its title and subtitle.
Result<Scene> addressScene(std::shared_ptr<const layouts::AddressMap> map,
                           std::shared_ptr<const layouts::AddressMap> before, layouts::Dtype dtype,
                           const SmemSceneOptions &options = {}, Scene scene = {});
/// The options of a layout's picture that also apply to this picture.
SmemSceneOptions addressOptions(const LayoutSceneOptions &options);

} // namespace lanescope::viz
