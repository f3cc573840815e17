// Tensor memory and the tensor core of sm_100a, as the code of one thread.
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// CHECK-LABEL: llvm.func @k(
// One warp allocates, and all warps read the address after the barrier.
// CHECK: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], $1;
// CHECK: nvvm.barrier
// CHECK: tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
// A barrier that orders the tensor core counts single threads.
// CHECK: llvm.mlir.constant(1 : i32) : i32
// CHECK: mbarrier.init.shared::cta.b64 [$1], $2;
// Stores of 8 columns: first the upper 16 lanes of each quarter, then the lower ones, 2^20 further.
// CHECK: tcgen05.st.sync.aligned.16x256b.x2.b32 [$0],
// CHECK: llvm.mlir.constant(1048576 : i32) : i32
// CHECK: tcgen05.st.sync.aligned.16x256b.x2.b32 [$0],
// CHECK: tcgen05.wait::st.sync.aligned;
// CHECK-NEXT: tcgen05.fence::before_thread_sync;
// CHECK: tcgen05.fence::after_thread_sync;
// One thread multiplies: rows of 32 bytes are one step of 16 elements, and the next tile is another step.
// CHECK: llvm.cond_br
// CHECK: add.u32 low, $1, 0; mov.b64 da, {low, 3221241888};\0Aadd.u32 low, $2, 0; mov.b64 db, {low, 3221241888};\0Amov.b32 idesc, 134479888;\0Atcgen05.mma.cta_group::1.kind::f16 [d], da, db, idesc, $3;
// CHECK-SAME: add.u32 low, $1, 16; mov.b64 da,
// CHECK-SAME: tcgen05.mma.cta_group::1.kind::f16 [d], da, db, idesc, all;
// CHECK: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0];
// CHECK: mbarrier.try_wait.parity
// CHECK: tcgen05.fence::after_thread_sync;
// CHECK: tcgen05.ld.sync.aligned.16x256b.x2.b32 {$0,$1,$2,$3,$4,$5,$6,$7}, [$16];\0Atcgen05.ld.sync.aligned.16x256b.x2.b32 {$8,$9,$10,$11,$12,$13,$14,$15}, [$17];\0Atcgen05.wait::ld.sync.aligned;
// CHECK: tcgen05.fence::before_thread_sync;
// CHECK: tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, $1;

module @k attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @k(%out: memref<128x16xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 10256 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x32xf16, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<32>]}> : (memref<128x32xf16, #gpu.address_space<workgroup>>) -> memref<128x32xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> memref<16x32xf16, #gpu.address_space<workgroup>>
    %2 = "mosaic_gpu.with_transforms"(%1) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<32>]}> : (memref<16x32xf16, #gpu.address_space<workgroup>>) -> memref<16x32xf16, #gpu.address_space<workgroup>>
    %b = memref.transpose %2 (d0, d1) -> (d1, d0) : memref<16x32xf16, #gpu.address_space<workgroup>> to memref<32x16xf16, strided<[1, 32]>, #gpu.address_space<workgroup>>
    %p = "mosaic_gpu.slice_smem"() <{offset = 10240 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x16xi32, #mosaic_gpu.tmem>
    "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}> : () -> ()
    %3 = "mosaic_gpu.slice_smem"() <{offset = 10248 : i32}> : () -> memref<1x!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
    %4 = builtin.unrealized_conversion_cast %3 : memref<1x!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "mosaic_gpu.initialize_barrier"(%4) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = true}> : (!llvm.ptr<3>) -> ()
    %bar = builtin.unrealized_conversion_cast %4 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
    lanescope.init_done
    %5 = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x16xi32, #mosaic_gpu.tmem>) -> memref<128x16xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%5) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x16xf32, #mosaic_gpu.tmem>) -> memref<128x16xf32, #mosaic_gpu.tmem>
    %one = arith.constant dense<1.0> : vector<128x16xf32>
    "mosaic_gpu.async_store_tmem"(%one, %d) : (vector<128x16xf32>, memref<128x16xf32, #mosaic_gpu.tmem>) -> ()
    lanescope.commit_tmem
    %true = arith.constant true
    %false = arith.constant false
    "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %true) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x16xf32, #mosaic_gpu.tmem>, memref<128x32xf16, #gpu.address_space<workgroup>>, memref<32x16xf16, strided<[1, 32]>, #gpu.address_space<workgroup>>, i1) -> ()
    "mosaic_gpu.tcgen05_commit_arrive"(%bar) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
    mosaic_gpu.wait barrier(%bar : memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) parity(%false : i1)
    %v = "mosaic_gpu.async_load_tmem"(%d) : (memref<128x16xf32, #mosaic_gpu.tmem>) -> vector<128x16xf32>
    "mosaic_gpu.vector_store"(%v, %out) : (vector<128x16xf32>, memref<128x16xf32>) -> ()
    mosaic_gpu.tmem_dealloc tmem_ref(%t : memref<128x16xi32, #mosaic_gpu.tmem>)
    return
  }
}
