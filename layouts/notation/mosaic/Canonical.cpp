#include "layouts/notation/mosaic/Canonical.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts {

Result<TiledLayout> readTiled(const Scanner &in, uint32_t begin, Tiling tiling, std::vector<PartitionDim> warpDims,
                              std::vector<PartitionDim> laneDims, int64_t vectorDim, Diagnostics *remarks) {
  Result<TiledLayout> layout = TiledLayout::makeCanonical(tiling, warpDims, laneDims, vectorDim);
  if (!layout)
    return at(in.spanFrom(begin), std::move(layout.error()));
  bool asWritten = layout->tiling() == tiling && layout->warpDims() == warpDims && layout->laneDims() == laneDims &&
                   layout->vectorDim() == vectorDim;
  if (!asWritten && remarks)
    remarks->push_back({Severity::Note,
                        "layout-canonicalized",
                        in.spanFrom(begin),
                        text("the layout is not canonical; it was read as ", jaxText(*layout)),
                        {}});
  return layout;
}

} // namespace lanescope::layouts
