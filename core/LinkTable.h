// The links between the lines of several texts, for fast queries such as one per mouse move. It answers the questions
// of core/Links.h from tables instead of by search.
//
//   LinkTable links({&snippet, &laidOut, &assembly});
//   links.linked(0, 30, 2)       {40, 41, 42}: the lines of the third text that come from line 30 of the snippet
//   links.linked(2, 41, 2)       {40, 41, 42}: the other lines of that text with the same origin
//
// Building the table takes one pass over all origins. A query takes time in proportion to its answer.
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
  /// The lines (ascending, from 1) of text `to` that are linked to a line of text `from`; none if there is no such
  /// line. If one text was made from the other and its lines' origins are known, these origins give the links.
  /// Otherwise two lines are linked if both come from the same lines of the source. Within one text, the result is the
  /// line itself and the lines with the same origin.
  std::vector<uint32_t> linked(size_t from, uint32_t line, size_t to) const;
  /// True if a link connects the text to another.
  bool hasLinks(size_t text) const { return text < texts_.size() && !texts_[text].keys.items.empty(); }

private:
  /// Lists of numbers, indexed by 0, 1, ….
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
    Lists keys;                   // indexed by line - 1: numbers of source lines, counted over all texts
    Lists lines;                  // indexed by a source line's number: the lines of this text that come from it
    std::vector<uint32_t> before; // indexed by line - 1; 0 if not known
    Lists after;                  // indexed by line - 1 of the text that this one was made from: the lines of this text
  };
  /// The inverse of `lists`: for each number 0 … count - 1, the indices of the lists that contain it, counted from 1.
  static Lists inverted(const Lists &lists, size_t count);

  std::vector<Text> texts_;
};

} // namespace lanescope::core
