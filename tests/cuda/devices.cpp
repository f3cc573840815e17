// Queries of a program: the devices, their properties, and functions by name. Also copies between devices.
#include "tests/cuda/CudaProgram.h"

#include <cstring>

using namespace program;

int main() {
  int count = 0, value = 0;
  EXPECT(cuDeviceGetCount(&count) == kNotInitialized);
  begin();
  CALL(cuDeviceGetCount(&count));
  for (int device = 0; device < count; ++device) {
    char name[64];
    int major = 0, minor = 0, multiprocessors = 0;
    CALL(cuDeviceGetName(name, sizeof name, device));
    CALL(cuDeviceGetAttribute(&major, 75, device));
    CALL(cuDeviceGetAttribute(&minor, 76, device));
    CALL(cuDeviceGetAttribute(&multiprocessors, 16, device));
    std::printf("%d: %s, compute capability %d.%d, %d multiprocessors\n", device, name, major, minor, multiprocessors);
  }
  EXPECT(cuDeviceGetAttribute(&value, 75, count) == kInvalidDevice);
  void *found = nullptr;
  int state = -1;
  CALL(cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &state));
  EXPECT(state == 0 && found == reinterpret_cast<void *>(&cuMemAlloc_v2));
  CALL(cuGetProcAddress_v2("cuMemPrefetchAsync", &found, 12000, 0, &state));
  EXPECT(found == reinterpret_cast<void *>(&cuMemPrefetchAsync));
  CALL(cuGetProcAddress_v2("cuMemPrefetchAsync", &found, 13000, 0, &state));
  EXPECT(found == reinterpret_cast<void *>(&cuMemPrefetchAsync_v2));
  EXPECT(cuGetProcAddress_v2("cuNothing", &found, 13000, 0, &state) == kNotFound && state == 1);
  const char *name = nullptr;
  CALL(cuGetErrorName(kIllegalAddress, &name));
  EXPECT(std::strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
  EXPECT(cuGetErrorName(12345, &name) == kInvalidValue);
  if (count < 2)
    return 0;
  DevicePointer here = reserve(64), there = 0;
  CALL(cuMemsetD32_v2(here, 17, 16));
  Context *other = nullptr, *current = nullptr;
  CALL(cuCtxCreate_v2(&other, 0, 1));
  there = reserve(64);
  CALL(cuMemcpyPeer(there, other, here, nullptr, 64));
  EXPECT(read<int>(there, 16)[15] == 17);
  CALL(cuPointerGetAttribute(&value, 9, there));
  EXPECT(value == 1);
  CALL(cuCtxDestroy_v2(other));
  CALL(cuCtxGetCurrent(&current));
  EXPECT(current != other && cuCtxSetCurrent(other) == kInvalidContext);
}
