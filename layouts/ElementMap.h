// The owners of the elements of an array, and the elements of each owner. Computed once; views, builtins, lowering and
// tests share it.
//
//   auto map = *ElementMap::of(catalogue::wgmma(), {64, 8});
//   map.element(5, 1, 0)   ->  74         // thread 5, register 1, vector position 0 holds (9, 2)
//   map.owners(74)         ->  {{5, 1, 0}}
//
// # Tutorial
//
// tests/unit/layouts/ElementMapTest.cpp checks each step.
//
// ## 1. A register layout distributes an array over threads
//
// A warpgroup has 128 threads. An array of 64 x 8 has 512 elements, so each thread holds four. WGMMA is the layout of
// the accumulator of wgmma.mma_async. It keeps the four in two registers of two neighbouring elements:
//
//   map.threads(), map.registers(), map.vector(), map.values()   ->  128, 2, 2, 4
//
// Thread 5 holds columns 2 and 3 of row 1 in register 0, and the same columns of row 9 in register 1. Elements are
// numbered row by row, so these are 1 * 8 + 2, 1 * 8 + 3, 9 * 8 + 2 and 9 * 8 + 3:
//
//   map.element(5, 0, 0), (5, 0, 1), (5, 1, 0), (5, 1, 1)        ->  10, 11, 74, 75
//
// ## 2. Both directions are tables
//
// A *slot* is a place for one value: (thread * registers + register) * vector + position. Slot 22 = (5 * 2 + 1) * 2 + 0
// is the place above. elements() is the table from slots to elements, slots() its inverse:
//
//   map.elements()[22]     ->  74
//   map.slots(74)          ->  {22}
//   map.ownerOf(22)        ->  {5, 1, 0}  // thread, register, position
//
// Both numbers are made of the same digits with different weights. The digits of this place are warp 0, register 1, the
// lane's two digits 1 and 1, and position 0:
//
//   element   0*128 + 1*64 + 1*8  + 1*2 + 0*1  =  74
//   slot      0*128 + 1*2  + 1*16 + 1*4 + 0*1  =  22
//
// So each table is one streaming pass over the digits (DigitMap.h), without a formula per element. The inverse table is
// built on the first call that needs it. Copies of a map share both tables.
//
// ## 3. Threads are lanes of warps
//
// Thread 37 is lane 5 of warp 1, and each warp holds 16 rows. So thread 37 holds what thread 5 does, 16 rows below: row
// 25, column 2, which is element 202.
//
//   map.warpOf(37), map.laneOf(37)   ->  1, 5
//   map.element(37, 1, 0)            ->  202
//
// A warp has 32 threads on NVIDIA's GPUs, and 64 for AMD's mfma (`threadsPerWarp`).
//
// ## 4. An element may have several owners
//
// The sums of the 64 rows have the layout WGMMA_ROW: the four lanes that held parts of a row all hold its sum.
//
//   auto rows = *ElementMap::of(catalogue::wgmmaRow(), {64});
//   rows.replication()   ->  4
//   rows.owners(9)       ->  {{4, 1, 0}, {5, 1, 0}, {6, 1, 0}, {7, 1, 0}}, in thread order
//
// soleSlots() is for passes over all elements that need one owner each. It is empty here; map.soleSlots()[74] is 22.
//
// ## 5. A slot may be empty
//
// Three elements for two threads with a vector of two leave one slot without an element, which holds -1. Only layouts
// of other languages have such slots:
//
//   auto odd = *ElementMap::fromTable(layout, {3}, 2, 1, 2, {0, 1, 2, -1});
//   odd.element(1, 0, 1)   ->  -1
//   odd.owners(2)          ->  {{1, 0, 0}}
//
// ## 6. Two maps of one array give the moves between two layouts
//
// In the transposed layout, vectors run down columns:
//
//   auto other = *ElementMap::of(catalogue::wgmmaTransposed(), {64, 8});
//   other.owners(74)       ->  {{1, 1, 1}}
//
// So a conversion moves element 74 from thread 5 to thread 1. 256 of the 512 elements stay in their thread, and none
// leaves its warp: shuffles do it, without shared memory. layouts/cost/Relayout.h counts the cost of a conversion.
//
// # Limits
//
// Mosaic's layouts cover a warpgroup's 128 threads; those of other languages may cover any number (a warp's fragment:
// 32; several blocks: block-major). A map has at most 2^27 entries. It has no addresses: AddressMap.h has the maps of
// shared memory, and TmemMap.h those of tensor memory.
#pragma once

