// The basic kernel: TMA in, doubled in registers, TMA out, with a 128-byte swizzle and profiling.
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// One descriptor per copy, then the pointers of two arrays and of the profiler: 2 * 128 + 3 * 8 bytes.
// CHECK: llvm.mlir.global external @lanescope_smem() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK: llvm.func @double(%[[PARAMS:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<280 x i8>, nvvm.grid_constant})
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.maxntid = array<i32: 128, 1, 1>
// CHECK: mbarrier.init.shared::cta.b64
// CHECK: nvvm.fence.mbarrier.init
// CHECK: mbarrier.arrive.expect_tx
// A barrier before the copy: threads may still read the memory that it overwrites.
// CHECK: nvvm.barrier id
// CHECK: cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: mbarrier.try_wait.parity
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: llvm.fmul %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<2xf16>
// CHECK: nvvm.barrier id
// CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: cp.async.bulk.tensor.4d.global.shared::cta.bulk_group
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0
module @double attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @double(%x: memref<128x128xf16>, %out: memref<128x128xf16>)
      attributes {lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 32776 : i64,
                  lanescope.profile_entries = 64 : i64,
                  lanescope.arguments = [{name = "x", kind = "in"}, {name = "out", kind = "out"}]} {
    %tile0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x128xf16, #gpu.address_space<workgroup>>
    %tile = "mosaic_gpu.with_transforms"(%tile0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<128x128xf16, #gpu.address_space<workgroup>>) -> memref<128x128xf16, #gpu.address_space<workgroup>>
    %b = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %bp = builtin.unrealized_conversion_cast %b : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "mosaic_gpu.initialize_barrier"(%bp) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    lanescope.init_done
    %phases = memref.alloca() : memref<i32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    memref.store %c0, %phases[] : memref<i32>
    lanescope.region_begin "load"
    %bytes = arith.constant 32768 : i32
    %bar = builtin.unrealized_conversion_cast %bp : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    mosaic_gpu.arrive_expect_tx barrier(%bar : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %bytes
    "mosaic_gpu.async_load"(%x, %tile, %bar, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 128>}> : (memref<128x128xf16>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
    %p = memref.load %phases[] : memref<i32>
    %bit = arith.andi %p, %c1 : i32
    %parity = arith.cmpi ne, %bit, %c0 : i32
    %np = arith.xori %p, %c1 : i32
    memref.store %np, %phases[] : memref<i32>
    mosaic_gpu.wait barrier(%bar : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%parity : i1)
    lanescope.region_end "load"
    lanescope.region_begin "double"
    %v = "mosaic_gpu.vector_load"(%tile) <{optimized = true}> : (memref<128x128xf16, #gpu.address_space<workgroup>>) -> vector<128x128xf16>
    %two = arith.constant dense<2.0> : vector<128x128xf16>
    %w = arith.mulf %v, %two : vector<128x128xf16>
    "mosaic_gpu.vector_store"(%w, %tile) <{multimem = false}> : (vector<128x128xf16>, memref<128x128xf16, #gpu.address_space<workgroup>>) -> ()
    lanescope.commit_smem
    lanescope.region_end "double"
    lanescope.region_begin "store"
    "mosaic_gpu.async_store"(%tile, %out, %c0, %c0) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 128>}> : (memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x128xf16>, i32, i32) -> ()
    lanescope.wait_smem_to_gmem {n = 0 : i32}
    lanescope.region_end "store"
    return
  }
}
