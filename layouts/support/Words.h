// Words for messages and words from texts.
//
//   counted(1, "byte")  ->  "1 byte"     counted(2, "matrix", "matrices")  ->  "2 matrices"
//   trimmed(" a b\n")   ->  "a b"        lowerCase("SM_90a")               ->  "sm_90a"
//   hexText(255)        ->  "0xff"       hexDigits(255, 4)                 ->  "00ff"
#pragma once

#include "layouts/support/Text.h"

namespace lanescope {

/// A number and the word for what it counts: `one` if the number is 1, otherwise `many`.
template <std::integral T> std::string counted(T number, std::string_view one, std::string_view many) {
  return text(number, ' ', number == 1 ? one : many);
}
/// The same for a word that has an "s" when there are several.
template <std::integral T> std::string counted(T number, std::string_view one) {
  return text(number, ' ', one, number == 1 ? "" : "s");
}

/// The text without the blanks, tabs and line breaks at both ends.
std::string_view trimmed(std::string_view text);
/// The text with a to z for A to Z. Other letters stay.
std::string lowerCase(std::string_view text);
/// The text with A to Z for a to z. Other letters stay.
std::string upperCase(std::string_view text);

/// The number in base 16 with its prefix, and with no more digits than it needs.
std::string hexText(uint64_t number);
/// The last `digits` digits of the number in base 16, without a prefix.
std::string hexDigits(uint64_t number, int digits);

} // namespace lanescope
