// Functions that the emulator does not support: each returns an error, and the driver prints its name.
#include "core/gpu/driver/runtime/Thread.h"

namespace lanescope::core::runtime {

using namespace driver;

LANESCOPE_RUNTIME Error cudaCreateTextureObject(unsigned long long *out, const void *resource, const void *texture,
                                                const void *view) {
  return finish([&] { return cuTexObjectCreate(out, resource, texture, view); });
}
LANESCOPE_RUNTIME Error cudaDestroyTextureObject(unsigned long long) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaCreateSurfaceObject(unsigned long long *out, const void *resource) {
  return finish([&] { return cuSurfObjectCreate(out, resource); });
}
LANESCOPE_RUNTIME Error cudaDestroySurfaceObject(unsigned long long) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaMallocArray(void **out, const void *description, size_t, size_t, unsigned) {
  return finish([&] { return cuArrayCreate_v2(out, description); });
}
LANESCOPE_RUNTIME Error cudaMalloc3DArray(void **out, const void *description, Place3, unsigned) {
  return finish([&] { return cuArray3DCreate_v2(out, description); });
}
LANESCOPE_RUNTIME Error cudaMallocMipmappedArray(void **out, const void *description, Place3, unsigned levels,
                                                 unsigned) {
  return finish([&] { return cuMipmappedArrayCreate(out, description, levels); });
}
LANESCOPE_RUNTIME Error cudaGetMipmappedArrayLevel(void **, void *, unsigned) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaFreeMipmappedArray(void *) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaFreeArray(void *) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaArrayGetInfo(void *, void *, unsigned *, void *) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaGetChannelDesc(void *, void *) { return remember(kNotSupported); }
LANESCOPE_RUNTIME Error cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int) {
  return remember(kNotSupported);
}
LANESCOPE_RUNTIME Error cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int) {
  return remember(kNotSupported);
}
LANESCOPE_RUNTIME Error cudaMemcpy2DToArrayAsync(void *, size_t, size_t, const void *, size_t, size_t, size_t, int,
                                                 Stream *) {
  return remember(kNotSupported);
}
LANESCOPE_RUNTIME Error cudaMemcpy2DFromArray(void *, size_t, void *, size_t, size_t, size_t, size_t, int) {
  return remember(kNotSupported);
}
LANESCOPE_RUNTIME Error cudaMemcpy2DArrayToArray(void *, size_t, size_t, void *, size_t, size_t, size_t, size_t, int) {
  return remember(kNotSupported);
}
struct ChannelDescription {
  int x, y, z, w, kind;
};
LANESCOPE_RUNTIME ChannelDescription cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}
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
