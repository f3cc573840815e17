// Modules that upstream's dialect rejects or accepts, one function for each of upstream's tests.
// inventory: DV initialize_barrier_op_arrival_count_must_be_strictly_positive,
// initialize_barrier_op_with_a_non_shared_base_pointer_fails,
// initialize_barrier_op_with_a_positive_arrival_count_passes,
// async_load_op_source_and_dest_must_have_same_element_type,
// async_load_op_slice_lengths_must_be_larger_than_minus_two,
// async_load_op_source_and_dest_ranks_must_match_with_collapse,
// async_load_op_indices_size_must_match_source_rank, async_load_op_slice_lengths_size_must_match_source_rank,
// async_load_op_slice_collective_must_be_unique, async_load_op_vector_indices_shape_must_match_slice_lengths,
// async_load_op_only_one_vector_index_allowed, async_store_op_source_and_dest_must_have_same_element_type,
// async_store_op_slice_lengths_must_be_larger_than_minus_two,
// async_store_op_source_and_dest_ranks_must_match_with_collapse,
// async_store_op_indices_size_must_match_destination_rank,
// async_store_op_slice_lengths_size_must_match_source_rank, async_store_op_with_gmem_peer_id,
// async_store_op_with_global_broadcast, async_store_op_with_global_broadcast_and_gmem_peer_id_set_fails,
// mma_types_match, mma_acc_m_not_equal_to_a_m_dim, mma_acc_n_not_equal_to_b_n_dim,
// mma_a_k_dim_not_equal_to_b_k_dim, mma_int_operands_acc_not_i32, mma_float_operands_acc_not_f32,
// wgmma_types_match, wgmma_mixed_fp8_operands_are_allowed, wgmma_acc_m_dim_not_multiple_of_64,
// wgmma_acc_m_not_equal_to_a_m_dim, wgmma_a_k_dim_not_equal_to_b_k_dim, wgmma_b_n_dim_not_equal_to_acc_n_dim,
// tcgen05_mma_mixed_fp8_operands_are_allowed, tcgen05_mma_types_match,
// tcgen05_mma_acc_m_dim_not_multiple_of_128, tcgen05_mma_acc_m_not_equal_to_a_m_dim,
// tcgen05_mma_a_k_dim_not_equal_to_b_k_dim, tcgen05_mma_b_n_dim_not_equal_to_acc_n_dim,
// tcgen05_mma_b_n_dim_not_equal_to_half_acc_n_dim, tcgen05_mma_acc_mem_space_is_tmem,
// tcgen05_mma_a_mem_space_is_smem_or_tmem, tcgen05_mma_b_mem_space_is_smem, tcgen05_mma_scale_arg_missing,
// tcgen05_mma_a_scale_mem_space_is_tmem, tcgen05_mma_b_scale_mem_space_is_tmem,
// tcgen05_mma_a_sparse_metadata_mem_space_is_tmem, tcgen05_mma_sparse_a_k_dim_is_half_b_k_dim,
// tcgen05_mma_a_sparse_metadata_shape_must_match_a, multimem_load_reduce_unsupported_int_bitwidth,
// multimem_load_reduce_missing_signedness, multimem_load_reduce_unsupported_float_reduction,
// multimem_load_reduce_unsupported_f32_reduction, multimem_load_reduce_unsupported_float_type,
// multimem_load_reduce_source_not_in_gmem, multimem_load_reduce_valid_int, multimem_load_reduce_valid_float,
// warp_map_op_invalid_operand, warp_map_op_ok, broadcast_in_dim_ok, broadcast_in_dim_size_1_dim_ok,
// broadcast_in_dim_no_0d, broadcast_in_dim_no_input_larger_than_output, broadcast_in_dim_too_many_dims,
// broadcast_in_dim_dim_oob, broadcast_in_dim_dim_transpose, broadcast_in_dim_dim_size_mismatch,
// vector_concat_rank_mismatch, vector_concat_element_type_mismatch, vector_concat_dim_oob,
// vector_concat_shape_mismatch, custom_primitive_op_args_must_match_args_of_terminator,
// custom_primitive_op_results_must_be_scalar_or_vector, tmem_alloc_op_must_have_smem_ref_input,
// tmem_alloc_op_result_must_have_tmem_memory_space, tmem_alloc_op_exact_column_count_must_be_at_most_512,
// tmem_alloc_op_bad_packing, tmem_alloc_op_exact_false_column_count_15_ok,
// tmem_alloc_op_exact_false_column_count_100_ok, tmem_alloc_op_exact_false_column_count_777_packed_not_ok,
// tmem_alloc_op_exact_false_column_count_778_packed_ok, tmem_alloc_dealloc_packed_large_shape_ok,
// async_store_smem_to_tmem_op_invalid_shape, async_store_smem_to_tmem_op_invalid_dtype,
// async_store_smem_to_tmem_op_invalid_smem_memory_space, async_store_smem_to_tmem_op_invalid_tmem_memory_space,
// async_store_smem_to_tmem_op_ok, async_store_sparse_metadata_smem_to_tmem_op_invalid_smem_shape,
// async_store_sparse_metadata_smem_to_tmem_op_invalid_tmem_shape,
// async_store_sparse_metadata_smem_to_tmem_op_invalid_dtype,
// async_store_sparse_metadata_smem_to_tmem_op_invalid_smem_memory_space,
// async_store_sparse_metadata_smem_to_tmem_op_invalid_tmem_memory_space,
// async_store_sparse_metadata_smem_to_tmem_op_ok, async_store_scales_smem_to_tmem_op_invalid_dtype,
// async_store_scales_smem_to_tmem_op_invalid_smem_memory_space,
// async_store_scales_smem_to_tmem_op_invalid_tmem_memory_space,
// async_store_scales_smem_to_tmem_op_invalid_tmem_shape_m,
// async_store_scales_smem_to_tmem_op_invalid_tmem_shape_n,
// async_store_scales_smem_to_tmem_op_invalid_smem_shape, async_store_scales_smem_to_tmem_op_ok,
// tmem_layout_cast_invalid_tmem_ref, vector_store_op_src_dst_shape_mismatch,
// vector_store_op_src_dst_dtype_mismatch, vector_store_op_dst_not_in_gmem_for_multicast,
// vector_store_op_dst_must_be_in_gmem_for_multicast, broadcasted_iota_op_invalid_dimension,
// print_layout_op_smem_ref, print_layout_op_invalid_ref, try_cluster_cancel_invalid_response_size,
// try_cluster_cancel_not_in_smem, query_cluster_cancel_invalid_response_size, query_cluster_cancel_not_in_smem,
// dialect_module_is_loaded, barrier_type_bindings, b6x16_p32_type_bindings, p2b6_type_bindings,
// copy_partition_attr_bindings
// RUN: lanescope-opt %s --split-input-file --verify-diagnostics

