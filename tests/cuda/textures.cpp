// Features that the emulator lacks are refused by name, and the program goes on.
#include "tests/cuda/Program.h"

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry fetch(.param .u64 texture, .param .u64 out)
{
  .reg .b32 %r<5>; .reg .f32 %f<6>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [texture]; mov.f32 %f1, 0f00000000;
  tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1}];
  ld.param.u64 %rd2, [out]; st.global.f32 [%rd2], %f2;
  ret;
}
)";

int main() {
  begin();
  unsigned long long texture = 0;
  EXPECT(cuTexObjectCreate(&texture, nullptr, nullptr, nullptr) == kNotSupported);
  EXPECT(cuSurfObjectCreate(&texture, nullptr) == kNotSupported);
  void *array = nullptr;
  EXPECT(cuArrayCreate_v2(&array, nullptr) == kNotSupported);
  Function *fetch = load(kPtx, "fetch");
  DevicePointer out = reserve(4);
  EXPECT(launch(fetch, 1, 1, nullptr, texture, out) == kNotSupported);
  CALL(cuCtxSynchronize());
  std::printf("refused\n");
}
