// One case per rule that a verifier of operations on tensor memory checks.
// RUN: lanescope-opt %s --split-input-file --verify-diagnostics --mosaic-gpu-kernel-rules

func.func @address(%p: memref<i32>) {
  // expected-error@+1 {{writes the address to one i32 in shared memory}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32>)  -> memref<128x64xi32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @not_tensor(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{has its result outside of tensor memory}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>)  -> memref<128x64xi32>
  return
}

// -----

func.func @rank(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{must be 2D memref of any type values}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>)  -> memref<128xi32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @wide(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{takes numbers of at most 32 bits in tensor memory}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>)  -> memref<128x64xi64, #mosaic_gpu.tmem>
  return
}

// -----

func.func @packing(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{packs one or 2 elements of}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {packing = 4 : i32} -> memref<128x64xf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @odd_packing(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{packs 63 columns by 2}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {packing = 2 : i32} -> memref<128x63xf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @columns(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{takes 513 columns of tensor memory, which has 512}}
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>)  -> memref<128x513xi32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @dealloc(%t: memref<128x64xi32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{gives back only memory that `tmem_alloc` gave}}
  mosaic_gpu.tmem_dealloc tmem_ref(%t : memref<128x64xi32, #mosaic_gpu.tmem>)
  return
}

// -----

func.func @slice_source(%t: memref<128x64xi32>) {
  // expected-error@+1 {{has a source outside of tensor memory}}
  %0 = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x64xi32>) -> memref<128x64xi32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @slice_offset(%t: memref<128x64xi32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{begins at column 3, expected a multiple of 4}}
  %0 = "mosaic_gpu.slice_tmem"(%t) <{offset = 3 : i32}> : (memref<128x64xi32, #mosaic_gpu.tmem>) -> memref<128x32xi32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @cast(%t: memref<128x64xf32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{a layout that does not fit it}}
  %0 = "mosaic_gpu.tmem_layout_cast"(%t) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @load_type(%t: memref<128x64xf32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{expected equal shapes and element types}}
  %0 = "mosaic_gpu.async_load_tmem"(%t) : (memref<128x64xf32, #mosaic_gpu.tmem>) -> vector<128x32xf32>
  return
}

// -----

func.func @load_place(%t: memref<128x64xf32>) {
  // expected-error@+1 {{has its source outside of tensor memory}}
  %0 = "mosaic_gpu.async_load_tmem"(%t) : (memref<128x64xf32>) -> vector<128x64xf32>
  return
}

// -----

func.func @load_results(%t: memref<128x64xf32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{has a second result exactly when it has `reduce`}}
  %0 = "mosaic_gpu.async_load_tmem"(%t) <{reduce = 0 : i32}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> vector<128x64xf32>
  return
}

// -----

func.func @load_reduce(%t: memref<128x64xf16, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{reduces rows of f32 and i32}}
  %0:2 = "mosaic_gpu.async_load_tmem"(%t) <{reduce = 0 : i32}> : (memref<128x64xf16, #mosaic_gpu.tmem>) -> (vector<128x64xf16>, vector<128xf16>)
  return
}

// -----

func.func @load_rows(%t: memref<128x64xf32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{expected one element of each row}}
  %0:2 = "mosaic_gpu.async_load_tmem"(%t) <{reduce = 0 : i32}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> (vector<128x64xf32>, vector<64xf32>)
  return
}

// -----

