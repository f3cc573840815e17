// Semaphores and barriers.
#include "core/tpu/emulator/CopiesInFlight.h"
#include "core/tpu/emulator/TpuCostModel.h"
#include "core/tpu/emulator/TpuRecorder.h"
#include "layouts/support/Text.h"

namespace lanescope::core::sparsecore {
namespace {

Outcome readSemaphore(Machine &, Subcore &s, const Instruction &i) {
  const MemRef &semaphore = ref(s, i.operands[0]);
  const SemaphoreState &state = semaphore.buffer->semaphores[static_cast<size_t>(semaphore.offset)];
  cells(s, i.results[0])[0] = static_cast<uint32_t>(state.count);
  s.time += cost::kIssue;
  return Outcome::Next;
}

Outcome signalSemaphore(Machine &m, Subcore &s, const Instruction &i) {
  MemRef semaphore = ref(s, operandOf(i, Role::Semaphore));
  uint32_t amount = operandOf(i, Role::Amount);
  Location there;
  bool elsewhere = false;
  if (!requireDefined(m, s, i, amount, "a semaphore's count") || !targetOf(m, s, i, there, elsewhere) ||
      (elsewhere && !referenceAt(m, i, semaphore, there, "semaphore")))
    return Outcome::Failed;
  SemaphoreState &state = semaphore.buffer->semaphores[static_cast<size_t>(semaphore.offset)];
  s.time += cost::kIssue;
  signal(*semaphore.buffer, semaphore.offset, number(m, s, amount),
         s.time + (there.device != s.location.device ? cost::kRemote : 0));
  state.clock.join(s.clock);
  s.tick();
  return Outcome::Next;
}

Outcome waitSemaphore(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &semaphore = ref(s, operandOf(i, Role::Semaphore));
  uint32_t amount = operandOf(i, Role::Amount);
  if (!requireDefined(m, s, i, amount, "a semaphore's count"))
    return Outcome::Failed;
  switch (take(m, s, *semaphore.buffer, semaphore.offset, number(m, s, amount))) {
  case Taken::Fault: return Outcome::Failed;
  case Taken::Yes: return Outcome::Next;
  case Taken::NotYet: break;
  }
  s.waiting = {
      Waiting::For::Semaphore, semaphore.buffer, semaphore.offset, number(m, s, amount), false, 0, s.time, i.place};
  return Outcome::Blocked;
}

/// True if both subcores take part in one barrier: vector subcores of a core that run the same function. A scalar
/// subcore is alone at its barrier.
bool meets(const Subcore &a, const Subcore &b) {
  return a.location.device == b.location.device && a.location.core == b.location.core && a.function == b.function;
}

Outcome barrier(Machine &m, Subcore &s, const Instruction &i) {
  if (!requireDefined(m, s, i, i.operands[0], "a barrier's number"))
    return Outcome::Failed;
  int64_t id = number(m, s, i.operands[0]);
  if (s.waiting.what != Waiting::For::Barrier)
    s.waiting = {Waiting::For::Barrier, nullptr, 0, 0, false, id, s.time, i.place};
  double last = 0;
  Clock all;
  for (Subcore &other : m.subcores) {
    if (!meets(s, other))
      continue;
    if (other.done || other.waiting.what != Waiting::For::Barrier || other.waiting.barrier != id)
      return Outcome::Blocked;
    last = std::max(last, other.time);
    all.join(other.clock);
  }
  for (Subcore &other : m.subcores) {
    if (!meets(s, other))
      continue;
    if (m.recorder)
      m.recorder->waited(other, other.waiting.since, last + cost::kBarrier, "barrier");
    other.waiting = {};
    other.time = last + cost::kBarrier;
    other.clock.join(all);
    other.tick();
    if (&other != &s)
      ++other.next;
  }
  return Outcome::Next;
}

} // namespace

void addSynchronisation(Handlers &handlers) {
  auto set = [&](Op op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Op::SemaphoreRead, readSemaphore);
  set(Op::SemaphoreSignal, signalSemaphore);
  set(Op::SemaphoreWait, waitSemaphore);
  set(Op::Barrier, barrier);
}

} // namespace lanescope::core::sparsecore
