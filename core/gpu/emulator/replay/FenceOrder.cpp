#include "core/gpu/emulator/replay/FenceOrder.h"

#include <algorithm>

namespace lanescope::core::emulator {

void FenceOrder::join(Clock &into, const Clock &other) {
  for (auto [thread, fences] : other)
    into[thread] = std::max(into[thread], fences);
}

void FenceOrder::fence(uint64_t thread) {
  Thread &own = threads_[thread];
  own.next[thread] = ++own.fences;
  own.last = own.next;
}

const FenceOrder::Thread *FenceOrder::fenced(uint64_t thread) const {
  auto own = threads_.find(thread);
  return own == threads_.end() || own->second.fences == 0 ? nullptr : &own->second;
}

void FenceOrder::noteReader(uint64_t thread, uint64_t byte) {
  if (const Thread *own = fenced(thread))
    places_[byte].readers[thread] = own->last;
}

void FenceOrder::read(uint64_t thread, uint64_t byte) {
  if (auto place = places_.find(byte); place != places_.end())
    join(threads_[thread].next, place->second.written);
  noteReader(thread, byte);
}

void FenceOrder::readOlder(uint64_t thread, uint64_t byte, uint64_t writer, uint32_t writersFences) {
  noteReader(thread, byte);
  if (!fenced(thread))
    return;
  const Clock before = fenced(thread)->last;
  Thread &other = threads_[writer];
  join(other.next, before);
  if (other.fences > writersFences) // it has executed its fence after the write already
    join(other.last, before);
}

void FenceOrder::write(uint64_t thread, uint64_t byte) {
  if (auto place = places_.find(byte); place != places_.end()) {
    Thread &own = threads_[thread];
    join(own.next, place->second.written);
    for (const auto &[reader, clock] : place->second.readers)
      if (reader != thread)
        join(own.next, clock);
  }
  if (const Thread *own = fenced(thread))
    join(places_[byte].written, own->last);
}

uint32_t FenceOrder::fences(uint64_t thread) const {
  const Thread *own = fenced(thread);
  return own ? own->fences : 0;
}

bool FenceOrder::forces(uint64_t writer, uint32_t writersFences, uint64_t reader) const {
  const Thread *own = fenced(reader);
  if (!own)
    return false;
  auto seen = own->last.find(writer);
  return seen != own->last.end() && seen->second > writersFences;
}

} // namespace lanescope::core::emulator
