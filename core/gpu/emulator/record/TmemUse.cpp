#include "core/gpu/emulator/record/TmemUse.h"

#include <algorithm>
#include <iterator>

namespace lanescope::core::emulator {

namespace {

bool overlap(const TmemUse::Period &period, const CellBox &box) {
  return period.first < uint32_t{box.column} + box.columns && box.column < period.first + period.columns;
}
/// Strips of one array are adjacent. Two accumulators may be adjacent as well, but a product writes all columns of one
/// accumulator.
bool continues(const TmemUse::Period &period, const CellBox &box, const TmemUse::What &what) {
  return what.kind != TmemUse::Kind::Accumulator && period.what.kind == what.kind && period.what.array == what.array &&
         !period.read &&
         (period.first + period.columns == box.column || uint32_t{box.column} + box.columns == period.first);
}

} // namespace

void TmemUse::written(const CellBox &box, What what, bool anew, uint64_t begin, uint64_t end) {
  auto isOver = [&](const Period &period) {
    return anew && overlap(period, box) &&
           (period.read || period.what.kind != what.kind || period.what.array != what.array);
  };
  std::ranges::copy_if(live_, std::back_inserter(over_), isOver);
  std::erase_if(live_, isOver);
  auto into = std::ranges::find_if(
      live_, [&](const Period &period) { return overlap(period, box) || continues(period, box, what); });
  if (into == live_.end()) {
    live_.push_back({std::move(what), box.column, box.columns, begin, end});
    return;
  }
  uint32_t last = std::max(into->first + into->columns, uint32_t{box.column} + box.columns);
  into->first = std::min(into->first, uint32_t{box.column});
  into->columns = last - into->first;
  into->end = std::max(into->end, end);
}

void TmemUse::read(const CellBox &box, uint64_t end) {
  for (Period &period : live_)
    if (overlap(period, box)) {
      period.read = true;
      period.end = std::max(period.end, end);
    }
}

std::vector<TmemUse::Period> TmemUse::periods() const {
  std::vector<Period> out = over_;
  out.insert(out.end(), live_.begin(), live_.end());
  std::ranges::stable_sort(out, {}, &Period::begin);
  return out;
}

} // namespace lanescope::core::emulator
