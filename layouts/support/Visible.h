// Makes untrusted text safe for a terminal or a report. Characters that move the cursor, change colours, rename the
// window, change the direction of writing or are invisible become visible escapes.
//
//   visible("a\x1b]0;b\x07")   ->  "a\\x1b]0;b\\x07"        line breaks and tabs stay
//   shownName("a\nb")          ->  "a\\nb"                   one line of limited length
//
// The functions escape C0 except line breaks and tabs, DEL, C1, controls of direction, lines and paragraphs, characters
// without width, language tags, and bytes that are not UTF-8. Unlike `validUtf8`, which is for pictures, they lose
// nothing. Do not use them for JSON, whose own escapes are exact.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanescope {

std::string visible(std::string_view text);
/// Like visible(), but keeps the sequences for colours and weights (SGR) that Lanescope writes on a terminal.
std::string visibleWithColours(std::string_view text);
/// Makes text visible on one line: also escapes line breaks and tabs.
std::string visibleLine(std::string_view text);
/// One line, as visibleLine() makes it, in which the middle of a long text is left out.
std::string shownName(std::string_view text);

/// A line of a file, quoted with its tabs: at most kWidestQuote bytes around the byte `at`.
std::string shownLine(std::string_view line, size_t at = 0);

/// The part [begin, end) of a line that is quoted for the byte `at`. It consists of whole characters.
struct QuotedPart {
  size_t begin = 0, end = 0;
};
QuotedPart quotedPart(std::string_view line, size_t at);
constexpr size_t kWidestQuote = 160;

/// The longest result of `shownName`, in bytes; names of files have at most 255.
constexpr size_t kLongestShownName = 400;

} // namespace lanescope
