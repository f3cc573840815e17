// The runtime's state of each thread, and the common beginning and end of its functions.
//
//   Error cudaFree(void *memory) { return finish([&] { return cuMemFree_v2(address(memory)); }); }
//
// `finish` makes the thread's device current, runs the body, and remembers its error for cudaGetLastError.
#pragma once

#include "core/gpu/driver/runtime/RuntimeTypes.h"

#include <vector>

namespace lanescope::core::runtime {

struct CallConfiguration {
  Size3 grid, block;
  size_t sharedBytes = 0;
  Stream *stream = nullptr;
};

struct Thread {
  int device = 0;
  bool chosen = false; // cudaSetDevice was called, or a device was used
  Error last = kSuccess;
  std::vector<CallConfiguration> configurations;

  static Thread &current();
};

/// Initialises the driver, and makes a context current if none is. Errors are CUDA's.
Error enterDevice();
/// The runtime's number for a driver error.
Error errorOf(driver::Status status);
/// Keeps an error for cudaGetLastError.
Error remember(Error error);

template <typename Body> Error finish(Body body) {
  if (Error problem = enterDevice())
    return remember(problem);
  return remember(errorOf(body()));
}

inline driver::DevicePointer address(const void *pointer) { return reinterpret_cast<driver::DevicePointer>(pointer); }

#define LANESCOPE_RUNTIME extern "C" __attribute__((visibility("default")))
// Programs compiled with a default stream per thread call the second name. Both names can be one function, because the
// emulator runs all work at once.
#define LANESCOPE_SAME(name, suffix) asm(".globl " #name suffix "\n.set " #name suffix ", " #name)

} // namespace lanescope::core::runtime
