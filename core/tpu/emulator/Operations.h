// The table of operations. Each family is a file that adds its handlers. A handler executes one instruction of one
// subcore; the caller then steps to the next instruction unless the handler returns otherwise.
#pragma once

#include "core/tpu/emulator/TpuMachine.h"

#include <array>
#include <span>

namespace lanescope::core::sparsecore {

enum class Outcome : uint8_t {
  Next,
  Jumped,  // `next` is set
  Blocked, // the instruction must be executed again when the awaited event may have happened
  Done,    // the function has returned
  Failed,  // Machine::fault is set
};
using Handler = Outcome (*)(Machine &, Subcore &, const Instruction &);
using Handlers = std::array<Handler, static_cast<size_t>(Op::SubcoreId) + 1>;

void addControl(Handlers &handlers);
void addElements(Handlers &handlers);
void addShapes(Handlers &handlers);
void addLanes(Handlers &handlers);
void addPacking(Handlers &handlers);
void addReferences(Handlers &handlers);
void addAccesses(Handlers &handlers);
void addSynchronisation(Handlers &handlers);
void addCopies(Handlers &handlers);
void addLogs(Handlers &handlers);
const Handlers &handlers();

/// Access to a frame, for handlers.
inline const Value &valueOf(const Subcore &s, uint32_t value) { return s.function->values[value]; }
inline std::span<uint64_t> cells(Subcore &s, uint32_t value) {
  const Value &v = valueOf(s, value);
  return {s.cells.data() + v.at, v.cells};
}
/// The contents of the value's cells; empty if checks are off.
inline std::span<Content> contents(Subcore &s, uint32_t value) {
  const Value &v = valueOf(s, value);
  return s.contents.empty() ? std::span<Content>{} : std::span<Content>{s.contents.data() + v.at, v.cells};
}
inline MemRef &ref(Subcore &s, uint32_t value) { return s.refs[valueOf(s, value).at]; }
inline const Type &typeOf(const Machine &m, const Subcore &s, uint32_t value) {
  return m.program->types[valueOf(s, value).type];
}
inline const MemRefType &refTypeOf(const Machine &m, const Subcore &s, uint32_t value) {
  return m.program->memrefs[valueOf(s, value).type];
}
/// A scalar operand as a signed number.
int64_t number(const Machine &m, Subcore &s, uint32_t value);
/// The operand of that role; UINT32_MAX if there is none.
uint32_t operandOf(const Instruction &i, Role role);
/// All operands of that role, in order.
std::vector<uint32_t> operandsOf(const Instruction &i, Role role);

/// Marks the content of a value that was loaded from unwritten memory; the other bits give the place of the load. A
/// value that was computed from it does not have the mark, because it is no copy of that memory.
inline constexpr Content kRaw = 0x8000'0000;
inline Content loadedFrom(Content memory, uint32_t place) {
  return memory == kUninitialised ? kRaw | (place + kComputed) : memory;
}
inline Content storedAs(Content value) { return value & kRaw ? kUninitialised : value; }
inline Content computedWith(Content a) { return a & ~kRaw; }
inline Content merged(Content a, Content b) { return computedWith(a != kDefined ? a : b); }
/// Faults (kind "undefined-value") if one of the cells holds an unwritten value. `what` names the value's use in the
/// message: "an index".
bool requireDefined(Machine &m, Subcore &s, const Instruction &i, uint32_t value, std::string_view what);
/// Checks one content in the same way; `place` is the place of its use.
bool requireDefined(Machine &m, Content content, uint32_t place, std::string_view what);

/// Charges the subcore `cost` for each register of `lanes` 32-bit words in the value.
void charge(Machine &m, Subcore &s, uint32_t value, double cost);

} // namespace lanescope::core::sparsecore
