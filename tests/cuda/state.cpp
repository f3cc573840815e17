// State that survives from launch to launch: variables of the module, atomics on them, constant memory, pointers in
// memory. Also printf and device functions.
#include "tests/cuda/CudaProgram.h"

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 out) vprintf (.param .b64 format, .param .b64 arguments);
.visible .global .align 4 .u32 counter = 5;
.visible .const .align 4 .b8 factors[16];
.global .align 1 .b8 format[22] = {115,117,109,32,37,100,32,111,102,32,37,100,32,116,104,114,101,97,100,115,10,0};
.visible .global .align 8 .u64 where = counter;

.func (.param .b32 result) twice(.param .b32 value)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [value]; shl.b32 %r2, %r1, 1; st.param.b32 [result], %r2;
  ret;
}

// table[0] leads to the array that each thread adds its factor to.
.visible .entry add(.param .u64 table)
{
  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<12>;
  .local .align 8 .b8 stack[8];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3;
  mul.wide.u32 %rd1, %r2, 4;
  mov.u64 %rd2, factors; add.s64 %rd3, %rd2, %rd1;
  ld.const.u32 %r3, [%rd3];
  { .param .b32 in; .param .b32 back;
    st.param.b32 [in], %r3; call.uni (back), twice, (in); ld.param.b32 %r4, [back]; }
  ld.global.u64 %rd4, [where];
  atom.global.add.u32 %r5, [%rd4], %r4;
  ld.param.u64 %rd5, [table]; ld.global.u64 %rd6, [%rd5];
  red.global.add.u32 [%rd6], 1;
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0; @%p1 bra done;
  ld.relaxed.gpu.global.u32 %r6, [%rd4];
  mov.u32 %r7, %ntid.x;
  st.local.u32 [stack], %r6; st.local.u32 [stack+4], %r7;
  mov.u64 %rd7, stack; cvta.local.u64 %rd8, %rd7;
  mov.u64 %rd9, format; cvta.global.u64 %rd10, %rd9;
  { .param .b64 a; .param .b64 b; .param .b32 c;
    st.param.b64 [a], %rd10; st.param.b64 [b], %rd8; call.uni (c), vprintf, (a, b); }
done:
  ret;
}
)";

int main() {
  begin();
  Function *add = load(kPtx, "add");
  DevicePointer counter = 0, factors = 0;
  size_t bytes = 0;
  CALL(cuModuleGetGlobal_v2(&counter, &bytes, lastModule(), "counter"));
  EXPECT(bytes == 4 && read<unsigned>(counter, 1)[0] == 5);
  CALL(cuModuleGetGlobal_v2(&factors, &bytes, lastModule(), "factors"));
  EXPECT(bytes == 16);
  EXPECT(cuModuleGetGlobal_v2(&factors, &bytes, lastModule(), "nothing") == kNotFound);
  const unsigned values[] = {1, 10, 100, 1000};
  CALL(cuMemcpyHtoD_v2(factors, values, sizeof values));
  DevicePointer array = reserve(4), table = reserve(8);
  CALL(cuMemcpyHtoD_v2(table, &array, sizeof array));
  CALL(launch(add, 1, 8, nullptr, table));
  CALL(launch(add, 1, 32, nullptr, table));
  CALL(cuCtxSynchronize());
  EXPECT(read<unsigned>(counter, 1)[0] == 5 + 2 * 1111 * 2 + 8 * 1111 * 2);
  EXPECT(read<unsigned>(array, 1)[0] == 40);
  const unsigned again = 7;
  CALL(cuMemcpyHtoD_v2(counter, &again, 4));
  CALL(launch(add, 1, 4, nullptr, table));
  EXPECT(read<unsigned>(counter, 1)[0] == 7 + 2 * 1111);
}
