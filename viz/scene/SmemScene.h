// Shared memory as a picture: lines of 128 bytes by 32 banks of 4 bytes, with a box for each element; or the array,
// with each element coloured by its bank.
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

/// Chunk: the 16 bytes of its row (of the tile) that hold the element, which a swizzle moves. Row, Column: the array's.
/// Bank: the element's present bank.
enum class SmemColour { Chunk, Row, Column, Warp, Bank };

std::string_view name(SmemColour colour); // "chunk", "row", "column", "warp", "bank"
std::optional<SmemColour> smemColourNamed(std::string_view name);

/// Shows the elements' places after the swizzle, before it, or both. Auto: both, one above the other, if there is a
/// swizzle and room.
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
  layouts::Shape slice = {}; // a slice of the array; lines and banks are drawn whole
  ColourTheme theme = ColourTheme::Light;
  bool boxes = true; // false: only Scene::raster, axes and legend
};

/// Errors: a tiling or swizzle that does not fit the shape or dtype.
Result<Scene> smemScene(const SmemSpec &spec, const SmemSceneOptions &options = {});
/// Errors: element widths that do not divide a line; `before` has another shape. `before` is the same map if there is
/// no swizzle, and null if it is unknown. `scene` has title and subtitle.
Result<Scene> addressScene(std::shared_ptr<const layouts::AddressMap> map,
                           std::shared_ptr<const layouts::AddressMap> before, layouts::Dtype dtype,
                           const SmemSceneOptions &options = {}, Scene scene = {});
/// The options of a layout's picture that apply here.
SmemSceneOptions addressOptions(const LayoutSceneOptions &options);

} // namespace lanescope::viz
