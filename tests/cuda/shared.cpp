// Dynamic shared memory: the size that a launch may request, and the attribute that raises it. Limits of a launch.
#include "tests/cuda/CudaProgram.h"

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 room[];
.visible .entry reverse(.param .u64 out, .param .u32 last)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, room; add.u32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  bar.sync 0;
  ld.param.u32 %r5, [last]; shl.b32 %r6, %r5, 2; add.u32 %r6, %r3, %r6; sub.u32 %r6, %r6, %r2;
  ld.shared.u32 %r7, [%r6];
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

static int run(Function *kernel, unsigned threads, unsigned bytes, DevicePointer out) {
  unsigned last = threads - 1;
  void *parameters[] = {&out, &last};
  return cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, bytes, nullptr, parameters, nullptr);
}

int main() {
  begin();
  Function *reverse = load(kPtx, "reverse");
  DevicePointer out = reserve(4096);
  CALL(run(reverse, 256, 1024, out));
  EXPECT(read<unsigned>(out, 256)[10] == 245);
  constexpr unsigned kMuch = 100 * 1024;
  EXPECT(run(reverse, 32, kMuch, out) == kInvalidValue);
  CALL(cuFuncSetAttribute(reverse, kMaxDynamicSharedSizeBytes, kMuch));
  CALL(run(reverse, 32, kMuch, out));
  int most = 0, blocks = 0;
  CALL(cuDeviceGetAttribute(&most, 97, 0));
  EXPECT(cuFuncSetAttribute(reverse, kMaxDynamicSharedSizeBytes, most + 1) == kInvalidValue);
  CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 128, kMuch));
  EXPECT(blocks == 2); // 101 KiB each, of 228 KiB
  // All parameters in one block.
  struct {
    DevicePointer out;
    unsigned last;
  } all{out, 63};
  size_t bytes = sizeof all;
  void *extra[] = {reinterpret_cast<void *>(1), &all, reinterpret_cast<void *>(2), &bytes, nullptr};
  CALL(cuLaunchKernel(reverse, 1, 1, 1, 64, 1, 1, 256, nullptr, nullptr, extra));
  EXPECT(read<unsigned>(out, 64)[0] == 63);
  EXPECT(run(reverse, 1025, 4100, out) == kInvalidValue);
  EXPECT(run(reverse, 0, 0, out) == kInvalidValue);
  EXPECT(cuLaunchKernel(reverse, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr) == kInvalidValue);
  EXPECT(cuLaunchKernel(reinterpret_cast<Function *>(&all), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra) ==
         kInvalidHandle);
  std::printf("shared memory is as large as asked for\n");
}
