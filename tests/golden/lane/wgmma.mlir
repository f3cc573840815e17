// out = 2 (a @ b.T) of f16 (64, 64) and (8, 64), by `wgmma` on what TMA has brought.
module @wgmma attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func private @mosaic_gpu_init_tma_desc(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
  llvm.mlir.global external @global_scratch() {addr_space = 4 : i32} : !llvm.array<0 x i8>
  func.func @wgmma_mosaic_gpu(%arg0: !llvm.ptr, %arg1: !llvm.ptr) attributes {llvm.emit_c_interface} {
    %token = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to !gpu.async.token
    %p0_at = llvm.getelementptr %arg1[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p0 = llvm.load %p0_at : !llvm.ptr -> !llvm.ptr
    %d0_0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_1 = llvm.insertvalue %p0, %d0_0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_2 = llvm.insertvalue %p0, %d0_1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_z = llvm.mlir.constant(0 : i64) : i64
    %d0_3 = llvm.insertvalue %d0_z, %d0_2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c30 = llvm.mlir.constant(64 : i64) : i64
    %d0_4 = llvm.insertvalue %d0_c30, %d0_3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c31 = llvm.mlir.constant(64 : i64) : i64
    %d0_5 = llvm.insertvalue %d0_c31, %d0_4[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c40 = llvm.mlir.constant(64 : i64) : i64
    %d0_6 = llvm.insertvalue %d0_c40, %d0_5[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d0_c41 = llvm.mlir.constant(1 : i64) : i64
    %d0_7 = llvm.insertvalue %d0_c41, %d0_6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %x0 = builtin.unrealized_conversion_cast %d0_7 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<64x64xf16> {mosaic_gpu.from_kernel_arg_idx = 0 : i32, mosaic_gpu.original_kernel_arg}
    %p1_at = llvm.getelementptr %arg1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p1 = llvm.load %p1_at : !llvm.ptr -> !llvm.ptr
    %d1_0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_1 = llvm.insertvalue %p1, %d1_0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_2 = llvm.insertvalue %p1, %d1_1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_z = llvm.mlir.constant(0 : i64) : i64
    %d1_3 = llvm.insertvalue %d1_z, %d1_2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_c30 = llvm.mlir.constant(8 : i64) : i64
    %d1_4 = llvm.insertvalue %d1_c30, %d1_3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_c31 = llvm.mlir.constant(64 : i64) : i64
    %d1_5 = llvm.insertvalue %d1_c31, %d1_4[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_c40 = llvm.mlir.constant(64 : i64) : i64
    %d1_6 = llvm.insertvalue %d1_c40, %d1_5[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d1_c41 = llvm.mlir.constant(1 : i64) : i64
    %d1_7 = llvm.insertvalue %d1_c41, %d1_6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %x1 = builtin.unrealized_conversion_cast %d1_7 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<8x64xf16> {mosaic_gpu.from_kernel_arg_idx = 1 : i32, mosaic_gpu.original_kernel_arg}
    %p2_at = llvm.getelementptr %arg1[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p2 = llvm.load %p2_at : !llvm.ptr -> !llvm.ptr
    %d2_0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d2_1 = llvm.insertvalue %p2, %d2_0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d2_2 = llvm.insertvalue %p2, %d2_1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d2_z = llvm.mlir.constant(0 : i64) : i64
    %d2_3 = llvm.insertvalue %d2_z, %d2_2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d2_c30 = llvm.mlir.constant(64 : i64) : i64
    %d2_4 = llvm.insertvalue %d2_c30, %d2_3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d2_c31 = llvm.mlir.constant(8 : i64) : i64
    %d2_5 = llvm.insertvalue %d2_c31, %d2_4[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d2_c40 = llvm.mlir.constant(8 : i64) : i64
    %d2_6 = llvm.insertvalue %d2_c40, %d2_5[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %d2_c41 = llvm.mlir.constant(1 : i64) : i64
    %d2_7 = llvm.insertvalue %d2_c41, %d2_6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %x2 = builtin.unrealized_conversion_cast %d2_7 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<64x8xf32> {mosaic_gpu.from_kernel_arg_idx = 2 : i32, mosaic_gpu.original_kernel_arg}
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %smem_bytes = arith.constant 9224 : i32
    %scratch_n = arith.constant 1 : i64
    %scratch = llvm.alloca %scratch_n x !llvm.array<256 x i8> {alignment = 64 : i64, mosaic_gpu.smem_alloc} : (i64) -> !llvm.ptr
    %m0_b, %m0_o, %m0_s:2, %m0_t:2 = memref.extract_strided_metadata %x0 : memref<64x64xf16> -> memref<f16>, index, index, index, index, index
    %a0 = memref.extract_aligned_pointer_as_index %x0 : memref<64x64xf16> -> index
    %a0_i = arith.index_cast %a0 : index to i64
    %a0_p = llvm.inttoptr %a0_i : i64 to !llvm.ptr
    %o0_i = arith.index_cast %m0_o : index to i64
    %base0 = llvm.getelementptr %a0_p[%o0_i] : (!llvm.ptr, i64) -> !llvm.ptr, f16
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
    %w0_0 = arith.constant 64 : i64
    %w0_1 = arith.constant 64 : i64
    %window0_n = arith.constant 2 : i64
    %window0 = llvm.alloca %window0_n x i64 : (i64) -> !llvm.ptr
    %window0_0 = llvm.getelementptr %window0[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w0_0, %window0_0 : i64, !llvm.ptr
    %window0_1 = llvm.getelementptr %window0[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w0_1, %window0_1 : i64, !llvm.ptr
    %at0 = llvm.getelementptr %scratch[0] : (!llvm.ptr) -> !llvm.ptr, i8
    %type0 = arith.constant 5 : i64
    %rank0 = arith.constant 2 : i64
    %swizzle0 = arith.constant 128 : i64
    func.call @mosaic_gpu_init_tma_desc(%at0, %base0, %type0, %rank0, %sizes0, %strides0, %swizzle0, %window0) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
    %m1_b, %m1_o, %m1_s:2, %m1_t:2 = memref.extract_strided_metadata %x1 : memref<8x64xf16> -> memref<f16>, index, index, index, index, index
    %a1 = memref.extract_aligned_pointer_as_index %x1 : memref<8x64xf16> -> index
    %a1_i = arith.index_cast %a1 : index to i64
    %a1_p = llvm.inttoptr %a1_i : i64 to !llvm.ptr
    %o1_i = arith.index_cast %m1_o : index to i64
    %base1 = llvm.getelementptr %a1_p[%o1_i] : (!llvm.ptr, i64) -> !llvm.ptr, f16
    %m1_s0_i = arith.index_cast %m1_s#0 : index to i64
    %m1_s1_i = arith.index_cast %m1_s#1 : index to i64
    %m1_t0_i = arith.index_cast %m1_t#0 : index to i64
    %m1_t1_i = arith.index_cast %m1_t#1 : index to i64
    %sizes1_n = arith.constant 2 : i64
    %sizes1 = llvm.alloca %sizes1_n x i64 : (i64) -> !llvm.ptr
    %sizes1_0 = llvm.getelementptr %sizes1[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_s0_i, %sizes1_0 : i64, !llvm.ptr
    %sizes1_1 = llvm.getelementptr %sizes1[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_s1_i, %sizes1_1 : i64, !llvm.ptr
    %strides1_n = arith.constant 2 : i64
    %strides1 = llvm.alloca %strides1_n x i64 : (i64) -> !llvm.ptr
    %strides1_0 = llvm.getelementptr %strides1[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_t0_i, %strides1_0 : i64, !llvm.ptr
    %strides1_1 = llvm.getelementptr %strides1[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %m1_t1_i, %strides1_1 : i64, !llvm.ptr
    %w1_0 = arith.constant 8 : i64
    %w1_1 = arith.constant 64 : i64
    %window1_n = arith.constant 2 : i64
    %window1 = llvm.alloca %window1_n x i64 : (i64) -> !llvm.ptr
    %window1_0 = llvm.getelementptr %window1[0] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w1_0, %window1_0 : i64, !llvm.ptr
    %window1_1 = llvm.getelementptr %window1[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %w1_1, %window1_1 : i64, !llvm.ptr
    %at1 = llvm.getelementptr %scratch[128] : (!llvm.ptr) -> !llvm.ptr, i8
    %type1 = arith.constant 5 : i64
    %rank1 = arith.constant 2 : i64
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
      %a_at = arith.constant 0 : index
      %a = memref.view %smem[%a_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xf16, #gpu.address_space<workgroup>>
      %b_at = arith.constant 8192 : index
      %b = memref.view %smem[%b_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<8x64xf16, #gpu.address_space<workgroup>>
      %barriers_at = arith.constant 9216 : index
      %barriers = memref.view %smem[%barriers_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1xi64, #gpu.address_space<workgroup>>
      %a_ptr_d = builtin.unrealized_conversion_cast %a : memref<64x64xf16, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
      %a_ptr_a = llvm.extractvalue %a_ptr_d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
      %a_ptr_o = llvm.extractvalue %a_ptr_d[2] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
      %a_ptr_n = arith.constant 2 : i64
      %a_ptr_b = llvm.mul %a_ptr_o, %a_ptr_n : i64
      %a_ptr_i = llvm.ptrtoint %a_ptr_a : !llvm.ptr<3> to i64
      %a_ptr_s = llvm.add %a_ptr_i, %a_ptr_b : i64
      %a_ptr = llvm.inttoptr %a_ptr_s : i64 to !llvm.ptr<3>
      %b_ptr_d = builtin.unrealized_conversion_cast %b : memref<8x64xf16, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
      %b_ptr_a = llvm.extractvalue %b_ptr_d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
      %b_ptr_o = llvm.extractvalue %b_ptr_d[2] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
      %b_ptr_n = arith.constant 2 : i64
      %b_ptr_b = llvm.mul %b_ptr_o, %b_ptr_n : i64
      %b_ptr_i = llvm.ptrtoint %b_ptr_a : !llvm.ptr<3> to i64
      %b_ptr_s = llvm.add %b_ptr_i, %b_ptr_b : i64
      %b_ptr = llvm.inttoptr %b_ptr_s : i64 to !llvm.ptr<3>
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
      gpu.barrier
      scf.if %one_thread {
        %bytes = arith.constant 9216 : i32
        nvvm.mbarrier.arrive.expect_tx.shared %bar, %bytes : !llvm.ptr<3>, i32
      }
      nvvm.cp.async.bulk.tensor.shared.cluster.global %a_ptr, %desc0, %bar, box[%zero, %zero] predicate = %one_thread : !llvm.ptr<3>, !llvm.ptr
      nvvm.cp.async.bulk.tensor.shared.cluster.global %b_ptr, %desc1, %bar, box[%zero, %zero] predicate = %one_thread : !llvm.ptr<3>, !llvm.ptr
      %ticks = arith.constant 10000000 : i32
      nvvm.mbarrier.try_wait.parity %bar, %zero, %ticks : !llvm.ptr<3>, i32, i32
      %mask = arith.constant 262143 : i64
      %four = arith.constant 4 : i64
      %bits = arith.constant 4611686293305360384 : i64
      %a_int = llvm.ptrtoint %a_ptr : !llvm.ptr<3> to i64
      %a_masked = llvm.and %a_int, %mask : i64
      %a_short = llvm.lshr %a_masked, %four : i64
      %a_desc0 = llvm.or %a_short, %bits : i64
      %b_int = llvm.ptrtoint %b_ptr : !llvm.ptr<3> to i64
      %b_masked = llvm.and %b_int, %mask : i64
      %b_short = llvm.lshr %b_masked, %four : i64
      %b_desc0 = llvm.or %b_short, %bits : i64
      %zero_f = arith.constant 0.0 : f32
      %init = llvm.inline_asm has_side_effects asm_dialect = att "", "=f,=f,=f,=f,0,1,2,3" %zero_f, %zero_f, %zero_f, %zero_f : (f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %init0 = llvm.extractvalue %init[0] : !llvm.struct<(f32, f32, f32, f32)>
      %init1 = llvm.extractvalue %init[1] : !llvm.struct<(f32, f32, f32, f32)>
      %init2 = llvm.extractvalue %init[2] : !llvm.struct<(f32, f32, f32, f32)>
      %init3 = llvm.extractvalue %init[3] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.fence.aligned
      %scale = llvm.mlir.constant(1 : i32) : i32
      %transposed = llvm.mlir.constant(0 : i32) : i32
      %two64 = llvm.mlir.constant(2 : i64) : i64
      %mma0 = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p; setp.ne.b32 p, $10, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, $11, $12, $13, $14; }\0A", "=f,=f,=f,=f,0,1,2,3,l,l,n,n,n,n,n" %init0, %init1, %init2, %init3, %a_desc0, %b_desc0, %scale, %scale, %scale, %transposed, %transposed : (f32, f32, f32, f32, i64, i64, i32, i32, i32, i32, i32) -> !llvm.struct<(f32, f32, f32, f32)>
      %acc0_0 = llvm.extractvalue %mma0[0] : !llvm.struct<(f32, f32, f32, f32)>
      %acc0_1 = llvm.extractvalue %mma0[1] : !llvm.struct<(f32, f32, f32, f32)>
      %acc0_2 = llvm.extractvalue %mma0[2] : !llvm.struct<(f32, f32, f32, f32)>
      %acc0_3 = llvm.extractvalue %mma0[3] : !llvm.struct<(f32, f32, f32, f32)>
      %a_desc1 = llvm.add %a_desc0, %two64 : i64
      %b_desc1 = llvm.add %b_desc0, %two64 : i64
      %mma1 = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p; setp.ne.b32 p, $10, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, $11, $12, $13, $14; }\0A", "=f,=f,=f,=f,0,1,2,3,l,l,n,n,n,n,n" %acc0_0, %acc0_1, %acc0_2, %acc0_3, %a_desc1, %b_desc1, %scale, %scale, %scale, %transposed, %transposed : (f32, f32, f32, f32, i64, i64, i32, i32, i32, i32, i32) -> !llvm.struct<(f32, f32, f32, f32)>
      %acc1_0 = llvm.extractvalue %mma1[0] : !llvm.struct<(f32, f32, f32, f32)>
      %acc1_1 = llvm.extractvalue %mma1[1] : !llvm.struct<(f32, f32, f32, f32)>
      %acc1_2 = llvm.extractvalue %mma1[2] : !llvm.struct<(f32, f32, f32, f32)>
      %acc1_3 = llvm.extractvalue %mma1[3] : !llvm.struct<(f32, f32, f32, f32)>
      %a_desc2 = llvm.add %a_desc1, %two64 : i64
      %b_desc2 = llvm.add %b_desc1, %two64 : i64
      %mma2 = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p; setp.ne.b32 p, $10, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, $11, $12, $13, $14; }\0A", "=f,=f,=f,=f,0,1,2,3,l,l,n,n,n,n,n" %acc1_0, %acc1_1, %acc1_2, %acc1_3, %a_desc2, %b_desc2, %scale, %scale, %scale, %transposed, %transposed : (f32, f32, f32, f32, i64, i64, i32, i32, i32, i32, i32) -> !llvm.struct<(f32, f32, f32, f32)>
      %acc2_0 = llvm.extractvalue %mma2[0] : !llvm.struct<(f32, f32, f32, f32)>
      %acc2_1 = llvm.extractvalue %mma2[1] : !llvm.struct<(f32, f32, f32, f32)>
      %acc2_2 = llvm.extractvalue %mma2[2] : !llvm.struct<(f32, f32, f32, f32)>
      %acc2_3 = llvm.extractvalue %mma2[3] : !llvm.struct<(f32, f32, f32, f32)>
      %a_desc3 = llvm.add %a_desc2, %two64 : i64
      %b_desc3 = llvm.add %b_desc2, %two64 : i64
      %mma3 = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p; setp.ne.b32 p, $10, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, $11, $12, $13, $14; }\0A", "=f,=f,=f,=f,0,1,2,3,l,l,n,n,n,n,n" %acc2_0, %acc2_1, %acc2_2, %acc2_3, %a_desc3, %b_desc3, %scale, %scale, %scale, %transposed, %transposed : (f32, f32, f32, f32, i64, i64, i32, i32, i32, i32, i32) -> !llvm.struct<(f32, f32, f32, f32)>
      %acc3_0 = llvm.extractvalue %mma3[0] : !llvm.struct<(f32, f32, f32, f32)>
      %acc3_1 = llvm.extractvalue %mma3[1] : !llvm.struct<(f32, f32, f32, f32)>
      %acc3_2 = llvm.extractvalue %mma3[2] : !llvm.struct<(f32, f32, f32, f32)>
      %acc3_3 = llvm.extractvalue %mma3[3] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c2 = arith.constant 2 : index
      %lane = arith.remui %tid_index, %c32 : index
      %warp_index = arith.divui %tid_index, %c32 : index
      %quad = arith.divui %lane, %c4 : index
      %warp_row = arith.muli %warp_index, %c16 : index
      %row = arith.addi %warp_row, %quad : index
      %row8 = arith.addi %row, %c8 : index
      %in_quad = arith.remui %lane, %c4 : index
      %column = arith.muli %in_quad, %c2 : index
      %undef0 = llvm.mlir.undef : vector<2xf32>
      %top0 = vector.insert %acc3_0, %undef0 [0] : f32 into vector<2xf32>
      %top = vector.insert %acc3_1, %top0 [1] : f32 into vector<2xf32>
      %bottom0 = vector.insert %acc3_2, %undef0 [0] : f32 into vector<2xf32>
      %bottom = vector.insert %acc3_3, %bottom0 [1] : f32 into vector<2xf32>
      %exponent = arith.sitofp %one : i32 to f32
      %factor = math.exp2 %exponent : f32
      %factors = vector.broadcast %factor : f32 to vector<2xf32>
      %top_scaled = arith.mulf %top, %factors : vector<2xf32>
      %bottom_scaled = arith.mulf %bottom, %factors : vector<2xf32>
      vector.store %top_scaled, %x2[%row, %column] : memref<64x8xf32>, vector<2xf32>
      vector.store %bottom_scaled, %x2[%row8, %column] : memref<64x8xf32>, vector<2xf32>
      gpu.terminator
    }
    return
  }
}
