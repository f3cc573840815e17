// Jumps, loops, assertions, the regions of a trace.
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/Operations.h"
#include "core/tpu/emulator/RunBuffers.h"
#include "core/tpu/emulator/TpuCostModel.h"
#include "core/tpu/emulator/TpuRecorder.h"

namespace lanescope::core::sparsecore {
namespace {

Outcome move(Machine &, Subcore &s, const Instruction &i) {
  std::vector<uint64_t> values;
  std::vector<Content> known;
  std::vector<MemRef> refs;
  for (uint32_t operand : i.operands) {
    if (valueOf(s, operand).memref) {
      refs.push_back(ref(s, operand));
      continue;
    }
    auto from = cells(s, operand);
    values.insert(values.end(), from.begin(), from.end());
    auto content = contents(s, operand);
    known.insert(known.end(), content.begin(), content.end());
  }
  size_t at = 0, slot = 0;
  for (uint32_t result : i.results) {
    if (valueOf(s, result).memref) {
      ref(s, result) = refs[slot++];
      continue;
    }
    auto to = cells(s, result);
    auto content = contents(s, result);
    for (size_t k = 0; k < to.size(); ++k, ++at) {
      to[k] = values[at];
      if (!content.empty())
        content[k] = known[at];
    }
  }
  return Outcome::Next;
}

Outcome jump(Machine &, Subcore &s, const Instruction &i) {
  s.next = i.target;
  return Outcome::Jumped;
}

Outcome branchIfNot(Machine &m, Subcore &s, const Instruction &i) {
  s.time += cost::kScalar;
  if (!requireDefined(m, s, i, i.operands[0], "which way is taken"))
    return Outcome::Failed;
  if (cells(s, i.operands[0])[0] & 1)
    return Outcome::Next;
  return jump(m, s, i);
}

/// Operands: the induction variable, the upper bound.
Outcome loopTest(Machine &m, Subcore &s, const Instruction &i) {
  s.time += cost::kScalar;
  if (!requireDefined(m, s, i, i.operands[0], "how often the loop runs") ||
      !requireDefined(m, s, i, i.operands[1], "how often the loop runs"))
    return Outcome::Failed;
  bool inside = i.flag ? cells(s, i.operands[0])[0] < cells(s, i.operands[1])[0]
                       : number(m, s, i.operands[0]) < number(m, s, i.operands[1]);
  return inside ? Outcome::Next : jump(m, s, i);
}

/// Operands: the induction variable, the step. If the next value would leave the range of the variable's type, the loop
/// ends; the value must not wrap.
Outcome loopNext(Machine &m, Subcore &s, const Instruction &i) {
  const Element &element = typeOf(m, s, i.operands[0]).element;
  if (!requireDefined(m, s, i, i.operands[1], "a loop's step"))
    return Outcome::Failed;
  int64_t step = number(m, s, i.operands[1]), value = number(m, s, i.operands[0]);
  if (!i.flag && step <= 0) {
    m.fail("loop-step", i.place, Message("the step of a loop has to be positive, and it is {step}", step));
    return Outcome::Failed;
  }
  int64_t sum = 0;
  bool left =
      __builtin_add_overflow(value, step, &sum) || (!i.flag && signedOf(element, integerBits(element, sum)) != sum);
  if (left) { // the bound is beyond the type's range, so this was the last iteration
    s.next = static_cast<uint32_t>(i.mode);
    return Outcome::Jumped;
  }
  cells(s, i.operands[0])[0] = integerBits(element, sum);
  return jump(m, s, i);
}

Outcome returns(Machine &, Subcore &, const Instruction &) { return Outcome::Done; }

Outcome asserts(Machine &m, Subcore &s, const Instruction &i) {
  if (!requireDefined(m, s, i, i.operands[0], "a check"))
    return Outcome::Failed;
  if (cells(s, i.operands[0])[0] & 1)
    return Outcome::Next;
  m.fail("check-failed", i.place, Message("{}: {}", m.nameOf(s), m.program->texts[i.text]));
  return Outcome::Failed;
}

Outcome traceStart(Machine &m, Subcore &s, const Instruction &i) {
  if (m.recorder)
    m.recorder->begin(s, m.program->texts[i.text]);
  return Outcome::Next;
}
Outcome traceStop(Machine &m, Subcore &s, const Instruction &) {
  if (m.recorder)
    m.recorder->end(s);
  return Outcome::Next;
}

Outcome scopeEnter(Machine &, Subcore &s, const Instruction &) {
  s.scopes.emplace_back();
  return Outcome::Next;
}
Outcome scopeExit(Machine &m, Subcore &s, const Instruction &i) {
  return releaseScope(m, s, i.place) ? Outcome::Next : Outcome::Failed;
}

template <uint32_t Location::*Field> Outcome ownNumber(Machine &, Subcore &s, const Instruction &i) {
  cells(s, i.results[0])[0] = s.location.*Field;
  return Outcome::Next;
}

} // namespace

void addControl(Handlers &handlers) {
  auto set = [&](Op op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Op::Move, move);
  set(Op::Jump, jump);
  set(Op::BranchIfNot, branchIfNot);
  set(Op::LoopTest, loopTest);
  set(Op::LoopNext, loopNext);
  set(Op::Return, returns);
  set(Op::Assert, asserts);
  set(Op::TraceStart, traceStart);
  set(Op::TraceStop, traceStop);
  set(Op::ScopeEnter, scopeEnter);
  set(Op::ScopeExit, scopeExit);
  set(Op::DeviceId, ownNumber<&Location::device>);
  set(Op::CoreId, ownNumber<&Location::core>);
  set(Op::SubcoreId, ownNumber<&Location::subcore>);
}

} // namespace lanescope::core::sparsecore
