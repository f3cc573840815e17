// Every operation in its printed form reads back as itself.
// RUN: lanescope-opt %s --verify-roundtrip | FileCheck %s

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
!barrier = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @barriers
func.func @barriers(%p: !llvm.ptr<3>, %b: !barrier, %bytes: i32, %parity: i1) {
  // CHECK: "mosaic_gpu.initialize_barrier"(%{{.*}}) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}>
  "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  // CHECK: lanescope.init_done
  lanescope.init_done
  // CHECK: "mosaic_gpu.arrive"(%{{.*}}) <{orders_tensor_core = false}>
  "mosaic_gpu.arrive"(%b) <{orders_tensor_core = false}> : (!barrier) -> ()
  // CHECK: mosaic_gpu.arrive_expect_tx barrier(%{{.*}} : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %{{.*}}
  mosaic_gpu.arrive_expect_tx barrier(%b : !barrier) %bytes
  // CHECK: mosaic_gpu.wait barrier(%{{.*}} : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%{{.*}} : i1)
  mosaic_gpu.wait barrier(%b : !barrier) parity(%parity : i1)
  return
}

// CHECK-LABEL: func.func @tensor_core_barrier
// CHECK-SAME: !mosaic_gpu.barrier<orders_tensor_core = true>
func.func @tensor_core_barrier(%b: memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) {
  return
}

// CHECK-LABEL: func.func @copies
func.func @copies(%x: memref<4x128x128xf16>, %s: !smem, %b: !barrier, %i: i32) {
  // CHECK: slice_lengths = array<i64: -1, 128, 128>
  "mosaic_gpu.async_load"(%x, %s, %b, %i, %i, %i) <{collective = [0 : i32, 2 : i32], operandSegmentSizes = array<i32: 1, 1, 1, 3, 0, 0>, slice_lengths = array<i64: -1, 128, 128>, leader_tracked = #mosaic_gpu.copy_partitioned<axis = 1>}> : (memref<4x128x128xf16>, !smem, !barrier, i32, i32, i32) -> ()
  // CHECK: lanescope.commit_smem
  lanescope.commit_smem
  // CHECK: reduction_op = 0 : i32
  "mosaic_gpu.async_store"(%s, %x, %i, %i, %i) <{commit_group = false, reduction_op = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 3, 0, 0>, slice_lengths = array<i64: -1, 128, 64>}> : (!smem, memref<4x128x128xf16>, i32, i32, i32) -> ()
  // CHECK: lanescope.commit_group
  lanescope.commit_group
  // CHECK: lanescope.wait_smem_to_gmem {n = 1 : i32, read_only}
  lanescope.wait_smem_to_gmem {n = 1 : i32, read_only}
  return
}

// CHECK-LABEL: func.func @arrays
func.func @arrays(%row: vector<64xf32>) -> vector<64x8xf32> {
  // CHECK: "mosaic_gpu.slice_smem"() <{alias_id = 7 : i64, offset = 1024 : i32}>
  %s = "mosaic_gpu.slice_smem"() <{offset = 1024 : i32, alias_id = 7 : i64}> : () -> !smem
  // CHECK: "mosaic_gpu.with_transforms"(%{{.*}}) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}>
  %t = "mosaic_gpu.with_transforms"(%s) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (!smem) -> !smem
  %v = "mosaic_gpu.vector_load"(%t) <{optimized = false}> : (!smem) -> vector<128x64xf16>
  // CHECK: mosaic_gpu.layout_cast x(%{{.*}} : vector<128x64xf16>) {new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
  %w = mosaic_gpu.layout_cast x(%v : vector<128x64xf16>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
  // CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %{{.*}}) <{atomic_type = 0 : i32, multimem = false}>
  "mosaic_gpu.vector_store"(%w, %t) <{atomic_type = 0 : i32, multimem = false}> : (vector<128x64xf16>, !smem) -> ()
  // CHECK: #mosaic_gpu.Replicated<times = 4>
  %r = mosaic_gpu.layout_cast x(%row : vector<64xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[64], [16], [8], [1]], warp_dims = [-4], lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>], vector_dim = -1>}
  // CHECK: mosaic_gpu.broadcast_in_dim(%{{.*}} : vector<64xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<64x8xf32>
  %x = mosaic_gpu.broadcast_in_dim(%r : vector<64xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<64x8xf32>
  // CHECK: "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<64x8xi32>
  %n = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<64x8xi32>
  %y = "mosaic_gpu.optimization_barrier"(%x) : (vector<64x8xf32>) -> vector<64x8xf32>
  // CHECK: "mosaic_gpu.print_layout"(%{{.*}}) <{format = "w: {}"}>
  "mosaic_gpu.print_layout"(%w) <{format = "w: {}"}> : (vector<128x64xf16>) -> ()
  %g = lanescope.warpgroup_id
  // CHECK: lanescope.program_id {dim = 2 : i32}
  %z = lanescope.program_id {dim = 2 : i32}
  // CHECK: lanescope.region_begin "sums"
  lanescope.region_begin "sums"
  // CHECK: "mosaic_gpu.debug_print"(%{{.*}}, %{{.*}}) <{format = "{} {}"}> : (i32, vector<64x8xi32>) -> ()
  "mosaic_gpu.debug_print"(%g, %n) <{format = "{} {}"}> : (i32, vector<64x8xi32>) -> ()
  // CHECK: lanescope.region_end "sums"
  lanescope.region_end "sums"
  return %y : vector<64x8xf32>
}

// CHECK-LABEL: func.func @mma
func.func @mma(%acc: vector<64x64xf32>, %a: vector<64x128xf4E2M1FN>, %b: vector<128x64xf8E4M3FN>, %c: vector<128x64xf4E2M1FN>,
               %s: vector<64x4xf8E8M0FNU>, %t: vector<64x8xf8E4M3FN>) {
  // CHECK: mosaic_gpu.mma accumulator(%{{.*}} : vector<64x64xf32>) a(%{{.*}} : vector<64x128xf4E2M1FN>) b(%{{.*}} : vector<128x64xf8E4M3FN>) -> vector<64x64xf32>
  %0 = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x128xf4E2M1FN>) b(%b : vector<128x64xf8E4M3FN>) -> vector<64x64xf32>
  // CHECK: scales(%{{.*}}, %{{.*}} : vector<64x4xf8E8M0FNU>, vector<64x4xf8E8M0FNU>) -> vector<64x64xf32>
  %1 = mosaic_gpu.mma accumulator(%0 : vector<64x64xf32>) a(%a : vector<64x128xf4E2M1FN>) b(%b : vector<128x64xf8E4M3FN>) scales(%s, %s : vector<64x4xf8E8M0FNU>, vector<64x4xf8E8M0FNU>) -> vector<64x64xf32>
  // CHECK: scales(%{{.*}}, %{{.*}} : vector<64x8xf8E4M3FN>, vector<64x8xf8E4M3FN>) {lanescope.m_warps = 2 : i32} -> vector<64x64xf32>
  %2 = mosaic_gpu.mma accumulator(%1 : vector<64x64xf32>) a(%a : vector<64x128xf4E2M1FN>) b(%c : vector<128x64xf4E2M1FN>) scales(%t, %t : vector<64x8xf8E4M3FN>, vector<64x8xf8E4M3FN>) {lanescope.m_warps = 2 : i32} -> vector<64x64xf32>
  return
}
