// The granules of global memory that a part of a launch has read and written, without an order. Parts that run one
// after the other compare them: the checker itself sees one part at a time.
//
//   GlobalTouches first, second;
//   first.add(shadowOfTheFirstBlocks);
//   second.add(shadowOfTheOthers);
//   if (auto place = first.conflictWith(second)) …     // a granule that both used, and one of them wrote
#pragma once

#include "core/data/Bytes.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace lanescope::core::emulator {

class GlobalShadow;

class GlobalTouches {
public:
  static constexpr uint64_t kPageGranules = 2048;
  /// A bit for each granule of a page.
  struct Page {
    std::array<uint64_t, kPageGranules / 64> read{}, written{};
  };
  /// The number of the region, as the shadow counts it, and the number of the page in it.
  using Place = std::pair<uint32_t, uint64_t>;

  void add(const GlobalShadow &shadow);
  void add(const GlobalTouches &other);
  void addPage(Place place, const Page &page);
  /// A page with a granule that both used and at least one of them wrote; nothing if there is none.
  std::optional<Place> conflictWith(const GlobalTouches &other) const;
  using Pages = std::map<Place, Page, std::less<>, PagedAllocator<std::pair<const Place, Page>>>;
  const Pages &pages() const { return pages_; }

private:
  Pages pages_;
};

} // namespace lanescope::core::emulator
