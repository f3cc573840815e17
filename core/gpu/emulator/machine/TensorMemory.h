// A block's tensor memory: 128 lanes x 512 columns of 32 bits, and who has allocated which columns (PTX ISA, "Tensor
// Memory", "Tensor Memory Allocation"). One block runs on an SM here, so it shares its columns with nobody.
//
//   memory.cells->cells[lane][column]
//   const TmemAllocation *owner = memory.owner(column);   // null: never allocated; owner->freed: no longer
#pragma once

#include "core/gpu/emulator/tensor/TensorCells.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lanescope::core::emulator {

struct Instr;

inline constexpr uint32_t kTmemUnit = 32;    // columns that are allocated together
inline constexpr uint32_t kTmemQuarter = 32; // lanes that one warp of a warpgroup reaches

struct TmemAllocation {
  uint32_t first = 0, columns = 0;
  bool pair = false; // `.cta_group::2`: the other block of the pair has the same
  uint32_t warp = 0;
  const Instr *by = nullptr, *freed = nullptr;
  uint32_t epoch = 0; // the checker's epoch of the warp when it allocated
};

/// A `tcgen05.alloc.cta_group::2` that waits for the other block's, or has been served by it.
struct TmemRequest {
  uint32_t warp = 0, columns = 0, first = 0;
  bool served = false;
  const Instr *instr = nullptr;
};

struct TensorMemory {
  std::unique_ptr<TensorCells> cells;                        // null until something is allocated
  std::vector<TmemAllocation> allocations;                   // in order, what has been freed too
  std::array<uint32_t, kTensorColumns / kTmemUnit> owners{}; // 1 + number of the last allocation; 0: none
  std::vector<TmemRequest> requests;
  const Instr *relinquished = nullptr; // who gave up the right to allocate

  const TmemAllocation *owner(uint32_t column) const {
    uint32_t number = owners[column / kTmemUnit];
    return number ? &allocations[number - 1] : nullptr;
  }
  /// As it is when a block starts.
  void clear() {
    cells.reset();
    allocations.clear();
    owners = {};
    requests.clear();
    relinquished = nullptr;
  }
};

} // namespace lanescope::core::emulator