func.func @store_type(%t: memref<128x64xf32, #mosaic_gpu.tmem>, %v: vector<128x64xi32>) {
  // expected-error@+1 {{expected equal shapes and element types}}
  "mosaic_gpu.async_store_tmem"(%v, %t) : (vector<128x64xi32>, memref<128x64xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @store_place(%t: memref<128x64xf32>, %v: vector<128x64xf32>) {
  // expected-error@+1 {{has its destination outside of tensor memory}}
  "mosaic_gpu.async_store_tmem"(%v, %t) : (vector<128x64xf32>, memref<128x64xf32>) -> ()
  return
}

// -----

func.func @copy_from(%s: memref<128x64xf32>, %t: memref<128x64xf32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{copies from shared memory}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<128x64xf32>, memref<128x64xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @copy_to(%s: memref<128x64xf32, #gpu.address_space<workgroup>>, %t: memref<128x64xf32>) {
  // expected-error@+1 {{has its destination outside of tensor memory}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<128x64xf32, #gpu.address_space<workgroup>>, memref<128x64xf32>) -> ()
  return
}

// -----

func.func @copy_types(%s: memref<128x64xf32, #gpu.address_space<workgroup>>, %t: memref<128x64xi32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{copies 'f32' to 'i32'}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<128x64xf32, #gpu.address_space<workgroup>>, memref<128x64xi32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @copy_shapes(%s: memref<128x64xf32, #gpu.address_space<workgroup>>, %t: memref<128x32xf32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{expected equal shapes}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<128x64xf32, #gpu.address_space<workgroup>>, memref<128x32xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @scales_type(%s: memref<1x1x32x16xf8E5M2, #gpu.address_space<workgroup>>, %t: memref<128x4xf8E5M2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{must be 4D memref of f8E8M0FNU type or f8E4M3FN type values}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<1x1x32x16xf8E5M2, #gpu.address_space<workgroup>>, memref<128x4xf8E5M2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @scales_rows(%s: memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %t: memref<64x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{fills multiples of 128 rows and 4 columns}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<64x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @scales_shape(%s: memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %t: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{takes what is stored as (1, 2, 32, 16)}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @metadata_type(%s: memref<1x1x128x64xi4, #gpu.address_space<workgroup>>, %t: memref<128x64xi4, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{must be 4D memref of 2-bit signless integer values}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<1x1x128x64xi4, #gpu.address_space<workgroup>>, memref<128x64xi4, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @metadata_rows(%s: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, %t: memref<128x32xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{fills multiples of 128 rows and 64 columns}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x32xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @metadata_shape(%s: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, %t: memref<128x128xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{takes what is stored as (1, 2, 128, 64)}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @commit(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{arrives at barriers that are made with `orders_tensor_core=True`}}
  "mosaic_gpu.tcgen05_commit_arrive"(%b) : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @try_answer(%r: memref<8xi8, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{keeps its answer in 16 bytes of shared memory}}
  "mosaic_gpu.try_cluster_cancel"(%r, %b) : (memref<8xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @query_answer(%r: memref<16xi8>) {
  // expected-error@+1 {{keeps its answer in 16 bytes of shared memory}}
  %x, %y, %z, %s = "mosaic_gpu.query_cluster_cancel"(%r) : (memref<16xi8>) -> (i32, i32, i32, i1)
  return
}

// -----

func.func @mma_accumulator(%d: memref<128x64xf32, #gpu.address_space<workgroup>>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{the accumulator of `tcgen05_mma` is in tensor memory}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #gpu.address_space<workgroup>>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_left(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{the left operand of `tcgen05_mma` is in tensor or shared memory}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_right(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #mosaic_gpu.tmem>, %acc: i1) {
  // expected-error@+1 {{the right operand of `tcgen05_mma` is in shared memory}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #mosaic_gpu.tmem>, i1) -> ()
  return
}

// -----

func.func @mma_rank(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<1x128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{operand #1 must be 2D memref of}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<1x128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_depth(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x32xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{`a` of shape (128, 32) times `b` of shape (64, 64) do not go together}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x32xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_sum(%d: memref<128x32xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{gives the shape (128, 64), and the accumulator `accumulator` has (128, 32)}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x32xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_pair(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{(each of the two blocks has half of its columns) gives the shape (128, 128)}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_types(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{`a` has dtype f16 and `b` has bf16; only f8e4m3fn and f8e5m2, and i8 and u8, are multiplied with each other}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_type(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x64xi16, #gpu.address_space<workgroup>>, %b: memref<64x64xi16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{operand #1 must be 2D memref of}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xi16, #gpu.address_space<workgroup>>, memref<64x64xi16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_sum_type(%d: memref<128x64xf16, #mosaic_gpu.tmem>, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{does not sum products}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf16, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_rows(%d: memref<32x64xf32, #mosaic_gpu.tmem>, %a: memref<32x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{each block multiplies 128 or 64 rows, and `a` has 32}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<32x64xf32, #mosaic_gpu.tmem>, memref<32x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_rows_tensor(%d: memref<64x64xf32, #mosaic_gpu.tmem>, %a: memref<64x64xf16, #mosaic_gpu.tmem>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{a left operand in tensor memory has 128 rows, and `a` has 64}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<64x64xf32, #mosaic_gpu.tmem>, memref<64x64xf16, #mosaic_gpu.tmem>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_columns(%d: memref<128x12xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x12xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{a product has a multiple of 8 columns, and `b` has 12}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x12xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x12xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_columns_64(%d: memref<64x24xf32, #mosaic_gpu.tmem>, %a: memref<64x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x24xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{columns must be a multiple of 16, got 24}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<64x24xf32, #mosaic_gpu.tmem>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x24xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_columns_i32(%d: memref<128x8xi32, #mosaic_gpu.tmem>, %a: memref<128x64xi8, #gpu.address_space<workgroup>>, %b: memref<64x8xi8, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{a product of integers has a multiple of 16 columns, and `b` has 8}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x8xi32, #mosaic_gpu.tmem>, memref<128x64xi8, #gpu.address_space<workgroup>>, memref<64x8xi8, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_most(%d: memref<128x264xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x264xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{a product has up to 256 columns, or 512, and `b` has 264}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x264xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x264xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_most_pair(%d: memref<128x288xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x144xf16, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{a product of two blocks has at most 128 columns in each, and `b` has 144}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x288xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x144xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_one_scale(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, %b: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{a product has scales for both operands or for none; `b_scale` is missing}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_scaled_f16(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, %e1: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{block scales go with f8e4m3fn, f8e5m2 and f4e2m1fn, not with f16}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0, %e1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_f4(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf4E2M1FN, #gpu.address_space<workgroup>>, %b: memref<128x64xf4E2M1FN, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{give `a_scale` and `b_scale`}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x128xf4E2M1FN, #gpu.address_space<workgroup>>, memref<128x64xf4E2M1FN, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_f6(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf6E3M2FN, #gpu.address_space<workgroup>>, %b: memref<128x64xf6E3M2FN, #gpu.address_space<workgroup>>, %acc: i1) {
  // expected-error@+1 {{`tcgen05_mma` takes 6-bit floats packed}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x128xf6E3M2FN, #gpu.address_space<workgroup>>, memref<128x64xf6E3M2FN, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mma_scaled_tensor(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf8E4M3FN, #mosaic_gpu.tmem>, %b: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, %e1: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, %e2: memref<128x64xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{a sparse product with block scales takes `a` from shared memory}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0, %e1, %e2) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xf8E4M3FN, #mosaic_gpu.tmem>, memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_scaled_64(%d: memref<64x64xf32, #mosaic_gpu.tmem>, %a: memref<64x128xf8E4M3FN, #gpu.address_space<workgroup>>, %b: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, %e1: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{a product with block scales has 128 rows, or 64 in each of two blocks, and `a` has 64}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0, %e1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<64x64xf32, #mosaic_gpu.tmem>, memref<64x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_scale_types(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, %b: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, %e1: memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{the scales of both operands have one dtype; `a_scale` has f8e8m0fnu and `b_scale` has f8e4m3fn}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0, %e1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_scale_type(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, %b: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>, %e1: memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{f8e4m3fn has scales of f8e8m0fnu for each 32 elements}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0, %e1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>, memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_scale_block(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, %b: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>, %e1: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{`a_scale` has f8e8m0fnu for each 16}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0, %e1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, i1, memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>, memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_scale_rows(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, %b: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<256x4xf8E8M0FNU, #mosaic_gpu.tmem>, %e1: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{the scales of `a` have the shape (128, 4), and `a_scale` has (256, 4)}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0, %e1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, i1, memref<256x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_scale_columns(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, %b: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, %e1: memref<64x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{the scales of `b` have the shape (128, 4)}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0, %e1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<64x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_sparse_depth(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x32xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{half of a sparse `a` is stored}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1, memref<128x32xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_sparse_type(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x32xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x32xi4, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{operand #4 must be 2D memref of 2-bit signless integer values}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x32xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1, memref<128x32xi4, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_sparse_shape(%d: memref<128x64xf32, #mosaic_gpu.tmem>, %a: memref<128x32xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<128x64xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{have the shape (128, 32) (two for each group of 4 elements), and `a_sparse_metadata` has (128, 64)}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x32xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mma_sparse_64(%d: memref<64x64xf32, #mosaic_gpu.tmem>, %a: memref<64x32xf16, #gpu.address_space<workgroup>>, %b: memref<64x64xf16, #gpu.address_space<workgroup>>, %acc: i1, %e0: memref<64x32xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{a sparse product has 128 rows, and `a` has 64}}
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc, %e0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<64x64xf32, #mosaic_gpu.tmem>, memref<64x32xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1, memref<64x32xi2, #mosaic_gpu.tmem>) -> ()
  return
}
