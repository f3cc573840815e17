#include "layouts/SharedMemory.h"

#include "layouts/DigitMap.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

bool isElementWidth(int bits) { return bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64; }
bool isSwizzle(int bytes) { return bytes == 16 || bytes == 32 || bytes == 64 || bytes == 128; }

} // namespace

Result<SmemMap> SmemMap::of(Shape shape, int bitwidth, Shape tiling, std::optional<int> swizzle, bool transpose) {
  Result<int64_t> count = checkedElementCount(shape);
  if (!count)
    return std::unexpected(std::move(count.error()));
  if (*count > kMaxMapEntries)
    return error("map-too-large",
                 Message("shape {shape} has {elements} elements; shared-memory maps of up to {limit} are supported",
                         tupleText(shape), *count, kMaxMapEntries));
  if (!isElementWidth(bitwidth))
    return error("bitwidth", Message("elements in shared memory have 4, 8, 16, 32 or 64 bits, got {bits}", bitwidth));
  if (swizzle && !isSwizzle(*swizzle))
    return error("swizzle", Message("swizzle must be 32, 64 or 128 bytes, or 16 or `None` for none, got {}", *swizzle));
  if (tiling.size() > shape.size())
    return error("smem-tiling",
                 Message("tiling {tile} has more dimensions than shape {shape}", tupleText(tiling), tupleText(shape)));
  if (std::ranges::any_of(tiling, [](int64_t size) { return size <= 0; }))
    return error("smem-tiling", Message("tile sizes must be positive, got {tile}", tupleText(tiling)));

  size_t rank = shape.size(), leading = rank - tiling.size();
  // At least one, because an empty array would cause a division by zero.
  Shape tile(rank);
  for (size_t i = 0; i < rank; ++i) {
    tile[i] = std::max<int64_t>(1, i < leading ? shape[i] : std::min(shape[i], tiling[i - leading]));
    if (shape[i] % tile[i] != 0)
      return error("smem-tiling", Message("shape {shape} can't be cut into tiles of {tile}: {} is not a multiple of {}",
                                          tupleText(shape), tupleText(tiling), shape[i], tile[i]));
  }
  if (swizzle == 16)
    swizzle = std::nullopt;
  if (swizzle) {
    int64_t rowBits = (rank ? tile[rank - 1] : 1) * bitwidth;
    if (rowBits != int64_t(8) * *swizzle)
      return error("smem-swizzle",
                   Message("a {bytes}-byte swizzle needs tile rows of {other_bytes} bytes, {elements} elements of "
                           "{bits} bits; they have {} elements",
                           *swizzle, *swizzle, 8 * *swizzle / bitwidth, bitwidth, rank ? tile[rank - 1] : 1));
  }

  SmemMap map;
  map.bitwidth_ = bitwidth;
  map.swizzle_ = swizzle;
  map.transpose_ = transpose;
  // The order in memory: leading dimensions, then the tile counts, then the tiles. Strides are computed from the minor
  // end.
  std::vector<size_t> tiled;
  for (size_t i = leading; i < rank; ++i)
    tiled.push_back(i);
  if (transpose)
    std::ranges::reverse(tiled);
  map.dims_.resize(rank);
  int64_t stride = 1;
  for (size_t i = rank; i-- > leading;) {
    map.dims_[i] = {shape[i], tile[i], 0, stride};
    stride *= tile[i];
  }
  for (size_t k = tiled.size(); k-- > 0;) {
    size_t i = tiled[k];
    map.dims_[i].tileStride = stride;
    stride *= shape[i] / tile[i];
  }
  for (size_t i = leading; i-- > 0;) {
    map.dims_[i] = {shape[i], tile[i], 0, stride};
    stride *= shape[i];
  }
  map.physicalShape_.assign(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(leading));
  for (size_t i : tiled)
    map.physicalShape_.push_back(shape[i] / tile[i]);
  map.physicalShape_.insert(map.physicalShape_.end(), tile.begin() + static_cast<ptrdiff_t>(leading), tile.end());
  map.shape_ = std::move(shape);
  map.tiling_ = std::move(tiling);
  return map;
}

int64_t SmemMap::swizzledOffset(int64_t elementOffset) const {
  if (!swizzle_)
    return elementOffset;
  // A chunk holds whole elements, so an element's place within its chunk does not change.
  int64_t perChunk = int64_t(8) * kSwizzleChunkBytes / bitwidth_;
  auto byte = static_cast<uint64_t>(elementOffset / perChunk) * kSwizzleChunkBytes;
  return static_cast<int64_t>(swizzledByte(byte, *swizzle_) / kSwizzleChunkBytes) * perChunk + elementOffset % perChunk;
}

int64_t SmemMap::elementOffset(std::span<const int64_t> coordinates) const {
  int64_t offset = 0;
  for (size_t i = 0; i < dims_.size(); ++i) {
    const SmemDim &dim = dims_[i];
    offset += coordinates[i] / dim.tile * dim.tileStride + coordinates[i] % dim.tile * dim.elementStride;
  }
  return swizzledOffset(offset);
}

int64_t SmemMap::elementAt(int64_t elementOffset) const {
  if (elementOffset < 0 || elementOffset >= elements())
    return -1;
  Shape position = unravelIndex(swizzledOffset(elementOffset), physicalShape_);
  size_t rank = shape_.size(), leading = rank - tiling_.size();
  Shape coordinates(position.begin(), position.begin() + static_cast<ptrdiff_t>(leading));
  for (size_t i = leading; i < rank; ++i) {
    size_t tileNumber = transpose_ ? leading + (rank - 1 - i) : i;
    coordinates.push_back(position[tileNumber] * dims_[i].tile + position[rank + i - leading]);
  }
  return ravelIndex(coordinates, shape_);
}

std::vector<int32_t> SmemMap::image() const {
  std::vector<int32_t> image(static_cast<size_t>(elements()));
  if (image.empty())
    return image;
  // Digits of the physical index, major to minor, with their weights in the logical row-major index.
  Shape logical = contiguousStrides(shape_);
  size_t rank = shape_.size(), leading = rank - tiling_.size();
  std::vector<std::pair<int64_t, int64_t>> digits;
  for (size_t i = 0; i < leading; ++i)
    digits.emplace_back(shape_[i], logical[i]);
  for (size_t k = leading; k < rank; ++k) {
    size_t i = transpose_ ? leading + (rank - 1 - k) : k;
    digits.emplace_back(shape_[i] / dims_[i].tile, logical[i] * dims_[i].tile);
  }
  for (size_t i = leading; i < rank; ++i)
    digits.emplace_back(dims_[i].tile, logical[i]);
  outerSum(digits, image.data());
  if (!swizzle_)
    return image;
  // The swizzle swaps chunks in pairs.
  int64_t perChunk = int64_t(8) * kSwizzleChunkBytes / bitwidth_;
  for (int64_t chunk = 0; chunk + perChunk <= elements(); chunk += perChunk)
    if (int64_t other = swizzledOffset(chunk); other > chunk)
      std::swap_ranges(image.begin() + chunk, image.begin() + chunk + perChunk, image.begin() + other);
  return image;
}

} // namespace lanescope::layouts
