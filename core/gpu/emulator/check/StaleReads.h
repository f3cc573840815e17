// Strong loads (volatile, relaxed) of what another cluster writes strongly, if no release and acquire orders the two.
// Such a load is no data race, but it may be a stale read: it may return the value from before the write. A poll of a
// flag asks again, and is right. A load of data lacks a fence:
//
//   A: st.relaxed [x], 1; st.relaxed [f], 1;  B: L: ld.relaxed r, [f]; @r==0 bra L; ld.relaxed q, [x];   // q may be 0
//
//   GlobalShadow shadow; shadow.staleReads.emplace();      // the loads are recorded there
//
// Replays in which the loads return the older value show if any result depends on them (replay/StaleLoads.h).
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <map>

namespace lanescope::core::emulator {

using StaleReads = std::map<uint32_t, Diagnostic>; // by pc of the load: the finding to report if it matters

} // namespace lanescope::core::emulator
