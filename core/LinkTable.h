// The links between the lines of several texts at once, for who asks at each move of a pointer: what core/Links.h tells
// of two stages, with what has to be searched there looked up here.
//
//   LinkTable links({&snippet, &laidOut, &assembly});
//   links.linked(0, 30, 2)       {40, 41, 42}: what line 30 of the snippet became in the third text
//   links.linked(2, 41, 2)       {40, 41, 42}: what else of that text comes from there
//
// Building it takes a pass over all origins; a question, a time that grows with its answer alone.
#pragma once

#include "core/Stages.h"

#include <cstddef>
#include <span>

namespace lanescope::core {

class LinkTable {
public:
  LinkTable() = default;
  explicit LinkTable(const std::vector<const Stage *> &stages);

  size_t texts() const { return texts_.size(); }
  /// The lines of text `to` that belong to a line (from 1) of text `from`, ascending; none for what is not there.
  /// Where `to` was made from `from`, or the other way round, and it is known line by line, these; else those that come
  /// from the same lines of the source. Of a text itself: the line and those that come from the same lines.
  std::vector<uint32_t> linked(size_t from, uint32_t line, size_t to) const;
  /// Whether anything links the text to any other.
  bool hasLinks(size_t text) const { return text < texts_.size() && !texts_[text].keys.items.empty(); }

private:
  /// For each of 0, 1, …: a list of numbers.
  struct Lists {
    std::vector<uint32_t> begins{0}, items;
    size_t size() const { return begins.size() - 1; }
    std::span<const uint32_t> of(size_t index) const {
      return index < size() ? std::span(items).subspan(begins[index], begins[index + 1] - begins[index])
                            : std::span<const uint32_t>();
    }
  };
  struct Text {
    std::string_view id, madeFrom;
    Lists keys;                   // of line - 1: the lines of the source, numbered over all texts
    Lists lines;                  // of such a number: lines of this text
    std::vector<uint32_t> before; // of line - 1; 0: not known
    Lists after;                  // of a line of the text that it was made from, less 1
  };
  /// `lists` the other way round: for each of 0 … count - 1 the indices of the lists that have it, counted from 1.
  static Lists inverted(const Lists &lists, size_t count);

  std::vector<Text> texts_;
};

} // namespace lanescope::core
