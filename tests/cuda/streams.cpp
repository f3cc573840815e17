// Two streams, an event between them, copies in both directions, times, and a callback.
#include "tests/cuda/CudaProgram.h"

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 out, .param .u64 in, .param .f32 by)
{
  .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd1, %r4, 4;
  ld.param.u64 %rd2, [in]; add.s64 %rd3, %rd2, %rd1; ld.global.f32 %f1, [%rd3];
  ld.param.f32 %f2, [by]; mul.f32 %f3, %f1, %f2;
  ld.param.u64 %rd4, [out]; add.s64 %rd5, %rd4, %rd1; st.global.f32 [%rd5], %f3;
  ret;
}
)";

int main() {
  begin();
  Function *scale = load(kPtx, "scale");
  constexpr unsigned kCount = 256;
  float *host = nullptr;
  CALL(cuMemAllocHost_v2(reinterpret_cast<void **>(&host), kCount * sizeof(float)));
  for (unsigned n = 0; n < kCount; ++n)
    host[n] = static_cast<float>(n);
  DevicePointer a = reserve(kCount * 4), b = reserve(kCount * 4), c = reserve(kCount * 4);
  Stream *first = nullptr, *second = nullptr;
  CALL(cuStreamCreate(&first, 1));
  CALL(cuStreamCreateWithPriority(&second, 1, -1));
  Event *start = nullptr, *middle = nullptr, *stop = nullptr;
  for (Event **event : {&start, &middle, &stop})
    CALL(cuEventCreate(event, 0));
  CALL(cuEventRecord(start, first));
  CALL(cuMemcpyHtoDAsync_v2(a, host, kCount * 4, first));
  CALL(launch(scale, 2, 128, first, b, a, 2.0f));
  CALL(cuEventRecord(middle, first));
  CALL(cuStreamWaitEvent(second, middle, 0));
  CALL(launch(scale, 2, 128, second, c, b, 0.5f));
  CALL(cuEventRecord(stop, second));
  static int called = 0;
  CALL(cuLaunchHostFunc(second, [](void *data) { *static_cast<int *>(data) += cuInit(0) == 0 ? 1 : 100; }, &called));
  CALL(cuMemcpyDtoHAsync_v2(host, c, kCount * 4, second));
  CALL(cuStreamSynchronize(second));
  CALL(cuEventSynchronize(stop));
  for (unsigned n = 0; n < kCount; ++n)
    EXPECT(host[n] == static_cast<float>(n));
  EXPECT(read<float>(b, kCount)[255] == 510.0f);
  EXPECT(called == 1);
  float whole = 0, part = 0;
  CALL(cuEventElapsedTime(&whole, start, stop));
  CALL(cuEventElapsedTime(&part, start, middle));
  EXPECT(part > 0 && whole > part);
  // A destroyed handle, and a value that was never a handle.
  CALL(cuStreamDestroy_v2(second));
  EXPECT(cuStreamSynchronize(second) == kInvalidHandle);
  EXPECT(cuEventRecord(reinterpret_cast<Event *>(&called), first) == kInvalidHandle);
  EXPECT(cuMemFree_v2(a + 4) == kInvalidValue);
  CALL(cuMemFree_v2(a));
  CALL(cuMemFreeHost(host));
  std::printf("streams are in order\n");
}
