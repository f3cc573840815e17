// A comparison of two traces as the text of `lanescope trace A --compare B`, and as JSON (docs/trace.md).
#pragma once

#include "core/profiler/CompareTraces.h"

namespace lanescope::core {

std::string compareText(const TraceComparison &of);
std::string compareJson(const TraceComparison &of);
/// A change of time in words: "+5.3 µs", "-120 ns", "0 ns".
std::string growthText(double ns);
/// One sentence: "`tile wait` grew most: 3.1 µs to 8.4 µs per track", or that nothing changed.
std::string compareHeadline(const TraceComparison &of);

} // namespace lanescope::core
