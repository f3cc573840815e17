// Mosaic GPU's transfer plan: how it moves a tiled register layout to or from shared memory without bank conflicts.
//
//   auto memory = TransferMemory::of(*SmemMap::of({128, 128}, 32, {8, 32}, 128));   // f32, 128-byte swizzle
//   planTransfer(catalogue::wgmma(), memory)  ->  staggered, +2 of 4, lanes in groups of 2
//
// One access moves one register (vector_length elements) of every lane. If its lanes have a bank conflict, the lanes
// whose number divided by `groupStride` is odd take another register at the same step: the register `stagger` further,
// cyclically, along one dimension of the register grid. A select per register restores the order afterwards. If no such
// shift along one dimension frees all steps of conflicts, there is no plan.
//
// The plan has its own rule for conflicts: for accesses below 4 bytes, it assumes banks that are as narrow as the
// access. The hardware's banks are always 4 bytes wide. So a plan without conflicts by this rule may have some on the
// hardware; `conflicts()` counts those. Source: JAX, jax/experimental/mosaic/gpu/fragmented_array.py,
// `plan_tiled_transfer`.
#pragma once

#include "layouts/RegisterLayout.h"
#include "layouts/SharedMemory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::layouts {

/// A reference in the form that a transfer needs: each logical dimension is split into sub-dimensions, first the tiles,
/// then the inside of a tile.
struct TransferMemory {
  std::vector<Shape> sizes, strides; // strides in elements, before the swizzle
  int bitwidth = 32;
  int swizzle = 16; // bytes; 16: none

  static TransferMemory of(const SmemMap &map);
  /// The memory of the transposed array: its dimensions in the order given ({1, 0} swaps rows and columns).
  TransferMemory transposed(const std::vector<size_t> &order) const;
  Shape shape() const;
  /// The offset of each element before the swizzle, row-major.
  std::vector<int32_t> elementOffsets() const;
};

/// One dimension of the register grid; registers are numbered row-major over the grid.
struct GridDim {
  int64_t size, stride; // stride in elements
};

/// The shift of every second group of lanes.
struct Stagger {
  size_t dim; // index into the plan's grid
  int64_t size;
  int64_t by;
  int groupStride;
  bool operator==(const Stagger &) const = default;
};

struct TransferPlan {
  int bytes = 0; // bytes per lane and access
  std::vector<GridDim> grid;
  std::optional<Stagger> stagger; // nothing: the trivial plan

  /// The register that a lane moves at a step: the step itself, or its neighbour along the staggered dimension.
  int64_t reg(int64_t step, int lane) const;
  /// The plan in words: "trivial", "staggered: +2 of 4 along grid dimension 3, lanes in groups of 2".
  std::string text() const;
};

/// Errors: the layout does not fit the memory's tiles; a vector that is not contiguous, not aligned to its length or
/// not whole bytes; more than 16 bytes per access or 32 bits per element; a vector that may cross 16-byte chunks; no
/// plan avoids the conflicts.
Result<TransferPlan> planTransfer(const TiledLayout &layout, const TransferMemory &memory);

} // namespace lanescope::layouts
