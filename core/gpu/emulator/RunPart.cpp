#include "core/gpu/emulator/RunPart.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace lanescope::core::emulator {

namespace {

/// The bytes of a page of a region.
std::span<const std::byte> pageIn(std::span<const std::byte> region, uint64_t page) {
  const uint64_t at = page * ChangedPages::kPageBytes;
  return region.subspan(at, std::min<uint64_t>(ChangedPages::kPageBytes, region.size() - at));
}

uint64_t pagesOf(uint64_t bytes) { return (bytes + ChangedPages::kPageBytes - 1) / ChangedPages::kPageBytes; }

} // namespace

ChangedPages ChangedPages::of(std::span<const std::byte> now, const std::byte *initial) {
  ChangedPages changed{.bytes = now.size()};
  for (uint64_t page = 0; page < pagesOf(now.size()); ++page)
    if (auto bytes = pageIn(now, page);
        !initial || std::memcmp(bytes.data(), initial + page * kPageBytes, bytes.size()) != 0)
      changed.pages.push_back(static_cast<uint32_t>(page));
  changed.contents.reserve(*changed.contentBytes());
  for (uint32_t page : changed.pages) {
    auto bytes = pageIn(now, page);
    changed.contents.insert(changed.contents.end(), bytes.begin(), bytes.end());
  }
  return changed;
}

void ChangedPages::restore(std::byte *region) const {
  for (size_t n = 0; n < pages.size(); ++n) { // all but the last of the pages are whole
    auto page = pageIn(contents, n);
    std::ranges::copy(page, region + pages[n] * kPageBytes);
  }
}

std::optional<uint64_t> ChangedPages::contentBytes() const {
  if (pages.empty())
    return 0;
  if (pages.back() >= pagesOf(bytes) || !std::ranges::is_sorted(pages, std::ranges::less_equal{}))
    return std::nullopt;
  return (pages.size() - 1) * kPageBytes + std::min(kPageBytes, bytes - pages.back() * kPageBytes);
}

MemoryState MemoryState::of(const Grid &grid) {
  MemoryState state;
  state.heapUsed = grid.heapUsed;
  for (uint32_t n = 0; n < grid.regions.size(); ++n) {
    const Region &region = grid.regions[n];
    if (!region.data || region.readOnly || region.lent || region.bytes == 0)
      continue;
    if (auto changed = ChangedPages::of({region.data, static_cast<size_t>(region.bytes)}, region.initial);
        !changed.pages.empty())
      state.regions.emplace(n, std::move(changed));
  }
  return state;
}

Result<void> MemoryState::fits(const Grid &grid) const {
  if (heapUsed > kHeapBytes)
    return error("checkpoint",
                 Message("the checkpoint has a heap of {limit} bytes, of which {} are used; remove the file",
                         kHeapBytes, heapUsed));
  for (const auto &[number, changed] : regions)
    if (number >= grid.regions.size() || !grid.regions[number].data || grid.regions[number].bytes != changed.bytes ||
        (grid.regions[number].readOnly && !grid.regions[number].lent))
      return error("checkpoint", Message("the checkpoint has {bytes} bytes for region {} of memory, which this launch "
                                         "does not have; remove the file",
                                         changed.bytes, number));
  return {};
}

void MemoryState::restore(Grid &grid) const {
  grid.heapUsed = heapUsed;
  for (const auto &[number, changed] : regions) {
    Region &region = grid.regions[number];
    if (region.lent)
      region.lent->written = true;
    else
      changed.restore(region.data);
  }
}

std::vector<uint64_t> RunPart::chosen(const Grid &grid) const {
  const uint64_t all = grid.clusterCount(), from = std::min(first, all);
  std::vector<uint64_t> numbers(std::min(count, all - from));
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

} // namespace lanescope::core::emulator
