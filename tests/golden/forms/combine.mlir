// Each block adds its half of the array to the tens in the other block's shared memory.
module @combine attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @combine(%arg0: memref<2x64x32xi32>, %arg1: memref<2x64x32xi32>) attributes {lanescope.arguments = [{kind = "in", name = "x"}, {kind = "out", name = "out"}], lanescope.cluster = array<i64: 2, 1, 1>, lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 8208 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x32xi32, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x32xi32, #gpu.address_space<workgroup>>) -> memref<64x32xi32, #gpu.address_space<workgroup>>
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
    %cst = arith.constant dense<10> : vector<64x32xi32>
    %7 = mosaic_gpu.layout_cast x(%cst : vector<64x32xi32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    "mosaic_gpu.vector_store"(%7, %1) <{multimem = false}> : (vector<64x32xi32>, memref<64x32xi32, #gpu.address_space<workgroup>>) -> ()
    %8 = builtin.unrealized_conversion_cast %5 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    "lanescope.cluster_arrive"(%8) <{collective = [array<i64: 0>]}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
    %9 = memref.load %alloca_0[] : memref<i32>
    %c1_i32 = arith.constant 1 : i32
    %c1_i32_2 = arith.constant 1 : i32
    %10 = arith.andi %9, %c1_i32_2 : i32
    %c0_i32_3 = arith.constant 0 : i32
    %11 = arith.cmpi ne, %10, %c0_i32_3 : i32
    %12 = arith.xori %9, %c1_i32_2 : i32
    memref.store %12, %alloca_0[] : memref<i32>
    %13 = builtin.unrealized_conversion_cast %5 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    mosaic_gpu.wait barrier(%13 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%11 : i1) {lanescope.cluster_scope}
    %14 = arith.index_cast %6 : i32 to index
    %subview = memref.subview %arg0[%14, 0, 0] [1, 64, 32] [1, 1, 1] : memref<2x64x32xi32> to memref<64x32xi32, strided<[32, 1], offset: ?>>
    %15 = "mosaic_gpu.vector_load"(%subview) : (memref<64x32xi32, strided<[32, 1], offset: ?>>) -> vector<64x32xi32>
    %16 = mosaic_gpu.layout_cast x(%15 : vector<64x32xi32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    %c1_i32_4 = arith.constant 1 : i32
    %17 = arith.subi %c1_i32_4, %6 : i32
    %18 = builtin.unrealized_conversion_cast %3 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    "mosaic_gpu.async_store_smem"(%16, %1, %18, %17) <{atomic_type = 0 : i32, cluster_dim = 0 : i32}> : (vector<64x32xi32>, memref<64x32xi32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
    %19 = memref.load %alloca[] : memref<i32>
    %c1_i32_5 = arith.constant 1 : i32
    %c1_i32_6 = arith.constant 1 : i32
    %20 = arith.andi %19, %c1_i32_6 : i32
    %c0_i32_7 = arith.constant 0 : i32
    %21 = arith.cmpi ne, %20, %c0_i32_7 : i32
    %22 = arith.xori %19, %c1_i32_6 : i32
    memref.store %22, %alloca[] : memref<i32>
    %23 = builtin.unrealized_conversion_cast %3 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    mosaic_gpu.wait barrier(%23 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%21 : i1)
    %24 = "mosaic_gpu.vector_load"(%1) : (memref<64x32xi32, #gpu.address_space<workgroup>>) -> vector<64x32xi32>
    %25 = mosaic_gpu.layout_cast x(%24 : vector<64x32xi32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    %26 = arith.index_cast %6 : i32 to index
    %subview_8 = memref.subview %arg1[%26, 0, 0] [1, 64, 32] [1, 1, 1] : memref<2x64x32xi32> to memref<64x32xi32, strided<[32, 1], offset: ?>>
    "mosaic_gpu.vector_store"(%25, %subview_8) <{multimem = false}> : (vector<64x32xi32>, memref<64x32xi32, strided<[32, 1], offset: ?>>) -> ()
    return
  }
}
