// A compressible form of lines that differ only in their numbers, such as those of a picture's cells. The form contains
// each kind of line once, and the numbers in columns, as differences. It compresses to a few hundredths of its size.
//
//   <rect x="0" y="0" fill="#123456"/>          kinds    [["<rect x=\"","\" y=\"","\" fill=\"#","\"/>"]]
//   <rect x="16" y="0" fill="#123456"/>    ->   order    0,0
//                                               columns  0,16  0,0  123456,0
//
// The form itself is not compressed. It is smaller than the text only after compression.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::viz {

/// Returns the form of a text: a line of JSON with the pieces of each kind, a line with the kind of each line, and a
/// line for each column of numbers. `unpackedLines` of viz/export/pages/unpack.js restores the text.
std::string packedLines(std::string_view text);

} // namespace lanescope::viz
