// Maps each register of tcgen05.ld and tcgen05.st to its cell of tensor memory (PTX ISA, "Data Movement Shape", "Matrix
// fragments for shape .32x32b" … ".16x32bx2", "Packing and Unpacking"). layouts/fragments draws the same mapping.
//
//   TmemMove move{…};
//   TensorAddress at = move.cell(register, thread);   // from the address; with packs(): this column and the next one
#pragma once

#include "core/gpu/emulator/machine/TensorMemory.h"
#include "core/gpu/emulator/ptx/PtxModule.h"

#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

/// An address operand of an instruction that has several.
struct AddressRef {
  uint32_t slot = UINT32_MAX; // UINT32_MAX: the address is the offset alone
  bool wide = true;
  Space space = Space::Generic;
  uint64_t offset = 0;
};

enum class TmemShape : uint8_t { L32x32b, L16x64b, L16x128b, L16x256b, L16x32bx2 };

/// The reduction that `tcgen05.ld.red` computes over each thread's registers.
struct TmemReduction {
  enum class Type : uint8_t { None, F32, S32, U32 };
  Type type = Type::None;
  bool maximum = false, absolute = false, nan = false;
};

struct TmemMove {
  AddressRef address;
  TmemShape shape = TmemShape::L32x32b;
  uint32_t registers = 1;   // registers per thread
  bool packs = false;       // `.pack::16b`, `.unpack::16b`: a register holds the low halves of two columns
  uint32_t splitOffset = 0; // `.16x32bx2`: distance in columns from the first access to the second
  TmemReduction reduction;

  uint32_t lanes() const { return shape == TmemShape::L32x32b ? 32 : 16; }
  /// unit(): the registers per thread for `.x1`. unitColumns(): the columns for `.x1`.
  uint32_t unit() const { return shape == TmemShape::L16x128b ? 2 : shape == TmemShape::L16x256b ? 4 : 1; }
  uint32_t unitColumns() const {
    uint32_t columns = shape == TmemShape::L16x64b    ? 2
                       : shape == TmemShape::L16x128b ? 4
                       : shape == TmemShape::L16x256b ? 8
                                                      : 1;
    return packs ? columns * 2 : columns;
  }
  /// The columns of one access. `.16x32bx2` makes two accesses.
  uint32_t columns() const { return registers / unit() * unitColumns(); }
  /// The lane and column of a register's cell, relative to the address.
  TensorAddress cell(uint32_t reg, uint32_t thread) const {
    uint32_t step = packs ? 2 : 1, first = reg / unit() * unitColumns(), of = reg % unit();
    auto at = [](uint32_t lane, uint32_t column) {
      TensorAddress out;
      out.lane = lane;
      out.column = column;
      return out;
    };
    switch (shape) {
    case TmemShape::L32x32b: return at(thread, first);
    case TmemShape::L16x64b: return at(thread / 4 + thread % 2 * 8, first + thread / 2 % 2 * step);
    case TmemShape::L16x128b: return at(thread / 4 + of * 8, first + thread % 4 * step);
    case TmemShape::L16x256b: return at(thread / 4 + of / 2 * 8, first + (thread % 4 * 2 + of % 2) * step);
    case TmemShape::L16x32bx2: return at(thread % 16, first + thread / 16 * splitOffset);
    }
    return {};
  }
};

/// A tcgen05.st in flight. Its data move when the warp waits for it.
struct TmemStore {
  const TmemMove *move = nullptr;
  TensorAddress at;
  std::vector<uint32_t> values; // register by register, 32 threads each
};

} // namespace lanescope::core::emulator
