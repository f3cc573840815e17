// Two blocks of a cluster load a row each and give it to both; each then writes both rows, times its number plus 2.
module @cluster attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func private @mosaic_gpu_init_tma_desc(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
  llvm.mlir.global external @global_scratch() {addr_space = 4 : i32} : !llvm.array<0 x i8>
  func.func @cluster_mosaic_gpu(%arg0: !llvm.ptr, %arg1: !llvm.ptr) attributes {llvm.emit_c_interface} {
    %token = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to !gpu.async.token
    %p0_at = llvm.getelementptr %arg1[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p0 = llvm.load %p0_at : !llvm.ptr -> !llvm.ptr
    %d0_0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_1 = llvm.insertvalue %p0, %d0_0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_2 = llvm.insertvalue %p0, %d0_1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_z = llvm.mlir.constant(0 : i64) : i64
    %d0_3 = llvm.insertvalue %d0_z, %d0_2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c30 = llvm.mlir.constant(2 : i64) : i64
    %d0_4 = llvm.insertvalue %d0_c30, %d0_3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c31 = llvm.mlir.constant(64 : i64) : i64
    %d0_5 = llvm.insertvalue %d0_c31, %d0_4[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c40 = llvm.mlir.constant(64 : i64) : i64
    %d0_6 = llvm.insertvalue %d0_c40, %d0_5[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c41 = llvm.mlir.constant(1 : i64) : i64
    %d0_7 = llvm.insertvalue %d0_c41, %d0_6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %x0 = builtin.unrealized_conversion_cast %d0_7 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<2x64xi32> {mosaic_gpu.from_kernel_arg_idx = 0 : i32, mosaic_gpu.original_kernel_arg}
    %p1_at = llvm.getelementptr %arg1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p1 = llvm.load %p1_at : !llvm.ptr -> !llvm.ptr
    %d1_0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %d1_1 = llvm.insertvalue %p1, %d1_0[0] : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %d1_2 = llvm.insertvalue %p1, %d1_1[1] : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %d1_z = llvm.mlir.constant(0 : i64) : i64
    %d1_3 = llvm.insertvalue %d1_z, %d1_2[2] : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %d1_c30 = llvm.mlir.constant(2 : i64) : i64
    %d1_4 = llvm.insertvalue %d1_c30, %d1_3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %d1_c31 = llvm.mlir.constant(2 : i64) : i64
    %d1_5 = llvm.insertvalue %d1_c31, %d1_4[3, 1] : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %d1_c32 = llvm.mlir.constant(64 : i64) : i64
    %d1_6 = llvm.insertvalue %d1_c32, %d1_5[3, 2] : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %d1_c40 = llvm.mlir.constant(128 : i64) : i64
    %d1_7 = llvm.insertvalue %d1_c40, %d1_6[4, 0] : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %d1_c41 = llvm.mlir.constant(64 : i64) : i64
    %d1_8 = llvm.insertvalue %d1_c41, %d1_7[4, 1] : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %d1_c42 = llvm.mlir.constant(1 : i64) : i64
    %d1_9 = llvm.insertvalue %d1_c42, %d1_8[4, 2] : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)>
    %x1 = builtin.unrealized_conversion_cast %d1_9 : !llvm.struct<(ptr, ptr, i64, array<3 x i64>, array<3 x i64>)> to memref<2x2x64xi32> {mosaic_gpu.from_kernel_arg_idx = 1 : i32, mosaic_gpu.original_kernel_arg}
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %smem_bytes = arith.constant 520 : i32
    %scratch_n = arith.constant 1 : i64
    %scratch = llvm.alloca %scratch_n x !llvm.array<128 x i8> {alignment = 64 : i64, mosaic_gpu.smem_alloc} : (i64) -> !llvm.ptr
    %m0_b, %m0_o, %m0_s:2, %m0_t:2 = memref.extract_strided_metadata %x0 : memref<2x64xi32> -> memref<i32>, index, index, index, index, index
    %a0 = memref.extract_aligned_pointer_as_index %x0 : memref<2x64xi32> -> index
    %a0_i = arith.index_cast %a0 : index to i64
    %a0_p = llvm.inttoptr %a0_i : i64 to !llvm.ptr
    %o0_i = arith.index_cast %m0_o : index to i64
    %base0 = llvm.getelementptr %a0_p[%o0_i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %m0_s0_i = arith.index_cast %m0_s#0 : index to i64
    %m0_s1_i = arith.index_cast %m0_s#1 : index to i64
    %m0_t0_i = arith.index_cast %m0_t#0 : index to i64
    %m0_t1_i = arith.index_cast %m0_t#1 : index to i64
    %sizes0_n = arith.constant 2 : i64
    %sizes0 = llvm.alloca %sizes0_n x i64 : (i64) -> !llvm.ptr
    %sizes0_0 = llvm.getelementptr %sizes0[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_s0_i, %sizes0_0 : i64, !llvm.ptr
    %sizes0_1 = llvm.getelementptr %sizes0[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_s1_i, %sizes0_1 : i64, !llvm.ptr
    %strides0_n = arith.constant 2 : i64
    %strides0 = llvm.alloca %strides0_n x i64 : (i64) -> !llvm.ptr
    %strides0_0 = llvm.getelementptr %strides0[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_t0_i, %strides0_0 : i64, !llvm.ptr
    %strides0_1 = llvm.getelementptr %strides0[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_t1_i, %strides0_1 : i64, !llvm.ptr
    %w0_0 = arith.constant 1 : i64
    %w0_1 = arith.constant 64 : i64
    %window0_n = arith.constant 2 : i64
    %window0 = llvm.alloca %window0_n x i64 : (i64) -> !llvm.ptr
    %window0_0 = llvm.getelementptr %window0[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w0_0, %window0_0 : i64, !llvm.ptr
    %window0_1 = llvm.getelementptr %window0[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w0_1, %window0_1 : i64, !llvm.ptr
    %at0 = llvm.getelementptr %scratch[0] : (!llvm.ptr) -> !llvm.ptr, i8
    %type0 = arith.constant 3 : i64
    %rank0 = arith.constant 2 : i64
    %swizzle0 = arith.constant 16 : i64
    func.call @mosaic_gpu_init_tma_desc(%at0, %base0, %type0, %rank0, %sizes0, %strides0, %swizzle0, %window0) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
    %scratch_bytes = llvm.load %scratch : !llvm.ptr -> !llvm.array<128 x i8>
    %launch = gpu.launch async [%token] clusters(%kx, %ky, %kz) in (%kxs = %c2, %kys = %c1, %kzs = %c1) blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %smem_bytes {
      %scratch_ptr = builtin.unrealized_conversion_cast %scratch_bytes : !llvm.array<128 x i8> to !llvm.ptr
      %desc0 = llvm.getelementptr %scratch_ptr[0] : (!llvm.ptr) -> !llvm.ptr, i8
      %tid_index = gpu.thread_id x
      %tid = arith.index_cast %tid_index : index to i32
      %five = arith.constant 5 : i32
      %zero = arith.constant 0 : i32
      %all = arith.constant -1 : i32
      %last = arith.constant 31 : i32
      %warp_raw = arith.shrui %tid, %five : i32
      %warp = nvvm.shfl.sync idx %all, %warp_raw, %zero, %last : i32 -> i32
      %elected = nvvm.elect.sync -> i1
      %is_first_warp = arith.cmpi eq, %warp, %zero : i32
      %one_thread = arith.andi %is_first_warp, %elected : i1
      %smem = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %tile_at = arith.constant 0 : index
      %tile = memref.view %smem[%tile_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x64xi32, #gpu.address_space<workgroup>>
      %barriers_at = arith.constant 512 : index
      %barriers = memref.view %smem[%barriers_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1xi64, #gpu.address_space<workgroup>>
      %tile_ptr_d = builtin.unrealized_conversion_cast %tile : memref<2x64xi32, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
      %tile_ptr_a = llvm.extractvalue %tile_ptr_d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
      %tile_ptr_o = llvm.extractvalue %tile_ptr_d[2] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
      %tile_ptr_n = arith.constant 4 : i64
      %tile_ptr_b = llvm.mul %tile_ptr_o, %tile_ptr_n : i64
      %tile_ptr_i = llvm.ptrtoint %tile_ptr_a : !llvm.ptr<3> to i64
      %tile_ptr_s = llvm.add %tile_ptr_i, %tile_ptr_b : i64
      %tile_ptr = llvm.inttoptr %tile_ptr_s : i64 to !llvm.ptr<3>
      %bar_d = builtin.unrealized_conversion_cast %barriers : memref<1xi64, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
      %bar_a = llvm.extractvalue %bar_d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
      %bar_o = llvm.extractvalue %bar_d[2] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
      %bar_n = arith.constant 8 : i64
      %bar_b = llvm.mul %bar_o, %bar_n : i64
      %bar_i = llvm.ptrtoint %bar_a : !llvm.ptr<3> to i64
      %bar_s = llvm.add %bar_i, %bar_b : i64
      %bar = llvm.inttoptr %bar_s : i64 to !llvm.ptr<3>
      %one = arith.constant 1 : i32
      nvvm.mbarrier.init %bar, %one, predicate = %one_thread : !llvm.ptr<3>, i32, i1
      %fence = llvm.inline_asm has_side_effects "fence.mbarrier_init.release.cluster;", "" : () -> !llvm.void
      nvvm.cluster.arrive.relaxed {aligned}
      nvvm.cluster.wait {aligned}
      %rank_index = gpu.cluster_block_id x
      %rank = arith.index_cast %rank_index : index to i32
      %half = llvm.getelementptr %tile_ptr[%rank] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<64 x i32>
      %bytes = arith.constant 512 : i32
      %both = arith.constant 3 : i16
      scf.if %one_thread {
        nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
      }
      nvvm.cluster.arrive.relaxed {aligned}
      nvvm.cluster.wait {aligned}
      nvvm.cp.async.bulk.tensor.shared.cluster.global %half, %desc0, %bar, box[%zero, %rank] multicast_mask = %both predicate = %one_thread : !llvm.ptr<3>, !llvm.ptr
      %ticks = arith.constant 10000000 : i32
      nvvm.mbarrier.try_wait.parity %bar, %zero, %ticks : !llvm.ptr<3>, i32, i32
      %block = gpu.block_id x
      %grid = gpu.grid_dim x
      %factor = arith.addi %block, %grid : index
      %factor32 = arith.index_cast %factor : index to i32
      %c64 = arith.constant 64 : index
      %r = arith.divui %tid_index, %c64 : index
      %c = arith.remui %tid_index, %c64 : index
      %v = memref.load %tile[%r, %c] : memref<2x64xi32, #gpu.address_space<workgroup>>
      %w = arith.muli %v, %factor32 : i32
      %out = memref.subview %x1[%block, 0, 0] [1, 2, 64] [1, 1, 1] : memref<2x2x64xi32> to memref<2x64xi32, strided<[64, 1], offset: ?>>
      memref.store %w, %out[%r, %c] : memref<2x64xi32, strided<[64, 1], offset: ?>>
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      gpu.terminator
    }
    return
  }
}
