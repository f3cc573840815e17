#include "core/gpu/emulator/check/GlobalTouches.h"

#include "core/gpu/emulator/check/GlobalShadow.h"

namespace lanescope::core::emulator {

void GlobalTouches::add(const GlobalShadow &shadow) {
  constexpr uint64_t kPageLines = kPageGranules / GlobalShadow::kGranules;
  static_assert(GlobalShadow::kGranules == 32);
  Place place{UINT32_MAX, 0};
  Page *page = nullptr; // the page at `place`
  shadow.eachLine([&](uint32_t region, uint64_t line, uint32_t read, uint32_t written) {
    if (Place of{region, line / kPageLines}; !page || of != place) {
      place = of;
      page = &pages_[of];
    }
    const uint64_t n = line % kPageLines, shift = n % 2 * 32; // two lines in a word
    page->read[n / 2] |= uint64_t{read} << shift;
    page->written[n / 2] |= uint64_t{written} << shift;
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
