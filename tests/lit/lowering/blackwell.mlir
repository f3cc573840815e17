// Copies of sm_100a: rows that an array selects, four of sixteen by each warp; and halves of a slice, which the first
// block's barrier counts.
// RUN: lanescope-opt --split-input-file %s | lanescope-opt --split-input-file | FileCheck %s --check-prefix=SAME
// RUN: lanescope-opt --split-input-file --mosaic-gpu-layout-inference %s | FileCheck %s --check-prefix=LAYOUT
// RUN: lanescope-opt --split-input-file --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// SAME: "mosaic_gpu.async_load"{{.*}}slice_lengths = array<i64: 32, 128>{{.*}}vector<32xi32>, i32) -> ()
// SAME: "mosaic_gpu.async_load"{{.*}}leader_tracked = #mosaic_gpu.copy_partitioned<axis = 0>

// TMA_INDICES is the layout of the loaded indices and of their use.
// LAYOUT: mosaic_gpu.vector_load{{.*}}out_layouts = [#mosaic_gpu.TiledLayout<[[ROWS:.*]]>]
// LAYOUT: "mosaic_gpu.async_load"{{.*}}in_layouts = [#mosaic_gpu.TiledLayout<[[ROWS]]>]

// CHECK-LABEL: llvm.func @k(
// Two registers of four rows, and two tiles side by side.
// CHECK-COUNT-4: tile::gather4.mbarrier::complete_tx::bytes [$1], [$2, {$4, $5, $6, $7, $8}], [$3];
// CHECK-NOT: tile::gather4
// CHECK-COUNT-4: tile::scatter4.bulk_group [$1, {$3, $4, $5, $6, $7}], [$2];
// CHECK-NOT: tile::scatter4
// CHECK: cp.async.bulk.commit.group

// CHECK-LABEL: llvm.func @k(
// CHECK: mapa.shared::cluster.u32 $0, $1, 0;
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2 [$1]

module @k attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @k(%arg0: memref<128x192xf16>, %arg1: memref<32xi32>, %arg2: memref<128x192xf16>) attributes {lanescope.arguments = [{kind = "in", name = "x"}, {dtype = "u32", kind = "in", name = "idx"}, {kind = "inout", name = "out"}], lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 8200 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<32x128xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<32x128xf16, #gpu.address_space<workgroup>>) -> memref<32x128xf16, #gpu.address_space<workgroup>>
    %2 = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %3 = builtin.unrealized_conversion_cast %2 : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "mosaic_gpu.initialize_barrier"(%3) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %alloca = memref.alloca() : memref<i32>
    %c0_i32 = arith.constant 0 : i32
    memref.store %c0_i32, %alloca[] : memref<i32>
    lanescope.init_done
    %4 = "mosaic_gpu.vector_load"(%arg1) : (memref<32xi32>) -> vector<32xi32>
    %c64_i32 = arith.constant 64 : i32
    %5 = builtin.unrealized_conversion_cast %3 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %c8192_i32 = arith.constant 8192 : i32
    mosaic_gpu.arrive_expect_tx barrier(%5 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c8192_i32
    "mosaic_gpu.async_load"(%arg0, %1, %5, %4, %c64_i32) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 32, 128>}> : (memref<128x192xf16>, memref<32x128xf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, vector<32xi32>, i32) -> ()
    %6 = memref.load %alloca[] : memref<i32>
    %c1_i32 = arith.constant 1 : i32
    %c1_i32_0 = arith.constant 1 : i32
    %7 = arith.andi %6, %c1_i32_0 : i32
    %c0_i32_1 = arith.constant 0 : i32
    %8 = arith.cmpi ne, %7, %c0_i32_1 : i32
    %9 = arith.xori %6, %c1_i32_0 : i32
    memref.store %9, %alloca[] : memref<i32>
    %10 = builtin.unrealized_conversion_cast %3 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    mosaic_gpu.wait barrier(%10 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%8 : i1)
    %11 = "mosaic_gpu.vector_load"(%arg1) : (memref<32xi32>) -> vector<32xi32>
    %c0_i32_2 = arith.constant 0 : i32
    "mosaic_gpu.async_store"(%1, %arg2, %11, %c0_i32_2) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 32, 128>}> : (memref<32x128xf16, #gpu.address_space<workgroup>>, memref<128x192xf16>, vector<32xi32>, i32) -> ()
    lanescope.wait_smem_to_gmem {n = 0 : i32}
    return
  }
}
// -----

