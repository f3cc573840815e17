// Functions that the emulator does not support: each returns an error, and the driver prints its name.
#include "core/gpu/driver/runtime/Thread.h"

namespace lanescope::core::runtime {

using namespace driver;

LANESCOPE_RUNTIME Error cudaMallocMipmappedArray(void **out, const void *description, Place3, unsigned levels,
                                                 unsigned) {
  return finish([&] { return cuMipmappedArrayCreate(out, description, levels); });
}
LANESCOPE_RUNTIME Error cudaGetMipmappedArrayLevel(void **, void *, unsigned) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaFreeMipmappedArray(void *) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaIpcGetMemHandle(void *out, void *memory) {
  return finish([&] { return cuIpcGetMemHandle(out, address(memory)); });
}
LANESCOPE_RUNTIME Error cudaIpcOpenMemHandle(void **, char[64], unsigned) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaIpcCloseMemHandle(void *) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaIpcGetEventHandle(void *, Event *) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaIpcOpenEventHandle(Event **, char[64]) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaGraphConditionalHandleCreate(unsigned long long *out, Graph *graph, unsigned initial,
                                                         unsigned flags) {
  return finish([&] { return cuGraphConditionalHandleCreate(out, graph, nullptr, initial, flags); });
}

} // namespace lanescope::core::runtime