func.func @initialize_barrier_op_arrival_count_must_be_strictly_positive(%p: !llvm.ptr<3>) {
  // expected-error@+1 {{whose value is positive}}
  "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 0 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  return
}

// -----

func.func @initialize_barrier_op_with_a_non_shared_base_pointer_fails(%p: !llvm.ptr) {
  // expected-error@+1 {{must be LLVM pointer in address space 3}}
  "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr) -> ()
  return
}

// -----

func.func @initialize_barrier_op_with_a_positive_arrival_count_passes(%p: !llvm.ptr<3>) {
  "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  return
}

// -----

func.func @async_load_op_source_and_dest_must_have_same_element_type(%s: memref<4x8xf32>, %d: memref<4x8xf64, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i0: i32, %i1: i32) {
  // expected-error@+1 {{copies between element types 'f32' and 'f64'}}
  "mosaic_gpu.async_load"(%s, %d, %b, %i0, %i1) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 4, 8>}> : (memref<4x8xf32>, memref<4x8xf64, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @async_load_op_slice_lengths_must_be_larger_than_minus_two(%s: memref<4x8xf32>, %d: memref<4x8xf32, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i0: i32, %i1: i32) {
  // expected-error@+1 {{has the slice length -2}}
  "mosaic_gpu.async_load"(%s, %d, %b, %i0, %i1) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: -2, 8>}> : (memref<4x8xf32>, memref<4x8xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
  return
}

// -----

func.func @async_load_op_source_and_dest_ranks_must_match_with_collapse(%s: memref<1x4x8xf32>, %d: memref<4xf32, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i0: i32, %i1: i32, %i2: i32) {
  // expected-error@+1 {{takes a slice of rank 2 but the reference in shared memory has rank 1}}
  "mosaic_gpu.async_load"(%s, %d, %b, %i0, %i1, %i2) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 3, 0, 0>, slice_lengths = array<i64: -1, 4, 8>}> : (memref<1x4x8xf32>, memref<4xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32) -> ()
  return
}

// -----

func.func @async_load_op_indices_size_must_match_source_rank(%s: memref<4x8xf32>, %d: memref<4x8xf32, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i0: i32) {
  // expected-error@+1 {{has 1 indices and 2 slice lengths}}
  "mosaic_gpu.async_load"(%s, %d, %b, %i0) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, slice_lengths = array<i64: 4, 8>}> : (memref<4x8xf32>, memref<4x8xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  return
}

// -----

func.func @async_load_op_slice_lengths_size_must_match_source_rank(%s: memref<4xf32>, %d: memref<4xf32, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i0: i32) {
  // expected-error@+1 {{has 2 slice lengths for a reference of rank 1}}
  "mosaic_gpu.async_load"(%s, %d, %b, %i0) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, slice_lengths = array<i64: 4, 8>}> : (memref<4xf32>, memref<4xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  return
}

// -----

func.func @async_load_op_slice_collective_must_be_unique(%s: memref<4xf32>, %d: memref<4xf32, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i0: i32) {
  // expected-error@+1 {{lists a cluster dimension twice}}
  "mosaic_gpu.async_load"(%s, %d, %b, %i0) <{collective = [0 : i32, 0 : i32], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, slice_lengths = array<i64: 4>}> : (memref<4xf32>, memref<4xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
  return
}

// -----

func.func @async_load_op_vector_indices_shape_must_match_slice_lengths(%s: memref<8x8xf32>, %d: memref<8x8xf32, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i0: vector<4xi32>, %i1: i32) {
  // expected-error@+1 {{gathers 4 rows with a slice length of 8}}
  "mosaic_gpu.async_load"(%s, %d, %b, %i0, %i1) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 8, 8>}> : (memref<8x8xf32>, memref<8x8xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, vector<4xi32>, i32) -> ()
  return
}

// -----

func.func @async_load_op_only_one_vector_index_allowed(%s: memref<8x8xf32>, %d: memref<8x8xf32, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %i0: vector<8xi32>, %i1: vector<8xi32>) {
  // expected-error@+1 {{gathers along two dimensions}}
  "mosaic_gpu.async_load"(%s, %d, %b, %i0, %i1) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 8, 8>}> : (memref<8x8xf32>, memref<8x8xf32, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, vector<8xi32>, vector<8xi32>) -> ()
  return
}

