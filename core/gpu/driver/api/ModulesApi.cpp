// Modules, libraries and kernels. A library is a module, and a kernel is a function: any emulated device can run both.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"
#include "core/gpu/driver/DriverModules.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace lanescope::core::driver {

namespace {

// CUjit_option
constexpr int kErrorLog = 5, kErrorLogBytes = 6;

Status load(Module **out, const void *image, unsigned count = 0, const int *options = nullptr,
            void **values = nullptr) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !image)
    return kInvalidValue;
  std::string log;
  Status status = loadModule(state, image, *out, &log);
  char *buffer = nullptr;
  size_t room = 0;
  for (unsigned n = 0; options && values && n < count; ++n) {
    if (options[n] == kErrorLog)
      buffer = static_cast<char *>(values[n]);
    if (options[n] == kErrorLogBytes)
      room = reinterpret_cast<size_t>(values[n]);
  }
  if (buffer && room) {
    size_t size = std::min(log.size(), room - 1);
    std::memcpy(buffer, log.data(), size);
    buffer[size] = '\0';
  }
  return status;
}

Status loadFile(Module **out, const char *file) {
  if (!out || !file)
    return kInvalidValue;
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    return kFileNotFound;
  std::string image(std::istreambuf_iterator<char>(stream), {});
  return load(out, image.c_str());
}

Status get(Function **out, Module *module, const char *name) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !name)
    return kInvalidValue;
  if (!state.modules.has(module))
    return kInvalidHandle;
  *out = findFunction(state, *module, name);
  return *out ? kSuccess : kNotFound;
}

Status count(unsigned *out, Module *module) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.modules.has(module))
    return kInvalidHandle;
  *out = static_cast<unsigned>(functionsOf(*module).size());
  return kSuccess;
}

Status enumerate(Function **out, unsigned count, Module *module) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.modules.has(module))
    return kInvalidHandle;
  for (Function *function : functionsOf(*module)) {
    if (count-- == 0)
      break;
    *out++ = function;
  }
  return kSuccess;
}

Status global(DevicePointer *out, size_t *bytes, Module *module, const char *name) {
  LANESCOPE_ENTER(Needs::Library);
  if (!name || (!out && !bytes))
    return kInvalidValue;
  if (!state.modules.has(module))
    return kInvalidHandle;
  std::optional<uint32_t> region = findVariable(*module, name);
  if (!region)
    return kNotFound;
  Allocation *one = state.memory.find(emulator::addressOfRegion(*region));
  if (out)
    *out = one->address;
  if (bytes)
    *bytes = one->bytes;
  return kSuccess;
}

Status unload(Module *module) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.modules.has(module))
    return kInvalidHandle;
  unloadModule(state, module);
  return kSuccess;
}

Status attribute(int *out, int attribute, Function *function) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.isFunction(function))
    return kInvalidHandle;
  return functionAttribute(state, *function, attribute, *out) ? kSuccess : kInvalidValue;
}

Status setAttribute(int attribute, int value, Function *function) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.isFunction(function))
    return kInvalidHandle;
  if (attribute == kMaxDynamicSharedSizeBytes) {
    int shared = 0;
    functionAttribute(state, *function, kSharedSizeBytes, shared);
    if (value < 0 || value + shared > state.gpu->sharedPerBlock)
      return kInvalidValue;
    function->maxDynamicShared = value;
  } else if (attribute < kPreferredSharedMemoryCarveout || attribute >= kFunctionAttributes) {
    return kInvalidValue;
  }
  function->attributes[attribute] = value;
  return kSuccess;
}

Status name(const char **out, Function *function) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.isFunction(function))
    return kInvalidHandle;
  *out = function->name.c_str();
  return kSuccess;
}

Status moduleOf(Module **out, Function *function) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.isFunction(function))
    return kInvalidHandle;
  *out = state.functions.at(function); // `function->module` may be a part of it
  return kSuccess;
}

Status parameter(Function *function, size_t index, size_t *offset, size_t *bytes) {
  LANESCOPE_ENTER(Needs::Library);
  if (!offset)
    return kInvalidValue;
  if (!state.isFunction(function))
    return kInvalidHandle;
  if (index >= function->parameters.size())
    return kInvalidValue;
  *offset = function->parameters[index][0];
  if (bytes)
    *bytes = function->parameters[index][1];
  return kSuccess;
}

