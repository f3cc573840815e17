// The element offset in a buffer of each element of an array, for layouts of any language.
//
//   AddressMap map = AddressMap::of(*SmemMap::of({16, 128}, 16, {8, 64}, 128));
//   map.offset(128)  ->  72          // element (1, 0) lies at element offset 72
//   map.byte(128)    ->  144
//   map.element(72)  ->  128
//
// Offsets count elements. Holes (padding) hold -1. A layout may fold several elements onto one offset (a broadcast);
// element() then gives the first of them. The table from offsets to elements is built on first use, because a tile of a
// large matrix is spread over far more offsets than it has elements. For Mosaic's tiled and swizzled references,
// SmemMap has the strides that a lowering needs. AddressMap is the flat table that views, comparisons and costs read.
#pragma once

#include "layouts/Layout.h"
#include "layouts/Shape.h"
#include "layouts/SharedMemory.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace lanescope::layouts {

class AddressMap {
public:
  static AddressMap of(const SmemMap &map);
  /// `offsets`: one per element, row-major. A negative offset is an error, as is an extent above 2^27 elements.
  /// `title`: the layout's text, for pictures and messages. `extent`: the buffer's size, if it extends past the last
  /// element.
  static Result<AddressMap> make(std::string title, Shape shape, int bitwidth, std::vector<int32_t> offsets,
                                 int64_t extent = 0);

  const std::string &title() const { return title_; }
  const Shape &shape() const { return shape_; }
  int bitwidth() const { return bitwidth_; }
  int32_t offset(int64_t element) const { return offsets_[static_cast<size_t>(element)]; }
  /// The byte of the element (for sub-byte types, the byte of its first bit).
  int64_t byte(int64_t element) const { return int64_t(offset(element)) * bitwidth_ / 8; }
  std::span<const int32_t> offsets() const { return offsets_; }
  /// The element at an offset; -1 if there is none.
  int32_t element(int64_t offset) const;
  /// image()[k]: element at offset k, -1 for a hole. Size: extent().
  std::span<const int32_t> image() const;
  /// True if there are more than 64 offsets per element. A table of all offsets is then not worth building only to find
  /// its holes.
  bool sparse() const { return extent_ / 64 > static_cast<int64_t>(offsets_.size()); }
  /// One more than the largest offset; more if the buffer ends with padding.
  int64_t extent() const { return extent_; }
  int64_t bytes() const { return (extent() * bitwidth_ + 7) / 8; }

private:
  AddressMap(std::string title, Shape shape, int bitwidth, std::vector<int32_t> offsets, int64_t extent);

  struct Image {
    std::once_flag made;
    std::vector<int32_t> elements;
  };
  std::string title_;
  Shape shape_;
  int bitwidth_ = 32;
  std::vector<int32_t> offsets_;
  int64_t extent_ = 0;
  std::shared_ptr<Image> image_; // copies share the table
};

} // namespace lanescope::layouts
