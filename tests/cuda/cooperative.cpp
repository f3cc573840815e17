// All blocks of a cooperative launch are resident at once: they meet twice, and a grid that does not fit is refused.
#include "tests/cuda/CudaProgram.h"

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
// Each block adds its number, all meet, and each writes the sum.
.visible .entry meet(.param .u64 counters, .param .u64 out)
{
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<6>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %tid.x;
  ld.param.u64 %rd1, [counters];
  setp.ne.u32 %p1, %r3, 0; @%p1 bra together;
  red.relaxed.gpu.global.add.u32 [%rd1+4], %r1;
  red.release.gpu.global.add.u32 [%rd1], 1;
wait:
  ld.acquire.gpu.global.u32 %r4, [%rd1];
  setp.lt.u32 %p2, %r4, %r2; @%p2 bra wait;
together:
  bar.sync 0;
  ld.relaxed.gpu.global.u32 %r5, [%rd1+4];
  mul.wide.u32 %rd2, %r1, 4; ld.param.u64 %rd3, [out]; add.s64 %rd4, %rd3, %rd2;
  @%p1 bra done;
  st.global.u32 [%rd4], %r5;
done:
  ret;
}
)";

int main() {
  begin();
  Function *meet = load(kPtx, "meet");
  int perMultiprocessor = 0, multiprocessors = 0;
  CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, meet, 64, 0));
  CALL(cuDeviceGetAttribute(&multiprocessors, 16, 0));
  EXPECT(multiprocessors == 132 && perMultiprocessor >= 16);
  constexpr unsigned kBlocks = 150;
  DevicePointer counters = reserve(8), out = reserve(kBlocks * 4);
  void *parameters[] = {&counters, &out};
  CALL(cuLaunchCooperativeKernel(meet, kBlocks, 1, 1, 64, 1, 1, 0, nullptr, parameters));
  for (unsigned sum : read<unsigned>(out, kBlocks))
    EXPECT(sum == kBlocks * (kBlocks - 1) / 2);
  unsigned most = static_cast<unsigned>(perMultiprocessor * multiprocessors);
  EXPECT(cuLaunchCooperativeKernel(meet, most + 1, 1, 1, 64, 1, 1, 0, nullptr, parameters) ==
         kCooperativeLaunchTooLarge);
  LaunchAttribute attribute{};
  attribute.id = kAttributeCooperative;
  attribute.cooperative = 1;
  LaunchConfig config{8, 1, 1, 64, 1, 1, 0, nullptr, &attribute, 1};
  CALL(cuMemsetD8_v2(counters, 0, 8));
  CALL(cuLaunchKernelEx(&config, meet, parameters, nullptr));
  EXPECT(read<unsigned>(out, 8)[7] == 28);
  std::printf("all blocks meet\n");
}
