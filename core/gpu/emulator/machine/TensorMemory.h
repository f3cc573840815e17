// A block's tensor memory: 128 lanes x 512 columns of 32 bits, and the allocation of each column (PTX ISA, "Tensor
// Memory", "Tensor Memory Allocation"). The model runs only one block with tensor memory on an SM, so no other block
// shares its columns.
//
//   memory.cells->cells[lane][column]
//   const TmemAllocation *owner = memory.owner(column);   // null: never allocated; owner->freed: freed since
#pragma once

#include "core/gpu/emulator/tensor/TensorCells.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lanescope::core::emulator {

struct Instr;

inline constexpr uint32_t kTmemUnit = 32;    // columns allocated as a unit
inline constexpr uint32_t kTmemQuarter = 32; // lanes that one warp of a warpgroup can access

struct TmemAllocation {
  uint32_t first = 0, columns = 0;
  bool pair = false; // `.cta_group::2`: the other block of the pair has the same allocation
  uint32_t warp = 0;
  const Instr *by = nullptr, *freed = nullptr;
  uint32_t epoch = 0; // the checker's epoch of the warp when it allocated
};

/// A `tcgen05.alloc.cta_group::2`. It waits for the other block's request, or the columns have been allocated.
struct TmemRequest {
  uint32_t warp = 0, columns = 0, first = 0;
  bool served = false;
  const Instr *instr = nullptr;
};

struct TensorMemory {
  std::unique_ptr<TensorCells> cells;                        // null until the first allocation
  std::vector<TmemAllocation> allocations;                   // in the order of allocation, including freed ones
  std::array<uint32_t, kTensorColumns / kTmemUnit> owners{}; // 1 + index of the column group's last allocation; 0: none
  std::vector<TmemRequest> requests;
  const Instr *relinquished = nullptr; // the instruction that gave up the right to allocate

  const TmemAllocation *owner(uint32_t column) const {
    uint32_t number = owners[column / kTmemUnit];
    return number ? &allocations[number - 1] : nullptr;
  }
  /// Sets the state in which a block starts.
  void clear() {
    cells.reset();
    allocations.clear();
    owners = {};
    requests.clear();
    relinquished = nullptr;
  }
};

} // namespace lanescope::core::emulator
