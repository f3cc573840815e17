// Finds the end of a JSON value without parsing it, for files too large to parse in one piece. It does not check the
// value. The caller parses the piece, and calls firstJsonFault() if the piece is broken.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanescope::core {

/// The first byte from `at` on that is not white space; the text's size if there is none.
size_t skipJsonSpace(std::string_view text, size_t at);

/// The end of the value that begins at `at`; npos if the text ends within it, or if no value begins there.
size_t skipJsonValue(std::string_view text, size_t at);

/// The first invalid byte of the value at `at`, and the reason. `what` is empty if the value is valid.
struct JsonFault {
  size_t at = 0;
  std::string what;
};
JsonFault firstJsonFault(std::string_view text, size_t at);

/// A place at which a piece of an array may end, if the piece begins with the element at `at` and has at least `least`
/// bytes. The place comes after an element, and before its comma or the array's end. npos if the text ends first.
size_t endOfJsonElements(std::string_view text, size_t at, size_t least);

/// Guesses such a place by looking at a few bytes only: the last comma between two objects before `at` + `most`. The
/// place may lie within a string or an inner array; the piece is then not valid JSON. npos if there is none.
size_t guessEndOfObjects(std::string_view text, size_t at, size_t most);

} // namespace lanescope::core
