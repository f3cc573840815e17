// The real driver's functions, for the recorder. The recorder finds them in whatever way the program accesses the
// driver.
//
//   if (real().memcpy(to, from, bytes)) …
#pragma once

#include "core/gpu/driver/DriverTypes.h"

#include <string>

namespace lanescope::core::record {

using namespace driver;

/// The C library's dlsym(). The recorder's own dlsym() hides it.
using SystemLookup = void *(*)(void *handle, const char *name);
SystemLookup systemLookup();
void *systemSymbol(void *handle, const char *name);
/// A function of the driver, from the libraries that the program links or from `libcuda.so.1`. Null: there is none.
void *driverFunction(const char *name);

/// The functions that the recorder itself calls. A member is null if the driver lacks the function.
struct RealDriver {
  Status (*memcpy)(DevicePointer to, DevicePointer from, size_t bytes);
  Status (*pointerGetAttribute)(void *out, int attribute, DevicePointer address);
  Status (*memGetAddressRange)(DevicePointer *base, size_t *bytes, DevicePointer address);
  Status (*ctxSynchronize)();
  Status (*ctxGetCurrent)(Context **out);
  Status (*ctxGetDevice)(Device *out);
  Status (*deviceGetName)(char *out, int length, Device device);
  Status (*deviceGetAttribute)(int *out, int attribute, Device device);
  Status (*driverGetVersion)(int *out);
  Status (*eventCreate)(Event **out, unsigned flags);
  Status (*eventRecord)(Event *event, Stream *stream);
  Status (*eventRecordPerThread)(Event *event, Stream *stream);
  Status (*eventQuery)(Event *event);
  Status (*eventDestroy)(Event *event);
  Status (*streamIsCapturing)(Stream *stream, int *out);
  Status (*funcGetModule)(Module **out, Function *function);
  Status (*kernelGetFunction)(Function **out, Function *kernel);
  Status (*funcGetAttribute)(int *out, int attribute, Function *function);
  Status (*moduleGetGlobal)(DevicePointer *out, size_t *bytes, Module *module, const char *name);
  Status (*funcGetName)(const char **out, Function *function);
  Status (*funcGetParamInfo)(Function *function, size_t index, size_t *offset, size_t *bytes);
  Status (*kernelGetParamInfo)(Function *kernel, size_t index, size_t *offset, size_t *bytes);
  Status (*graphClone)(Graph **out, Graph *graph);
  Status (*graphDestroy)(Graph *graph);
  Status (*graphGetNodes)(Graph *graph, GraphNode **out, size_t *count);
  Status (*graphGetEdges)(Graph *graph, GraphNode **from, GraphNode **to, size_t *count);
  Status (*graphGetEdgesWithData)(Graph *graph, GraphNode **from, GraphNode **to, void *data, size_t *count);
  Status (*graphNodeGetType)(GraphNode *node, int *out);
  Status (*graphNodeFindInClone)(GraphNode **out, GraphNode *original, Graph *clone);
  Status (*graphKernelNodeGetParams)(GraphNode *node, KernelNodeParams *out);
  Status (*graphKernelNodeSetParams)(GraphNode *node, const KernelNodeParams *parameters);
  Status (*graphKernelNodeGetAttribute)(GraphNode *node, int attribute, void *value);
  Status (*graphInstantiate)(GraphExec **out, Graph *graph, unsigned long long flags);
  Status (*graphExecDestroy)(GraphExec *exec);
  Status (*graphNodeSetEnabled)(GraphExec *exec, GraphNode *node, unsigned enabled);
  Status (*graphLaunch)(GraphExec *exec, Stream *stream);
  Status (*graphLaunchPerThread)(GraphExec *exec, Stream *stream);
};
const RealDriver &real();

} // namespace lanescope::core::record
