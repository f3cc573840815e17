// The storage of a shared-memory reference: in tiles, and swizzled. Plain data; LayoutAttributes.h makes its text in
// the IR.
#pragma once

#include "layouts/Shape.h"

#include <optional>
#include <string>

namespace lanescope::core {

/// `tiling` applies to the trailing dimensions; `swizzle` is in bytes; 0 means none.
struct SmemTransforms {
  std::optional<layouts::Shape> tiling;
  int swizzle = 0;
  bool operator==(const SmemTransforms &) const = default;
};

/// JAX's Python form: `[TileTransform(tiling=(8, 64)), SwizzleTransform(swizzle=128)]`; `[]` without any.
std::string jaxText(const SmemTransforms &transforms);

} // namespace lanescope::core
