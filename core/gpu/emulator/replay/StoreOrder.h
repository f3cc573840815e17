// The effect of an instruction on the order of the strong stores before it in its thread. The perturbations that make
// stores visible late use it.
#pragma once

#include "core/gpu/emulator/replay/GlobalPlaces.h"

#include <vector>

namespace lanescope::core::emulator {

enum class StoreOrder : uint8_t {
  None,  // neither orders stores nor accesses global memory
  Load,  // loads global memory, and may come before earlier stores to other places
  Write, // writes global memory, and may come before earlier stores to other places, unless it releases them
  Fence, // later writes release the stores before it
  Full,  // all stores before it are visible after it: `fence.sc` of the device, barriers, accesses of shared memory by
         // which threads of the block may signal each other, and the thread's end
};

/// By pc.
std::vector<StoreOrder> storeOrdersOf(const Program &program);

} // namespace lanescope::core::emulator
