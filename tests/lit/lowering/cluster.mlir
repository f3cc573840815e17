// A cluster of two blocks: a copy that both receive, a barrier at which both arrive, the other block's shared memory,
// and the cluster's effect on the launch.
// RUN: lanescope-opt %s | lanescope-opt | FileCheck %s --check-prefix=SAME
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// SAME: "lanescope.initialize_cluster_barrier"(%{{.*}}) <{arrival_count = 1 : i64, collective = [array<i64: 0>]
// SAME: "mosaic_gpu.async_prefetch"
// SAME: "mosaic_gpu.get_cluster_ref"{{.*}}#mosaic_gpu.smem_cluster

// CHECK: mbarrier.init.shared::cta.b64
// CHECK: mbarrier.init.shared::cta.b64
// CHECK: nvvm.fence.mbarrier.init
// CHECK: barrier.cluster.arrive.relaxed.aligned
// CHECK: barrier.cluster.wait.acquire.aligned
// CHECK-DAG: setmaxnreg.dec.sync.aligned.u32 40
// CHECK-DAG: cp.async.bulk.prefetch.tensor.2d.L2.global.tile
// CHECK-DAG: cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
// CHECK-DAG: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// CHECK-DAG: cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group
// CHECK-DAG: setmaxnreg.inc.sync.aligned.u32 232
// CHECK-DAG: mbarrier.try_wait.parity.shared::cta.b64
// CHECK-DAG: llvm.nvvm.mapa.shared.cluster
// CHECK-DAG: llvm.load %{{.*}} : !llvm.ptr<7>
// CHECK-DAG: mapa.shared::cluster.u32
// CHECK-DAG: mbarrier.arrive.release.cluster.shared::cluster.b64
// CHECK-DAG: red.release.gpu.global.add.u32
// CHECK-DAG: atom.acquire.gpu.global.cas.b32
// No block exits while another block may still access its shared memory.
// CHECK-DAG: barrier.cluster.arrive.release.aligned
// CHECK-DAG: barrier.cluster.wait.acquire.aligned

