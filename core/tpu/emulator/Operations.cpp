#include "core/tpu/emulator/Operations.h"

#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/TpuCostModel.h"

namespace lanescope::core::sparsecore {

void Machine::fail(DiagnosticKind kind, uint32_t at, Message message, std::vector<Note> notes) {
  if (!fault)
    fault = diagnosed(Severity::Error, kind, place(at), std::move(message), std::move(notes));
}

void Machine::warn(DiagnosticKind kind, uint32_t at, uint32_t other, Message message, std::vector<Note> notes) {
  constexpr size_t kMost = 20;
  if (warned.size() < kMost && warned.insert({at, other}).second)
    warnings.push_back(diagnosed(Severity::Warning, kind, place(at), std::move(message), std::move(notes)));
}

static Outcome unknown(Machine &m, Subcore &, const Instruction &i) {
  m.fail("unknown-operation", i.place, "the emulator has no such operation");
  return Outcome::Failed;
}

const Handlers &handlers() {
  static const Handlers table = [] {
    Handlers all;
    all.fill(unknown);
    addControl(all);
    addElements(all);
    addShapes(all);
    addLanes(all);
    addPacking(all);
    addReferences(all);
    addAccesses(all);
    addSynchronisation(all);
    addCopies(all);
    addLogs(all);
    return all;
  }();
  return table;
}

int64_t number(const Machine &m, Subcore &s, uint32_t value) {
  return signedOf(typeOf(m, s, value).element, cells(s, value)[0]);
}

uint32_t operandOf(const Instruction &i, Role role) {
  for (size_t k = 0; k < i.roles.size(); ++k)
    if (i.roles[k] == role)
      return i.operands[k];
  return UINT32_MAX;
}

std::vector<uint32_t> operandsOf(const Instruction &i, Role role) {
  std::vector<uint32_t> found;
  for (size_t k = 0; k < i.roles.size(); ++k)
    if (i.roles[k] == role)
      found.push_back(i.operands[k]);
  return found;
}

bool requireDefined(Machine &m, Content content, uint32_t place, std::string_view what) {
  if (content == kDefined)
    return true;
  std::vector<Note> notes;
  if (content == kUndefined)
    notes.push_back({{}, "lanes that a mask leaves out have undefined values"});
  else if (content != kUninitialised)
    notes.push_back({m.place((content & ~kRaw) - kComputed), "it was loaded here from memory that was never written"});
  m.fail("undefined-value", place, Message("{} depends on a value that was never written", what), std::move(notes));
  return false;
}

bool requireDefined(Machine &m, Subcore &s, const Instruction &i, uint32_t value, std::string_view what) {
  for (Content content : contents(s, value))
    if (!requireDefined(m, content, i.place, what))
      return false;
  return true;
}

void charge(Machine &m, Subcore &s, uint32_t value, double cost) {
  const Type &type = typeOf(m, s, value);
  uint32_t words = type.vector ? (type.cells * std::max<uint32_t>(type.element.bytes(), 1) + 3) / 4 : 1;
  s.time += cost * std::max<uint32_t>(1, (words + cost::kLanes - 1) / cost::kLanes);
}

} // namespace lanescope::core::sparsecore
