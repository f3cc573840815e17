// "Who owns what", computed once and queried both ways. The one answer that views, builtins, lowering and tests share.
//
//   auto map = *ElementMap::of(catalogue::wgmma(), {64, 8});
//   map.element(5, 1, 0)   ->  74         // thread 5, register 1, vector position 0 holds (9, 2)
//   map.owners(74)         ->  {{5, 1, 0}}
//
// Elements are row-major indices. With replication an element has several owners, in thread order. Copies share their
// tables. The tables are flat arrays of int32; each direction is one streaming pass (see DigitMap.h).
#pragma once

#include "layouts/RegisterLayout.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lanescope::layouts {

struct Owner {
  int32_t thread;   // of the warpgroup: warp = thread/32, lane = thread%32
  int32_t reg;      // flat register number, row-major over the layout's register array
  int32_t position; // in the register's vector
  bool operator==(const Owner &) const = default;
};

class TwoWayTable;

class ElementMap {
public:
  /// Errors: the layout does not apply to `shape`; it is a splat (whose one register stands for every element); the
  /// map would have more than 2^27 entries (512 MiB).
  static Result<ElementMap> of(const RegisterLayout &layout, const Shape &shape);

  const RegisterLayout &layout() const { return layout_; }
  const Shape &shape() const { return shape_; }
  int threads() const { return kThreadsPerWarpgroup; }
  int registers() const { return registers_; }
  int vector() const { return vector_; }
  int64_t replication() const { return replication_; }

  int32_t element(int thread, int reg, int position) const {
    return elements_[(static_cast<size_t>(thread) * registers_ + reg) * vector_ + position];
  }
  /// [thread][reg*vector + position], flat.
  std::span<const int32_t> elements() const { return elements_; }
  /// In thread order; empty only for an index outside the array.
  std::vector<Owner> owners(int64_t element) const;
  /// Owner slots of an element as indices into elements(), in thread order. The inverse table is built on the first
  /// call (thread-safe); empty for an index outside the array, or when that table finds no memory.
  std::span<const int32_t> slots(int64_t element) const;
  Owner ownerOf(int32_t slot) const;

private:
  explicit ElementMap(RegisterLayout layout) : layout_(std::move(layout)) {}

  RegisterLayout layout_;
  Shape shape_;
  int registers_ = 0;
  int vector_ = 1;
  int64_t replication_ = 1;
  std::shared_ptr<const TwoWayTable> table_;
  std::span<const int32_t> elements_;
};

} // namespace lanescope::layouts
