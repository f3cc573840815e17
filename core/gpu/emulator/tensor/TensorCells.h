// Tensor memory of one CTA as plain data (PTX ISA, "Tensor Memory").
//
//   TensorAddress(0x00200005)  ->  lane 32, column 5
#pragma once

#include <cstdint>

namespace lanescope::core::emulator {

inline constexpr uint32_t kTensorLanes = 128, kTensorColumns = 512;

/// The cells, with 32 bits each.
struct TensorCells {
  uint32_t cells[kTensorLanes][kTensorColumns] = {};
};

struct TensorAddress {
  uint32_t lane = 0, column = 0;

  TensorAddress() = default;
  explicit TensorAddress(uint32_t address) : lane(address >> 16), column(address & 0xFFFF) {}
};

/// A rectangle of cells, for the checker.
struct CellBox {
  uint16_t lane = 0, lanes = 0, column = 0, columns = 0;

  bool operator==(const CellBox &) const = default;
};

} // namespace lanescope::core::emulator
