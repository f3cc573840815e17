#include "core/tpu/emulator/TpuShadow.h"

namespace lanescope::core::sparsecore {

Shadow::Shadow(uint64_t size, Content content) : size_(size) {
  Segment all;
  all.content = content;
  segments_.emplace(0, std::move(all));
}

Shadow::Segments::iterator Shadow::split(uint64_t at) {
  if (at >= size_)
    return segments_.end();
  auto it = segments_.upper_bound(at);
  --it;
  if (it->first == at)
    return it;
  return segments_.emplace_hint(std::next(it), at, it->second);
}

/// Adds the use to the list. Keeps one use per agent, and drops uses that happened before the present one.
static void remember(std::vector<Use> &uses, const Use &use, const Clock &clock) {
  std::erase_if(uses, [&](const Use &other) { return other.step.agent == use.step.agent || clock.covers(other.step); });
  uses.push_back(use);
}

std::optional<Shadow::Conflict> Shadow::read(uint64_t begin, uint64_t end, const Use &use, const Clock &clock) {
  if (begin >= end)
    return std::nullopt;
  auto last = split(end);
  for (auto it = split(begin); it != last; ++it) {
    Segment &segment = it->second;
    bool ordered = segment.writes.empty();
    for (const Use &write : segment.writes)
      ordered |= clock.covers(write.step);
    if (!ordered)
      return Conflict{segment.writes.back(), true};
    remember(segment.reads, use, clock);
  }
  return std::nullopt;
}

std::optional<Shadow::Conflict> Shadow::write(uint64_t begin, uint64_t end, const Use &use, const Clock &clock,
                                              const Written &written) {
  const auto [content, same, pastReads] = written;
  if (begin >= end)
    return std::nullopt;
  auto last = split(end), first = split(begin);
  for (auto it = first; it != last; ++it) {
    Segment &segment = it->second;
    if (same && (content == kAsBefore || segment.content == content) && !segment.writes.empty()) {
      remember(segment.writes, use, clock);
      continue;
    }
    for (const Use &write : segment.writes)
      if (!clock.covers(write.step))
        return Conflict{write, true};
    for (const Use &read : segment.reads)
      if (!pastReads && !clock.covers(read.step))
        return Conflict{read, false};
    segment.reads.clear();
    segment.writes.assign(1, use);
    if (content != kAsBefore)
      segment.content = content;
  }
  // Merges neighbours with the same history.
  for (auto it = std::next(first); it != last;) {
    const Segment &segment = it->second, &before = std::prev(it)->second;
    bool alike = segment.reads.empty() && before.reads.empty() && segment.content == before.content &&
                 segment.writes.size() == 1 && before.writes.size() == 1 &&
                 segment.writes[0].step == before.writes[0].step && segment.writes[0].place == before.writes[0].place;
    it = alike ? segments_.erase(it) : std::next(it);
  }
  return std::nullopt;
}

Content Shadow::content(uint64_t begin, uint64_t end) const {
  if (begin >= end || begin >= size_)
    return kDefined;
  auto it = std::prev(segments_.upper_bound(begin));
  for (; it != segments_.end() && it->first < end; ++it)
    if (it->second.content != kDefined)
      return it->second.content;
  return kDefined;
}

void Shadow::setContent(uint64_t begin, uint64_t end, Content content) {
  if (begin >= end)
    return;
  auto last = split(end);
  for (auto it = split(begin); it != last; ++it)
    it->second.content = content;
}

bool Shadow::sameContent(const Shadow &source, uint64_t from, uint64_t begin, uint64_t size) const {
  if (size == 0)
    return true;
  auto a = std::prev(source.segments_.upper_bound(from));
  auto b = std::prev(segments_.upper_bound(begin));
  for (uint64_t at = 0; at < size;) {
    if (a->second.content != b->second.content)
      return false;
    auto nextA = std::next(a), nextB = std::next(b);
    uint64_t endA = nextA == source.segments_.end() ? size : nextA->first - from;
    uint64_t endB = nextB == segments_.end() ? size : nextB->first - begin;
    at = std::min(endA, endB);
    if (at >= size)
      break;
    if (endA == at)
      a = nextA;
    if (endB == at)
      b = nextB;
  }
  return true;
}

void Shadow::copyContent(const Shadow &source, uint64_t from, uint64_t begin, uint64_t size) {
  if (size == 0)
    return;
  auto it = std::prev(source.segments_.upper_bound(from));
  for (; it != source.segments_.end() && it->first < from + size; ++it) {
    uint64_t first = std::max(it->first, from);
    uint64_t next = std::next(it) == source.segments_.end() ? source.size_ : std::next(it)->first;
    uint64_t last = std::min(next, from + size);
    Content content = it->second.content;
    if (content != kDefined || this->content(begin + (first - from), begin + (last - from)) != kDefined)
      setContent(begin + (first - from), begin + (last - from), content);
  }
}

} // namespace lanescope::core::sparsecore
