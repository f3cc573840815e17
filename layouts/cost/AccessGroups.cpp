#include "layouts/cost/AccessGroups.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace lanescope::layouts {

namespace {

/// The thread whose values decide the groups: the first of those that hold the most values.
int referenceThread(const ElementMap &map) {
  int best = 0;
  int64_t most = -1;
  for (int thread = 0; thread < map.threads() && most < map.values(); ++thread) {
    auto held = map.elements().subspan(static_cast<size_t>(thread) * map.values(), map.values());
    int64_t count = std::count_if(held.begin(), held.end(), [](int32_t element) { return element >= 0; });
    if (count > most) {
      most = count;
      best = thread;
    }
  }
  return best;
}

std::string valueText(const ElementMap &map, int32_t slot) {
  return map.vector() == 1 ? text("register ", slot)
                           : text("position ", slot % map.vector(), " of register ", slot / map.vector());
}

std::unexpected<Diagnostics> notGrouped(const ElementMap &map, int thread, int32_t slot, int bytes,
                                        std::string_view why) {
  return error("access-width",
               Message("thread {thread} cannot move {} by an access of {}: {}; a narrower access may do", thread,
                       valueText(map, slot), counted(bytes, "byte"), why));
}

/// Puts the values of one thread that lie in one aligned chunk of memory together; each chunk must be full.
template <typename Offset>
Result<std::vector<int32_t>> chunksOf(const ElementMap &map, std::span<const Offset> offsets, int thread, int per,
                                      int bytes) {
  std::vector<int32_t> slots;
  auto held = map.elements().subspan(static_cast<size_t>(thread) * map.values(), map.values());
  std::unordered_map<int64_t, size_t> open; // chunk -> where its group begins
  slots.reserve(held.size());
  for (int32_t slot = 0; slot < map.values(); ++slot) {
    if (held[slot] < 0)
      continue;
    Offset offset = offsets[held[slot]];
    int64_t chunk = offset / per;
    auto [it, isNew] = open.try_emplace(chunk, slots.size());
    // A thread that holds an element twice fills the element's chunk twice, so it needs a second group.
    if (isNew || slots[it->second + offset % per] != -1) {
      it->second = slots.size();
      slots.resize(slots.size() + per, -1);
    }
    slots[it->second + offset % per] = slot;
  }
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i] < 0)
      for (size_t j = i / per * per;; ++j)
        if (slots[j] >= 0)
          return notGrouped(map, thread, slots[j], bytes, "it does not hold all elements that lie beside it there");
  return slots;
}

/// True if every thread holds each group as adjacent, aligned elements or holds none of it, and holds nothing outside
/// the groups.
template <typename Offset>
Result<void> checkAllThreads(const ElementMap &map, std::span<const Offset> offsets, const AccessGroups &groups) {
  int per = groups.perInstruction;
  if (static_cast<int>(groups.slots.size()) < map.values()) {
    std::vector<bool> covered(map.values(), false);
    for (int32_t slot : groups.slots)
      covered[slot] = true;
    for (int thread = 0; thread < map.threads(); ++thread)
      for (int32_t slot = 0; slot < map.values(); ++slot)
        if (!covered[slot] && map.elements()[static_cast<size_t>(thread) * map.values() + slot] >= 0)
          return notGrouped(map, thread, slot, groups.bytes, "other threads hold other registers");
  }
  // If the width is a power of two (not, for example, 6 bits), the test below needs no division.
  const bool power = std::has_single_bit(static_cast<unsigned>(per));
  auto isAligned = [per, power](Offset offset) { return (power ? offset & (per - 1) : offset % per) == 0; };
  for (int thread = 0; thread < map.threads(); ++thread) {
    const int32_t *held = map.elements().data() + static_cast<size_t>(thread) * map.values();
    for (size_t i = 0; i < groups.slots.size(); i += per) {
      int32_t first = held[groups.slots[i]];
      if (first < 0) {
        for (int k = 1; k < per; ++k)
          if (held[groups.slots[i + k]] >= 0)
            return notGrouped(map, thread, groups.slots[i], groups.bytes, "it holds only a part of it");
        continue;
      }
      Offset base = offsets[first];
      if (!isAligned(base))
        return notGrouped(map, thread, groups.slots[i], groups.bytes, "its place is not aligned");
      for (int k = 1; k < per; ++k) {
        int32_t element = held[groups.slots[i + k]];
        if (element < 0 || offsets[element] != base + k)
          return notGrouped(map, thread, groups.slots[i], groups.bytes, "the next element there is not its neighbour");
      }
    }
  }
  return {};
}

} // namespace

template <typename Offset>
Result<AccessGroups> groupAccesses(const ElementMap &map, std::span<const Offset> offsets, int bitwidth, int bytes) {
  if (bytes * 8 < bitwidth)
    return error(
        "access-width",
        Message("an access of {bits} bits is narrower than one {other_bits}-bit element; use one of {} bits or more",
                bytes * 8, bitwidth, bitwidth));
  AccessGroups out;
  out.bytes = bytes;
  out.perInstruction = bytes * 8 / bitwidth;
  if (out.perInstruction == 1) { // an instruction with a single value needs no neighbours
    for (int32_t slot = 0; slot < map.values(); ++slot)
      out.slots.push_back(slot);
    return out;
  }
  auto slots = chunksOf(map, offsets, referenceThread(map), out.perInstruction, bytes);
  if (!slots)
    return std::unexpected(std::move(slots.error()));
  out.slots = std::move(*slots);
  if (auto all = checkAllThreads(map, offsets, out); !all)
    return std::unexpected(std::move(all.error()));
  return out;
}

template <typename Offset>
Result<AccessGroups> widestGroups(const ElementMap &map, std::span<const Offset> offsets, int bitwidth, int maxBytes) {
  Result<AccessGroups> out = error("access-width", Message("no access moves {bits}-bit elements", bitwidth));
  for (int bytes = maxBytes; bytes * 8 >= bitwidth && bytes > 0; bytes /= 2) {
    out = groupAccesses(map, offsets, bitwidth, bytes);
    if (out)
      break;
  }
  return out;
}

template Result<AccessGroups> groupAccesses(const ElementMap &, std::span<const int32_t>, int, int);
template Result<AccessGroups> groupAccesses(const ElementMap &, std::span<const int64_t>, int, int);
template Result<AccessGroups> widestGroups(const ElementMap &, std::span<const int32_t>, int, int);
template Result<AccessGroups> widestGroups(const ElementMap &, std::span<const int64_t>, int, int);

} // namespace lanescope::layouts
