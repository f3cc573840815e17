// The places of the operands of one tcgen05.mma in a CTA's tensor memory, as tables. They map elements to cells,
// relative to the operands' addresses, which is the inverse of layouts/fragments. Private to tensor/.
#pragma once

#include "core/gpu/emulator/tensor/TensorCells.h"
#include "layouts/fragments/InstructionDescriptor.h"
#include "layouts/fragments/TmemOperands.h"

#include <memory>
#include <vector>

namespace lanescope::core::emulator {

struct TmemPlace {
  uint16_t lane = 0, column = 0;
  uint8_t sub = 0; // the part of the cell
};

/// All places of the elements of an array.
struct TmemTable {
  std::vector<TmemPlace> places; // [element][copy]
  uint32_t copies = 1;
  std::vector<CellBox> boxes; // boxes that contain all cells
  uint32_t columns = 0;       // columns of a row of the array

  const TmemPlace *at(uint32_t row, uint32_t column) const { return &places[(row * columns + column) * copies]; }
};

struct TmemPlaces {
  layouts::operands::DataPath path = layouts::operands::DataPath::Full;
  TmemTable d;        // [row][n]; eight columns are adjacent if the first one is a multiple of eight
  TmemTable a;        // [row][first element of each cell]; the cells are adjacent
  TmemTable metadata; // [row][field]
  int metadataBits = 0;
  TmemTable scaleA, scaleB; // [row or n][scale]; scale 0 is the one at the address

  static std::shared_ptr<const TmemPlaces> of(const layouts::TmemMmaOpcode &opcode, const layouts::TmemMmaShape &shape,
                                              const layouts::MatrixInstruction &row, const layouts::BlockScale &scales);
};

} // namespace lanescope::core::emulator
