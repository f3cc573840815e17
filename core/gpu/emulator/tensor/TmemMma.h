// One tcgen05.mma: its variant, what it reads and writes, and what it computes. All functions are pure functions of
// plain memory. async/ determines when each operation runs.
//
//   auto mma = TmemMma::of({.kind = "f16"}, false, descriptor);     // or the reason why it does not exist
//   mma->problem(operands, shared)                                   // describes misplaced operands
//   mma->chunksOfB(operands, chunks); mma->cells(operands)           // for the checker
//   mma->multiply(operands, memory)                                  // D (+)= A * B
//
// See PTX ISA, "TensorCore 5th Generation of MMA Instructions" and the sections to which it refers. With
// `.cta_group::2`, each CTA of a pair holds half of A's rows, half of B's columns, and the rows of D that belong to its
// rows of A. The addresses are the same in both CTAs.
#pragma once

#include "core/gpu/emulator/tensor/OperandBytes.h"
#include "core/gpu/emulator/tensor/TensorCells.h"
#include "layouts/fragments/InstructionDescriptor.h"

#include <array>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// The values of the operands.
struct TmemMmaOperands {
  uint32_t d = 0;        // tensor-memory address
  uint64_t a = 0;        // matrix descriptor, or tensor-memory address
  uint64_t b = 0;        // matrix descriptor
  uint32_t metadata = 0; // tensor-memory addresses
  uint32_t scaleA = 0, scaleB = 0;
  bool accumulate = false;                    // enable-input-d
  uint32_t shiftD = 0;                        // scale-input-d: D is first divided by 2^shiftD; 0 to 15
  bool shiftA = false;                        // `.ashift`
  std::array<uint32_t, 8> disabledLanes = {}; // disable-output-lane: 4 words for each CTA, the even one first
  uint64_t zeroColumns = 0;                   // `.ws`: zero-column mask descriptor
};

/// The memories of one CTA, or of a pair with the even CTA first.
struct TmemMmaMemory {
  std::array<SharedBytes, 2> shared{};
  std::array<TensorCells *, 2> tensor{};
};

/// The cells that each CTA's part of the operation uses. They are the same in the tensor memories of both CTAs. D is
/// also read if the operation accumulates.
struct TmemMmaCells {
  std::vector<CellBox> d, a, metadata, scaleA, scaleB;
};

struct TmemPlaces;

class TmemMma {
public:
  /// The instruction with this opcode and instruction descriptor. Results are cached. If there is no such instruction,
  /// returns the reason in words.
  static std::expected<std::shared_ptr<const TmemMma>, std::string> of(const layouts::TmemMmaOpcode &opcode,
                                                                       bool aInTensorMemory, uint32_t descriptor);

  const layouts::TmemMmaOpcode &opcode() const { return opcode_; }
  const layouts::TmemMmaShape &shape() const { return shape_; }
  bool aInTensorMemory() const { return aInTensorMemory_; }
  bool scaled() const { return scales_.count > 0; }
  /// The number of rows of A and D, and of columns of B, that one CTA has.
  uint32_t rowsPerCta() const { return static_cast<uint32_t>(shape_.m / opcode_.ctas); }
  uint32_t columnsPerCta() const { return static_cast<uint32_t>(shape_.n / opcode_.ctas); }
  /// The number of multiplications: M * N * K, including elements that are not stored.
  uint64_t products() const { return static_cast<uint64_t>(shape_.m * shape_.n * shape_.k); }
  /// "m128n64k16, f16 * f16 + f32", for messages and traces.
  std::string name() const;

  /// Describes what is wrong with the places of the operands: descriptors, ends of shared memory (`sharedBytes` from
  /// `sharedBase` on), lanes and columns of tensor memory. Empty if all are right. Does not check allocation.
  std::string problem(const TmemMmaOperands &operands, uint32_t sharedBase, uint32_t sharedBytes) const;

  /// Appends the shared addresses of the 16-byte chunks that an operand uses in each CTA. problem() must be empty.
  void chunksOfA(const TmemMmaOperands &operands, std::vector<uint32_t> &out) const; // none if A is in tensor memory
  void chunksOfB(const TmemMmaOperands &operands, std::vector<uint32_t> &out) const;
  /// The boxes of D include the lanes that disable-output-lane disables.
  TmemMmaCells cells(const TmemMmaOperands &operands) const;

  /// D (+)= A * B. problem() must be empty. Returns an empty string, or what is wrong with the contents of tensor
  /// memory: metadata that are invalid, or copies that differ although the ISA requires them to be equal. In that case
  /// D does not change.
  std::string multiply(const TmemMmaOperands &operands, const TmemMmaMemory &memory) const;

private:
  friend class TmemInputs;
  friend class TmemProduct;
  TmemMma() = default;

  /// The extents in shared memory of A, and of B beginning at some column.
  OperandExtent extentOfA() const;
  OperandExtent extentOfB(const TmemMmaOperands &operands) const;

  layouts::TmemMmaOpcode opcode_;
  layouts::TmemMmaShape shape_;
  layouts::BlockScale scales_{}; // count 0: no scales
  const layouts::MatrixInstruction *row_ = nullptr;
  bool aInTensorMemory_ = false;
  std::shared_ptr<const TmemPlaces> places_;
};

} // namespace lanescope::core::emulator
