// Shared by the programs: a context on device 0, a module from PTX, and an exit at the first failing call.
//
//   Function *kernel = load(kPtx, "add");
//   CALL(cuLaunchKernel(kernel, …));
//   EXPECT(out[3] == 7);
#pragma once

#include "core/gpu/driver/api/DriverApi.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace program {

using namespace lanescope::core::driver;

inline void end(const char *what, int line, int status) {
  const char *name = nullptr;
  cuGetErrorName(status, &name);
  std::printf("line %d: %s: %s\n", line, what, name ? name : "is not so");
  std::exit(10);
}

#define CALL(call)                                                                                                     \
  do {                                                                                                                 \
    if (int status = (call))                                                                                           \
      program::end(#call, __LINE__, status);                                                                           \
  } while (false)
#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      program::end(#condition, __LINE__, 1);                                                                           \
  } while (false)

inline void begin() {
  CALL(cuInit(0));
  Context *context = nullptr;
  CALL(cuDevicePrimaryCtxRetain(&context, 0));
  CALL(cuCtxSetCurrent(context));
}

inline Module *&lastModule() {
  static Module *module = nullptr;
  return module;
}

inline Function *load(const char *ptx, const char *name) {
  CALL(cuModuleLoadData(&lastModule(), ptx));
  Function *function = nullptr;
  CALL(cuModuleGetFunction(&function, lastModule(), name));
  return function;
}

/// Zeroed memory of the device.
inline DevicePointer reserve(size_t bytes) {
  DevicePointer out = 0;
  CALL(cuMemAlloc_v2(&out, bytes));
  CALL(cuMemsetD8_v2(out, 0, bytes));
  return out;
}

template <typename T> std::vector<T> read(DevicePointer from, size_t count) {
  std::vector<T> out(count);
  CALL(cuMemcpyDtoH_v2(out.data(), from, count * sizeof(T)));
  return out;
}

template <typename... Arguments>
int launch(Function *kernel, unsigned blocks, unsigned threads, Stream *stream, Arguments... arguments) {
  void *parameters[] = {static_cast<void *>(&arguments)..., nullptr};
  return cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, nullptr);
}

} // namespace program
