#include "layouts/AddressMap.h"

#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

AddressMap AddressMap::of(const SmemMap &map) {
  AddressMap out;
  out.title_ =
      text("smem_map(", tupleText(map.shape()), ", tiling=", tupleText(map.tiling()),
           ", swizzle=", map.swizzle() ? text(*map.swizzle()) : "None", map.transpose() ? ", transpose=True" : "", ")");
  out.shape_ = map.shape();
  out.bitwidth_ = map.bitwidth();
  out.image_ = map.image();
  out.offsets_.resize(out.image_.size());
  for (size_t k = 0; k < out.image_.size(); ++k)
    out.offsets_[static_cast<size_t>(out.image_[k])] = static_cast<int32_t>(k);
  return out;
}

Result<AddressMap> AddressMap::make(std::string title, Shape shape, int bitwidth, std::vector<int32_t> offsets) {
  if (static_cast<int64_t>(offsets.size()) != elementCount(shape))
    return error("map-size", text("`", title, "` gives ", offsets.size(), " offsets for the ", elementCount(shape),
                                  " elements of shape ", tupleText(shape)));
  int64_t extent = 0;
  for (int32_t offset : offsets) {
    if (offset < 0 || offset >= kMaxMapEntries)
      return error("map-range", text("`", title, "` puts an element at offset ", offset, "; offsets from 0 to ",
                                     kMaxMapEntries - 1, " are supported"));
    extent = std::max<int64_t>(extent, offset + 1);
  }
  AddressMap out;
  out.image_.assign(static_cast<size_t>(extent), -1);
  for (size_t element = offsets.size(); element-- > 0;)
    out.image_[static_cast<size_t>(offsets[element])] = static_cast<int32_t>(element);
  out.title_ = std::move(title);
  out.shape_ = std::move(shape);
  out.bitwidth_ = bitwidth;
  out.offsets_ = std::move(offsets);
  return out;
}

int32_t AddressMap::element(int64_t offset) const {
  return offset >= 0 && offset < extent() ? image_[static_cast<size_t>(offset)] : -1;
}

} // namespace lanescope::layouts
