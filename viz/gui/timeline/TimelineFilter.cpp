#include "viz/gui/timeline/TimelineFilter.h"

#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::viz {

void TimelineFilter::reset(const std::vector<std::string> &names) {
  *this = TimelineFilter();
  names_ = names;
  nameMatches_.assign(names.size(), 1);
}

void TimelineFilter::search(std::string text) {
  searchText_ = std::move(text);
  std::string needle = lowerCase(searchText_);
  for (size_t i = 0; i < names_.size(); ++i)
    nameMatches_[i] = lowerCase(names_[i]).find(needle) != std::string::npos;
}

void TimelineFilter::light(const std::vector<std::string> &regions, std::vector<std::string> places) {
  litNames_.clear();
  litPlaces_ = std::move(places);
  if (regions.empty() && litPlaces_.empty())
    return;
  litNames_.resize(names_.size());
  for (size_t i = 0; i < litNames_.size(); ++i)
    litNames_[i] = std::ranges::find(regions, names_[i]) != regions.end();
}

bool TimelineFilter::isLit(uint32_t name, std::string_view detail) const {
  return isLit(name) ||
         std::ranges::any_of(litPlaces_, [&](const std::string &place) { return detail.ends_with(place); });
}

} // namespace lanescope::viz
