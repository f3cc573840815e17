// A kernel writes past the end of its array. The finding is at the source line; the program gets the GPU's error, and
// the error persists.
#include "tests/cuda/CudaProgram.h"

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry past(.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  .loc 1 7 3
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  ld.param.u64 %rd2, [out]; add.s64 %rd3, %rd2, %rd1;
  .loc 1 8 5
  st.global.u32 [%rd3], %r1;
  ret;
}
.file 1 "past.cu"
)";

int main() {
  begin();
  Function *past = load(kPtx, "past");
  DevicePointer out = reserve(120);
  CALL(launch(past, 1, 30, nullptr, out));
  EXPECT(read<int>(out, 30)[29] == 29);
  EXPECT(launch(past, 1, 31, nullptr, out) == kIllegalAddress);
  EXPECT(cuCtxSynchronize() == kIllegalAddress);
  EXPECT(launch(past, 1, 30, nullptr, out) == kIllegalAddress);
  std::printf("the error stays\n");
}
