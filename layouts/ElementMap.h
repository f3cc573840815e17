// "Who owns what", computed once and queried both ways. The one answer that views, builtins, lowering and tests share.
//
//   auto map = *ElementMap::of(catalogue::wgmma(), {64, 8});
//   map.element(5, 1, 0)   ->  74         // thread 5, register 1, vector position 0 holds (9, 2)
//   map.owners(74)         ->  {{5, 1, 0}}
//
// Elements are row-major indices. With replication an element has several owners, in thread order.
#pragma once

#include "layouts/RegisterLayout.h"
#include "layouts/TmemLayout.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::layouts {

struct Owner {
  int32_t thread;   // of the warpgroup: warp = thread/32, lane = thread%32
  int32_t reg;      // flat register number, row-major over the layout's register array
  int32_t position; // in the register's vector
  bool operator==(const Owner &) const = default;
};

class ElementMap {
public:
  /// Error when the layout does not apply to `shape`, or when shape has 2^31 elements or more.
  static Result<ElementMap> of(const RegisterLayout &layout, const Shape &shape);

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
  std::vector<Owner> owners(int64_t element) const;
  /// Owner slots of an element as flat indices into elements(); never empty for a register layout.
  std::span<const int32_t> slots(int64_t element) const;

private:
  // Members are the implementation's business; the inverse is built on the first owners()/slots() call.
};

/// The same for TMEM: cell (lane, column, sub-word) <-> element.
class TmemMap {
public:
  static Result<TmemMap> of(const TMEMLayout &layout, const Shape &shape, int bitwidth);
  // lanes() columns() packing() element(lane, column, sub) -> -1 where empty; cells(element)
};

} // namespace lanescope::layouts
