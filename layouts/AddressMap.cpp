#include "layouts/AddressMap.h"

#include "layouts/DigitMap.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

AddressMap::AddressMap(std::string title, Shape shape, int bitwidth, std::vector<int32_t> offsets, int64_t extent)
    : title_(std::move(title)), shape_(std::move(shape)), bitwidth_(bitwidth), offsets_(std::move(offsets)),
      extent_(extent), image_(std::make_shared<Image>()) {}

AddressMap AddressMap::of(const SmemMap &map) {
  std::vector<int32_t> image = map.image(), offsets(image.size());
  for (size_t k = 0; k < offsets.size(); ++k)
    offsets[static_cast<size_t>(image[k])] = static_cast<int32_t>(k);
  auto extent = static_cast<int64_t>(offsets.size());
  return {text("smem_map(", tupleText(map.shape()), ", tiling=", tupleText(map.tiling()), ", swizzle=",
               map.swizzle() ? text(*map.swizzle()) : "None", map.transpose() ? ", transpose=True" : "", ")"),
          map.shape(), map.bitwidth(), std::move(offsets), extent};
}

Result<AddressMap> AddressMap::make(std::string title, Shape shape, int bitwidth, std::vector<int32_t> offsets,
                                    int64_t extent) {
  if (static_cast<int64_t>(offsets.size()) != elementCount(shape))
    return error("map-size", Message("`{name}` gives {count} offsets for the {elements} elements of shape {shape}",
                                     title, offsets.size(), elementCount(shape), tupleText(shape)));
  for (int32_t offset : offsets) {
    if (offset < 0 || offset >= kMaxMapEntries)
      return error("map-range",
                   Message("`{name}` puts an element at offset {offset}; offsets from 0 to {limit} are supported",
                           title, offset, kMaxMapEntries - 1));
    extent = std::max<int64_t>(extent, offset + 1);
  }
  return AddressMap(std::move(title), std::move(shape), bitwidth, std::move(offsets), extent);
}

std::span<const int32_t> AddressMap::image() const {
  std::call_once(image_->made, [&] {
    image_->elements.assign(static_cast<size_t>(extent_), -1);
    for (size_t element = offsets_.size(); element-- > 0;)
      image_->elements[static_cast<size_t>(offsets_[element])] = static_cast<int32_t>(element);
  });
  return image_->elements;
}

int32_t AddressMap::element(int64_t offset) const {
  return offset >= 0 && offset < extent() ? image()[static_cast<size_t>(offset)] : -1;
}

} // namespace lanescope::layouts