module @k attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @k(%arg0: memref<128x64xf16>, %arg1: memref<256x64xf16>, %arg2: memref<1xi32>) attributes {lanescope.arguments = [{kind = "in", name = "x"}, {kind = "out", name = "out"}, {kind = "scratch", name = "s"}], lanescope.cluster = array<i64: 2, 1, 1>, lanescope.grid = array<i64: 4, 1, 1>, lanescope.num_warpgroups = 2 : i64, lanescope.smem_bytes = 8208 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %2 = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %3 = builtin.unrealized_conversion_cast %2 : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "mosaic_gpu.initialize_barrier"(%3) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %alloca = memref.alloca() : memref<i32>
    %c0_i32 = arith.constant 0 : i32
    memref.store %c0_i32, %alloca[] : memref<i32>
    %4 = "mosaic_gpu.slice_smem"() <{offset = 8200 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %5 = builtin.unrealized_conversion_cast %4 : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "lanescope.initialize_cluster_barrier"(%5) <{arrival_count = 1 : i64, collective = [array<i64: 0>], num_barriers = 1 : i32}> : (!llvm.ptr<3>) -> ()
    %alloca_0 = memref.alloca() : memref<i32>
    %c0_i32_1 = arith.constant 0 : i32
    memref.store %c0_i32_1, %alloca_0[] : memref<i32>
    lanescope.init_done
    %6 = "lanescope.block_in_cluster"() <{dim = 0 : i32}> : () -> i32
    %7 = lanescope.warpgroup_id
    %c0_i32_2 = arith.constant 0 : i32
    %8 = arith.cmpi eq, %7, %c0_i32_2 : i32
    scf.if %8 {
      "lanescope.set_max_registers"() <{n = 40 : i32}> : () -> ()
      %c0_i32_3 = arith.constant 0 : i32
      %c0_i32_4 = arith.constant 0 : i32
      "mosaic_gpu.async_prefetch"(%arg0, %c0_i32_3, %c0_i32_4) <{collective = [], operandSegmentSizes = array<i32: 1, 2, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x64xf16>, i32, i32) -> ()
      %c0_i32_5 = arith.constant 0 : i32
      %c0_i32_6 = arith.constant 0 : i32
      %9 = builtin.unrealized_conversion_cast %3 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
      %c8192_i32 = arith.constant 8192 : i32
      mosaic_gpu.arrive_expect_tx barrier(%9 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c8192_i32
      "mosaic_gpu.async_load"(%arg0, %1, %9, %c0_i32_5, %c0_i32_6) <{collective = [0 : i32], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
      %10 = memref.load %alloca_0[] : memref<i32>
      %c1_i32 = arith.constant 1 : i32
      %c1_i32_7 = arith.constant 1 : i32
      %11 = arith.andi %10, %c1_i32_7 : i32
      %c0_i32_8 = arith.constant 0 : i32
      %12 = arith.cmpi ne, %11, %c0_i32_8 : i32
      %13 = arith.xori %10, %c1_i32_7 : i32
      memref.store %13, %alloca_0[] : memref<i32>
      %14 = builtin.unrealized_conversion_cast %5 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
      mosaic_gpu.wait barrier(%14 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%12 : i1) {lanescope.cluster_scope}
      %c0_i32_9 = arith.constant 0 : i32
      %c0_i32_10 = arith.constant 0 : i32
      "mosaic_gpu.async_store"(%1, %arg1, %c0_i32_9, %c0_i32_10) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, reduction_op = 0 : i32, slice_lengths = array<i64: 64, 64>}> : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<256x64xf16>, i32, i32) -> ()
      lanescope.wait_smem_to_gmem {n = 0 : i32}
    } else {
      "lanescope.set_max_registers"() <{increase, n = 232 : i32}> : () -> ()
      %9 = memref.load %alloca[] : memref<i32>
      %c1_i32 = arith.constant 1 : i32
      %c1_i32_3 = arith.constant 1 : i32
      %10 = arith.andi %9, %c1_i32_3 : i32
      %c0_i32_4 = arith.constant 0 : i32
      %11 = arith.cmpi ne, %10, %c0_i32_4 : i32
      %12 = arith.xori %9, %c1_i32_3 : i32
      memref.store %12, %alloca[] : memref<i32>
      %13 = builtin.unrealized_conversion_cast %3 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
      mosaic_gpu.wait barrier(%13 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%11 : i1)
      %c1_i32_5 = arith.constant 1 : i32
      %14 = arith.subi %c1_i32_5, %6 : i32
      %15 = "mosaic_gpu.get_cluster_ref"(%1, %14) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (memref<64x64xf16, #gpu.address_space<workgroup>>, i32) -> memref<64x64xf16, #mosaic_gpu.smem_cluster>
      %16 = "mosaic_gpu.vector_load"(%15) <{optimized = true}> : (memref<64x64xf16, #mosaic_gpu.smem_cluster>) -> vector<64x64xf16>
      %c64_i32 = arith.constant 64 : i32
      %17 = arith.muli %6, %c64_i32 : i32
      %18 = arith.index_cast %17 : i32 to index
      %subview = memref.subview %arg1[%18, 0] [64, 64] [1, 1] : memref<256x64xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>>
      "mosaic_gpu.vector_store"(%16, %subview) <{multimem = false}> : (vector<64x64xf16>, memref<64x64xf16, strided<[64, 1], offset: ?>>) -> ()
      %19 = builtin.unrealized_conversion_cast %5 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
      "lanescope.cluster_arrive"(%19) <{collective = [array<i64: 0>]}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
      %c1_i32_6 = arith.constant 1 : i32
      %c0_i32_7 = arith.constant 0 : i32
      "lanescope.semaphore_signal"(%arg2, %c0_i32_7, %c1_i32_6) : (memref<1xi32>, i32, i32) -> ()
      %c1_i32_8 = arith.constant 1 : i32
      %c0_i32_9 = arith.constant 0 : i32
      "lanescope.semaphore_wait"(%arg2, %c0_i32_9, %c1_i32_8) <{decrement}> : (memref<1xi32>, i32, i32) -> ()
    }
    return
  }
}
