#include "core/gpu/record/RealDriver.h"

#include <dlfcn.h>

namespace lanescope::core::record {

SystemLookup systemLookup() {
  static const auto lookup = [] {
    void *found = nullptr;
    // The versions of dlsym in new and old C libraries, and on Arm.
    for (const char *version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"})
      if (!found)
        found = ::dlvsym(RTLD_NEXT, "dlsym", version);
    return reinterpret_cast<SystemLookup>(found);
  }();
  return lookup;
}

void *systemSymbol(void *handle, const char *name) { return systemLookup()(handle, name); }

void *driverFunction(const char *name) {
  // Libraries of frameworks export functions of the driver's names, which look up the driver's own and so find ours. So
  // the driver's library comes first.
  static void *library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (void *own = library ? systemSymbol(library, name) : nullptr)
    return own;
  if (void *linked = systemSymbol(RTLD_NEXT, name))
    return linked;
  static void *loaded = ::dlopen("libcuda.so.1", RTLD_LAZY);
  return loaded ? systemSymbol(loaded, name) : nullptr;
}

const RealDriver &real() {
  static const RealDriver driver = [] {
    RealDriver out{};
    auto get = [](auto &member, const char *name) {
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(driverFunction(name));
    };
    get(out.memcpy, "cuMemcpy");
    get(out.pointerGetAttribute, "cuPointerGetAttribute");
    get(out.memGetAddressRange, "cuMemGetAddressRange_v2");
    get(out.ctxSynchronize, "cuCtxSynchronize");
    get(out.ctxGetCurrent, "cuCtxGetCurrent");
    get(out.ctxGetDevice, "cuCtxGetDevice");
    get(out.deviceGetName, "cuDeviceGetName");
    get(out.deviceGetAttribute, "cuDeviceGetAttribute");
    get(out.driverGetVersion, "cuDriverGetVersion");
    get(out.eventCreate, "cuEventCreate");
    get(out.eventRecord, "cuEventRecord");
    get(out.eventRecordPerThread, "cuEventRecord_ptsz");
    get(out.eventQuery, "cuEventQuery");
    get(out.eventDestroy, "cuEventDestroy_v2");
    get(out.streamIsCapturing, "cuStreamIsCapturing");
    get(out.funcGetModule, "cuFuncGetModule");
    get(out.kernelGetFunction, "cuKernelGetFunction");
    get(out.funcGetAttribute, "cuFuncGetAttribute");
    get(out.moduleGetGlobal, "cuModuleGetGlobal_v2");
    get(out.funcGetName, "cuFuncGetName");
    get(out.funcGetParamInfo, "cuFuncGetParamInfo");
    get(out.kernelGetParamInfo, "cuKernelGetParamInfo");
    get(out.graphClone, "cuGraphClone");
    get(out.graphDestroy, "cuGraphDestroy");
    get(out.graphGetNodes, "cuGraphGetNodes");
    get(out.graphGetEdges, "cuGraphGetEdges");
    get(out.graphGetEdgesWithData, "cuGraphGetEdges_v2");
    get(out.graphNodeGetType, "cuGraphNodeGetType");
    get(out.graphNodeFindInClone, "cuGraphNodeFindInClone");
    get(out.graphKernelNodeGetParams, "cuGraphKernelNodeGetParams_v2");
    get(out.graphKernelNodeSetParams, "cuGraphKernelNodeSetParams_v2");
    get(out.graphKernelNodeGetAttribute, "cuGraphKernelNodeGetAttribute");
    get(out.graphInstantiate, "cuGraphInstantiateWithFlags");
    get(out.graphExecDestroy, "cuGraphExecDestroy");
    get(out.graphNodeSetEnabled, "cuGraphNodeSetEnabled");
    get(out.graphLaunch, "cuGraphLaunch");
    get(out.graphLaunchPerThread, "cuGraphLaunch_ptsz");
    return out;
  }();
  return driver;
}

} // namespace lanescope::core::record