module @k attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @k(%arg0: memref<128x128xf32>, %arg1: memref<128x128xf32>, %arg2: memref<128x128xf32>) attributes {lanescope.arguments = [{kind = "in", name = "a"}, {kind = "in", name = "b"}, {kind = "out", name = "out"}], lanescope.cluster = array<i64: 2, 1, 1>, lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65560 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x128xf32, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = []}> : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> memref<64x128xf32, #gpu.address_space<workgroup>>
    %2 = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> memref<64x128xf32, #gpu.address_space<workgroup>>
    %3 = "mosaic_gpu.with_transforms"(%2) <{transforms = []}> : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> memref<64x128xf32, #gpu.address_space<workgroup>>
    %4 = "mosaic_gpu.slice_smem"() <{offset = 65536 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %5 = builtin.unrealized_conversion_cast %4 : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "mosaic_gpu.initialize_barrier"(%5) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %alloca = memref.alloca() : memref<i32>
    %c0_i32 = arith.constant 0 : i32
    memref.store %c0_i32, %alloca[] : memref<i32>
    %6 = "mosaic_gpu.slice_smem"() <{offset = 65544 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %7 = builtin.unrealized_conversion_cast %6 : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "mosaic_gpu.initialize_barrier"(%7) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %alloca_0 = memref.alloca() : memref<i32>
    %c0_i32_1 = arith.constant 0 : i32
    memref.store %c0_i32_1, %alloca_0[] : memref<i32>
    %8 = "mosaic_gpu.slice_smem"() <{offset = 65552 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %9 = builtin.unrealized_conversion_cast %8 : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "lanescope.initialize_cluster_barrier"(%9) <{arrival_count = 1 : i64, collective = [array<i64: 0>], num_barriers = 1 : i32}> : (!llvm.ptr<3>) -> ()
    %alloca_2 = memref.alloca() : memref<i32>
    %c0_i32_3 = arith.constant 0 : i32
    memref.store %c0_i32_3, %alloca_2[] : memref<i32>
    lanescope.init_done
    %10 = "lanescope.block_in_cluster"() <{dim = 0 : i32}> : () -> i32
    %c0_i32_4 = arith.constant 0 : i32
    %c0_i32_5 = arith.constant 0 : i32
    %11 = builtin.unrealized_conversion_cast %5 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %c65536_i32 = arith.constant 65536 : i32
    %12 = "lanescope.block_in_cluster"() <{dim = 0 : i32}> : () -> i32
    %c0_i32_6 = arith.constant 0 : i32
    %13 = arith.cmpi eq, %12, %c0_i32_6 : i32
    scf.if %13 {
      mosaic_gpu.arrive_expect_tx barrier(%11 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c65536_i32
    }
    "mosaic_gpu.async_load"(%arg0, %1, %11, %c0_i32_4, %c0_i32_5) <{collective = [0 : i32], leader_tracked = #mosaic_gpu.copy_partitioned<axis = 0>, oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 128>}> : (memref<128x128xf32>, memref<64x128xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
    %c0_i32_7 = arith.constant 0 : i32
    %c0_i32_8 = arith.constant 0 : i32
    %14 = builtin.unrealized_conversion_cast %7 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %c65536_i32_9 = arith.constant 65536 : i32
    %15 = "lanescope.block_in_cluster"() <{dim = 0 : i32}> : () -> i32
    %c0_i32_10 = arith.constant 0 : i32
    %16 = arith.cmpi eq, %15, %c0_i32_10 : i32
    scf.if %16 {
      mosaic_gpu.arrive_expect_tx barrier(%14 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c65536_i32_9
    }
    "mosaic_gpu.async_load"(%arg1, %3, %14, %c0_i32_7, %c0_i32_8) <{collective = [0 : i32], leader_tracked = #mosaic_gpu.copy_partitioned<axis = 0>, oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 128>}> : (memref<128x128xf32>, memref<64x128xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
    %c0_i32_11 = arith.constant 0 : i32
    %17 = arith.cmpi eq, %10, %c0_i32_11 : i32
    scf.if %17 {
      %29 = memref.load %alloca[] : memref<i32>
      %c1_i32_14 = arith.constant 1 : i32
      %c1_i32_15 = arith.constant 1 : i32
      %30 = arith.andi %29, %c1_i32_15 : i32
      %c0_i32_16 = arith.constant 0 : i32
      %31 = arith.cmpi ne, %30, %c0_i32_16 : i32
      %32 = arith.xori %29, %c1_i32_15 : i32
      memref.store %32, %alloca[] : memref<i32>
      %33 = builtin.unrealized_conversion_cast %5 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
      mosaic_gpu.wait barrier(%33 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%31 : i1)
      %34 = memref.load %alloca_0[] : memref<i32>
      %c1_i32_17 = arith.constant 1 : i32
      %c1_i32_18 = arith.constant 1 : i32
      %35 = arith.andi %34, %c1_i32_18 : i32
      %c0_i32_19 = arith.constant 0 : i32
      %36 = arith.cmpi ne, %35, %c0_i32_19 : i32
      %37 = arith.xori %34, %c1_i32_18 : i32
      memref.store %37, %alloca_0[] : memref<i32>
      %38 = builtin.unrealized_conversion_cast %7 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
      mosaic_gpu.wait barrier(%38 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%36 : i1)
    } else {
    }
    %18 = builtin.unrealized_conversion_cast %9 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    "lanescope.cluster_arrive"(%18) <{collective = [array<i64: 0>]}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
    %19 = memref.load %alloca_2[] : memref<i32>
    %c1_i32 = arith.constant 1 : i32
    %c1_i32_12 = arith.constant 1 : i32
    %20 = arith.andi %19, %c1_i32_12 : i32
    %c0_i32_13 = arith.constant 0 : i32
    %21 = arith.cmpi ne, %20, %c0_i32_13 : i32
    %22 = arith.xori %19, %c1_i32_12 : i32
    memref.store %22, %alloca_2[] : memref<i32>
    %23 = builtin.unrealized_conversion_cast %9 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    mosaic_gpu.wait barrier(%23 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%21 : i1) {lanescope.cluster_scope}
    %24 = "mosaic_gpu.vector_load"(%1) : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
    %25 = "mosaic_gpu.vector_load"(%3) : (memref<64x128xf32, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
    %26 = arith.addf %24, %25 : vector<64x128xf32>
    %c64_i32 = arith.constant 64 : i32
    %27 = arith.muli %10, %c64_i32 : i32
    %28 = arith.index_cast %27 : i32 to index
    %subview = memref.subview %arg2[%28, 0] [64, 128] [1, 1] : memref<128x128xf32> to memref<64x128xf32, strided<[128, 1], offset: ?>>
    "mosaic_gpu.vector_store"(%26, %subview) <{multimem = false}> : (vector<64x128xf32>, memref<64x128xf32, strided<[128, 1], offset: ?>>) -> ()
    return
  }
}