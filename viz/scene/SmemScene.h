// An array in tiled, swizzled shared memory as a picture: lines of 128 bytes by 32 banks of 4 bytes, each box the
// element found there.
//
//   smemScene({.shape = {8, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128})
#pragma once

#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

struct SmemSpec {
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F16;
  layouts::Shape tiling; // empty: not tiled
  int swizzle = 0;       // bytes: 32, 64, 128; 0 (or 16): none
  bool transpose = false;
};

enum class SmemColour { Row, Column, Bank, Warp };

std::string_view name(SmemColour colour); // "row", "column", "bank", "warp"
std::optional<SmemColour> smemColourNamed(std::string_view name);

struct SmemSceneOptions {
  /// Row, Column: the array's; a column of one colour spread over all banks is what a swizzle is for. Warp: the warp of
  /// `owners` that holds the element (needs `owners`).
  SmemColour colourBy = SmemColour::Row;
  bool unswizzled = false; // the picture before the swizzle
  std::optional<layouts::RegisterLayout> owners;
  bool tooltips = true;
  int64_t maxLabelled = 1 << 13;
  int64_t maxLines = 512; // of 128 bytes; later ones are left out with a note
};

/// Errors: a tiling or swizzle that does not fit the shape or dtype; elements narrower than a byte.
Result<Scene> smemScene(const SmemSpec &spec, const SmemSceneOptions &options = {});

} // namespace lanescope::viz
