// Each block of a cluster of two sends its half of the array to the other one.
module @send attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @send(%arg0: memref<2x64x32xi32>, %arg1: memref<2x64x32xi32>) attributes {lanescope.arguments = [{kind = "in", name = "x"}, {kind = "out", name = "out"}], lanescope.cluster = array<i64: 2, 1, 1>, lanescope.grid = array<i64: 4, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 8200 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x32xi32, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x32xi32, #gpu.address_space<workgroup>>) -> memref<64x32xi32, #gpu.address_space<workgroup>>
    %2 = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %3 = builtin.unrealized_conversion_cast %2 : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "mosaic_gpu.initialize_barrier"(%3) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    %alloca = memref.alloca() : memref<i32>
    %c0_i32 = arith.constant 0 : i32
    memref.store %c0_i32, %alloca[] : memref<i32>
    lanescope.init_done
    %4 = "lanescope.block_in_cluster"() <{dim = 0 : i32}> : () -> i32
    %5 = arith.index_cast %4 : i32 to index
    %subview = memref.subview %arg0[%5, 0, 0] [1, 64, 32] [1, 1, 1] : memref<2x64x32xi32> to memref<64x32xi32, strided<[32, 1], offset: ?>>
    %6 = "mosaic_gpu.vector_load"(%subview) : (memref<64x32xi32, strided<[32, 1], offset: ?>>) -> vector<64x32xi32>
    %7 = mosaic_gpu.layout_cast x(%6 : vector<64x32xi32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    %c1_i32 = arith.constant 1 : i32
    %8 = arith.subi %c1_i32, %4 : i32
    %9 = builtin.unrealized_conversion_cast %3 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    "mosaic_gpu.async_store_smem"(%7, %1, %9, %8) <{cluster_dim = 0 : i32}> : (vector<64x32xi32>, memref<64x32xi32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
    %10 = memref.load %alloca[] : memref<i32>
    %c1_i32_0 = arith.constant 1 : i32
    %c1_i32_1 = arith.constant 1 : i32
    %11 = arith.andi %10, %c1_i32_1 : i32
    %c0_i32_2 = arith.constant 0 : i32
    %12 = arith.cmpi ne, %11, %c0_i32_2 : i32
    %13 = arith.xori %10, %c1_i32_1 : i32
    memref.store %13, %alloca[] : memref<i32>
    %14 = builtin.unrealized_conversion_cast %3 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    mosaic_gpu.wait barrier(%14 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%12 : i1)
    %15 = "mosaic_gpu.vector_load"(%1) : (memref<64x32xi32, #gpu.address_space<workgroup>>) -> vector<64x32xi32>
    %16 = mosaic_gpu.layout_cast x(%15 : vector<64x32xi32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    %17 = arith.index_cast %4 : i32 to index
    %subview_3 = memref.subview %arg1[%17, 0, 0] [1, 64, 32] [1, 1, 1] : memref<2x64x32xi32> to memref<64x32xi32, strided<[32, 1], offset: ?>>
    "mosaic_gpu.vector_store"(%16, %subview_3) <{multimem = false}> : (vector<64x32xi32>, memref<64x32xi32, strided<[32, 1], offset: ?>>) -> ()
    return
  }
}
