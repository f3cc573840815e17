// Reads operands of instructions: registers, numbers, vectors, addresses, pairs, lists of a call.
//
//   OperandReader reader(cursor);
//   Operand operand;
//   if (!reader.read(operand))          // [%rd1+16], {%r0, %r1}, 0f3F800000, %p0|%p1, …
//     … reader.problem()                // "expected an operand"; the cursor is at its place
#pragma once

#include "core/gpu/emulator/ptx/PtxCursor.h"
#include "layouts/support/Message.h"

#include <string>

namespace lanescope::core::emulator {

inline constexpr size_t kMaxOperands = 1024; // per instruction, and per list

class OperandReader {
public:
  explicit OperandReader(PtxCursor &cursor) : cursor_(cursor) {}
  bool read(Operand &out) { return read(out, 0); }
  /// Reads the rest of a constant expression after its first `number`.
  bool goOn(Operand &number);
  const Message &problem() const { return problem_; }

private:
  bool fail(Message message);
  bool expect(char c);
  bool integer(uint64_t &value);
  bool read(Operand &out, int depth);
  bool list(Operand &out, char close, int depth);
  /// Reads `|` and the second part of a pair.
  bool pairWith(Operand &first, int depth);

  PtxCursor &cursor_;
  Message problem_ = "";
};

} // namespace lanescope::core::emulator
