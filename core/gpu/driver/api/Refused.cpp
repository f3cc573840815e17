// What the emulator does not have: each is refused, and the user is told by its name.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"
#include "layouts/support/Text.h"

namespace lanescope::core::driver {

namespace {

Status refuse(std::string_view function, std::string_view what) {
  LANESCOPE_ENTER(Needs::Library);
  state.journal->complain(text("`", function, "`: the emulator has no ", what));
  return kNotSupported;
}

} // namespace

Status cuTexObjectCreate(unsigned long long *, const void *, const void *, const void *) {
  return refuse("cuTexObjectCreate", "textures");
}
Status cuSurfObjectCreate(unsigned long long *, const void *) { return refuse("cuSurfObjectCreate", "surfaces"); }
Status cuArrayCreate_v2(void **, const void *) { return refuse("cuArrayCreate", "CUDA arrays"); }
Status cuArray3DCreate_v2(void **, const void *) { return refuse("cuArray3DCreate", "CUDA arrays"); }
Status cuMipmappedArrayCreate(void **, const void *, unsigned) {
  return refuse("cuMipmappedArrayCreate", "CUDA arrays");
}
Status cuModuleGetTexRef(void **, Module *, const char *) { return refuse("cuModuleGetTexRef", "textures"); }
Status cuModuleGetSurfRef(void **, Module *, const char *) { return refuse("cuModuleGetSurfRef", "surfaces"); }
Status cuLinkCreate_v2(unsigned, int *, void **, void **) {
  return refuse("cuLinkCreate", "linker: load PTX that is whole");
}
Status cuIpcGetMemHandle(void *, DevicePointer) { return refuse("cuIpcGetMemHandle", "memory that processes share"); }
Status cuMemAddressReserve(DevicePointer *, size_t, size_t, DevicePointer, unsigned long long) {
  return refuse("cuMemAddressReserve", "virtual memory management");
}
Status cuMemCreate(uint64_t *, size_t, const void *, unsigned long long) {
  return refuse("cuMemCreate", "virtual memory management");
}

} // namespace lanescope::core::driver
