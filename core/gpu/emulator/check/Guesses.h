// Finds plain loads whose value is a guess that a loop of `atom.cas` verifies.
//
//   ld.shared.u32 old, [p];               // may race: the result is the same, whatever it returns
//   TRY: add.u32 new, old, 1;
//   mov.u32 expected, old;
//   atom.shared.cas.b32 old, [p], expected, new;
//   setp.ne.u32 again, old, expected;
//   @again bra TRY;
//
// Such a load needs no order with the atomics of other warps. Its value is used in two ways only: `atom.cas` compares
// memory with it, and the new value is computed from it.
#pragma once

#include "core/gpu/emulator/machine/Program.h"

#include <cstdint>
#include <set>

namespace lanescope::core::emulator {

/// Follows the value of one load through the registers of a program. The order of the instructions does not matter.
class GuessFlow {
public:
  GuessFlow(const Program &program, uint32_t load) : program_(program), load_(program.code[load]), pc_(load) {}
  /// True if the value is used only by `atom.cas` at the load's own address, which compares memory with it.
  bool isVerified();

private:
  using Slots = std::set<uint32_t>;
  /// True if the instruction's address is in the same register as the load's, and that register has the same value.
  bool isOfPlace(uint32_t pc) const;
  bool loads(uint32_t pc) const;
  bool verifies(uint32_t pc) const;
  /// The registers that hold only results of `atom.cas` at the address. With `guesses`, they may also hold results of
  /// plain loads there.
  Slots valuesOfPlace(bool guesses) const;
  /// True if the register holds a result of `atom.cas` when the instruction reads it.
  bool isResult(uint32_t pc, uint32_t slot) const;
  /// True if the instruction may read registers of `tainted_`. Adds to them the registers that then depend on the load.
  bool follow(uint32_t pc);

  const Program &program_;
  const Instr &load_;
  uint32_t pc_;
  Slots exact_, results_, tainted_;
  bool compared_ = false;
};

} // namespace lanescope::core::emulator
