// One case per rule that the verifiers of loads, stores and views check.
// RUN: lanescope-opt %s --split-input-file --verify-diagnostics

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @load_indices(%r: !vmem, %i: index) {
  // expected-error@+1 {{has 2 indices for}}
  %0 = tpu.vector_load %r[%i, %i] {strides = array<i32>} : !vmem, vector<16xi32>,
  return
}

// -----

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @load_stride_count(%r: !vmem, %i: index) {
  // expected-error@+1 {{has 2 strides for}}
  %0 = tpu.vector_load %r[%i] {strides = array<i32: 1, 1>} : !vmem, vector<16xi32>,
  return
}

// -----

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @load_strides(%r: !vmem, %i: index) {
  // expected-error@+1 {{has strides, which are not implemented}}
  %0 = tpu.vector_load %r[%i] {strides = array<i32: 2>} : !vmem, vector<16xi32>,
  return
}

// -----

!hbm = memref<64xi32, #tpu.memory_space<hbm>>
func.func @load_memory(%r: !hbm, %i: index) {
  // expected-error@+1 {{expects its reference in VMEM}}
  %0 = tpu.vector_load %r[%i] {strides = array<i32>} : !hbm, vector<16xi32>,
  return
}

// -----

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @load_type(%r: !vmem, %i: index) {
  // expected-error@+1 {{expected the same element type}}
  %0 = tpu.vector_load %r[%i] {strides = array<i32>} : !vmem, vector<16xf32>,
  return
}

// -----

!vmem = memref<64xi16, #tpu.memory_space<vmem>>
func.func @load_masked_narrow(%r: !vmem, %i: index, %m: vector<32xi1>) {
  // expected-error@+1 {{has a mask for elements of type 'i16'}}
  %0 = tpu.vector_load %r[%i] masked %m {strides = array<i32>} : !vmem, vector<32xi16>, vector<32xi1>
  return
}

// -----

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @load_mask_shape(%r: !vmem, %i: index, %m: vector<8xi1>) {
  // expected-error@+1 {{that does not broadcast to}}
  %0 = tpu.vector_load %r[%i] masked %m {strides = array<i32>} : !vmem, vector<16xi32>, vector<8xi1>
  return
}

// -----

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @store_indices(%r: !vmem, %v: vector<16xi32>) {
  // expected-error@+1 {{has 0 indices for}}
  tpu.vector_store %r[], %v {strides = array<i32>} : !vmem, vector<16xi32>,
  return
}

// -----

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @store_strides(%r: !vmem, %i: index, %v: vector<16xi32>) {
  // expected-error@+1 {{has strides, which are not implemented}}
  tpu.vector_store %r[%i], %v {strides = array<i32: 1>} : !vmem, vector<16xi32>,
  return
}

// -----

!smem = memref<64xi32, #tpu.memory_space<smem>>
func.func @store_memory(%r: !smem, %i: index, %v: vector<16xi32>) {
  // expected-error@+1 {{expects its reference in VMEM}}
  tpu.vector_store %r[%i], %v {strides = array<i32>} : !smem, vector<16xi32>,
  return
}

// -----

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @store_mask_shape(%r: !vmem, %i: index, %v: vector<2x16xi32>, %m: vector<16xi1>) {
  // expected-error@+1 {{expected the same shape}}
  tpu.vector_store %r[%i], %v masked %m {strides = array<i32>} : !vmem, vector<2x16xi32>, vector<16xi1>
  return
}

// -----

!vmem = memref<8x16xi32, #tpu.memory_space<vmem>>
func.func @load_idx_count(%r: !vmem, %i: vector<16xi32>) {
  // expected-error@+1 {{has 1 vectors of indices for}}
  %0 = tpu.vector_load_idx %r[%i] : !vmem[vector<16xi32>], vector<16xi32>,
  return
}

// -----

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @load_idx_shape(%r: !vmem, %i: vector<8xi32>) {
  // expected-error@+1 {{has the indices 'vector<8xi32>' (number 0) for}}
  %0 = tpu.vector_load_idx %r[%i] : !vmem[vector<8xi32>], vector<16xi32>,
  return
}

// -----

