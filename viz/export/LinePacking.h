// Lines that repeat each other but for their numbers, as the lines of a picture's cells do, in a form that compresses
// to a few hundredths of them: each kind of line once, and its numbers in columns, as differences.
//
//   <rect x="0" y="0" fill="#123456"/>          kinds    [["<rect x=\"","\" y=\"","\" fill=\"#","\"/>"]]
//   <rect x="16" y="0" fill="#123456"/>    ->   order    0,0
//                                               columns  0,16  0,0  123456,0
//
// The form is not compressed itself, and not smaller than the text before it is.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::viz {

/// The text's form: a line of JSON with the pieces of each kind, a line with the kind of each line, then a line for
/// each column of numbers.
std::string packedLines(std::string_view text);
/// The script's function `unpackedLines(form)`, which gives the text again.
extern const std::string_view kUnpackLinesScript;

} // namespace lanescope::viz
