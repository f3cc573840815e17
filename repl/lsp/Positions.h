// Conversion between the protocol's places and byte offsets.
//
//   Positions positions(*Source::make("a.py", "x = '😀' + y"));
//   positions.of(11)          ->  {0, 9}       byte 11 is `+`'s blank: 4 bytes of the character count as 2 units
//   positions.offset({0, 9})  ->  11
//
// The protocol counts lines from 0 and, within a line, UTF-16 code units (LSP 3.17, "Position"); we count bytes of
// UTF-8. A position past a line's end means the line's end. A position inside a character means the character's begin.
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

/// Maps lines of an earlier version of a text to lines of the newer one. Lines before the first change and after the
/// last change have counterparts; the lines between have none.
class LineMap {
public:
  LineMap(const Source &before, const Source &after);
  /// The line of the newer text for a line of the earlier one. Both count from 1, as Source does; 0: no counterpart.
  uint32_t after(uint32_t lineBefore) const;
  /// The offset in `after` of a place whose line has a counterpart; nothing for other places.
  std::optional<uint32_t> offset(uint32_t offsetBefore) const;

private:
  const Source &before_, &after_;
  uint32_t same_ = 0;       // number of unchanged lines at the front
  uint32_t tailBefore_ = 0; // the first of the unchanged lines at the end
  int64_t shift_ = 0;       // the number of lines by which the unchanged lines at the end moved
};

} // namespace lanescope::repl::lsp