!vmem = memref<64xi16, #tpu.memory_space<vmem>>
func.func @load_idx_type(%r: !vmem, %i: vector<16xi32>) {
  // expected-error@+1 {{must be memref of 32-bit signless integer or 32-bit float values}}
  %0 = tpu.vector_load_idx %r[%i] : !vmem[vector<16xi32>], vector<16xi32>,
  return
}

// -----

!vmem = memref<64xi32, #tpu.memory_space<vmem>>
func.func @store_idx_rank(%r: !vmem, %i: vector<2x16xi32>, %v: vector<2x16xi32>) {
  // expected-error@+1 {{stores vectors of rank 1}}
  tpu.vector_store_idx %r[%i], %v : !vmem[vector<2x16xi32>], vector<2x16xi32>,
  return
}

// -----

!smem = memref<4xi32, #tpu.memory_space<smem>>
func.func @fetch_scalar(%r: !smem, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // expected-error@+1 {{adds on vector subcores only}}
  %0 = tpu.fetch_and_add_sync %r[%i], %i, %i : !smem, i32 -> i32
  return
}

// -----

!smem = memref<4xi32, #tpu.memory_space<smem>>
func.func @fetch_indices(%r: !smem, %i: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{has 2 indices for}}
  %0 = tpu.fetch_and_add_sync %r[%i, %i], %i, %i : !smem, i32 -> i32
  return
}

// -----

!dynamic = memref<?x16xi32, #tpu.memory_space<hbm>>
!part = memref<1x16xi32, #tpu.memory_space<hbm>>
func.func @slice_dynamic(%r: !dynamic, %i: i32) {
  // expected-error@+1 {{takes a part of references of static shape only}}
  %0 = tpu.memref_slice %r[%i, %i] : !dynamic -> !part
  return
}

// -----

!all = memref<4x16xi32, #tpu.memory_space<hbm>>
!part = memref<?x16xi32, #tpu.memory_space<hbm>>
func.func @slice_sizes(%r: !all, %i: i32) {
  // expected-error@+1 {{has 0 sizes for the 1 dynamic dimensions of}}
  %0 = tpu.memref_slice %r[%i, %i] : !all -> !part
  return
}

// -----

!all = memref<4xi32, #tpu.memory_space<semaphore_mem>>
func.func @slice_semaphores(%r: !all, %i: i32) {
  // expected-error@+1 {{expects semaphores in semaphore memory}}
  %0 = tpu.memref_slice %r[%i] : !all -> !all
  return
}

// -----

!all = memref<4x16xi32, #tpu.memory_space<hbm>>
!part = memref<16xi32, #tpu.memory_space<hbm>>
func.func @slice_rank(%r: !all, %i: i32) {
  // expected-error@+1 {{expected one for each dimension and the same rank}}
  %0 = tpu.memref_slice %r[%i, %i] : !all -> !part
  return
}

// -----

!all = memref<4x16xi32, #tpu.memory_space<hbm>>
!part = memref<1x16xi32, #tpu.memory_space<vmem>>
func.func @slice_memory(%r: !all, %i: i32) {
  // expected-error@+1 {{to another memory}}
  %0 = tpu.memref_slice %r[%i, %i] : !all -> !part
  return
}

// -----

!all = memref<16x256xi32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>
!part = memref<8x128xi32, #tpu.memory_space<vmem>>
func.func @slice_tiled(%r: !all, %i: i32) {
  // expected-error@+1 {{expected both tiled or neither}}
  %0 = tpu.memref_slice %r[%i, %i] : !all -> !part
  return
}

// -----

!all = memref<4x64xi32, #tpu.memory_space<hbm>>
!part = memref<2x16xi32, strided<[16, 1], offset: ?>, #tpu.memory_space<hbm>>
func.func @slice_strides(%r: !all, %i: i32) {
  // expected-error@+1 {{expected strided<[64, 1], offset: ?>}}
  %0 = tpu.memref_slice %r[%i, %i] : !all -> !part
  return
}

// -----

!all = memref<4x64xi32, #tpu.memory_space<hbm>>
!part = memref<1x16xi32, strided<[64, 1], offset: 3>, #tpu.memory_space<hbm>>
func.func @slice_offset(%r: !all) {
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{expected strided<[64, 1], offset: 65>}}
  %0 = tpu.memref_slice %r[%c1, %c1] : !all -> !part
  return
}

