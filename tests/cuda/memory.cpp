// Memory that the host and the device share, pointer attributes, pools, and copies in two and three dimensions.
#include "tests/cuda/CudaProgram.h"

#include <cstring>

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 at)
{
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [at]; add.s64 %rd3, %rd2, %rd1;
  ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 1; st.global.u32 [%rd3], %r2;
  ret;
}
)";

static void hostVisible(Function *increment) {
  DevicePointer managed = 0;
  CALL(cuMemAllocManaged(&managed, 128, 1));
  auto *seen = reinterpret_cast<unsigned *>(managed);
  for (unsigned n = 0; n < 32; ++n)
    seen[n] = n;
  CALL(launch(increment, 1, 32, nullptr, managed));
  EXPECT(seen[31] == 32);
  unsigned *pinned = nullptr;
  CALL(cuMemHostAlloc(reinterpret_cast<void **>(&pinned), 128, 2));
  std::memset(pinned, 0, 128);
  DevicePointer there = 0;
  CALL(cuMemHostGetDevicePointer_v2(&there, pinned + 4, 0));
  CALL(launch(increment, 1, 8, nullptr, there));
  EXPECT(pinned[3] == 0 && pinned[4] == 1 && pinned[11] == 1 && pinned[12] == 0);
  static unsigned own[64];
  CALL(cuMemHostRegister_v2(own, sizeof own, 0));
  EXPECT(cuMemHostRegister_v2(own + 1, 4, 0) == kHostMemoryAlreadyRegistered);
  CALL(cuMemHostGetDevicePointer_v2(&there, own, 0));
  CALL(launch(increment, 1, 64, nullptr, there));
  EXPECT(own[63] == 1);
  unsigned type = 0;
  CALL(cuPointerGetAttribute(&type, 2, managed));
  EXPECT(type == kDeviceMemory);
  CALL(cuPointerGetAttribute(&type, 2, reinterpret_cast<DevicePointer>(pinned)));
  EXPECT(type == kHostMemory);
  unsigned here = 0;
  EXPECT(cuPointerGetAttribute(&type, 2, reinterpret_cast<DevicePointer>(&here)) == kInvalidValue);
  CALL(cuMemHostUnregister(own));
  EXPECT(cuMemHostUnregister(own) == kHostMemoryNotRegistered);
}

static void inPlanes() {
  DevicePointer to = 0;
  size_t pitch = 0;
  CALL(cuMemAllocPitch_v2(&to, &pitch, 12, 5, 4));
  EXPECT(pitch >= 12 && pitch % 64 == 0);
  CALL(cuMemsetD2D8_v2(to, pitch, 9, 12, 5));
  const char from[] = "abcdefghijkl";
  Copy2D plane{};
  plane.srcType = kHostMemory;
  plane.srcHost = from;
  plane.srcPitch = 4;
  plane.dstType = kDeviceMemory;
  plane.dstDevice = to;
  plane.dstPitch = pitch;
  plane.dstX = 2;
  plane.dstY = 1;
  plane.width = 4;
  plane.height = 3;
  CALL(cuMemcpy2D_v2(&plane));
  auto rows = read<char>(to, 5 * pitch - (pitch - 12));
  EXPECT(std::memcmp(&rows[pitch + 2], "abcd", 4) == 0 && std::memcmp(&rows[3 * pitch + 2], "ijkl", 4) == 0);
  EXPECT(rows[pitch + 1] == 9 && rows[pitch + 6] == 9);
  plane.height = 5; // past the end of the array
  EXPECT(cuMemcpy2D_v2(&plane) == kInvalidValue);
}

static void pools() {
  MemoryPool *pool = nullptr;
  CALL(cuDeviceGetDefaultMemPool(&pool, 0));
  uint64_t keep = UINT64_MAX, used = 0;
  CALL(cuMemPoolSetAttribute(pool, 4, &keep));
  DevicePointer memory = 0;
  CALL(cuMemAllocAsync(&memory, 1 << 20, nullptr));
  CALL(cuMemPoolGetAttribute(pool, 7, &used));
  EXPECT(used >= 1 << 20);
  size_t before = 0, after = 0, total = 0;
  CALL(cuMemGetInfo_v2(&before, &total));
  CALL(cuMemFreeAsync(memory, nullptr));
  CALL(cuMemGetInfo_v2(&after, &total));
  EXPECT(after == before + (1 << 20) && total == size_t{80} << 30);
  EXPECT(cuMemAlloc_v2(&memory, total + 1) == kOutOfMemory);
  EXPECT(cuMemAlloc_v2(&memory, 0) == kInvalidValue);
}

int main() {
  begin();
  Function *increment = load(kPtx, "increment");
  hostVisible(increment);
  inPlanes();
  pools();
  // A use after free is not an access to the next allocation.
  DevicePointer gone = reserve(128);
  CALL(cuMemFree_v2(gone));
  DevicePointer next = reserve(128);
  EXPECT(next != gone);
  EXPECT(launch(increment, 1, 32, nullptr, gone) == kIllegalAddress);
  std::printf("memory is shared\n");
}
