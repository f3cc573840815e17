// Strong loads (volatile, relaxed) of what another cluster writes strongly, where no release and acquire orders the
// two: no data race, and yet the load may give what was there before. A poll of a flag is one, and asks again; a load
// of data is one whose fence is missing.
//
//   GlobalShadow shadow; shadow.staleReads.emplace();      // they are noted there
//
// Whether anything depends on what they give, runs say in which they give it (replay/StaleLoads.h).
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <map>

namespace lanescope::core::emulator {

using StaleReads = std::map<uint32_t, Diagnostic>; // by pc of the load: what to say if it matters

} // namespace lanescope::core::emulator
