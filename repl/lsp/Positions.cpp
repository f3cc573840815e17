#include "repl/lsp/Positions.h"

#include "layouts/support/Utf8.h"

namespace lanescope::repl::lsp {

namespace {

/// A character's length in bytes (a stray byte counts as one character) and in UTF-16 code units.
struct CharacterSize {
  uint32_t bytes = 1, units = 1;
};

CharacterSize sizeAt(std::string_view text) {
  constexpr char32_t kFirstOfTwoUnits = 0x10000;
  char32_t code = 0;
  auto bytes = static_cast<uint32_t>(characterLength(text, &code));
  return bytes == 0 ? CharacterSize{} : CharacterSize{bytes, code >= kFirstOfTwoUnits ? 2U : 1U};
}

uint32_t lineCount(const Source &source) { return source.lineColumn(static_cast<uint32_t>(source.text().size())).line; }

} // namespace

Place Positions::of(uint32_t offset) const {
  LineColumn at = source_.lineColumn(offset);
  std::string_view line = source_.lineText(at.line);
  Place place{at.line - 1, 0};
  for (uint32_t byte = 0; byte + 1 < at.column && byte < line.size();) {
    CharacterSize size = sizeAt(line.substr(byte));
    if (byte + size.bytes + 1 > at.column)
      break; // the offset lies inside the character
    byte += size.bytes;
    place.character += size.units;
  }
  return place;
}

uint32_t Positions::offset(Place place) const {
  if (place.line >= lineCount(source_))
    return static_cast<uint32_t>(source_.text().size());
  std::string_view line = source_.lineText(place.line + 1);
  uint32_t byte = 0;
  for (uint32_t unit = 0; byte < line.size();) {
    CharacterSize size = sizeAt(line.substr(byte));
    unit += size.units;
    if (unit > place.character)
      break;
    byte += size.bytes;
  }
  return source_.lineStart(place.line + 1) + byte;
}

LineMap::LineMap(const Source &before, const Source &after) : before_(before), after_(after) {
  uint32_t linesBefore = lineCount(before), linesAfter = lineCount(after);
  while (same_ < std::min(linesBefore, linesAfter) && before.lineText(same_ + 1) == after.lineText(same_ + 1))
    ++same_;
  uint32_t tail = 0;
  while (tail < std::min(linesBefore, linesAfter) - same_ &&
         before.lineText(linesBefore - tail) == after.lineText(linesAfter - tail))
    ++tail;
  tailBefore_ = linesBefore - tail + 1;
  shift_ = int64_t{linesAfter} - linesBefore;
}

uint32_t LineMap::after(uint32_t lineBefore) const {
  if (lineBefore <= same_)
    return lineBefore;
  return lineBefore >= tailBefore_ ? static_cast<uint32_t>(lineBefore + shift_) : 0;
}

std::optional<uint32_t> LineMap::offset(uint32_t offsetBefore) const {
  LineColumn at = before_.lineColumn(offsetBefore);
  uint32_t line = after(at.line);
  return line == 0 ? std::nullopt : std::optional(after_.lineStart(line) + at.column - 1);
}

} // namespace lanescope::repl::lsp
