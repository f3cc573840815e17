// Virtual memory management: two pieces of memory side by side, which a kernel reads as one array. Contents stay with
// the memory when it is mapped elsewhere.
#include "tests/cuda/CudaProgram.h"

using namespace program;

static const char kPtx[] = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry twice(.param .u64 data) {
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [data];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd1, %rd0, %rd1;
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, %r1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

int main() {
  begin();
  Function *twice = load(kPtx, "twice");
  MemoryProperties properties{};
  properties.type = 1;         // pinned
  properties.locationType = 1; // on the device
  size_t piece = 0;
  CALL(cuMemGetAllocationGranularity(&piece, &properties, 0));
  DevicePointer both = 0, other = 0;
  uint64_t first = 0, second = 0;
  CALL(cuMemAddressReserve(&both, 4 * piece, 0, 0, 0));
  EXPECT(cuMemsetD8_v2(both, 1, 1) != kSuccess); // nothing is mapped
  EXPECT(cuMemCreate(&first, piece + 1, &properties, 0) == kInvalidValue);
  CALL(cuMemCreate(&first, piece, &properties, 0));
  CALL(cuMemCreate(&second, piece, &properties, 0));
  CALL(cuMemMap(both, piece, 0, first, 0));
  CALL(cuMemMap(both + piece, piece, 0, second, 0));
  EXPECT(cuMemMap(both, piece, 0, second, 0) == kNotSupported);
  int access[3] = {1, 0, 3};
  CALL(cuMemSetAccess(both, 2 * piece, access, 1));
  EXPECT(cuMemSetAccess(both, 3 * piece, access, 1) == kInvalidValue);
  CALL(cuMemRelease(first)); // the mapping keeps it
  DevicePointer edge = both + piece - 64;
  CALL(cuMemsetD32_v2(edge, 21, 32));
  CALL(launch(twice, 1, 32, nullptr, edge)); // 16 elements in each of the two pieces
  auto out = read<unsigned>(edge, 32);
  EXPECT(out[0] == 42 && out[15] == 42 && out[16] == 42 && out[31] == 42);
  CALL(cuMemUnmap(both + piece, piece));
  EXPECT(cuMemcpyDtoH_v2(out.data(), edge, 128) != kSuccess);
  CALL(cuMemAddressReserve(&other, piece, 0, 0, 0));
  CALL(cuMemMap(other, piece, 0, second, 0));
  EXPECT(read<unsigned>(other, 16)[15] == 42);
  EXPECT(cuMemAddressFree(other, piece) == kInvalidValue); // it is mapped
  CALL(cuMemUnmap(other, piece));
  CALL(cuMemRelease(second));
  EXPECT(cuMemRelease(second) == kInvalidValue);
  CALL(cuMemUnmap(both, piece));
  CALL(cuMemAddressFree(other, piece));
  CALL(cuMemAddressFree(both, 4 * piece));
  std::puts("memory is mapped");
}