#include "layouts/Layout.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lanescope::layouts {

struct Owner {
  int32_t thread;   // number among all threads of the layout; ElementMap::warpOf and laneOf give its warp and lane
  int32_t reg;      // flat register number, row-major over the layout's register array
  int32_t position; // in the register's vector
  bool operator==(const Owner &) const = default;
};

class TwoWayTable;
struct SparseDigits;

class ElementMap {
public:
  /// Errors: the layout does not apply to `shape`; it is a splat (whose one register stands for every element); the map
  /// would have more than 2^27 entries (512 MiB).
  static Result<ElementMap> of(const RegisterLayout &layout, const Shape &shape);
  /// The map of a layout of another language. `elements`: [thread][reg*vector + position], each a row-major index, or
  /// -1 for an empty slot. `threadsPerWarp`: at least 1; the last warp may have fewer threads. Errors: an index outside
  /// the array, a size that does not fit, too many entries.
  static Result<ElementMap> fromTable(Layout layout, Shape shape, int threads, int registers, int vector,
                                      std::vector<int32_t> elements, int threadsPerWarp = kLanesPerWarp);
  /// Builds the map from arranged digits (see DigitMap.h), with threads*registers slots. The caller has checked the
  /// sizes. `replication` is the product of the sizes of the digits without an element weight. Error: no memory.
  static Result<ElementMap> fromDigits(Layout layout, Shape shape, int threads, int registers, SparseDigits digits,
                                       int64_t replication);

  const Layout &layout() const { return layout_; }
  const Shape &shape() const { return shape_; }
  int threads() const { return threads_; }
  /// Threads that execute together; `lane` counts within them. A map with fewer threads is a part of one warp.
  int threadsPerWarp() const { return threadsPerWarp_; }
  /// The warps of all blocks; the last one may be incomplete.
  int warps() const { return (threads_ + threadsPerWarp_ - 1) / threadsPerWarp_; }
  int warpOf(int thread) const { return thread / threadsPerWarp_; }
  int laneOf(int thread) const { return thread % threadsPerWarp_; }
  /// True if warps of `threads` threads give the same warps: this is the map's own size, or all threads are in one warp
  /// in either case.
  bool inWarpsOf(int threads) const {
    return threadsPerWarp_ == threads || threads_ <= (threads < threadsPerWarp_ ? threads : threadsPerWarp_);
  }
  int registers() const { return registers_; }
  int vector() const { return vector_; }
  /// Values per thread: registers() * vector().
  int values() const { return registers_ * vector_; }
  /// The number of owners per element. If it differs between elements, the largest one.
  int64_t replication() const;

  /// The element in the slot; -1 if the slot is empty (only in layouts of other languages).
  int32_t element(int thread, int reg, int position) const {
    return elements_[(static_cast<size_t>(thread) * registers_ + reg) * vector_ + position];
  }
  /// The table of elements, [thread][reg*vector + position], flat.
  std::span<const int32_t> elements() const { return elements_; }
  /// The owners of an element, in thread order. Empty only for an index outside the array.
  std::vector<Owner> owners(int64_t element) const;
  /// The owner slots of an element as indices into elements(), in thread order. Builds the inverse table on the first
  /// call (thread-safe). Empty for an index outside the array, or if there is no memory for that table.
  std::span<const int32_t> slots(int64_t element) const;
  /// The owner slot of every element, for passes over all of them, if each element has exactly one; else empty.
  std::span<const int32_t> soleSlots() const;
  Owner ownerOf(int32_t slot) const;

private:
  explicit ElementMap(Layout layout) : layout_(std::move(layout)) {}

  Layout layout_;
  Shape shape_;
  int threads_ = kThreadsPerWarpgroup;
  int threadsPerWarp_ = kLanesPerWarp;
  int registers_ = 0;
  int vector_ = 1;
  int64_t replication_ = 1; // 0: not known yet; the table has it
  std::shared_ptr<const TwoWayTable> table_;
  std::span<const int32_t> elements_;
};

/// The threads per warp in both maps; the larger number if all threads of either map are in one warp. Error: the maps
/// put threads of the same number into different warps, so moves between warps are undefined.
Result<int> commonWarp(const ElementMap &a, const ElementMap &b);
/// Succeeds if the map's warps have 32 threads, as on every NVIDIA GPU. `what` is the beginning of the message:
/// "shared-memory accesses are counted for NVIDIA's warps of 32 threads; …".
Result<void> checkNvidiaWarps(const ElementMap &map, std::string_view what);

} // namespace lanescope::layouts
