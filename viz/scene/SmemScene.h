// Shared memory as a picture: lines of 128 bytes by 32 banks of 4 bytes, each box the element found there; or the
// array, each element coloured by its bank.
//
//   smemScene({.shape = {8, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128})   // one of Mosaic's
//   references addressScene(map, unswizzled, Dtype::F16)       // any layout's addresses, with those that it would have
//   unswizzled
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

/// Chunk: which 16 bytes of its row (of the tile) the element is in: what a swizzle moves. Row, Column: the array's.
/// Bank: where the element lies now.
enum class SmemColour { Chunk, Row, Column, Warp, Bank };

std::string_view name(SmemColour colour); // "chunk", "row", "column", "warp", "bank"
std::optional<SmemColour> smemColourNamed(std::string_view name);

/// Where elements lie after the swizzle, before it, or both. Auto: both, one above the other, where there is a swizzle
/// and room.
enum class SmemStage { Auto, Swizzled, Unswizzled, Both };

std::string_view name(SmemStage stage); // "auto", "after", "before", "both"
std::optional<SmemStage> smemStageNamed(std::string_view name);

struct SmemSceneOptions {
  SmemColour colourBy = SmemColour::Chunk;
  SmemStage stage = SmemStage::Auto;
  std::optional<layouts::Layout> owners = std::nullopt; // whose warps SmemColour::Warp shows
  bool tooltips = true;
  int64_t maxLabelled = 1 << 13;
  int64_t maxLines = 512;    // of 128 bytes; later ones are left out with a note
  bool array = false;        // the array's rows and columns instead of lines and banks
  layouts::Shape slice = {}; // of the array; lines and banks are drawn whole
  ColourTheme theme = ColourTheme::Light;
  bool boxes = true; // false: no boxes, only Scene::raster, axes and legend
};

/// Errors: a tiling or swizzle that does not fit the shape or dtype.
Result<Scene> smemScene(const SmemSpec &spec, const SmemSceneOptions &options = {});
/// Errors: element widths that do not divide a line; `before` of another shape. `before`: the same
/// map where nothing is swizzled; null where it is unknown. `scene` brings
/// title and subtitle.
Result<Scene> addressScene(std::shared_ptr<const layouts::AddressMap> map,
                           std::shared_ptr<const layouts::AddressMap> before, layouts::Dtype dtype,
                           const SmemSceneOptions &options = {}, Scene scene = {});
/// The options of a layout's picture that mean something here.
SmemSceneOptions addressOptions(const LayoutSceneOptions &options);

} // namespace lanescope::viz
