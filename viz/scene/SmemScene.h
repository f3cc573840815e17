// An array in tiled, swizzled shared memory as a picture: lines of 128 bytes by 32 banks of 4 bytes, each box the
// element found there.
//
//   smemScene({.shape = {8, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128})
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
enum class SmemColour { Chunk, Row, Column, Warp };

std::string_view name(SmemColour colour); // "chunk", "row", "column", "warp"
std::optional<SmemColour> smemColourNamed(std::string_view name);

/// Auto: both, one above the other, where there is a swizzle and room.
enum class SmemStage { Auto, Swizzled, Unswizzled, Both };

struct SmemSceneOptions {
  SmemColour colourBy = SmemColour::Chunk;
  SmemStage stage = SmemStage::Auto;
  std::optional<layouts::RegisterLayout> owners = std::nullopt; // whose warps SmemColour::Warp shows
  bool tooltips = true;
  int64_t maxLabelled = 1 << 13;
  int64_t maxLines = 512; // of 128 bytes; later ones are left out with a note
};

/// Errors: a tiling or swizzle that does not fit the shape or dtype; elements narrower than a byte.
Result<Scene> smemScene(const SmemSpec &spec, const SmemSceneOptions &options = {});

} // namespace lanescope::viz