Status known(Function *function) {
  LANESCOPE_ENTER(Needs::Library);
  return state.isFunction(function) ? kSuccess : kInvalidHandle;
}

} // namespace

Status cuModuleLoad(Module **out, const char *file) { return loadFile(out, file); }
Status cuModuleLoadData(Module **out, const void *image) { return load(out, image); }
Status cuModuleLoadDataEx(Module **out, const void *image, unsigned count, int *options, void **values) {
  return load(out, image, count, options, values);
}
Status cuModuleLoadFatBinary(Module **out, const void *image) { return load(out, image); }
Status cuModuleUnload(Module *module) { return unload(module); }
Status cuModuleGetFunction(Function **out, Module *module, const char *name) { return get(out, module, name); }
Status cuModuleGetFunctionCount(unsigned *out, Module *module) { return count(out, module); }
Status cuModuleEnumerateFunctions(Function **out, unsigned most, Module *module) {
  return enumerate(out, most, module);
}
Status cuModuleGetGlobal_v2(DevicePointer *out, size_t *bytes, Module *module, const char *name) {
  return global(out, bytes, module, name);
}
Status cuModuleGetGlobal(DevicePointer *out, size_t *bytes, Module *module, const char *name) {
  return global(out, bytes, module, name);
}
Status cuLibraryLoadData(Module **out, const void *image, int *jit, void **jitValues, unsigned jitCount, int *, void **,
                         unsigned) {
  return load(out, image, jitCount, jit, jitValues);
}
Status cuLibraryLoadFromFile(Module **out, const char *file, int *, void **, unsigned, int *, void **, unsigned) {
  return loadFile(out, file);
}
Status cuLibraryUnload(Module *library) { return unload(library); }
Status cuLibraryGetKernel(Function **out, Module *library, const char *name) { return get(out, library, name); }
Status cuLibraryGetModule(Module **out, Module *library) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!state.modules.has(library))
    return kInvalidHandle;
  *out = library;
  return kSuccess;
}
Status cuLibraryGetGlobal(DevicePointer *out, size_t *bytes, Module *library, const char *name) {
  return global(out, bytes, library, name);
}
Status cuLibraryGetManaged(DevicePointer *out, size_t *bytes, Module *library, const char *name) {
  return global(out, bytes, library, name);
}
Status cuLibraryGetKernelCount(unsigned *out, Module *library) { return count(out, library); }
Status cuLibraryEnumerateKernels(Function **out, unsigned most, Module *library) {
  return enumerate(out, most, library);
}
Status cuKernelGetFunction(Function **out, Function *kernel) {
  if (!out)
    return kInvalidValue;
  *out = kernel;
  return known(kernel);
}
Status cuKernelGetLibrary(Module **out, Function *kernel) { return moduleOf(out, kernel); }
Status cuKernelGetAttribute(int *out, int which, Function *kernel, Device) { return attribute(out, which, kernel); }
Status cuKernelSetAttribute(int which, int value, Function *kernel, Device) {
  return setAttribute(which, value, kernel);
}
Status cuKernelSetCacheConfig(Function *kernel, int, Device) { return known(kernel); }
Status cuKernelGetName(const char **out, Function *kernel) { return name(out, kernel); }
Status cuKernelGetParamInfo(Function *kernel, size_t index, size_t *offset, size_t *bytes) {
  return parameter(kernel, index, offset, bytes);
}
Status cuFuncGetAttribute(int *out, int which, Function *function) { return attribute(out, which, function); }
Status cuFuncSetAttribute(Function *function, int which, int value) { return setAttribute(which, value, function); }
Status cuFuncSetCacheConfig(Function *function, int) { return known(function); }
Status cuFuncSetSharedMemConfig(Function *function, int) { return known(function); }
Status cuFuncGetModule(Module **out, Function *function) { return moduleOf(out, function); }
Status cuFuncGetName(const char **out, Function *function) { return name(out, function); }
Status cuFuncGetParamInfo(Function *function, size_t index, size_t *offset, size_t *bytes) {
  return parameter(function, index, offset, bytes);
}
Status cuFuncIsLoaded(int *out, Function *function) {
  if (!out)
    return kInvalidValue;
  *out = 1;
  return known(function);
}
Status cuFuncLoad(Function *function) { return known(function); }

} // namespace lanescope::core::driver
