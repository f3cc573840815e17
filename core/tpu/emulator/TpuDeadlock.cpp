#include "core/tpu/emulator/TpuDeadlock.h"

#include "layouts/support/Text.h"

#include <map>

namespace lanescope::core::sparsecore {
namespace {

std::string atBarrier(const Machine &m, const Subcore &s) {
  std::string missing;
  size_t arrived = 0, all = 0, ended = 0;
  for (const Subcore &other : m.subcores) {
    if (other.function != s.function || other.location.device != s.location.device ||
        other.location.core != s.location.core)
      continue;
    ++all;
    if (other.waiting.what == Waiting::For::Barrier && other.waiting.barrier == s.waiting.barrier)
      ++arrived;
    else
      ended += other.done;
  }
  missing = text(arrived, " of ", all, " subcores have arrived");
  if (ended != 0)
    missing += text(", and ", ended, ended == 1 ? " has ended" : " have ended", " without it");
  return text("waits at barrier ", s.waiting.barrier, ", where ", missing);
}

std::string atSemaphore(const Machine &m, const Subcore &s) {
  const Buffer &buffer = *s.waiting.semaphores;
  const SemaphoreState &state = buffer.semaphores[static_cast<size_t>(s.waiting.semaphore)];
  std::string holds = text("which holds ", state.count);
  if (s.waiting.copy)
    return text("waits for ", s.waiting.amount, " bytes of a copy at a semaphore (", buffer.name, "), ", holds,
                ", and no copy that signals it is in flight");
  return text("waits for ", s.waiting.amount, " at a semaphore of ", name(buffer.owner, m.devices > 1), " (",
              buffer.name, "), ", holds);
}

std::string waitText(const Machine &m, const Subcore &s) {
  return s.waiting.what == Waiting::For::Barrier ? atBarrier(m, s) : atSemaphore(m, s);
}

} // namespace

void reportDeadlock(Machine &m) {
  // One line for each place and reason.
  std::vector<std::pair<uint32_t, std::string>> order;
  std::map<std::pair<uint32_t, std::string>, std::vector<std::string>> who;
  for (const Subcore &s : m.subcores) {
    if (s.done)
      continue;
    std::pair<uint32_t, std::string> key{s.waiting.place, waitText(m, s)};
    auto &names = who[key];
    if (names.empty())
      order.push_back(key);
    names.push_back(m.nameOf(s));
  }
  auto describe = [&](const std::pair<uint32_t, std::string> &key) {
    const std::vector<std::string> &names = who[key];
    return text(names.front(), names.size() > 1 ? text(" (and ", names.size() - 1, " more like it) ") : " ",
                key.second);
  };
  std::vector<Note> notes;
  constexpr size_t kMostNotes = 8;
  for (size_t k = 1; k < order.size() && k <= kMostNotes; ++k)
    notes.push_back({m.place(order[k].first), describe(order[k])});
  m.fail("deadlock", order.front().first, Message("nothing can go on: {}", describe(order.front())), std::move(notes));
}

} // namespace lanescope::core::sparsecore
