// The checker's findings in a program. A race of two warps is a fault that fails its launch; an endless kernel is
// stopped. The argument selects the case.
#include "tests/cuda/CudaProgram.h"

#include <cstring>

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry race(.param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 box[4];
  mov.u32 %r1, %tid.x; mov.u32 %r2, box;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 st.shared.u32 [%r2], 7;
  ld.shared.u32 %r3, [%r2];
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry hang(.param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
again:
  ld.acquire.gpu.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra again;
  ret;
}
)";

int main(int count, char **arguments) {
  begin();
  const char *name = count > 1 ? arguments[1] : "race";
  Function *kernel = load(kPtx, name);
  DevicePointer out = reserve(1024);
  int status = launch(kernel, 1, 64, nullptr, out);
  const char *text = nullptr;
  cuGetErrorName(status, &text);
  std::printf("%s gives %s\n", name, text);
}
