// The slices of a timeline that are not dimmed: those whose names match the search, and those that belong to the lit
// lines of the code.
#pragma once

#include "core/Trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::viz {

class TimelineFilter {
public:
  /// Forgets all, for another trace with these names.
  void reset(const std::vector<std::string> &names);

  /// Dims all slices whose names do not contain the text. If the text is empty, dims none.
  void search(std::string text);
  const std::string &searchText() const { return searchText_; }
  /// True if the name, an index into the trace's names, matches the search.
  bool matches(uint32_t name) const { return name >= nameMatches_.size() || nameMatches_[name]; }

  /// Dims all slices, except those of these regions and operations in flight that were issued at these places
  /// ("x.py:12"). If both lists are empty, dims none.
  void light(const std::vector<std::string> &regions, std::vector<std::string> places);
  bool lights() const { return !litNames_.empty(); }
  /// True if a slice with this name is lit. `detail`: the facts about an operation in flight, which end with its place.
  bool isLit(uint32_t name, std::string_view detail) const;
  /// True if the slices of the name are lit, whatever their places.
  bool isLit(uint32_t name) const { return litNames_.empty() || (name < litNames_.size() && litNames_[name]); }

private:
  std::vector<std::string> names_;
  std::string searchText_;
  std::vector<char> nameMatches_;
  std::vector<char> litNames_; // indexed by name; empty if all are lit
  std::vector<std::string> litPlaces_;
};

} // namespace lanescope::viz
