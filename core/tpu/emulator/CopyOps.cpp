// tpu.enqueue_dma, tpu.enqueue_indirect_dma and their waits.
#include "core/tpu/emulator/CopiesInFlight.h"
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/TpuCostModel.h"
#include "core/tpu/emulator/TpuRecorder.h"

namespace lanescope::core::sparsecore {
namespace {

bool isHbm(Space space) { return space == Space::Hbm || space == Space::Host || space == Space::Any; }

double durationOf(const Copy &copy, bool remote, size_t rows) {
  bool hbm = isHbm(copy.source.buffer->space) || isHbm(copy.target.buffer->space);
  double time = hbm ? cost::kCopyStart : cost::kLocalCopyStart;
  time += static_cast<double>(copy.bytes) / (hbm ? cost::kHbmBytes : cost::kLocalBytes);
  return time + static_cast<double>(rows) * cost::kRow + (remote ? cost::kRemote : 0);
}

/// The agent and epoch for a new copy. It takes over the agent of an earlier copy if that copy is known to be over, or
/// else a new agent.
Step agentFor(Machine &m, const Subcore &s) {
  for (size_t k = m.freeAgents.size(); k-- > 0;)
    if (s.clock.covers(m.freeAgents[k])) {
      Step step = m.freeAgents[k];
      m.freeAgents.erase(m.freeAgents.begin() + static_cast<ptrdiff_t>(k));
      return {step.agent, step.epoch + 1};
    }
  return {m.agents++, 1};
}

/// Adds the copy to the list of copies that signal the semaphore.
void attach(Copy &copy, Buffer *semaphores, int64_t at, uint32_t index) {
  if (!semaphores || semaphores->element.kind != Element::Kind::DmaSemaphore)
    return;
  semaphores->semaphores[static_cast<size_t>(at)].copies.push_back(index);
  ++copy.toBeAwaited;
}

Outcome start(Machine &m, Subcore &s, const Instruction &i, Copy copy, bool remote, size_t rows) {
  copy.place = i.place;
  copy.subcore = s.index;
  copy.begin = s.time;
  copy.end = s.time + durationOf(copy, remote, rows);
  copy.step = agentFor(m, s);
  copy.clock = s.clock;
  copy.clock.raise(copy.step);
  uint32_t index = static_cast<uint32_t>(m.copies.size());
  if (m.recorder)
    m.recorder->copy(s, copy, rows);
  attach(copy, copy.sourceSemaphores, copy.sourceSemaphore, index);
  attach(copy, copy.targetSemaphores, copy.targetSemaphore, index);
  m.copies.push_back(std::move(copy));
  m.inFlight.push_back(index);
  m.unawaited.push_back(index);
  s.tick();
  s.time += cost::kIssue;
  uint64_t chance = m.seed == 0 ? 1 : m.random() % 3;
  if (m.instant || chance == 0)
    return complete(m, index) ? Outcome::Next : Outcome::Failed;
  m.copies[index].delay = chance == 2 ? 1 + static_cast<uint32_t>(m.random() % 64) : 0;
  return Outcome::Next;
}

bool sameShape(const MemRef &a, const MemRef &b) {
  if (a.rank != b.rank)
    return false;
  for (uint32_t d = 0; d < a.rank; ++d)
    if (a.sizes[d] != b.sizes[d])
      return false;
  return true;
}

Outcome enqueue(Machine &m, Subcore &s, const Instruction &i) {
  Copy copy;
  copy.source = ref(s, operandOf(i, Role::Source));
  copy.target = ref(s, operandOf(i, Role::Target));
  if (!sameShape(copy.source, copy.target)) {
    m.fail("memref-out-of-bounds", i.place, "the source and the target of a copy are of different sizes");
    return Outcome::Failed;
  }
  Location there;
  bool elsewhere = false;
  if (!targetOf(m, s, i, there, elsewhere))
    return Outcome::Failed;
  if (elsewhere && !referenceAt(m, i, copy.target, there, "target"))
    return Outcome::Failed;
  if (uint32_t semaphore = operandOf(i, Role::Semaphore); semaphore != UINT32_MAX) {
    MemRef at = ref(s, semaphore);
    if (elsewhere && !referenceAt(m, i, at, there, "semaphore"))
      return Outcome::Failed;
    copy.targetSemaphores = at.buffer;
    copy.targetSemaphore = at.offset;
  }
  if (uint32_t semaphore = operandOf(i, Role::SourceSemaphore); semaphore != UINT32_MAX) {
    copy.sourceSemaphores = ref(s, semaphore).buffer;
    copy.sourceSemaphore = ref(s, semaphore).offset;
  }
  copy.bytes = copy.target.bytes();
  return start(m, s, i, std::move(copy), there.device != s.location.device, 0);
}

Outcome enqueueIndirect(Machine &m, Subcore &s, const Instruction &i) {
  Copy copy;
  copy.indirect = true;
  copy.add = i.flag;
  copy.source = ref(s, operandOf(i, Role::Source));
  copy.target = ref(s, operandOf(i, Role::Target));
  copy.gather = copy.target.buffer->space == Space::Vmem;
  copy.targetSemaphores = ref(s, operandOf(i, Role::Semaphore)).buffer;
  copy.targetSemaphore = ref(s, operandOf(i, Role::Semaphore)).offset;
  if (copy.add && (copy.source.pieces > 1 || copy.target.pieces > 1)) {
    m.fail("memref-reshape", i.place, "a copy does not add to a view of wider elements than the memory has");
    return Outcome::Failed;
  }
  const MemRef &dense = copy.gather ? copy.target : copy.source;
  const MemRef &indexed = copy.gather ? copy.source : copy.target;
  copy.bytes = dense.bytes();
  uint32_t offsets = operandOf(i, Role::Offsets), rank = 1;
  int64_t count = 1, rows = 1;
  if (valueOf(s, offsets).memref) {
    copy.offsets = ref(s, offsets);
    rank = copy.offsets.rank;
    count = copy.offsets.elements();
  } else {
    if (!requireDefined(m, s, i, offsets, "an offset of an indirect copy"))
      return Outcome::Failed;
    for (uint64_t offset : cells(s, offsets))
      copy.offsetList.push_back(signedOf(typeOf(m, s, offsets).element, offset));
    count = static_cast<int64_t>(copy.offsetList.size());
  }
  bool fits = rank <= dense.rank && indexed.rank >= dense.rank - rank + 1;
  for (uint32_t d = 0; fits && d < rank; ++d)
    rows *= dense.sizes[d];
  for (uint32_t d = rank; fits && d < dense.rank; ++d)
    fits = dense.sizes[d] == indexed.sizes[indexed.rank - dense.rank + d];
  if (!fits || rows != count) {
    m.fail("memref-out-of-bounds", i.place,
           Message(
               "an indirect copy with {count} offsets: its two sides have different numbers of rows, or different rows",
               count));
    return Outcome::Failed;
  }
  if (uint32_t filter = operandOf(i, Role::Filter); filter != UINT32_MAX) {
    if (!requireDefined(m, s, i, filter, "a filter of offsets"))
      return Outcome::Failed;
    copy.filtered = true;
    copy.filter = number(m, s, filter);
  }
  return start(m, s, i, std::move(copy), false, static_cast<size_t>(count));
}

/// Waits for as many bytes as the target has, or, for a scatter, as the source has.
Outcome wait(Machine &m, Subcore &s, const Instruction &i) {
  const MemRef &semaphore = ref(s, operandOf(i, Role::Semaphore)), &source = ref(s, operandOf(i, Role::Source)),
               &target = ref(s, operandOf(i, Role::Target));
  bool scatter = i.mode == 1 && target.buffer->space != Space::Vmem;
  int64_t bytes = static_cast<int64_t>(scatter ? source.bytes() : target.bytes());
  switch (take(m, s, *semaphore.buffer, semaphore.offset, bytes)) {
  case Taken::Fault: return Outcome::Failed;
  case Taken::Yes: return Outcome::Next;
  case Taken::NotYet: break;
  }
  s.waiting = {Waiting::For::Semaphore, semaphore.buffer, semaphore.offset, bytes, true, 0, s.time, i.place};
  return Outcome::Blocked;
}

} // namespace

void addCopies(Handlers &handlers) {
  auto set = [&](Op op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Op::EnqueueDma, enqueue);
  set(Op::EnqueueIndirectDma, enqueueIndirect);
  set(Op::WaitDma, wait);
}

} // namespace lanescope::core::sparsecore
