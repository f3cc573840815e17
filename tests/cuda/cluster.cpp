// Clusters of two blocks: TMA copies a box of an array to each block, and each block reads the other's shared memory.
#include "tests/cuda/CudaProgram.h"

using namespace program;

static const char kPtx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry swap(.param .align 64 .b8 map[128], .param .u64 out)
{
  .reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  .shared .align 128 .b8 box[256];
  .shared .align 8 .b64 bar;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, box; mov.u32 %r4, bar;
  setp.ne.u32 %p1, %r1, 0; @%p1 bra ready;
  mbarrier.init.shared::cta.b64 [%r4], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r4], 256;
  mov.b64 %rd2, map; cvta.param.u64 %rd3, %rd2;
  shl.b32 %r5, %r2, 2; mov.u32 %r6, 0;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%rd3, {%r6, %r5}], [%r4];
ready:
  bar.sync 0;
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;
  @!%p2 bra wait;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  mov.u32 %r7, %cluster_ctarank; xor.b32 %r8, %r7, 1;
  shl.b32 %r9, %r1, 2; add.u32 %r10, %r3, %r9;
  mapa.shared::cluster.u32 %r11, %r10, %r8;
  ld.shared::cluster.u32 %r12, [%r11];
  ld.param.u64 %rd4, [out]; shl.b32 %r13, %r2, 6; add.u32 %r14, %r13, %r1;
  mul.wide.u32 %rd5, %r14, 4; add.s64 %rd6, %rd4, %rd5;
  st.global.u32 [%rd6], %r12;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  ret;
}
)";

int main() {
  begin();
  Function *swap = load(kPtx, "swap");
  constexpr unsigned kRows = 8, kColumns = 16;
  std::vector<unsigned> in(kRows * kColumns);
  for (unsigned n = 0; n < in.size(); ++n)
    in[n] = n;
  DevicePointer array = reserve(in.size() * 4), out = reserve(in.size() * 4);
  CALL(cuMemcpyHtoD_v2(array, in.data(), in.size() * 4));
  TensorMap map;
  const uint64_t sizes[] = {kColumns, kRows}, strides[] = {kColumns * 4};
  const uint32_t box[] = {kColumns, 4}, steps[] = {1, 1};
  CALL(cuTensorMapEncodeTiled(&map, 2, 2, reinterpret_cast<void *>(array), sizes, strides, box, steps, 0, 0, 0, 0));
  const uint64_t odd[] = {kColumns * 4 + 4};
  EXPECT(cuTensorMapEncodeTiled(&map, 2, 2, reinterpret_cast<void *>(array), sizes, odd, box, steps, 0, 0, 0, 0) ==
         kInvalidValue);
  LaunchAttribute attribute{};
  attribute.id = kAttributeClusterDimension;
  attribute.cluster = {2, 1, 1};
  LaunchConfig config{2, 1, 1, 64, 1, 1, 0, nullptr, &attribute, 1};
  void *parameters[] = {&map, &out};
  CALL(cuLaunchKernelEx(&config, swap, parameters, nullptr));
  auto got = read<unsigned>(out, in.size());
  for (unsigned n = 0; n < in.size(); ++n)
    EXPECT(got[n] == (n ^ 64));
  config.gridX = 3; // not a whole number of clusters
  EXPECT(cuLaunchKernelEx(&config, swap, parameters, nullptr) == kInvalidValue);
  int clusters = 0;
  config.gridX = 2;
  CALL(cuOccupancyMaxActiveClusters(&clusters, swap, &config));
  EXPECT(clusters > 66);
  std::printf("blocks have swapped\n");
}
