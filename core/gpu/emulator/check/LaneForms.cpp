#include "core/gpu/emulator/check/LaneForms.h"

#include "core/gpu/emulator/machine/Addresses.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kWholeRow = 5; // the shift of a group that contains all lanes

} // namespace

LaneForms::LaneForms() : forms_(1) {
  for (uint32_t shift = 0; shift < 6; ++shift)
    for (uint32_t phase = 0; phase < kLanes; ++phase)
      forms_.push_back({.kind = Kind::Tile,
                        .bytesShift = static_cast<uint8_t>(shift),
                        .groupShift = kWholeRow,
                        .together = kAllLanes,
                        .column = phase << shift});
}

uint32_t LaneForms::intern(const Form &form) {
  uint64_t mixed = (form.together ^ uint64_t{form.lanes} << 32 ^ form.stride << 16 ^ form.row << 5 ^ form.column) *
                   0x9E3779B97F4A7C15; // 2^64 over the golden ratio
  uint32_t &last = last_[mixed >> 58];
  if (last != kUnknown && forms_[last] == form)
    return last;
  auto known = numbers_.find(form);
  if (known == numbers_.end()) {
    if (forms_.size() >= kMostForms)
      return kUnknown;
    known = numbers_.emplace(form, static_cast<uint32_t>(forms_.size())).first;
    forms_.push_back(form);
  }
  return last = known->second;
}

uint32_t LaneForms::tile(uint32_t together, uint32_t bytes, uint32_t groupShift, uint64_t stride, uint64_t offset) {
  uint32_t rowBytes = bytes << groupShift;
  Form form{.kind = Kind::Tile,
            .bytesShift = static_cast<uint8_t>(std::countr_zero(bytes)),
            .groupShift = static_cast<uint8_t>(groupShift),
            .together = together};
  if (groupShift == kWholeRow) {
    form.column = static_cast<uint32_t>(offset & (rowBytes - 1));
    return intern(form);
  }
  if (stride == 0 || offset % stride + rowBytes > stride)
    return kUnknown;
  form.stride = stride;
  form.row = static_cast<uint32_t>(offset / stride & ((kLanes >> groupShift) - 1));
  form.column = groupShift ? static_cast<uint32_t>(offset % stride & (rowBytes - 1)) : 0;
  return intern(form);
}

/// The form of lanes that access rows at equal distances; kUnknown if the lanes do not.
uint32_t LaneForms::tileOf(uint32_t together, uint32_t mask, const uint64_t *addresses, uint32_t bytes) {
  constexpr uint64_t kOffset = (uint64_t{1} << kRegionShift) - 1;
  auto first = static_cast<uint32_t>(std::countr_zero(mask));
  auto second = static_cast<uint32_t>(std::countr_zero(mask & (mask - 1)));
  auto fits = [&](uint64_t start, uint32_t groupShift, uint64_t stride) {
    for (uint32_t left = mask; left; left &= left - 1) {
      auto l = static_cast<uint32_t>(std::countr_zero(left));
      uint64_t inRow = l & ((1u << groupShift) - 1);
      if (addresses[l] != start + (l >> groupShift) * stride + inRow * bytes)
        return false;
    }
    return (start ^ addresses[first]) >> kRegionShift == 0;
  };
  if (uint64_t start = addresses[first] - uint64_t{first} * bytes; fits(start, kWholeRow, 0))
    return tile(together, bytes, kWholeRow, 0, start & kOffset);
  uint64_t apart = addresses[second] - addresses[first];
  uint64_t step = apart / (second - first);
  if (uint64_t start = addresses[first] - first * step; apart <= kOffset && fits(start, 0, step))
    return tile(together, bytes, 0, step, start & kOffset);
  if (mask != kAllLanes)
    return kUnknown;
  uint32_t run = 1; // how many lanes, counted from lane 0, access adjacent places
  while (run < kLanes && addresses[run] == addresses[run - 1] + bytes)
    ++run;
  if (run == 1 || run == kLanes || !std::has_single_bit(run))
    return kUnknown;
  auto groupShift = static_cast<uint32_t>(std::countr_zero(run));
  uint64_t stride = addresses[run] - addresses[0];
  return stride <= kOffset && fits(addresses[0], groupShift, stride)
             ? tile(together, bytes, groupShift, stride, addresses[0] & kOffset)
             : kUnknown;
}

uint32_t LaneForms::of(uint32_t together, uint32_t mask, const uint64_t *addresses, uint32_t bytes) {
  if (std::has_single_bit(mask))
    return same(together, mask);
  uint64_t apart = 0, one = addresses[std::countr_zero(mask)];
  for (uint32_t l = 0; l < kLanes; ++l)
    apart |= mask >> l & 1 ? addresses[l] ^ one : 0;
  if (apart == 0)
    return same(together, mask);
  return std::has_single_bit(bytes) && apart >> kRegionShift == 0 ? tileOf(together, mask, addresses, bytes) : kUnknown;
}

uint32_t LaneForms::ofFours(uint32_t warp, std::span<const uint64_t, 8> places, uint32_t bytes) {
  Fours &last = fours_[warp % fours_.size()];
  uint64_t stride = places[1] - places[0], odd = 0;
  for (size_t n = 2; n < places.size(); ++n)
    odd |= (places[n] - places[n - 1]) ^ stride;
  if (odd)
    return kUnknown;
  uint32_t row = 4 * bytes;
  uint64_t column = places[0] - last.rowBegin;
  if (last.stride != stride || last.bytes != bytes || column >= stride) {
    if (stride < row || stride >> kRegionShift)
      return kUnknown;
    column = std::has_single_bit(stride) ? places[0] & (stride - 1) : places[0] % stride; // a division takes longer
    last = {stride, places[0] - column, bytes, {}};
  }
  if (column + row > stride)
    return kUnknown;
  uint32_t &form = last.forms[column >> std::countr_zero(bytes) & 3];
  if (form == kUnknown)
    form = tile(kAllLanes, bytes, 2, stride, places[0]);
  return form;
}

uint32_t LaneForms::scattered(uint32_t together) {
  if (scattered_.size() >= kMostScattered)
    return kUnknown;
  scattered_.push_back(together);
  return static_cast<uint32_t>(scattered_.size() - 1) | kScattered;
}

LaneSet LaneForms::lanesAt(uint32_t number, uint64_t offset) const {
  const Form &form = forms_[number];
  switch (form.kind) {
  case Kind::Unknown: return {};
  case Kind::Same: return {form.lanes, false};
  case Kind::Several: return {form.together, true};
  case Kind::Tile: break;
  }
  uint64_t row = 0, column = offset;
  if (form.groupShift != kWholeRow) {
    row = (offset / form.stride - form.row) & ((kLanes >> form.groupShift) - 1);
    column = offset % form.stride;
  }
  uint64_t inRow = (column - form.column) >> form.bytesShift & ((1u << form.groupShift) - 1);
  return {1u << (row << form.groupShift | inRow), false};
}

} // namespace lanescope::core::emulator
