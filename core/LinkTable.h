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
  /// The lines of text `to` that are linked to a line (from 1) of text `from`, ascending; none if there is no such
  /// line. If one text was made from the other and the lines' origins are known, these decide; else lines from the same
  /// lines of the source are linked. Within one text, the result is the line itself and those from the same lines of
  /// the source.
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
    Lists keys;                   // by line - 1: the lines of the source, numbered over all texts
    Lists lines;                  // by such a number: the lines of this text
    std::vector<uint32_t> before; // by line - 1; 0 if not known
    Lists after;                  // by line - 1 of the text that this one was made from
  };
  /// The inverse of `lists`: for each number 0 … count - 1, the indices of the lists that contain it, counted from 1.
  static Lists inverted(const Lists &lists, size_t count);

  std::vector<Text> texts_;
};

} // namespace lanescope::core
