// Strong loads (volatile, relaxed) of what another cluster writes by strong stores, if no release and acquire orders
// the two. Such a load is no data race, but it may be a stale read: it may return the value from before the write. A
// loop that polls a flag loads again, so a stale value does no harm. A load of data needs a fence before it:
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

using StaleReads = std::map<uint32_t, Diagnostic>; // by the load's pc: the finding to report if the value matters

} // namespace lanescope::core::emulator
