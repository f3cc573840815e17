#include "core/gpu/runtime/CudaApi.h"

#include "layouts/support/Text.h"

#include <dlfcn.h>

namespace lanescope::core::cuda {

namespace {

/// Loads functions and keeps the first problem; empty: none.
struct Loader {
  Api api{};
  std::string problem;

  Loader() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      problem = text("NVIDIA's driver library libcuda.so.1 is not found (", reason ? reason : "no reason given", ")");
      return;
    }
    auto find = [&](auto &function, const char *name, bool needed = true) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (!function && needed && problem.empty())
        problem = text("NVIDIA's driver library is too old: it lacks ", name);
    };
    // The suffixes select the versions with 64-bit sizes and pointers. Only these are still correct.
    find(api.init, "cuInit");
    find(api.driverGetVersion, "cuDriverGetVersion");
    find(api.getErrorName, "cuGetErrorName");
    find(api.getErrorString, "cuGetErrorString");
    find(api.deviceGetCount, "cuDeviceGetCount");
    find(api.deviceGet, "cuDeviceGet");
    find(api.deviceGetName, "cuDeviceGetName");
    find(api.deviceGetAttribute, "cuDeviceGetAttribute");
    find(api.deviceTotalMem, "cuDeviceTotalMem_v2");
    find(api.deviceCanAccessPeer, "cuDeviceCanAccessPeer", false);
    find(api.deviceGetP2PAttribute, "cuDeviceGetP2PAttribute", false);
    find(api.ctxEnablePeerAccess, "cuCtxEnablePeerAccess", false);
    find(api.occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor", false);
    find(api.occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters", false);
    find(api.memHostAlloc, "cuMemHostAlloc", false);
    find(api.memFreeHost, "cuMemFreeHost", false);
    find(api.memHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", false);
    find(api.devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    find(api.ctxSetCurrent, "cuCtxSetCurrent");
    find(api.ctxSynchronize, "cuCtxSynchronize");
    find(api.moduleLoadDataEx, "cuModuleLoadDataEx");
    find(api.moduleUnload, "cuModuleUnload");
    find(api.moduleGetFunction, "cuModuleGetFunction");
    find(api.funcGetAttribute, "cuFuncGetAttribute");
    find(api.funcSetAttribute, "cuFuncSetAttribute");
    find(api.memAlloc, "cuMemAlloc_v2");
    find(api.memFree, "cuMemFree_v2");
    find(api.memcpyHtoD, "cuMemcpyHtoD_v2");
    find(api.memcpyDtoH, "cuMemcpyDtoH_v2");
    find(api.memsetD8, "cuMemsetD8_v2");
    find(api.streamCreate, "cuStreamCreate");
    find(api.streamDestroy, "cuStreamDestroy_v2");
    find(api.streamQuery, "cuStreamQuery");
    find(api.eventCreate, "cuEventCreate");
    find(api.eventDestroy, "cuEventDestroy_v2");
    find(api.eventRecord, "cuEventRecord");
    find(api.eventElapsedTime, "cuEventElapsedTime");
    find(api.launchKernelEx, "cuLaunchKernelEx");
    find(api.tensorMapEncodeTiled, "cuTensorMapEncodeTiled", false);
    find(api.tensorMapEncodeIm2col, "cuTensorMapEncodeIm2col", false);
    find(api.tensorMapEncodeIm2colWide, "cuTensorMapEncodeIm2colWide", false);
    find(api.funcGetParamInfo, "cuFuncGetParamInfo", false);
    find(api.streamBeginCapture, "cuStreamBeginCapture_v2", false);
    find(api.streamEndCapture, "cuStreamEndCapture", false);
    find(api.graphInstantiate, "cuGraphInstantiateWithFlags", false);
    find(api.graphLaunch, "cuGraphLaunch", false);
    find(api.graphExecDestroy, "cuGraphExecDestroy", false);
    find(api.graphDestroy, "cuGraphDestroy", false);
    if (!api.streamBeginCapture || !api.streamEndCapture || !api.graphInstantiate || !api.graphExecDestroy ||
        !api.graphDestroy)
      api.graphLaunch = nullptr;
  }
};

} // namespace

std::string Api::describe(Status status) const {
  const char *name = nullptr, *reason = nullptr;
  if (getErrorName(status, &name) != kSuccess || !name)
    name = "an unknown CUDA error";
  if (getErrorString(status, &reason) != kSuccess || !reason)
    reason = "no description";
  return text(name, " (", status, "): ", reason);
}

Result<const Api *> load() {
  static const Loader loader;
  if (!loader.problem.empty())
    return error("no-gpu", Message("there is no GPU to run on: {}; install NVIDIA's driver, name another host's worker "
                                   "with `--worker`, or use `--device emulator`",
                                   loader.problem));
  return &loader.api;
}

} // namespace lanescope::core::cuda