// -----

func.func @async_store_op_source_and_dest_must_have_same_element_type(%s: memref<4x8xf32, #gpu.address_space<workgroup>>, %d: memref<4x8xf64>, %i0: i32, %i1: i32) {
  // expected-error@+1 {{copies between element types 'f64' and 'f32'}}
  "mosaic_gpu.async_store"(%s, %d, %i0, %i1) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 4, 8>}> : (memref<4x8xf32, #gpu.address_space<workgroup>>, memref<4x8xf64>, i32, i32) -> ()
  return
}

// -----

func.func @async_store_op_slice_lengths_must_be_larger_than_minus_two(%s: memref<4x8xf32, #gpu.address_space<workgroup>>, %d: memref<4x8xf32>, %i0: i32, %i1: i32) {
  // expected-error@+1 {{has the slice length -2}}
  "mosaic_gpu.async_store"(%s, %d, %i0, %i1) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: -2, 8>}> : (memref<4x8xf32, #gpu.address_space<workgroup>>, memref<4x8xf32>, i32, i32) -> ()
  return
}

// -----

func.func @async_store_op_source_and_dest_ranks_must_match_with_collapse(%s: memref<4xf32, #gpu.address_space<workgroup>>, %d: memref<1x4x8xf32>, %i0: i32, %i1: i32, %i2: i32) {
  // expected-error@+1 {{takes a slice of rank 2 but the reference in shared memory has rank 1}}
  "mosaic_gpu.async_store"(%s, %d, %i0, %i1, %i2) <{operandSegmentSizes = array<i32: 1, 1, 3, 0, 0>, slice_lengths = array<i64: -1, 4, 8>}> : (memref<4xf32, #gpu.address_space<workgroup>>, memref<1x4x8xf32>, i32, i32, i32) -> ()
  return
}

// -----

func.func @async_store_op_indices_size_must_match_destination_rank(%s: memref<4x8xf32, #gpu.address_space<workgroup>>, %d: memref<4x8xf32>, %i0: i32) {
  // expected-error@+1 {{has 1 indices and 2 slice lengths}}
  "mosaic_gpu.async_store"(%s, %d, %i0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, slice_lengths = array<i64: 4, 8>}> : (memref<4x8xf32, #gpu.address_space<workgroup>>, memref<4x8xf32>, i32) -> ()
  return
}

// -----

func.func @async_store_op_slice_lengths_size_must_match_source_rank(%s: memref<4xf32, #gpu.address_space<workgroup>>, %d: memref<4xf32>, %i0: i32) {
  // expected-error@+1 {{has 2 slice lengths for a reference of rank 1}}
  "mosaic_gpu.async_store"(%s, %d, %i0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, slice_lengths = array<i64: 4, 8>}> : (memref<4xf32, #gpu.address_space<workgroup>>, memref<4xf32>, i32) -> ()
  return
}

// -----

func.func @async_store_op_with_gmem_peer_id(%s: memref<4x8xf32, #gpu.address_space<workgroup>>, %d: memref<4x8xf32>, %i0: i32, %i1: i32, %p: i32) {
  "mosaic_gpu.async_store"(%s, %d, %i0, %i1, %p) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>, slice_lengths = array<i64: 4, 8>}> : (memref<4x8xf32, #gpu.address_space<workgroup>>, memref<4x8xf32>, i32, i32, i32) -> ()
  return
}

// -----

func.func @async_store_op_with_global_broadcast(%s: memref<4x8xf32, #gpu.address_space<workgroup>>, %d: memref<4x8xf32>, %i0: i32, %i1: i32) {
  "mosaic_gpu.async_store"(%s, %d, %i0, %i1) <{is_global_broadcast = true, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 4, 8>}> : (memref<4x8xf32, #gpu.address_space<workgroup>>, memref<4x8xf32>, i32, i32) -> ()
  return
}

// -----

func.func @async_store_op_with_global_broadcast_and_gmem_peer_id_set_fails(%s: memref<4x8xf32, #gpu.address_space<workgroup>>, %d: memref<4x8xf32>, %i0: i32, %i1: i32, %p: i32) {
  // expected-error@+1 {{stores to one peer and to all of them}}
  "mosaic_gpu.async_store"(%s, %d, %i0, %i1, %p) <{is_global_broadcast = true, operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>, slice_lengths = array<i64: 4, 8>}> : (memref<4x8xf32, #gpu.address_space<workgroup>>, memref<4x8xf32>, i32, i32, i32) -> ()
  return
}

// -----

func.func @mma_types_match(%c: vector<64x8xf32>, %a: vector<64x16xbf16>, %b: vector<16x8xf16>) {
  // expected-error@+1 {{bf16 and f16 are not multiplied together by `mma`}}
  %r = mosaic_gpu.mma accumulator(%c : vector<64x8xf32>) a(%a : vector<64x16xbf16>) b(%b : vector<16x8xf16>) -> vector<64x8xf32>
  return
}

// -----

func.func @mma_acc_m_not_equal_to_a_m_dim(%c: vector<64x8xf32>, %a: vector<32x16xbf16>, %b: vector<16x8xbf16>) {
  // expected-error@+1 {{whose shapes do not go together}}
  %r = mosaic_gpu.mma accumulator(%c : vector<64x8xf32>) a(%a : vector<32x16xbf16>) b(%b : vector<16x8xbf16>) -> vector<64x8xf32>
  return
}

// -----

func.func @mma_acc_n_not_equal_to_b_n_dim(%c: vector<64x8xf32>, %a: vector<64x16xbf16>, %b: vector<16x16xbf16>) {
  // expected-error@+1 {{whose shapes do not go together}}
  %r = mosaic_gpu.mma accumulator(%c : vector<64x8xf32>) a(%a : vector<64x16xbf16>) b(%b : vector<16x16xbf16>) -> vector<64x8xf32>
  return
}

// -----

func.func @mma_a_k_dim_not_equal_to_b_k_dim(%c: vector<64x8xf32>, %a: vector<64x16xbf16>, %b: vector<32x8xbf16>) {
  // expected-error@+1 {{whose shapes do not go together}}
  %r = mosaic_gpu.mma accumulator(%c : vector<64x8xf32>) a(%a : vector<64x16xbf16>) b(%b : vector<32x8xbf16>) -> vector<64x8xf32>
  return
}

// -----

func.func @mma_int_operands_acc_not_i32(%c: vector<64x8xf32>, %a: vector<64x32xi8>, %b: vector<32x8xi8>) {
  // expected-error@+1 {{does not sum products of i8 in f32}}
  %r = mosaic_gpu.mma accumulator(%c : vector<64x8xf32>) a(%a : vector<64x32xi8>) b(%b : vector<32x8xi8>) -> vector<64x8xf32>
  return
}

// -----

func.func @mma_float_operands_acc_not_f32(%c: vector<64x8xi32>, %a: vector<64x16xbf16>, %b: vector<16x8xbf16>) {
  // expected-error@+1 {{does not sum products of bf16 in i32}}
  %r = mosaic_gpu.mma accumulator(%c : vector<64x8xi32>) a(%a : vector<64x16xbf16>) b(%b : vector<16x8xbf16>) -> vector<64x8xi32>
  return
}

// -----

func.func @wgmma_types_match(%c: vector<128x160xf32>, %a: memref<128x128xf16>, %b: memref<128x160xbf16>) {
  // expected-error@+1 {{f16 and bf16 are not multiplied together by `wgmma`}}
  %r = mosaic_gpu.wgmma accumulator(%c : vector<128x160xf32>) a(%a : memref<128x128xf16>) b(%b : memref<128x160xbf16>) -> vector<128x160xf32>
  return
}

// -----

func.func @wgmma_mixed_fp8_operands_are_allowed(%c: vector<128x160xf32>, %a: memref<128x128xf8E4M3FN>, %b: memref<128x160xf8E5M2>) {
  %r = mosaic_gpu.wgmma accumulator(%c : vector<128x160xf32>) a(%a : memref<128x128xf8E4M3FN>) b(%b : memref<128x160xf8E5M2>) -> vector<128x160xf32>
  return
}

// -----

func.func @wgmma_acc_m_dim_not_multiple_of_64(%c: vector<127x160xf32>, %a: memref<127x128xbf16>, %b: memref<128x160xbf16>) {
  // expected-error@+1 {{has M = a multiple of 64, not 127}}
  %r = mosaic_gpu.wgmma accumulator(%c : vector<127x160xf32>) a(%a : memref<127x128xbf16>) b(%b : memref<128x160xbf16>) -> vector<127x160xf32>
  return
}

// -----

func.func @wgmma_acc_m_not_equal_to_a_m_dim(%c: vector<256x160xf32>, %a: memref<512x128xbf16>, %b: memref<128x160xbf16>) {
  // expected-error@+1 {{has 512 rows in a and 256 in the accumulator}}
  %r = mosaic_gpu.wgmma accumulator(%c : vector<256x160xf32>) a(%a : memref<512x128xbf16>) b(%b : memref<128x160xbf16>) -> vector<256x160xf32>
  return
}

// -----

func.func @wgmma_a_k_dim_not_equal_to_b_k_dim(%c: vector<128x160xf32>, %a: memref<128x128xbf16>, %b: memref<160x160xbf16>) {
  // expected-error@+1 {{has 128 columns in a and 160 rows in b}}
  %r = mosaic_gpu.wgmma accumulator(%c : vector<128x160xf32>) a(%a : memref<128x128xbf16>) b(%b : memref<160x160xbf16>) -> vector<128x160xf32>
  return
}

// -----

func.func @wgmma_b_n_dim_not_equal_to_acc_n_dim(%c: vector<128x160xf32>, %a: memref<128x128xbf16>, %b: memref<128x192xbf16>) {
  // expected-error@+1 {{has 192 columns in b and 160 in the accumulator}}
  %r = mosaic_gpu.wgmma accumulator(%c : vector<128x160xf32>) a(%a : memref<128x128xbf16>) b(%b : memref<128x192xbf16>) -> vector<128x160xf32>
  return
}

// -----

func.func @tcgen05_mma_mixed_fp8_operands_are_allowed(%c: memref<128x160xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, %b: memref<128x160xf8E5M2, #gpu.address_space<workgroup>>, %t: i1) {
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x160xf32, #mosaic_gpu.tmem>, memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>, memref<128x160xf8E5M2, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_types_match(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xbf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error@+1 {{are multiplied with each other}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x160xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_acc_m_dim_not_multiple_of_128(%c: memref<127x160xf16, #mosaic_gpu.tmem>, %a: memref<127x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error@+1 {{each block multiplies 128 or 64 rows, and `a` has 127}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<127x160xf16, #mosaic_gpu.tmem>, memref<127x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_acc_m_not_equal_to_a_m_dim(%c: memref<256x160xf16, #mosaic_gpu.tmem>, %a: memref<512x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error@+1 {{gives the shape (512, 160), and the accumulator `accumulator` has (256, 160)}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<256x160xf16, #mosaic_gpu.tmem>, memref<512x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_a_k_dim_not_equal_to_b_k_dim(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<160x160xf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error@+1 {{`a` of shape (128, 128) times `b` of shape (160, 160) do not go together}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<160x160xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_b_n_dim_not_equal_to_acc_n_dim(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x192xf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error@+1 {{gives the shape (128, 192), and the accumulator `accumulator` has (128, 160)}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x192xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_b_n_dim_not_equal_to_half_acc_n_dim(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error@+1 {{gives the shape (128, 320), and the accumulator `accumulator` has (128, 160)}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_acc_mem_space_is_tmem(%c: memref<128x160xf16, #gpu.address_space<workgroup>>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error@+1 {{the accumulator of `tcgen05_mma` is in tensor memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x160xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_a_mem_space_is_smem_or_tmem(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1) {
  // expected-error@+1 {{the left operand of `tcgen05_mma` is in tensor or shared memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_b_mem_space_is_smem(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #mosaic_gpu.tmem>, %t: i1) {
  // expected-error@+1 {{the right operand of `tcgen05_mma` is in shared memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #mosaic_gpu.tmem>, i1) -> ()
  return
}

// -----

func.func @tcgen05_mma_scale_arg_missing(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1, %s0: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{a product has scales for both operands or for none}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %s0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @tcgen05_mma_a_scale_mem_space_is_tmem(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1, %s0: memref<128x4xf8E8M0FNU, #gpu.address_space<workgroup>>, %s1: memref<160x4xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{the left scale of `tcgen05_mma` is in tensor memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %s0, %s1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<160x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @tcgen05_mma_b_scale_mem_space_is_tmem(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1, %s0: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, %s1: memref<160x4xf8E8M0FNU, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{the right scale of `tcgen05_mma` is in tensor memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %s0, %s1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>, memref<160x4xf8E8M0FNU, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @tcgen05_mma_a_sparse_metadata_mem_space_is_tmem(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1, %m: memref<128x64xi2, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{the sparsity metadata of `tcgen05_mma` is in tensor memory}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %m) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @tcgen05_mma_sparse_a_k_dim_is_half_b_k_dim(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1, %m: memref<128x128xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{half of a sparse `a` is stored, so it has half as many columns as `b` has rows}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %m) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @tcgen05_mma_a_sparse_metadata_shape_must_match_a(%c: memref<128x160xf16, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x160xf16, #gpu.address_space<workgroup>>, %t: i1, %m: memref<128x32xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{have the shape (128, 64) (two for each group of 4 elements), and `a_sparse_metadata` has (128, 32)}}
  "mosaic_gpu.tcgen05_mma"(%c, %a, %b, %t, %m) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x160xf16, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x160xf16, #gpu.address_space<workgroup>>, i1, memref<128x32xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @multimem_load_reduce_unsupported_int_bitwidth(%r: memref<4xi8>) {
  // expected-error@+1 {{combines integers of 32 and 64 bits}}
  %v = "mosaic_gpu.multimem_load_reduce"(%r) <{reduction_type = 0 : i32}> : (memref<4xi8>) -> vector<4xi8>
  return
}

// -----

func.func @multimem_load_reduce_missing_signedness(%r: memref<4xi32>) {
  // expected-error@+1 {{does not say whether integers have a sign}}
  %v = "mosaic_gpu.multimem_load_reduce"(%r) <{reduction_type = 2 : i32}> : (memref<4xi32>) -> vector<4xi32>
  return
}

// -----

func.func @multimem_load_reduce_unsupported_float_reduction(%r: memref<4xf16>) {
  // expected-error@+1 {{combines floats by `add`, `min` and `max`, not by `and`}}
  %v = "mosaic_gpu.multimem_load_reduce"(%r) <{reduction_type = 3 : i32}> : (memref<4xf16>) -> vector<4xf16>
  return
}

// -----

func.func @multimem_load_reduce_unsupported_f32_reduction(%r: memref<4xf32>) {
  // expected-error@+1 {{combines f32 only by `add`}}
  %v = "mosaic_gpu.multimem_load_reduce"(%r) <{reduction_type = 2 : i32}> : (memref<4xf32>) -> vector<4xf32>
  return
}

// -----

func.func @multimem_load_reduce_unsupported_float_type(%r: memref<4xf64>) {
  // expected-error@+1 {{combines f32, f16, bf16, f8E4M3FN, f8E5M2 and integers, not 'f64'}}
  %v = "mosaic_gpu.multimem_load_reduce"(%r) <{reduction_type = 0 : i32}> : (memref<4xf64>) -> vector<4xf64>
  return
}

// -----

func.func @multimem_load_reduce_source_not_in_gmem(%r: memref<4xi32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{loads global memory}}
  %v = "mosaic_gpu.multimem_load_reduce"(%r) <{reduction_type = 0 : i32}> : (memref<4xi32, #gpu.address_space<workgroup>>) -> vector<4xi32>
  return
}

// -----

func.func @multimem_load_reduce_valid_int(%r: memref<4xi32>) {
  %v = "mosaic_gpu.multimem_load_reduce"(%r) <{reduction_type = 7 : i32}> : (memref<4xi32>) -> vector<4xi32>
  return
}

// -----

func.func @multimem_load_reduce_valid_float(%r: memref<4xbf16>) {
  %v = "mosaic_gpu.multimem_load_reduce"(%r) <{reduction_type = 1 : i32}> : (memref<4xbf16>) -> vector<4xbf16>
  return
}

// -----

func.func @warp_map_op_invalid_operand(%v: vector<4xf32>) {
  // expected-error@+1 {{has no arrays}}
  "mosaic_gpu.warp_map"(%v) ({
  ^bb0(%w: vector<4xf32>):
  }) : (vector<4xf32>) -> ()
  return
}

// -----

func.func @warp_map_op_ok(%i: i32, %m: memref<4xf32>) {
  "mosaic_gpu.warp_map"(%i, %m) ({
  ^bb0(%j: i32, %n: memref<4xf32>):
  }) : (i32, memref<4xf32>) -> ()
  return
}

// -----

func.func @broadcast_in_dim_ok(%x: vector<64xf32>) {
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<64xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<64x64xf32>
  return
}

// -----

func.func @broadcast_in_dim_size_1_dim_ok(%x: vector<1x64xf32>) {
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<1x64xf32>) {broadcast_dimensions = array<i64: 0, 1>} -> vector<8x64xf32>
  return
}

// -----

func.func @broadcast_in_dim_no_0d(%x: vector<f32>) {
  // expected-error@+1 {{broadcasts an array of rank 1 or more}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<f32>) {broadcast_dimensions = array<i64>} -> vector<64xf32>
  return
}

// -----

func.func @broadcast_in_dim_no_input_larger_than_output(%x: vector<64x64xf32>) {
  // expected-error@+1 {{for a result of rank 1}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<64x64xf32>) {broadcast_dimensions = array<i64: 0, 1>} -> vector<64xf32>
  return
}

// -----

func.func @broadcast_in_dim_too_many_dims(%x: vector<64xf32>) {
  // expected-error@+1 {{has 2 broadcast dimensions for an array of rank 1}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<64xf32>) {broadcast_dimensions = array<i64: 0, 1>} -> vector<64x64xf32>
  return
}

// -----

func.func @broadcast_in_dim_dim_oob(%x: vector<64xf32>) {
  // expected-error@+1 {{has the broadcast dimension 2 for a result of rank 2}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<64xf32>) {broadcast_dimensions = array<i64: 2>} -> vector<64x64xf32>
  return
}

// -----

func.func @broadcast_in_dim_dim_transpose(%x: vector<64x64x64x64xf32>) {
  // expected-error@+1 {{do not increase}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<64x64x64x64xf32>) {broadcast_dimensions = array<i64: 0, 1, 3, 2>} -> vector<64x64x64x64xf32>
  return
}

// -----

func.func @broadcast_in_dim_dim_size_mismatch(%x: vector<32xf32>) {
  // expected-error@+1 {{spreads a dimension of size 32 over one of size 64}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<32xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<64xf32>
  return
}

// -----

func.func @vector_concat_rank_mismatch(%x: vector<4xf32>, %y: vector<4x4xf32>) {
  // expected-error@+1 {{expected equal ranks and element types}}
  %z = mosaic_gpu.vector_concat(%x, %y : vector<4xf32>, vector<4x4xf32>) {dimension = 0 : i32} -> vector<8x4xf32>
  return
}

// -----

func.func @vector_concat_element_type_mismatch(%x: vector<4xf32>, %y: vector<4xf16>) {
  // expected-error@+1 {{expected equal ranks and element types}}
  %z = mosaic_gpu.vector_concat(%x, %y : vector<4xf32>, vector<4xf16>) {dimension = 0 : i32} -> vector<8xf32>
  return
}

// -----

func.func @vector_concat_dim_oob(%x: vector<4xf32>, %y: vector<4xf32>) {
  // expected-error@+1 {{joins along dimension 1 of arrays of rank 1}}
  %z = mosaic_gpu.vector_concat(%x, %y : vector<4xf32>, vector<4xf32>) {dimension = 1 : i32} -> vector<8xf32>
  return
}

// -----

func.func @vector_concat_shape_mismatch(%x: vector<4x4xf32>, %y: vector<4x8xf32>) {
  // expected-error@+1 {{which differ in dimension 1}}
  %z = mosaic_gpu.vector_concat(%x, %y : vector<4x4xf32>, vector<4x8xf32>) {dimension = 0 : i32} -> vector<8x4xf32>
  return
}

// -----

func.func @custom_primitive_op_args_must_match_args_of_terminator() {
  %0 = "mosaic_gpu.custom_primitive"() <{in_layouts = [], in_transforms = [], out_layouts = [#mosaic_gpu.WGSplatFragLayout<[128]>]}> ({
    %c = arith.constant dense<0.0> : vector<128xf32>
    // expected-error@+1 {{gives other types than the operation around it}}
    mosaic_gpu.return %c, %c : vector<128xf32>, vector<128xf32>
  }) : () -> vector<128xf32>
  return
}

// -----

func.func @custom_primitive_op_results_must_be_scalar_or_vector(%r: memref<128xf32>) {
  // expected-error@+1 {{gives numbers and arrays, not}}
  %0 = "mosaic_gpu.custom_primitive"(%r) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%s: memref<128xf32>):
    mosaic_gpu.return %s : memref<128xf32>
  }) : (memref<128xf32>) -> memref<128xf32>
  return
}

// -----

func.func @tmem_alloc_op_must_have_smem_ref_input(%p: memref<i32>) {
  // expected-error@+1 {{writes the address to one i32 in shared memory}}
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32>) -> memref<128x32xbf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @tmem_alloc_op_result_must_have_tmem_memory_space(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{has its result outside of tensor memory}}
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x32xbf16>
  return
}

// -----

func.func @tmem_alloc_op_exact_column_count_must_be_at_most_512(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{takes 1024 columns of tensor memory, which has 512}}
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x1024xbf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @tmem_alloc_op_bad_packing(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{packs one or 2 elements of}}
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {packing = 4 : i32} -> memref<128x128xf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @tmem_alloc_op_exact_false_column_count_15_ok(%p: memref<i32, #gpu.address_space<workgroup>>) {
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x15xbf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @tmem_alloc_op_exact_false_column_count_100_ok(%p: memref<i32, #gpu.address_space<workgroup>>) {
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x100xbf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @tmem_alloc_op_exact_false_column_count_777_packed_not_ok(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{packs 777 columns by 2, which does not divide them}}
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {packing = 2 : i32} -> memref<128x777xbf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @tmem_alloc_op_exact_false_column_count_778_packed_ok(%p: memref<i32, #gpu.address_space<workgroup>>) {
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {packing = 2 : i32} -> memref<128x778xbf16, #mosaic_gpu.tmem>
  return
}

// -----

func.func @tmem_alloc_dealloc_packed_large_shape_ok(%p: memref<i32, #gpu.address_space<workgroup>>) {
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {packing = 2 : i32} -> memref<128x1024xbf16, #mosaic_gpu.tmem>
  mosaic_gpu.tmem_dealloc tmem_ref(%t : memref<128x1024xbf16, #mosaic_gpu.tmem>)
  return
}

// -----

func.func @async_store_smem_to_tmem_op_invalid_shape(%s: memref<128x64xf32, #gpu.address_space<workgroup>>, %d: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{expected equal shapes}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<128x64xf32, #gpu.address_space<workgroup>>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_smem_to_tmem_op_invalid_dtype(%s: memref<128x128xf32, #gpu.address_space<workgroup>>, %d: memref<128x128xbf16, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{copies 'f32' to 'bf16'}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<128x128xf32, #gpu.address_space<workgroup>>, memref<128x128xbf16, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_smem_to_tmem_op_invalid_smem_memory_space(%s: memref<128x128xf32, #mosaic_gpu.tmem>, %d: memref<128x128xf32, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{copies from shared memory}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_smem_to_tmem_op_invalid_tmem_memory_space(%s: memref<128x128xf32, #gpu.address_space<workgroup>>, %d: memref<128x128xf32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{has its destination outside of tensor memory}}
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<128x128xf32, #gpu.address_space<workgroup>>, memref<128x128xf32, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @async_store_smem_to_tmem_op_ok(%s: memref<128x128xf32, #gpu.address_space<workgroup>>, %d: memref<128x128xf32, #mosaic_gpu.tmem>) {
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<128x128xf32, #gpu.address_space<workgroup>>, memref<128x128xf32, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_sparse_metadata_smem_to_tmem_op_invalid_smem_shape(%s: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, %d: memref<128x128xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{takes what is stored as}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_sparse_metadata_smem_to_tmem_op_invalid_tmem_shape(%s: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, %d: memref<128x32xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{fills multiples of 128 rows and 64 columns}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x32xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_sparse_metadata_smem_to_tmem_op_invalid_dtype(%s: memref<1x2x128x64xi4, #gpu.address_space<workgroup>>, %d: memref<128x128xi4, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{must be 4D memref of 2-bit signless integer values}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<1x2x128x64xi4, #gpu.address_space<workgroup>>, memref<128x128xi4, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_sparse_metadata_smem_to_tmem_op_invalid_smem_memory_space(%s: memref<1x2x128x64xi2, #mosaic_gpu.tmem>, %d: memref<128x128xi2, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{copies from shared memory}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<1x2x128x64xi2, #mosaic_gpu.tmem>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_sparse_metadata_smem_to_tmem_op_invalid_tmem_memory_space(%s: memref<1x2x128x64xi2, #gpu.address_space<workgroup>>, %d: memref<128x128xi2, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{has its destination outside of tensor memory}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<1x2x128x64xi2, #gpu.address_space<workgroup>>, memref<128x128xi2, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @async_store_sparse_metadata_smem_to_tmem_op_ok(%s: memref<1x2x128x64xi2, #gpu.address_space<workgroup>>, %d: memref<128x128xi2, #mosaic_gpu.tmem>) {
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<1x2x128x64xi2, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_scales_smem_to_tmem_op_invalid_dtype(%s: memref<2x2x32x16xf16, #gpu.address_space<workgroup>>, %d: memref<256x8xf16, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{must be 4D memref of f8E8M0FNU type or f8E4M3FN type values}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<2x2x32x16xf16, #gpu.address_space<workgroup>>, memref<256x8xf16, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_scales_smem_to_tmem_op_invalid_smem_memory_space(%s: memref<2x2x32x16xf8E8M0FNU, #mosaic_gpu.tmem>, %d: memref<256x8xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{copies from shared memory}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<2x2x32x16xf8E8M0FNU, #mosaic_gpu.tmem>, memref<256x8xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_scales_smem_to_tmem_op_invalid_tmem_memory_space(%s: memref<2x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %d: memref<256x8xf8E8M0FNU, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{has its destination outside of tensor memory}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<2x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<256x8xf8E8M0FNU, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @async_store_scales_smem_to_tmem_op_invalid_tmem_shape_m(%s: memref<2x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %d: memref<200x8xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{fills multiples of 128 rows and 4 columns}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<2x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<200x8xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_scales_smem_to_tmem_op_invalid_tmem_shape_n(%s: memref<2x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %d: memref<256x7xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{fills multiples of 128 rows and 4 columns}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<2x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<256x7xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_scales_smem_to_tmem_op_invalid_smem_shape(%s: memref<2x2x32x17xf8E8M0FNU, #gpu.address_space<workgroup>>, %d: memref<256x8xf8E8M0FNU, #mosaic_gpu.tmem>) {
  // expected-error@+1 {{takes what is stored as}}
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<2x2x32x17xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<256x8xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @async_store_scales_smem_to_tmem_op_ok(%s: memref<2x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %d: memref<256x8xf8E8M0FNU, #mosaic_gpu.tmem>) {
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %d) <{collective = false}> : (memref<2x2x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<256x8xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @tmem_layout_cast_invalid_tmem_ref(%r: memref<128x128xf32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{has a reference outside of tensor memory}}
  %t = "mosaic_gpu.tmem_layout_cast"(%r) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x128xf32, #gpu.address_space<workgroup>>) -> memref<128x128xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @vector_store_op_src_dst_shape_mismatch(%v: vector<8xbf16>, %m: memref<4xbf16>) {
  // expected-error@+1 {{expected equal shapes}}
  "mosaic_gpu.vector_store"(%v, %m) <{multimem = false}> : (vector<8xbf16>, memref<4xbf16>) -> ()
  return
}

// -----

func.func @vector_store_op_src_dst_dtype_mismatch(%v: vector<8xbf16>, %m: memref<8xf32>) {
  // expected-error@+1 {{has an array of 'bf16' and a reference of 'f32'}}
  "mosaic_gpu.vector_store"(%v, %m) <{multimem = false}> : (vector<8xbf16>, memref<8xf32>) -> ()
  return
}

// -----

func.func @vector_store_op_dst_not_in_gmem_for_multicast(%v: vector<8xbf16>, %m: memref<8xbf16, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{a multimem store writes global memory}}
  "mosaic_gpu.vector_store"(%v, %m) <{multimem = true}> : (vector<8xbf16>, memref<8xbf16, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @vector_store_op_dst_must_be_in_gmem_for_multicast(%v: vector<8xbf16>, %m: memref<8xbf16>) {
  "mosaic_gpu.vector_store"(%v, %m) <{multimem = true}> : (vector<8xbf16>, memref<8xbf16>) -> ()
  return
}

// -----

func.func @broadcasted_iota_op_invalid_dimension() {
  // expected-error@+1 {{counts along dimension 2 of an array of rank 1}}
  %0 = "mosaic_gpu.broadcasted_iota"() <{dimension = 2 : i32}> : () -> vector<2xf32>
  return
}

// -----

func.func @print_layout_op_smem_ref(%r: memref<8xbf16, #gpu.address_space<workgroup>>) {
  "mosaic_gpu.print_layout"(%r) <{format = "{}"}> : (memref<8xbf16, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @print_layout_op_invalid_ref(%r: memref<8xbf16>) {
  // expected-error@+1 {{reports references in shared and tensor memory}}
  "mosaic_gpu.print_layout"(%r) <{format = "{}"}> : (memref<8xbf16>) -> ()
  return
}

// -----

func.func @try_cluster_cancel_invalid_response_size(%r: memref<8xi8, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{keeps its answer in 16 bytes of shared memory}}
  "mosaic_gpu.try_cluster_cancel"(%r, %b) : (memref<8xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @try_cluster_cancel_not_in_smem(%r: memref<16xi8>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{keeps its answer in 16 bytes of shared memory}}
  "mosaic_gpu.try_cluster_cancel"(%r, %b) : (memref<16xi8>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @query_cluster_cancel_invalid_response_size(%r: memref<8xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{keeps its answer in 16 bytes of shared memory}}
  %q:4 = "mosaic_gpu.query_cluster_cancel"(%r) : (memref<8xi8, #gpu.address_space<workgroup>>) -> (i32, i32, i32, i1)
  return
}

// -----

func.func @query_cluster_cancel_not_in_smem(%r: memref<16xi8>) {
  // expected-error@+1 {{keeps its answer in 16 bytes of shared memory}}
  %q:4 = "mosaic_gpu.query_cluster_cancel"(%r) : (memref<16xi8>) -> (i32, i32, i32, i1)
  return
}

// -----

func.func @types(%a: memref<!mosaic_gpu.barrier>, %b: memref<!mosaic_gpu.barrier<orders_tensor_core = true>>, %c: memref<4x!mosaic_gpu.b6x16_p32<f6E2M3FN>>, %d: memref<4x!mosaic_gpu.p2b6<f6E3M2FN>>) attributes {x = #mosaic_gpu.copy_replicated, y = #mosaic_gpu.copy_partitioned<axis = 1>} {
  return
}

// -----

// expected-error@+1 {{the element type has 6 bits, unlike 'f16'}}
func.func private @b6x16_p32_type_bindings(%a: memref<4x!mosaic_gpu.b6x16_p32<f16>>)

// -----

// expected-error@+1 {{the element type has 6 bits, unlike 'f8E5M2'}}
func.func private @p2b6_type_bindings(%a: memref<4x!mosaic_gpu.p2b6<f8E5M2>>)
