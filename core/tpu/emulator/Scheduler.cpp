#include "core/tpu/emulator/Scheduler.h"

#include "core/tpu/emulator/CopiesInFlight.h"
#include "core/tpu/emulator/TpuDeadlock.h"

#include <chrono>
#include <limits>

namespace lanescope::core::sparsecore {
namespace {

constexpr uint32_t kTurn = 4096; // the most instructions that a subcore executes before the scheduler chooses again

bool canGoOn(const Machine &m, const Subcore &s) {
  if (s.done || s.waiting.what == Waiting::For::Barrier)
    return false;
  if (s.waiting.what == Waiting::For::Nothing)
    return true;
  const SemaphoreState &state = s.waiting.semaphores->semaphores[static_cast<size_t>(s.waiting.semaphore)];
  if (state.count >= s.waiting.amount)
    return true;
  for (uint32_t copy : state.copies)
    if (!m.copies[copy].done)
      return true;
  return false;
}

/// Sets the arguments that hold a place of the grid.
void setGridArguments(Subcore &s) {
  const Function &function = *s.function;
  for (uint32_t k = 0; k < function.gridArguments; ++k)
    s.cells[function.values[function.arguments[k]].at] = static_cast<uint32_t>(s.gridIndex[k]);
}

/// Moves the subcore to its next place of the grid; false if there is none.
bool advance(Subcore &s) {
  const Function &function = *s.function;
  for (size_t d = function.grid.size(); d-- > 0;) {
    if (function.semantics[d] == Semantics::CoreParallel || function.semantics[d] == Semantics::SubcoreParallel)
      continue;
    if (++s.gridIndex[d] < function.grid[d])
      return true;
    s.gridIndex[d] = 0;
  }
  return false;
}

/// True for operations after which blocked subcores may continue, so that the scheduler must choose again.
bool wakesOthers(Op op) {
  return op == Op::Barrier || op == Op::SemaphoreSignal || op == Op::SemaphoreWait || op == Op::WaitDma ||
         op == Op::EnqueueDma || op == Op::EnqueueIndirectDma;
}

/// Executes at most `instructions` instructions, and none after the time `until`.
void turn(Machine &m, Subcore &s, uint32_t instructions, double until) {
  const Handlers &table = handlers();
  for (uint32_t n = 0; n < instructions && !m.failed() && (n == 0 || s.time <= until); ++n) {
    if (s.starting) {
      s.starting = false;
      setGridArguments(s);
      if (!enterStep(m, s))
        return;
    }
    const Instruction &i = s.function->code[s.next];
    ++s.instructions;
    switch (table[static_cast<size_t>(i.op)](m, s, i)) {
    case Outcome::Next:
      s.waiting = {};
      ++s.next;
      if (wakesOthers(i.op))
        return;
      break;
    case Outcome::Jumped: break;
    case Outcome::Blocked: return;
    case Outcome::Failed: return;
    case Outcome::Done:
      s.next = 0;
      s.starting = true;
      if (advance(s))
        break;
      s.done = true;
      leaveSteps(m, s);
      return;
    }
  }
}

/// Chooses the subcore that continues, and the time `until` which it may run: the time of the next subcore.
Subcore *choose(Machine &m, double &until) {
  until = std::numeric_limits<double>::infinity();
  if (m.seed != 0) {
    std::vector<Subcore *> able;
    for (Subcore &s : m.subcores)
      if (canGoOn(m, s))
        able.push_back(&s);
    return able.empty() ? nullptr : able[m.random() % able.size()];
  }
  Subcore *first = nullptr;
  for (Subcore &s : m.subcores) {
    if (!canGoOn(m, s))
      continue;
    if (!first || s.time < first->time) {
      until = first ? std::min(until, first->time) : until;
      first = &s;
    } else {
      until = std::min(until, s.time);
    }
  }
  return first;
}

bool allDone(const Machine &m) {
  for (const Subcore &s : m.subcores)
    if (!s.done)
      return false;
  return true;
}

/// Checks that the kernel leaves no copy without a wait and no semaphore with a count.
void checkEnd(Machine &m) {
  uint32_t place = m.subcores.empty() ? 0 : m.subcores.front().function->place;
  for (const auto &buffer : m.buffers)
    if (!buffer->outlives && !buffer->freed && !checkSemaphores(m, *buffer, place, "the kernel ends"))
      return;
}

} // namespace

void runAll(Machine &m, const ScheduleLimits &limits) {
  using Clock = std::chrono::steady_clock;
  auto start = Clock::now();
  uint64_t turns = 0;
  while (!m.failed()) {
    if (++turns % 256 == 0) {
      const Subcore &s = m.subcores.front();
      uint32_t place = s.done ? s.function->place : s.function->code[s.next].place;
      if (limits.interrupted && limits.interrupted->load(std::memory_order_relaxed))
        return m.fail("interrupted", place, "the run was interrupted");
      if (std::chrono::duration<double>(Clock::now() - start).count() > limits.seconds)
        return m.fail("timeout", place,
                      Message("the kernel did not end within {} seconds; {} is here",
                              static_cast<int64_t>(limits.seconds), m.nameOf(s)));
    }
    if (!completeDue(m))
      return;
    double until = 0;
    Subcore *next = choose(m, until);
    if (next) {
      turn(m, *next, m.seed == 0 ? kTurn : 1 + static_cast<uint32_t>(m.random() % 256), until);
      continue;
    }
    if (allDone(m))
      break;
    // Copies that are still in flight may signal a semaphore that some subcore waits for.
    if (m.inFlight.empty())
      return reportDeadlock(m);
    complete(m, m.inFlight.front());
  }
  if (m.failed())
    return;
  if (m.checks)
    checkEnd(m);
  if (!m.failed())
    completeAll(m);
}

} // namespace lanescope::core::sparsecore
