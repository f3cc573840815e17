// A kernel that knows an array's address as a number, as Numba's kernels know the arrays that they capture. Recorded
// launches give the array at that address.
#include "tests/cuda/CudaProgram.h"

#include <string>

using namespace program;

int main() {
  begin();
  DevicePointer table = reserve(64), out = reserve(8);
  const unsigned numbers[] = {3, 1, 4, 1, 5, 9, 2, 6};
  CALL(cuMemcpyHtoD_v2(table, numbers, sizeof numbers));
  std::string address = std::to_string(table);
  std::string ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry look_up(.param .u32 at, .param .f32 scale, .param .u64 to)
{
  .reg .b32 %r<3>; .reg .b64 %rd<5>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [at]; ld.param.f32 %f1, [scale];
  mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, )" +
                    address + R"(; add.s64 %rd4, %rd3, %rd2;
  ld.global.u32 %r2, [%rd4]; cvt.rn.f32.u32 %f2, %r2; mul.f32 %f2, %f2, %f1; st.global.f32 [%rd1], %f2;
  add.s64 %rd4, )" + address +
                    R"(, 60; st.global.u32 [%rd4], %r2;
  ret;
}
)";
  CALL(launch(load(ptx.c_str(), "look_up"), 1, 1, nullptr, 5u, 0.5f, out));
  EXPECT(read<float>(out, 1)[0] == 4.5f);
  EXPECT(read<unsigned>(table + 60, 1)[0] == 9);
  // A kernel without parameters: its array belongs to the launch.
  std::string bare = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry count()
{
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  mov.u64 %rd1, )" + address +
                     R"(; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;
  ret;
}
)";
  CALL(launch(load(bare.c_str(), "count"), 1, 1, nullptr));
  EXPECT(read<unsigned>(table, 1)[0] == 4);
  // Pointers in variables, one of which leads to an array of pointers.
  Function *chase = load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .const .align 8 .u64 from;
.visible .global .align 8 .u64 tables[2];
.visible .entry chase()
{
  .reg .b32 %r<2>; .reg .b64 %rd<5>;
  ld.const.u64 %rd1, [from]; ld.global.u64 %rd2, [%rd1+8]; ld.global.u32 %r1, [%rd2+4];
  mov.u64 %rd3, tables; ld.global.u64 %rd4, [%rd3+8]; st.global.u32 [%rd4], %r1;
  ret;
}
)",
                         "chase");
  DevicePointer inner = reserve(16), from = 0, tables = 0;
  CALL(cuMemcpyHtoD_v2(inner + 8, &table, sizeof table));
  CALL(cuModuleGetGlobal_v2(&from, nullptr, lastModule(), "from"));
  CALL(cuModuleGetGlobal_v2(&tables, nullptr, lastModule(), "tables"));
  CALL(cuMemcpyHtoD_v2(from, &inner, sizeof inner));
  CALL(cuMemcpyHtoD_v2(tables + 8, &out, sizeof out));
  CALL(launch(chase, 1, 1, nullptr));
  EXPECT(read<unsigned>(out, 1)[0] == 1);
  std::printf("an address is a number\n");
}
