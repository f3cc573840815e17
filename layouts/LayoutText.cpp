// The two spellings of a layout that JAX prints: Python's repr and the MLIR attribute. notation/ reads both back.

#include "layouts/TmemLayout.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

std::string pythonPartition(const std::vector<PartitionDim> &entries) {
  std::string out = "(";
  for (size_t i = 0; i < entries.size(); ++i) {
    out += i ? ", " : "";
    if (const auto *replicated = std::get_if<Replicated>(&entries[i]))
      out += text("Replicated(times=", replicated->times, ')');
    else
      out += text(std::get<int64_t>(entries[i]));
  }
  return out + (entries.size() == 1 ? ",)" : ")");
}

std::string pythonTiled(const char *className, const TiledLayout &layout) {
  return text(className, "(tiling=Tiling(tiles=", tilesText(layout.tiling().tiles()),
              "), warp_dims=", pythonPartition(layout.warpDims()), ", lane_dims=", pythonPartition(layout.laneDims()),
              ", vector_dim=", layout.vectorDim(), ')');
}

std::string mlirPartition(const std::vector<PartitionDim> &entries) {
  std::string out = "[";
  for (size_t i = 0; i < entries.size(); ++i) {
    out += i ? ", " : "";
    if (const auto *replicated = std::get_if<Replicated>(&entries[i]))
      out += text("#mosaic_gpu.Replicated<times = ", replicated->times, '>');
    else
      out += text(std::get<int64_t>(entries[i]));
  }
  return out + "]";
}

} // namespace

std::string jaxText(const TiledLayout &layout) { return pythonTiled("TiledLayout", layout); }

std::string jaxText(const WGStridedFragLayout &layout) {
  return text("WGStridedFragLayout(shape=", tupleText(layout.shape()), ", vec_size=", layout.vecSize(), ')');
}

std::string jaxText(const WGSplatFragLayout &layout) {
  return text("WGSplatFragLayout(shape=", tupleText(layout.shape), ')');
}

std::string jaxText(const RegisterLayout &layout) {
  return std::visit([](const auto &l) { return jaxText(l); }, layout);
}

std::string jaxText(const TMEMLayout &layout) { return pythonTiled("TMEMLayout", layout.tiled()); }

std::string mlirText(const TiledLayout &layout) {
  std::string tiles;
  for (const Shape &tile : layout.tiling().tiles())
    tiles += (tiles.empty() ? "" : ", ") + listText(tile);
  return text("#mosaic_gpu.TiledLayout<[", tiles, "], warp_dims = ", mlirPartition(layout.warpDims()),
              ", lane_dims = ", mlirPartition(layout.laneDims()), ", vector_dim = ", layout.vectorDim(), '>');
}

std::string mlirText(const WGStridedFragLayout &layout) {
  return text("#mosaic_gpu.WGStridedFragLayout<", listText(layout.shape()), ", ", layout.vecSize(), '>');
}

std::string mlirText(const WGSplatFragLayout &layout) {
  return text("#mosaic_gpu.WGSplatFragLayout<", listText(layout.shape), '>');
}

std::string mlirText(const RegisterLayout &layout) {
  return std::visit([](const auto &l) { return mlirText(l); }, layout);
}

std::string mlirText(const TMEMLayout &layout) { return mlirText(layout.tiled()); }

} // namespace lanescope::layouts
