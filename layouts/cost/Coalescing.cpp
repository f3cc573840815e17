#include "layouts/cost/Coalescing.h"

#include "layouts/cost/AccessGroups.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts {

namespace {

constexpr int64_t kMaxExtent = int64_t(1) << 40;

/// Offset of each element, row-major.
Result<std::vector<int64_t>> offsetsOf(const Shape &shape, const Shape &strides, int bitwidth) {
  if (strides.size() != shape.size())
    return error("strides", Message("{} given for an array of shape {shape}; one per dimension is needed",
                                    counted(strides.size(), "stride"), tupleText(shape)));
  int64_t extent = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] < 0)
      return error(
          "strides",
          Message(
              "stride {stride} of dimension {dimension} is negative; the addresses of an array count up from its base",
              strides[d], d));
    int64_t span = saturatingMultiply(std::max<int64_t>(shape[d] - 1, 0), strides[d]);
    extent = std::min(span, kMaxExtent * 8) + extent; // no overflow: the check below bounds both addends
    if (saturatingMultiply(extent, std::max(bitwidth, 8)) / 8 > kMaxExtent)
      return error("too-large", Message("strides {strides} put shape {shape} beyond 2^40 bytes", tupleText(strides),
                                        tupleText(shape)));
  }
  std::vector<int64_t> out = {0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> next;
    next.reserve(out.size() * static_cast<size_t>(std::max<int64_t>(shape[d], 0)));
    for (int64_t base : out)
      for (int64_t i = 0; i < shape[d]; ++i)
        next.push_back(base + i * strides[d]);
    out = std::move(next);
  }
  return out;
}

/// The number of distinct values of addresses / unit; `addresses` are those of one instruction, sorted.
int64_t distinct(std::span<const int64_t> addresses, int64_t unit) {
  int64_t count = 0, last = -1;
  for (int64_t address : addresses)
    if (address / unit != last) {
      last = address / unit;
      ++count;
    }
  return count;
}

} // namespace

Result<CoalescingReport> coalescing(const ElementMap &map, const Shape &strides, int bitwidth) {
  auto offsets = offsetsOf(map.shape(), strides, bitwidth);
  if (!offsets)
    return std::unexpected(std::move(offsets.error()));
  if (Result<void> warps = checkNvidiaWarps(map, "memory transactions are counted for"); !warps)
    return std::unexpected(std::move(warps.error()));
  auto groups = widestGroups(map, std::span<const int64_t>(*offsets), bitwidth);
  if (!groups)
    return std::unexpected(std::move(groups.error()));
  CoalescingReport out;
  out.bytes = groups->bytes;
  out.warps = (map.threads() + kLanesPerWarp - 1) / kLanesPerWarp;
  out.instructions.resize(static_cast<size_t>(groups->instructions()));
  for (int i = 0; i < groups->instructions(); ++i) {
    CoalescingReport::Instruction &cost = out.instructions[static_cast<size_t>(i)];
    int64_t worst = -1;
    for (int warp = 0; warp < out.warps; ++warp) {
      std::array<int64_t, kLanesPerWarp> addresses;
      size_t active = 0;
      for (int thread = warp * kLanesPerWarp; thread < std::min((warp + 1) * kLanesPerWarp, map.threads()); ++thread) {
        int32_t element = map.elements()[static_cast<size_t>(thread) * map.values() + groups->first(i)];
        if (element >= 0)
          addresses[active++] = (*offsets)[element] * bitwidth / 8;
      }
      if (!std::is_sorted(addresses.begin(), addresses.begin() + active))
        std::sort(addresses.begin(), addresses.begin() + active);
      std::span<const int64_t> used(addresses.data(), active);
      int64_t sectors = distinct(used, kSectorBytes);
      // Accesses are aligned to their size, so different ones don't overlap.
      int64_t bytes = distinct(used, out.bytes) * out.bytes;
      cost.sectors += sectors;
      cost.idealSectors += (bytes + kSectorBytes - 1) / kSectorBytes;
      cost.lines += distinct(used, kLineBytes);
      if (sectors > worst) {
        worst = sectors;
        cost.worstWarp = warp;
      }
    }
    out.sectors += cost.sectors;
    out.idealSectors += cost.idealSectors;
    out.lines += cost.lines;
  }
  out.slots = std::move(groups->slots);
  out.slotsPerInstruction = groups->perInstruction;
  return out;
}

} // namespace lanescope::layouts
