// Functions that the emulator does not support: each returns an error and prints its name.
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

Status cuMipmappedArrayCreate(void **, const void *, unsigned) {
  return refuse("cuMipmappedArrayCreate", "mipmapped arrays");
}
Status cuModuleGetTexRef(void **, Module *, const char *) {
  return refuse("cuModuleGetTexRef", "texture references: use texture objects");
}
Status cuModuleGetSurfRef(void **, Module *, const char *) {
  return refuse("cuModuleGetSurfRef", "surface references: use surface objects");
}
Status cuGraphConditionalHandleCreate(unsigned long long *, Graph *, Context *, unsigned, unsigned) {
  return refuse("cuGraphConditionalHandleCreate", "conditional nodes of graphs");
}
Status cuIpcGetMemHandle(void *, DevicePointer) { return refuse("cuIpcGetMemHandle", "memory that processes share"); }

// All of them are exported, because some programs look up every function by name before they call any.
#define LANESCOPE_REFUSED(name, what)                                                                                  \
  extern "C" LANESCOPE_CUDA Status name() { return refuse(#name, what); }

LANESCOPE_REFUSED(cuTexObjectGetResourceViewDesc, "views of textures")
LANESCOPE_REFUSED(cuTexRefCreate, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefDestroy, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetArray, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetMipmappedArray, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetAddress, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetAddress_v2, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetAddress2D, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetAddress2D_v2, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetAddress2D_v3, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetFormat, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetAddressMode, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetFilterMode, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefSetFlags, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefGetAddress, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefGetAddress_v2, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefGetArray, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefGetAddressMode, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefGetFilterMode, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefGetFormat, "texture references: use texture objects")
LANESCOPE_REFUSED(cuTexRefGetFlags, "texture references: use texture objects")
LANESCOPE_REFUSED(cuParamSetTexRef, "texture references: use texture objects")
LANESCOPE_REFUSED(cuSurfRefSetArray, "surface references: use surface objects")
LANESCOPE_REFUSED(cuSurfRefGetArray, "surface references: use surface objects")
LANESCOPE_REFUSED(cuArrayGetPlane, "arrays of several planes")
LANESCOPE_REFUSED(cuArrayGetMemoryRequirements, "memory requirements of arrays")
LANESCOPE_REFUSED(cuMipmappedArrayGetLevel, "mipmapped arrays")
LANESCOPE_REFUSED(cuMipmappedArrayDestroy, "mipmapped arrays")
LANESCOPE_REFUSED(cuLaunch, "launches of parameters set one by one: use `cuLaunchKernel`")
LANESCOPE_REFUSED(cuLaunchGrid, "launches of parameters set one by one: use `cuLaunchKernel`")
LANESCOPE_REFUSED(cuLaunchGridAsync, "launches of parameters set one by one: use `cuLaunchKernel`")
LANESCOPE_REFUSED(cuFuncSetBlockShape, "launches of parameters set one by one: use `cuLaunchKernel`")
LANESCOPE_REFUSED(cuFuncSetSharedSize, "launches of parameters set one by one: use `cuLaunchKernel`")
LANESCOPE_REFUSED(cuParamSetSize, "launches of parameters set one by one: use `cuLaunchKernel`")
LANESCOPE_REFUSED(cuParamSeti, "launches of parameters set one by one: use `cuLaunchKernel`")
LANESCOPE_REFUSED(cuParamSetf, "launches of parameters set one by one: use `cuLaunchKernel`")
LANESCOPE_REFUSED(cuParamSetv, "launches of parameters set one by one: use `cuLaunchKernel`")
LANESCOPE_REFUSED(cuCtxAttach, "contexts that are attached")
LANESCOPE_REFUSED(cuCtxDetach, "contexts that are attached")
LANESCOPE_REFUSED(cuIpcOpenMemHandle, "memory that processes share")
LANESCOPE_REFUSED(cuIpcOpenMemHandle_v2, "memory that processes share")
LANESCOPE_REFUSED(cuIpcCloseMemHandle, "memory that processes share")
LANESCOPE_REFUSED(cuIpcGetEventHandle, "memory that processes share")
LANESCOPE_REFUSED(cuIpcOpenEventHandle, "memory that processes share")
LANESCOPE_REFUSED(cuMemPoolExportToShareableHandle, "memory that processes share")
LANESCOPE_REFUSED(cuMemPoolImportFromShareableHandle, "memory that processes share")
LANESCOPE_REFUSED(cuMemPoolExportPointer, "memory that processes share")
LANESCOPE_REFUSED(cuMemPoolImportPointer, "memory that processes share")
LANESCOPE_REFUSED(cuMemExportToShareableHandle, "memory that processes share")
LANESCOPE_REFUSED(cuMemImportFromShareableHandle, "memory that processes share")
LANESCOPE_REFUSED(cuMulticastCreate, "multicast objects of programs")
LANESCOPE_REFUSED(cuMulticastAddDevice, "multicast objects of programs")
LANESCOPE_REFUSED(cuMulticastBindMem, "multicast objects of programs")
LANESCOPE_REFUSED(cuMulticastBindAddr, "multicast objects of programs")
LANESCOPE_REFUSED(cuMulticastUnbind, "multicast objects of programs")
LANESCOPE_REFUSED(cuMulticastGetGranularity, "multicast objects of programs")
LANESCOPE_REFUSED(cuGraphicsUnregisterResource, "graphics")
LANESCOPE_REFUSED(cuGraphicsSubResourceGetMappedArray, "graphics")
LANESCOPE_REFUSED(cuGraphicsResourceGetMappedMipmappedArray, "graphics")
LANESCOPE_REFUSED(cuGraphicsResourceGetMappedPointer, "graphics")
LANESCOPE_REFUSED(cuGraphicsResourceGetMappedPointer_v2, "graphics")
LANESCOPE_REFUSED(cuGraphicsResourceSetMapFlags, "graphics")
LANESCOPE_REFUSED(cuGraphicsResourceSetMapFlags_v2, "graphics")
LANESCOPE_REFUSED(cuGraphicsMapResources, "graphics")
LANESCOPE_REFUSED(cuGraphicsUnmapResources, "graphics")
LANESCOPE_REFUSED(cuGraphicsGLRegisterBuffer, "graphics")
LANESCOPE_REFUSED(cuGraphicsGLRegisterImage, "graphics")
LANESCOPE_REFUSED(cuGLCtxCreate, "graphics")
LANESCOPE_REFUSED(cuGLCtxCreate_v2, "graphics")
LANESCOPE_REFUSED(cuGLGetDevices, "graphics")
LANESCOPE_REFUSED(cuGLGetDevices_v2, "graphics")
LANESCOPE_REFUSED(cuImportExternalMemory, "memory and semaphores of others")
LANESCOPE_REFUSED(cuExternalMemoryGetMappedBuffer, "memory and semaphores of others")
LANESCOPE_REFUSED(cuExternalMemoryGetMappedMipmappedArray, "memory and semaphores of others")
LANESCOPE_REFUSED(cuDestroyExternalMemory, "memory and semaphores of others")
LANESCOPE_REFUSED(cuImportExternalSemaphore, "memory and semaphores of others")
LANESCOPE_REFUSED(cuSignalExternalSemaphoresAsync, "memory and semaphores of others")
LANESCOPE_REFUSED(cuWaitExternalSemaphoresAsync, "memory and semaphores of others")
LANESCOPE_REFUSED(cuDestroyExternalSemaphore, "memory and semaphores of others")
LANESCOPE_REFUSED(cuStreamWaitValue32, "waits of a stream for memory: work runs when it is submitted")
LANESCOPE_REFUSED(cuStreamWaitValue32_v2, "waits of a stream for memory: work runs when it is submitted")
LANESCOPE_REFUSED(cuStreamWaitValue64, "waits of a stream for memory: work runs when it is submitted")
LANESCOPE_REFUSED(cuStreamWaitValue64_v2, "waits of a stream for memory: work runs when it is submitted")
LANESCOPE_REFUSED(cuStreamWriteValue32, "waits of a stream for memory: work runs when it is submitted")
LANESCOPE_REFUSED(cuStreamWriteValue32_v2, "waits of a stream for memory: work runs when it is submitted")
LANESCOPE_REFUSED(cuStreamWriteValue64, "waits of a stream for memory: work runs when it is submitted")
LANESCOPE_REFUSED(cuStreamWriteValue64_v2, "waits of a stream for memory: work runs when it is submitted")
LANESCOPE_REFUSED(cuStreamBatchMemOp, "waits of a stream for memory: work runs when it is submitted")
LANESCOPE_REFUSED(cuStreamBatchMemOp_v2, "waits of a stream for memory: work runs when it is submitted")

} // namespace lanescope::core::driver
