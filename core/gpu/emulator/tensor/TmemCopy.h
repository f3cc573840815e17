// tcgen05.cp: one copy from shared to tensor memory, as a pure function (PTX ISA, "Tensorcore 5th Generation
// Instructions: tcgen05.cp", "Optional Decompression").
//
//   TmemCopy copy{.shape = TmemCopyShape::L32x128b};       // .32x128b.warpx4
//   copy.problem(address, descriptor, base, bytes)         // describes misplaced operands; empty if there are none
//   copy.chunks(descriptor, chunks); copy.cells(address)   // for the checker
//   copy.run(address, descriptor, shared, tensor)
//
// With `.cta_group::2`, each CTA copies from its own shared memory to its own tensor memory, at the same addresses.
#pragma once

#include "core/gpu/emulator/tensor/TmemMma.h"

namespace lanescope::core::emulator {

enum class TmemCopyShape : uint8_t {
  L128x256b,
  L4x256b, // to lanes that are 32 apart, beginning with the address's lane
  L128x128b,
  L64x128b0213, // `.warpx2::02_13`: rows 0 to 31 to quarters 0 and 2
  L64x128b0123, // `.warpx2::01_23`: rows 0 to 31 to quarters 0 and 1
  L32x128b,     // `.warpx4`: to all quarters
};
/// Elements in shared memory that the copy widens to bytes.
enum class TmemCopySource : uint8_t { Bytes, B6x16P32, B4x16P64 };

struct TmemCopy {
  TmemCopyShape shape = TmemCopyShape::L128x256b;
  TmemCopySource source = TmemCopySource::Bytes;

  /// The number of rows in shared memory, and the bytes of each row in tensor memory.
  uint32_t rows() const;
  uint32_t rowBytes() const { return shape <= TmemCopyShape::L4x256b ? 32 : 16; }

  std::string problem(uint32_t address, uint64_t descriptor, uint32_t sharedBase, uint32_t sharedBytes) const;
  /// Appends the shared addresses of the 16-byte chunks that the copy reads.
  void chunks(uint64_t descriptor, std::vector<uint32_t> &out) const;
  std::vector<CellBox> cells(uint32_t address) const;
  void run(uint32_t address, uint64_t descriptor, const SharedBytes &shared, TensorCells &tensor) const;
};

} // namespace lanescope::core::emulator
