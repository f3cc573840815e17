#include "core/gpu/emulator/check/GlobalTouches.h"

#include "core/gpu/emulator/check/GlobalShadow.h"

namespace lanescope::core::emulator {

void GlobalTouches::add(const GlobalShadow &shadow) {
  shadow.eachGranule([&](uint32_t region, uint64_t granule, Cell cell) {
    Page &page = pages_[{region, granule / kPageGranules}];
    const uint64_t n = granule % kPageGranules, bit = uint64_t{1} << n % 64;
    if (cell.write)
      page.written[n / 64] |= bit;
    if (cell.reads)
      page.read[n / 64] |= bit;
  });
}

void GlobalTouches::addPage(Place place, const Page &page) {
  Page &own = pages_[place];
  for (size_t n = 0; n < page.read.size(); ++n) {
    own.read[n] |= page.read[n];
    own.written[n] |= page.written[n];
  }
}

void GlobalTouches::add(const GlobalTouches &other) {
  for (const auto &[place, page] : other.pages_)
    addPage(place, page);
}

std::optional<GlobalTouches::Place> GlobalTouches::conflictWith(const GlobalTouches &other) const {
  for (const auto &[place, page] : pages_) {
    auto its = other.pages_.find(place);
    if (its == other.pages_.end())
      continue;
    for (size_t n = 0; n < page.read.size(); ++n)
      if ((page.written[n] & (its->second.written[n] | its->second.read[n])) | (page.read[n] & its->second.written[n]))
        return place;
  }
  return std::nullopt;
}

} // namespace lanescope::core::emulator
