// Standard output as a file that can fail: a full disk, a closed pipe.
//
//   int main(…) {
//     keepStandardFiles();
//     int status = …;                             // writes with printf or std::cout
//     if (auto written = finishStandardOutput(); !written) … status 1
#pragma once

#include "layouts/support/Diagnostic.h"

namespace lanescope::core {

/// Takes the numbers 0, 1 and 2 where the program was started without one of them: a file that is opened later would
/// get it, and what is printed would land in that file. Writing to what stands in for them is an error.
void keepStandardFiles();
/// Writes what the buffers still hold. Error "unwritable-file" where that, or anything printed before, was not written.
Result<void> finishStandardOutput();

} // namespace lanescope::core
