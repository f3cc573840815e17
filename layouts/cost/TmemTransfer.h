// Loads and stores between registers and tensor memory: which layouts go together, and by which instructions (PTX ISA,
// "tcgen05.ld", "tcgen05.st", "Matrix fragments").
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

/// Where an instruction's 32-bit word is in the array's registers, which are numbered in the layout's flat order.
struct TmemWord {
  int32_t reg = 0;
  int32_t element = -1; // of the register; -1: all of it
  bool operator==(const TmemWord &) const = default;
};

struct TmemInstruction {
  int lane = 0;       // added to the address, from the quarter's first
  int64_t column = 0; // from the array's first
  int num = 1;        // `.x`
  std::vector<TmemWord> words;
};

struct TmemTransfer {
  std::string_view shape; // of a data path: "32x32b", "16x128b", "16x256b"
  bool packs = false;     // `.pack::16b`, `.unpack::16b`: two cells' lower halves to a word
  std::vector<TmemInstruction> instructions;
};

/// Errors say what is wrong in a sentence without its end.
std::expected<TmemTransfer, std::string> chooseTmemTransfer(const TMEMLayout &tensor, const RegisterLayout &registers,
                                                            const Shape &shape, int bitwidth);

/// Whether there is a transfer, without its instructions.
bool isTransferable(const TMEMLayout &tensor, const RegisterLayout &registers, const Shape &shape, int bitwidth);

/// What an array can be in that is read from, or written to, tensor memory: the usual layout first.
std::vector<RegisterLayout> registerLayoutsFor(const TMEMLayout &tensor, const Shape &shape, int bitwidth);

/// A layout in messages, as of registers (RelayoutTable.h).
std::string quoted(const TMEMLayout &layout);

/// Where tensor memory can hold an array in such registers: packed first.
std::vector<TMEMLayout> tensorLayoutsFor(const RegisterLayout &registers, const Shape &shape, int bitwidth);

} // namespace lanescope::layouts
