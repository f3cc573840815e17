// A kernel that reads one element of a large array and writes one of another: `record --touched` keeps little of them.
#include "tests/cuda/CudaProgram.h"

using namespace program;

static const char kPtx[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry pick(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];
  ld.global.u32 %r1, [%rd1+1048576]; add.u32 %r1, %r1, 1; st.global.u32 [%rd2+2097152], %r1;
  ret;
}
)";

int main() {
  begin();
  constexpr size_t kBytes = 4 << 20;
  Function *pick = load(kPtx, "pick");
  DevicePointer from = reserve(kBytes), to = reserve(kBytes);
  CALL(cuMemsetD32_v2(from, 41, kBytes / 4));
  CALL(cuMemsetD32_v2(to, 5, kBytes / 4));
  CALL(launch(pick, 1, 1, nullptr, from, to));
  EXPECT(read<unsigned>(to + 2097152, 1)[0] == 42);
  EXPECT(read<unsigned>(to + 2097148, 1)[0] == 5);
  std::printf("one element of many\n");
}
