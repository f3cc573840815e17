// Names of errors, and each thread's last error.
#include "core/gpu/driver/api/ErrorNames.h"
#include "core/gpu/driver/runtime/Thread.h"

namespace lanescope::core::runtime {

namespace {

/// The errors whose name or text differs between runtime and driver. Source: NVIDIA's CUDA runtime API documentation.
constexpr auto kNames = std::to_array<driver::ErrorName>({
    {0, "cudaSuccess", nullptr},
    {1, "cudaErrorInvalidValue", nullptr},
    {2, "cudaErrorMemoryAllocation", nullptr},
    {3, "cudaErrorInitializationError", nullptr},
    {4, "cudaErrorCudartUnloading", nullptr},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {46, "cudaErrorDevicesUnavailable", nullptr},
    {52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", nullptr},
    {101, "cudaErrorInvalidDevice", nullptr},
    {200, "cudaErrorInvalidKernelImage", nullptr},
    {201, "cudaErrorDeviceUninitialized", nullptr},
    {209, "cudaErrorNoKernelImageForDevice", nullptr},
    {217, "cudaErrorPeerAccessUnsupported", nullptr},
    {218, "cudaErrorInvalidPtx", nullptr},
    {300, "cudaErrorInvalidSource", nullptr},
    {301, "cudaErrorFileNotFound", nullptr},
    {400, "cudaErrorInvalidResourceHandle", nullptr},
    {401, "cudaErrorIllegalState", nullptr},
    {500, "cudaErrorSymbolNotFound", nullptr},
    {600, "cudaErrorNotReady", nullptr},
    {700, "cudaErrorIllegalAddress", nullptr},
    {701, "cudaErrorLaunchOutOfResources", nullptr},
    {702, "cudaErrorLaunchTimeout", nullptr},
    {704, "cudaErrorPeerAccessAlreadyEnabled", nullptr},
    {705, "cudaErrorPeerAccessNotEnabled", nullptr},
    {709, "cudaErrorContextIsDestroyed", nullptr},
    {710, "cudaErrorAssert", nullptr},
    {712, "cudaErrorHostMemoryAlreadyRegistered", nullptr},
    {713, "cudaErrorHostMemoryNotRegistered", nullptr},
    {714, "cudaErrorHardwareStackError", nullptr},
    {715, "cudaErrorIllegalInstruction", nullptr},
    {716, "cudaErrorMisalignedAddress", nullptr},
    {719, "cudaErrorLaunchFailure", nullptr},
    {720, "cudaErrorCooperativeLaunchTooLarge", nullptr},
    {801, "cudaErrorNotSupported", nullptr},
    {900, "cudaErrorStreamCaptureUnsupported", nullptr},
    {901, "cudaErrorStreamCaptureInvalidated", nullptr},
    {902, "cudaErrorStreamCaptureMerge", nullptr},
    {903, "cudaErrorStreamCaptureUnmatched", nullptr},
    {904, "cudaErrorStreamCaptureUnjoined", nullptr},
    {905, "cudaErrorStreamCaptureIsolation", nullptr},
    {906, "cudaErrorStreamCaptureImplicit", nullptr},
    {907, "cudaErrorCapturedEvent", nullptr},
    {910, "cudaErrorGraphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated constraints specific to "
     "instantiated graph update"},
    {999, "cudaErrorUnknown", nullptr},
});

const driver::ErrorName *find(Error error) {
  auto found = std::ranges::find(kNames, error, &driver::ErrorName::status);
  return found == kNames.end() ? nullptr : &*found;
}

} // namespace

LANESCOPE_RUNTIME const char *cudaGetErrorName(Error error) {
  const driver::ErrorName *found = find(error);
  return found ? found->name : "unrecognized error code";
}

LANESCOPE_RUNTIME const char *cudaGetErrorString(Error error) {
  const driver::ErrorName *own = find(error), *drivers = driver::findError(error);
  return own && own->text ? own->text : own && drivers ? drivers->text : "unrecognized error code";
}

LANESCOPE_RUNTIME Error cudaGetLastError() {
  Error last = Thread::current().last;
  Thread::current().last = kSuccess;
  return last;
}

LANESCOPE_RUNTIME Error cudaPeekAtLastError() { return Thread::current().last; }

} // namespace lanescope::core::runtime