// -----

!all = memref<1x64xi32, #tpu.memory_space<hbm>>
!part = memref<64xf32, #tpu.memory_space<hbm>>
func.func @squeeze_type(%r: !all) {
  // expected-error@+1 {{changes the element type of}}
  %0 = tpu.memref_squeeze %r : !all -> !part
  return
}

// -----

!all = memref<1x64xi32, #tpu.memory_space<hbm>>
!part = memref<64xi32, #tpu.memory_space<vmem>>
func.func @squeeze_memory(%r: !all) {
  // expected-error@+1 {{to another memory}}
  %0 = tpu.memref_squeeze %r : !all -> !part
  return
}

// -----

!all = memref<2x64xi32, #tpu.memory_space<hbm>>
!part = memref<64xi32, #tpu.memory_space<hbm>>
func.func @squeeze_shape(%r: !all) {
  // expected-error@+1 {{expected some dimensions of size 1 less}}
  %0 = tpu.memref_squeeze %r : !all -> !part
  return
}

// -----

!all = memref<1x64xi32, strided<[64, 1], offset: 512>, #tpu.memory_space<vmem>>
!part = memref<64xi32, strided<[2], offset: 512>, #tpu.memory_space<vmem>>
func.func @squeeze_strides(%r: !all) {
  // expected-error@+1 {{expected strided<[1], offset: 512>}}
  %0 = tpu.memref_squeeze %r : !all -> !part
  return
}

// -----

!all = memref<1x128xi32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>
!part = memref<128xi32, #tpu.tiled<(128),[1]>, #tpu.memory_space<vmem>>
func.func @squeeze_tiled(%r: !all) {
  // expected-error@+1 {{drops dimension 0 of}}
  %0 = tpu.memref_squeeze %r : !all -> !part
  return
}

// -----

!all = memref<1x128xi32, #tpu.tiled<(1,128),[1,1]>, #tpu.memory_space<vmem>>
!part = memref<128xi32, #tpu.memory_space<vmem>>
func.func @squeeze_untiled(%r: !all) {
  // expected-error@+1 {{expected both tiled or neither}}
  %0 = tpu.memref_squeeze %r : !all -> !part
  return
}

// -----

!all = memref<64xi32, #tpu.memory_space<vmem>>
!part = memref<4x16xi32, #tpu.memory_space<vmem>>
func.func @reshape_1d(%r: !all) {
  // expected-error@+1 {{of 1-D references is not implemented}}
  %0 = tpu.memref_reshape %r : !all -> !part
  return
}

// -----

!all = memref<4x16xi32, #tpu.memory_space<vmem>>
!part = memref<8x16xi32, #tpu.memory_space<vmem>>
func.func @reshape_count(%r: !all) {
  // expected-error@+1 {{expected as many elements}}
  %0 = tpu.memref_reshape %r : !all -> !part
  return
}

// -----

!all = memref<4x16xi32, #tpu.memory_space<vmem>>
!part = memref<8x8xf32, #tpu.memory_space<vmem>>
func.func @reshape_type(%r: !all) {
  // expected-error@+1 {{changes the element type of}}
  %0 = tpu.memref_reshape %r : !all -> !part
  return
}

// -----

!all = memref<4x16xi32, strided<[32, 1]>, #tpu.memory_space<vmem>>
!part = memref<8x8xi32, #tpu.memory_space<vmem>>
func.func @reshape_strided(%r: !all) {
  // expected-error@+1 {{takes references with the identity or a tiled layout}}
  %0 = tpu.memref_reshape %r : !all -> !part
  return
}

// -----

!all = memref<16x256xi32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>
!part = memref<2x8x256xi32, #tpu.tiled<(1,128),[16,2,1]>, #tpu.memory_space<vmem>>
func.func @reshape_tiles(%r: !all) {
  // expected-error@+1 {{changes the tiles of}}
  %0 = tpu.memref_reshape %r : !all -> !part
  return
}

// -----

!all = memref<16x256xi32, #tpu.tiled<(128),[2,1]>, #tpu.memory_space<vmem>>
!part = memref<2x8x256xi32, #tpu.tiled<(128),[16,2,1]>, #tpu.memory_space<vmem>>
func.func @reshape_1d_tile(%r: !all) {
  // expected-error@+1 {{whose tile is not 2-D is not implemented}}
  %0 = tpu.memref_reshape %r : !all -> !part
  return
}

