// Places of the protocol and places of ours.
//
//   Positions positions(*Source::make("a.py", "x = '😀' + y"));
//   positions.of(11)          ->  {0, 9}       byte 11 is `+`'s blank: 4 bytes of the character count as 2 units
//   positions.offset({0, 9})  ->  11
//
// The protocol counts lines from 0 and, within a line, UTF-16 code units (LSP 3.17, "Position"); we count bytes of
// UTF-8. A position past a line's end means the line's end, one inside a character the character's begin.
#pragma once

#include "layouts/support/Source.h"

namespace lanescope::repl::lsp {

struct Place {
  uint32_t line = 0, character = 0;
  auto operator<=>(const Place &) const = default;
};
struct PlaceRange {
  Place begin, end;
};

class Positions {
public:
  explicit Positions(const Source &source) : source_(source) {}
  Place of(uint32_t offset) const;
  uint32_t offset(Place place) const;
  PlaceRange range(uint32_t begin, uint32_t end) const { return {of(begin), of(end)}; }

private:
  const Source &source_;
};

/// Which line of a text a line of its earlier version has become: lines before the first change and after the last one
/// are the same lines; of those between nothing is known.
class LineMap {
public:
  LineMap(const Source &before, const Source &after);
  /// From 1, as Source counts; 0: not known.
  uint32_t after(uint32_t lineBefore) const;
  /// The offset in `after` of a place whose line is known; nothing for others.
  std::optional<uint32_t> offset(uint32_t offsetBefore) const;

private:
  const Source &before_, &after_;
  uint32_t same_ = 0;       // lines at the front
  uint32_t tailBefore_ = 0; // the first line of those that are the same at the end
  int64_t shift_ = 0;       // of these
};

} // namespace lanescope::repl::lsp
