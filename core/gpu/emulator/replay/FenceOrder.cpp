#include "core/gpu/emulator/replay/FenceOrder.h"

#include <algorithm>
#include <iterator>

namespace lanescope::core::emulator {

void FenceOrder::Clock::join(const Clock &other) {
  auto mine = entries_.begin();
  bool fits = true; // all threads of `other` are here already
  for (const Entry &one : other.entries_) {
    mine = std::lower_bound(mine, entries_.end(), one.first,
                            [](const Entry &entry, uint64_t thread) { return entry.first < thread; });
    if (mine == entries_.end() || mine->first != one.first) {
      fits = false;
      break;
    }
    mine->second = std::max(mine->second, one.second);
  }
  if (fits)
    return;
  std::vector<Entry> both;
  both.reserve(entries_.size() + other.entries_.size());
  std::ranges::merge(entries_, other.entries_, std::back_inserter(both));
  // If a thread has two entries, the second one has more fences.
  size_t count = 0;
  for (const Entry &one : both) {
    if (count > 0 && both[count - 1].first == one.first)
      --count;
    both[count++] = one;
  }
  both.resize(count);
  entries_ = std::move(both);
}

void FenceOrder::Clock::raise(uint64_t thread, uint32_t fences) {
  auto at = std::ranges::lower_bound(entries_, thread, {}, &Entry::first);
  if (at == entries_.end() || at->first != thread)
    entries_.insert(at, {thread, fences});
  else
    at->second = std::max(at->second, fences);
}

uint32_t FenceOrder::Clock::operator[](uint64_t thread) const {
  auto at = std::ranges::lower_bound(entries_, thread, {}, &Entry::first);
  return at == entries_.end() || at->first != thread ? 0 : at->second;
}

void FenceOrder::fence(uint64_t thread) {
  Thread &own = threads_[thread];
  own.next.raise(thread, ++own.fences);
  own.last = std::make_shared<const Clock>(own.next);
  own.lastRead = {};
}

const FenceOrder::Thread *FenceOrder::fenced(uint64_t thread) const {
  auto own = threads_.find(thread);
  return own == threads_.end() || own->second.fences == 0 ? nullptr : &own->second;
}

void FenceOrder::noteReader(uint64_t thread, uint64_t byte) {
  if (const Thread *own = fenced(thread))
    places_[byte].readers[thread] = own->last;
}

void FenceOrder::read(uint64_t thread, uint64_t byte, uint32_t count) {
  if (places_.empty() && !fenced(thread))
    return;
  Thread &own = threads_[thread];
  if (own.lastRead.count == count && own.lastRead.byte == byte && own.lastRead.writes == writes_)
    return;
  for (uint32_t n = 0; n < count; ++n) {
    if (auto place = places_.find(byte + n); place != places_.end())
      own.next.join(place->second.written);
    noteReader(thread, byte + n);
  }
  own.lastRead = {byte, writes_, count};
}

void FenceOrder::readOlder(uint64_t thread, uint64_t byte, uint64_t writer, uint32_t writersFences) {
  noteReader(thread, byte);
  const Thread *own = fenced(thread);
  if (!own)
    return;
  const std::shared_ptr<const Clock> before = own->last;
  Thread &other = threads_[writer];
  other.next.join(*before);
  if (other.fences > writersFences) { // the writer has already executed a fence after the write
    Clock last = *other.last;
    last.join(*before);
    other.last = std::make_shared<const Clock>(std::move(last));
    other.lastRead = {};
  }
}

void FenceOrder::write(uint64_t thread, uint64_t byte) {
  if (auto place = places_.find(byte); place != places_.end()) {
    Thread &own = threads_[thread];
    own.next.join(place->second.written);
    for (const auto &[reader, clock] : place->second.readers)
      if (reader != thread)
        own.next.join(*clock);
  }
  if (const Thread *own = fenced(thread)) {
    places_[byte].written.join(*own->last);
    ++writes_;
  }
}

uint32_t FenceOrder::fences(uint64_t thread) const {
  const Thread *own = fenced(thread);
  return own ? own->fences : 0;
}

bool FenceOrder::forces(uint64_t writer, uint32_t writersFences, uint64_t reader) const {
  const Thread *own = fenced(reader);
  return own && (*own->last)[writer] > writersFences;
}

} // namespace lanescope::core::emulator