// -----

!all = memref<16x256xi32, #tpu.tiled<(8,128),[4,1]>, #tpu.memory_space<vmem>>
!part = memref<2x8x256xi32, #tpu.tiled<(8,128),[2,2,1]>, #tpu.memory_space<vmem>>
func.func @reshape_gaps(%r: !all) {
  // expected-error@+1 {{of tiles with gaps between them is not implemented}}
  %0 = tpu.memref_reshape %r : !all -> !part
  return
}

// -----

!all = memref<16x256xi32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>
!part = memref<32x128xi32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>
func.func @reshape_minor(%r: !all) {
  // expected-error@+1 {{changes the minor dimension of}}
  %0 = tpu.memref_reshape %r : !all -> !part
  return
}

// -----

!all = memref<16x128xi32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>
!part = memref<4x4x128xi32, #tpu.tiled<(8,128),[1,1,1]>, #tpu.memory_space<vmem>>
func.func @reshape_cut(%r: !all) {
  // expected-error@+1 {{cuts a tile of}}
  %0 = tpu.memref_reshape %r : !all -> !part
  return
}

// -----

!all = memref<8x8xi32, #tpu.memory_space<vmem>>
!part = memref<128xi16, #tpu.memory_space<vmem>>
func.func @bitcast_rank(%r: !all) {
  // expected-error@+1 {{expected the same rank}}
  %0 = tpu.memref_bitcast %r : !all -> !part
  return
}

// -----

!all = memref<8xi32, #tpu.memory_space<vmem>>
!part = memref<16xi16, #tpu.memory_space<vmem>>
func.func @bitcast_1d(%r: !all) {
  // expected-error@+1 {{of 1-D references is not implemented}}
  %0 = tpu.memref_bitcast %r : !all -> !part
  return
}

// -----

!all = memref<8x8xi32, #tpu.memory_space<vmem>>
!part = memref<8x16xi16, #tpu.memory_space<vmem>>
func.func @bitcast_bits(%r: !all) {
  // expected-error@+1 {{expected as many bits along dimension 0}}
  %0 = tpu.memref_bitcast %r : !all -> !part
  return
}

// -----

!all = memref<8x8xi32, #tpu.memory_space<vmem>>
!part = memref<16x4xi16, #tpu.memory_space<vmem>>
func.func @bitcast_size(%r: !all) {
  // expected-error@+1 {{expected the same size of dimension 1}}
  %0 = tpu.memref_bitcast %r : !all -> !part
  return
}

// -----

!all = memref<8x128xi32, #tpu.memory_space<vmem>>
!part = memref<16x128xi16, #tpu.tiled<(16,128),[1,1]>, #tpu.memory_space<vmem>>
func.func @bitcast_tiled(%r: !all) {
  // expected-error@+1 {{expected a tiled one too}}
  %0 = tpu.memref_bitcast %r : !all -> !part
  return
}

// -----

!all = memref<8x128xi32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>
!part = memref<16x128xi16, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>
func.func @bitcast_rows(%r: !all) {
  // expected-error@+1 {{whose tiles have other rows of bits}}
  %0 = tpu.memref_bitcast %r : !all -> !part
  return
}

// -----

func.func @erase_elements(%r: memref<8xi32, #tpu.tiled<(8),[1]>, #tpu.memory_space<vmem>>) {
  // expected-error@+1 {{expected the same elements}}
  %0 = tpu.erase_memref_layout %r : memref<8xi32, #tpu.tiled<(8),[1]>, #tpu.memory_space<vmem>> -> memref<4xi32, #tpu.memory_space<vmem>>
  return
}

// -----

func.func @erase_memory(%r: memref<8xi32, #tpu.tiled<(8),[1]>, #tpu.memory_space<vmem>>) {
  // expected-error@+1 {{to another memory}}
  %0 = tpu.erase_memref_layout %r : memref<8xi32, #tpu.tiled<(8),[1]>, #tpu.memory_space<vmem>> -> memref<8xi32, #tpu.memory_space<hbm>>
  return
}
