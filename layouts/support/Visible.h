// Text of strangers as a terminal or a report may have it: what would move the cursor, colour, rename the window, turn
// the direction of writing or not show at all stands there as an escape that does show.
//
//   visible("a\x1b]0;b\x07")   ->  "a\\x1b]0;b\\x07"        line breaks and tabs stay
//   shownName("a\nb")          ->  "a\\nb"                   one line, and no longer than a line should be
//
// Escaped are C0 but for line breaks and tabs, DEL, C1, controls of direction, lines and paragraphs, characters without
// width, language tags, and bytes that are no UTF-8. Apart from `validUtf8`, which is for pictures: this one loses
// nothing. JSON is not to go through here: its escapes are exact.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanescope {

std::string visible(std::string_view text);
/// The same, but for sequences that choose colours and weights (SGR), as we write them on a terminal.
std::string visibleWithColours(std::string_view text);
/// On one line: line breaks and tabs are escaped too.
std::string visibleLine(std::string_view text);
/// The same, and of a long text the middle is left out.
std::string shownName(std::string_view text);

/// A line of a file, as it is quoted, tabs and all: at most kWidestQuote bytes of it, around the byte `at`.
std::string shownLine(std::string_view line, size_t at = 0);

/// The part [begin, end) of a line that is quoted for its byte `at`: whole characters.
struct QuotedPart {
  size_t begin = 0, end = 0;
};
QuotedPart quotedPart(std::string_view line, size_t at);
constexpr size_t kWidestQuote = 160;

/// The longest that `shownName` gives, in bytes: names of files are at most 255.
constexpr size_t kLongestShownName = 400;

} // namespace lanescope
