// Where a value of JSON ends, without looking into it: for files too large to parse in one piece. What it passes over
// is not checked; whoever parses the piece does, and asks firstJsonFault() where it is broken.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanescope::core {

/// The first byte from `at` on that is no white space; the text's size when there is none.
size_t skipJsonSpace(std::string_view text, size_t at);

/// Just after the value that begins at `at`; npos where the text ends within it, or begins none.
size_t skipJsonValue(std::string_view text, size_t at);

/// The first byte of the value at `at` that no JSON has there, and why; `what` is empty for a value without an error.
struct JsonFault {
  size_t at = 0;
  std::string what;
};
JsonFault firstJsonFault(std::string_view text, size_t at);

/// Where a piece of an array that begins with an element at `at` may end: after an element, before its comma or the
/// array's end, as soon as the piece has `least` bytes. npos where the text ends first.
size_t endOfJsonElements(std::string_view text, size_t at, size_t least);

/// A guess at the same that looks at a few bytes alone: the last place before `at` + `most` with a comma between two
/// objects. It may lie within a string or an inner array; then what ends there is no JSON. npos: there is none.
size_t guessEndOfObjects(std::string_view text, size_t at, size_t most);

} // namespace lanescope::core
