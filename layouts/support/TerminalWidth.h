// The columns that a text takes in a terminal. Most characters take one column. Characters of Chinese, Japanese and
// Korean and most emoji take two. Combining marks and joiners take none.
//
//   columnCount("中文")  ->  4        columnCount("e\u0301")  ->  1        padded("中", 4)  ->  "中  "
//
// The widths are those of Unicode's East Asian Width (UAX 11); an ambiguous character takes one column, as in a
// terminal whose language is not an Asian one. A sequence of emoji with joiners counts as its parts, because many
// terminals draw the parts. `characterCount` (Utf8.h) is for Python's `len` and for fonts that have one advance for all
// glyphs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope {

/// The columns of a text without line breaks and tabs. Each byte that is not UTF-8 takes one.
int64_t columnCount(std::string_view text);
/// The longest part at the front, or at the end, that takes at most so many columns. A character stays with the
/// combining marks after it.
std::string_view firstColumns(std::string_view text, int64_t columns);
std::string_view lastColumns(std::string_view text, int64_t columns);

enum class Aligned : uint8_t { Left, Right };
/// The text with spaces after it, or before it if it is aligned right, so that it takes at least so many columns.
std::string padded(std::string_view text, int64_t columns, Aligned aligned = Aligned::Left);

} // namespace lanescope
