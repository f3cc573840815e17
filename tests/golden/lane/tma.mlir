// A tile of 128 x 128 f16 is doubled: in and out through TMA, in shared memory in tiles of (8, 64) with swizzle 128.
module @tma attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func private @mosaic_gpu_init_tma_desc(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
  llvm.mlir.global external @global_scratch() {addr_space = 4 : i32} : !llvm.array<0 x i8>
  func.func @tma_mosaic_gpu(%arg0: !llvm.ptr, %arg1: !llvm.ptr) attributes {llvm.emit_c_interface} {
    %token = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to !gpu.async.token
    %p0_at = llvm.getelementptr %arg1[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p0 = llvm.load %p0_at : !llvm.ptr -> !llvm.ptr
    %d0_0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_1 = llvm.insertvalue %p0, %d0_0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_2 = llvm.insertvalue %p0, %d0_1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_z = llvm.mlir.constant(0 : i64) : i64
    %d0_3 = llvm.insertvalue %d0_z, %d0_2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c30 = llvm.mlir.constant(128 : i64) : i64
    %d0_4 = llvm.insertvalue %d0_c30, %d0_3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c31 = llvm.mlir.constant(128 : i64) : i64
    %d0_5 = llvm.insertvalue %d0_c31, %d0_4[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c40 = llvm.mlir.constant(128 : i64) : i64
    %d0_6 = llvm.insertvalue %d0_c40, %d0_5[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c41 = llvm.mlir.constant(1 : i64) : i64
    %d0_7 = llvm.insertvalue %d0_c41, %d0_6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %x0 = builtin.unrealized_conversion_cast %d0_7 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<128x128xf16> {mosaic_gpu.from_kernel_arg_idx = 0 : i32, mosaic_gpu.original_kernel_arg}
    %p1_at = llvm.getelementptr %arg1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p1 = llvm.load %p1_at : !llvm.ptr -> !llvm.ptr
    %d1_0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_1 = llvm.insertvalue %p1, %d1_0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_2 = llvm.insertvalue %p1, %d1_1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_z = llvm.mlir.constant(0 : i64) : i64
    %d1_3 = llvm.insertvalue %d1_z, %d1_2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_c30 = llvm.mlir.constant(128 : i64) : i64
    %d1_4 = llvm.insertvalue %d1_c30, %d1_3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_c31 = llvm.mlir.constant(128 : i64) : i64
    %d1_5 = llvm.insertvalue %d1_c31, %d1_4[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_c40 = llvm.mlir.constant(128 : i64) : i64
    %d1_6 = llvm.insertvalue %d1_c40, %d1_5[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_c41 = llvm.mlir.constant(1 : i64) : i64
    %d1_7 = llvm.insertvalue %d1_c41, %d1_6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %x1 = builtin.unrealized_conversion_cast %d1_7 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<128x128xf16> {mosaic_gpu.from_kernel_arg_idx = 1 : i32, mosaic_gpu.original_kernel_arg}
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %smem_bytes = arith.constant 32776 : i32
    %scratch_n = arith.constant 1 : i64
    %scratch = llvm.alloca %scratch_n x !llvm.array<256 x i8> {alignment = 64 : i64, mosaic_gpu.smem_alloc} : (i64) -> !llvm.ptr
    %t0_e = memref.expand_shape %x0 [[0, 1], [2, 3]] output_shape [16, 8, 2, 64] : memref<128x128xf16> into memref<16x8x2x64xf16>
    %t0_t = memref.transpose %t0_e (d0, d1, d2, d3) -> (d0, d2, d1, d3) : memref<16x8x2x64xf16> to memref<16x2x8x64xf16, strided<[1024, 64, 128, 1]>>
    %m0_b, %m0_o, %m0_s:4, %m0_t:4 = memref.extract_strided_metadata %t0_t : memref<16x2x8x64xf16, strided<[1024, 64, 128, 1]>> -> memref<f16>, index, index, index, index, index, index, index, index, index
    %a0 = memref.extract_aligned_pointer_as_index %t0_t : memref<16x2x8x64xf16, strided<[1024, 64, 128, 1]>> -> index
    %a0_i = arith.index_cast %a0 : index to i64
    %a0_p = llvm.inttoptr %a0_i : i64 to !llvm.ptr
    %o0_i = arith.index_cast %m0_o : index to i64
    %base0 = llvm.getelementptr %a0_p[%o0_i] : (!llvm.ptr, i64) -> !llvm.ptr, f16
    %m0_s0_i = arith.index_cast %m0_s#0 : index to i64
    %m0_s1_i = arith.index_cast %m0_s#1 : index to i64
    %m0_s2_i = arith.index_cast %m0_s#2 : index to i64
    %m0_s3_i = arith.index_cast %m0_s#3 : index to i64
    %m0_t0_i = arith.index_cast %m0_t#0 : index to i64
    %m0_t1_i = arith.index_cast %m0_t#1 : index to i64
    %m0_t2_i = arith.index_cast %m0_t#2 : index to i64
    %m0_t3_i = arith.index_cast %m0_t#3 : index to i64
    %sizes0_n = arith.constant 4 : i64
    %sizes0 = llvm.alloca %sizes0_n x i64 : (i64) -> !llvm.ptr
    %sizes0_0 = llvm.getelementptr %sizes0[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_s0_i, %sizes0_0 : i64, !llvm.ptr
    %sizes0_1 = llvm.getelementptr %sizes0[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_s1_i, %sizes0_1 : i64, !llvm.ptr
    %sizes0_2 = llvm.getelementptr %sizes0[2] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_s2_i, %sizes0_2 : i64, !llvm.ptr
    %sizes0_3 = llvm.getelementptr %sizes0[3] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_s3_i, %sizes0_3 : i64, !llvm.ptr
    %strides0_n = arith.constant 4 : i64
    %strides0 = llvm.alloca %strides0_n x i64 : (i64) -> !llvm.ptr
    %strides0_0 = llvm.getelementptr %strides0[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_t0_i, %strides0_0 : i64, !llvm.ptr
    %strides0_1 = llvm.getelementptr %strides0[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_t1_i, %strides0_1 : i64, !llvm.ptr
    %strides0_2 = llvm.getelementptr %strides0[2] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_t2_i, %strides0_2 : i64, !llvm.ptr
    %strides0_3 = llvm.getelementptr %strides0[3] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m0_t3_i, %strides0_3 : i64, !llvm.ptr
    %w0_0 = arith.constant 16 : i64
    %w0_1 = arith.constant 2 : i64
    %w0_2 = arith.constant 8 : i64
    %w0_3 = arith.constant 64 : i64
    %window0_n = arith.constant 4 : i64
    %window0 = llvm.alloca %window0_n x i64 : (i64) -> !llvm.ptr
    %window0_0 = llvm.getelementptr %window0[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w0_0, %window0_0 : i64, !llvm.ptr
    %window0_1 = llvm.getelementptr %window0[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w0_1, %window0_1 : i64, !llvm.ptr
    %window0_2 = llvm.getelementptr %window0[2] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w0_2, %window0_2 : i64, !llvm.ptr
    %window0_3 = llvm.getelementptr %window0[3] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w0_3, %window0_3 : i64, !llvm.ptr
    %at0 = llvm.getelementptr %scratch[0] : (!llvm.ptr) -> !llvm.ptr, i8
    %type0 = arith.constant 5 : i64
    %rank0 = arith.constant 4 : i64
    %swizzle0 = arith.constant 128 : i64
    func.call @mosaic_gpu_init_tma_desc(%at0, %base0, %type0, %rank0, %sizes0, %strides0, %swizzle0, %window0) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
    %t1_e = memref.expand_shape %x1 [[0, 1], [2, 3]] output_shape [16, 8, 2, 64] : memref<128x128xf16> into memref<16x8x2x64xf16>
    %t1_t = memref.transpose %t1_e (d0, d1, d2, d3) -> (d0, d2, d1, d3) : memref<16x8x2x64xf16> to memref<16x2x8x64xf16, strided<[1024, 64, 128, 1]>>
    %m1_b, %m1_o, %m1_s:4, %m1_t:4 = memref.extract_strided_metadata %t1_t : memref<16x2x8x64xf16, strided<[1024, 64, 128, 1]>> -> memref<f16>, index, index, index, index, index, index, index, index, index
    %a1 = memref.extract_aligned_pointer_as_index %t1_t : memref<16x2x8x64xf16, strided<[1024, 64, 128, 1]>> -> index
    %a1_i = arith.index_cast %a1 : index to i64
    %a1_p = llvm.inttoptr %a1_i : i64 to !llvm.ptr
    %o1_i = arith.index_cast %m1_o : index to i64
    %base1 = llvm.getelementptr %a1_p[%o1_i] : (!llvm.ptr, i64) -> !llvm.ptr, f16
    %m1_s0_i = arith.index_cast %m1_s#0 : index to i64
    %m1_s1_i = arith.index_cast %m1_s#1 : index to i64
    %m1_s2_i = arith.index_cast %m1_s#2 : index to i64
    %m1_s3_i = arith.index_cast %m1_s#3 : index to i64
    %m1_t0_i = arith.index_cast %m1_t#0 : index to i64
    %m1_t1_i = arith.index_cast %m1_t#1 : index to i64
    %m1_t2_i = arith.index_cast %m1_t#2 : index to i64
    %m1_t3_i = arith.index_cast %m1_t#3 : index to i64
    %sizes1_n = arith.constant 4 : i64
    %sizes1 = llvm.alloca %sizes1_n x i64 : (i64) -> !llvm.ptr
    %sizes1_0 = llvm.getelementptr %sizes1[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_s0_i, %sizes1_0 : i64, !llvm.ptr
    %sizes1_1 = llvm.getelementptr %sizes1[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_s1_i, %sizes1_1 : i64, !llvm.ptr
    %sizes1_2 = llvm.getelementptr %sizes1[2] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_s2_i, %sizes1_2 : i64, !llvm.ptr
    %sizes1_3 = llvm.getelementptr %sizes1[3] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_s3_i, %sizes1_3 : i64, !llvm.ptr
    %strides1_n = arith.constant 4 : i64
    %strides1 = llvm.alloca %strides1_n x i64 : (i64) -> !llvm.ptr
    %strides1_0 = llvm.getelementptr %strides1[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_t0_i, %strides1_0 : i64, !llvm.ptr
    %strides1_1 = llvm.getelementptr %strides1[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_t1_i, %strides1_1 : i64, !llvm.ptr
    %strides1_2 = llvm.getelementptr %strides1[2] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_t2_i, %strides1_2 : i64, !llvm.ptr
    %strides1_3 = llvm.getelementptr %strides1[3] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_t3_i, %strides1_3 : i64, !llvm.ptr
    %w1_0 = arith.constant 16 : i64
    %w1_1 = arith.constant 2 : i64
    %w1_2 = arith.constant 8 : i64
    %w1_3 = arith.constant 64 : i64
    %window1_n = arith.constant 4 : i64
    %window1 = llvm.alloca %window1_n x i64 : (i64) -> !llvm.ptr
    %window1_0 = llvm.getelementptr %window1[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w1_0, %window1_0 : i64, !llvm.ptr
    %window1_1 = llvm.getelementptr %window1[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w1_1, %window1_1 : i64, !llvm.ptr
    %window1_2 = llvm.getelementptr %window1[2] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w1_2, %window1_2 : i64, !llvm.ptr
    %window1_3 = llvm.getelementptr %window1[3] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w1_3, %window1_3 : i64, !llvm.ptr
    %at1 = llvm.getelementptr %scratch[128] : (!llvm.ptr) -> !llvm.ptr, i8
    %type1 = arith.constant 5 : i64
    %rank1 = arith.constant 4 : i64
    %swizzle1 = arith.constant 128 : i64
    func.call @mosaic_gpu_init_tma_desc(%at1, %base1, %type1, %rank1, %sizes1, %strides1, %swizzle1, %window1) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
    %scratch_bytes = llvm.load %scratch : !llvm.ptr -> !llvm.array<256 x i8>
    %launch = gpu.launch async [%token] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %smem_bytes {
      %scratch_ptr = builtin.unrealized_conversion_cast %scratch_bytes : !llvm.array<256 x i8> to !llvm.ptr
      %desc0 = llvm.getelementptr %scratch_ptr[0] : (!llvm.ptr) -> !llvm.ptr, i8
      %desc1 = llvm.getelementptr %scratch_ptr[128] : (!llvm.ptr) -> !llvm.ptr, i8
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
      %tile = memref.view %smem[%tile_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16x2x8x64xf16, #gpu.address_space<workgroup>>
      %barriers_at = arith.constant 32768 : index
      %barriers = memref.view %smem[%barriers_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1xi64, #gpu.address_space<workgroup>>
      %tile_ptr_d = builtin.unrealized_conversion_cast %tile : memref<16x2x8x64xf16, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<4 x i64>, array<4 x i64>)>
      %tile_ptr_a = llvm.extractvalue %tile_ptr_d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<4 x i64>, array<4 x i64>)>
      %tile_ptr_o = llvm.extractvalue %tile_ptr_d[2] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<4 x i64>, array<4 x i64>)>
      %tile_ptr_n = arith.constant 2 : i64
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
      %phases = memref.alloca() : memref<i32>
      memref.store %zero, %phases[] : memref<i32>
      %fence = llvm.inline_asm has_side_effects "fence.mbarrier_init.release.cluster;", "" : () -> !llvm.void
      gpu.barrier
      %bytes = arith.constant 32768 : i32
      %expect = llvm.inline_asm has_side_effects asm_dialect = att "@$2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,b" %bar, %bytes, %one_thread : (!llvm.ptr<3>, i32, i1) -> !llvm.void
      nvvm.cp.async.bulk.tensor.shared.cluster.global %tile_ptr, %desc0, %bar, box[%zero, %zero, %zero, %zero] predicate = %one_thread : !llvm.ptr<3>, !llvm.ptr
      %parities = memref.load %phases[] : memref<i32>
      %parity_bit = arith.andi %parities, %one : i32
      %parity = arith.cmpi ne, %parity_bit, %zero : i32
      %next = arith.xori %parities, %one : i32
      memref.store %next, %phases[] : memref<i32>
      %parity_wide = arith.extui %parity : i1 to i32
      %ticks = arith.constant 10000000 : i32
      nvvm.mbarrier.try_wait.parity %bar, %parity_wide, %ticks : !llvm.ptr<3>, i32, i32
      %i0 = arith.constant 0 : index
      %i1 = arith.constant 1 : index
      %i8 = arith.constant 8 : index
      %i16 = arith.constant 16 : index
      %flat = memref.collapse_shape %tile [[0, 1, 2, 3]] : memref<16x2x8x64xf16, #gpu.address_space<workgroup>> into memref<16384xf16, #gpu.address_space<workgroup>>
      %start = arith.muli %tid_index, %i8 : index
      scf.for %i = %i0 to %i16 step %i1 {
        %i1024 = arith.constant 1024 : index
        %row = arith.muli %i, %i1024 : index
        %at = arith.addi %row, %start : index
        %v = vector.load %flat[%at] : memref<16384xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %two = arith.constant dense<2.0> : vector<4xf16>
        %low = vector.extract_strided_slice %v offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
        %high = vector.extract_strided_slice %v offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
        %low2 = arith.mulf %low, %two : vector<4xf16>
        %high2 = arith.mulf %high, %two : vector<4xf16>
        %joined = vector.shuffle %low2, %high2 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf16>, vector<4xf16>
        vector.store %joined, %flat[%at] : memref<16384xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      }
      nvvm.fence.proxy <async.shared>, space = <cta>
      %barrier_number = arith.constant 1 : i32
      %synced = llvm.inline_asm has_side_effects "bar.sync $0, 128;", "r" %barrier_number : (i32) -> !llvm.void
      nvvm.cp.async.bulk.tensor.global.shared.cta %desc1, %tile_ptr, box[%zero, %zero, %zero, %zero] predicate = %one_thread : !llvm.ptr, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 read
      gpu.terminator
    }
    return
  }
}
