// Loads and stores between registers and tensor memory: finds the layouts that fit each other, and the instructions
// that move the data (PTX ISA, "tcgen05.ld", "tcgen05.st", "Matrix fragments").
//
//   auto plan = *chooseTmemTransfer(*tmemDefault(), tcgen05(), {128, 64}, 32);
//   plan.shape         ->  "16x256b"
//   plan.instructions  ->  two of .x8: for the upper 16 lanes of each quarter, and for the lower
//
// The four warps run the same instructions, each on its quarter of the lanes.
#pragma once

#include "layouts/TmemLayout.h"

#include <expected>

namespace lanescope::layouts {

/// The place of an instruction's 32-bit word in the array's registers, which are numbered in the layout's flat order.
struct TmemWord {
  int32_t reg = 0;
  int32_t element = -1; // the element of the register; -1: the whole register
  bool operator==(const TmemWord &) const = default;
};

struct TmemInstruction {
  int lane = 0;       // added to the address, relative to the quarter's first lane
  int64_t column = 0; // relative to the array's first column
  int num = 1;        // the repeat count `.x`
  std::vector<TmemWord> words;
};

struct TmemTransfer {
  std::string_view shape; // the shape of a data path: "32x32b", "16x128b", "16x256b"
  bool packs = false;     // `.pack::16b`, `.unpack::16b`: the lower halves of two cells share a word
  std::vector<TmemInstruction> instructions;
};

/// An error is a sentence that states the problem, without a full stop.
std::expected<TmemTransfer, std::string> chooseTmemTransfer(const TMEMLayout &tensor, const RegisterLayout &registers,
                                                            const Shape &shape, int bitwidth);

/// True if there is a transfer; does not compute its instructions.
bool isTransferable(const TMEMLayout &tensor, const RegisterLayout &registers, const Shape &shape, int bitwidth);

/// The layouts that an array can have when it is read from, or written to, tensor memory; the usual layout comes first.
std::vector<RegisterLayout> registerLayoutsFor(const TMEMLayout &tensor, const Shape &shape, int bitwidth);

/// A layout for messages, like the function for register layouts (RelayoutTable.h).
std::string quoted(const TMEMLayout &layout);

/// The tensor-memory layouts that can hold an array in such registers; packed layouts come first.
std::vector<TMEMLayout> tensorLayoutsFor(const RegisterLayout &registers, const Shape &shape, int bitwidth);

} // namespace lanescope::layouts
