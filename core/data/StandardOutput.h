// Standard output as a file that can fail: a full disk, a closed pipe.
//
//   int main(…) {
//     keepStandardFiles();
//     int status = …;                             // writes with printf or std::cout
//     if (auto written = finishStandardOutput(); !written) … status 1
#pragma once

#include "layouts/support/Diagnostic.h"

namespace lanescope::core {

/// Occupies the numbers 0, 1 and 2 if the program was started without one of them. Otherwise a file opened later would
/// get the number, and printed text would land in that file. Writing to the replacement is an error.
void keepStandardFiles();
/// Writes the contents of the buffers. Error "unwritable-file" if this, or any earlier print, failed.
Result<void> finishStandardOutput();

} // namespace lanescope::core
