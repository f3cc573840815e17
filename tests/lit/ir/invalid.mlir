// One case per rule that a verifier checks.
// RUN: lanescope-opt %s --split-input-file --verify-diagnostics --mosaic-gpu-kernel-rules

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
!barrier = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
func.func @load_from_shared(%s: !smem, %b: !barrier, %i: i32) {
  // expected-error@+1 {{expects the sliced reference in global memory}}
  "mosaic_gpu.async_load"(%s, %s, %b, %i, %i) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 64>}> : (!smem, !smem, !barrier, i32, i32) -> ()
  return
}

// -----

!barrier = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
func.func @load_to_global(%x: memref<128x64xf16>, %b: !barrier, %i: i32) {
  // expected-error@+1 {{expects the other reference in shared memory}}
  "mosaic_gpu.async_load"(%x, %x, %b, %i, %i) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 64>}> : (memref<128x64xf16>, memref<128x64xf16>, !barrier, i32, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
func.func @element_types(%s: !smem, %x: memref<128x64xf32>, %i: i32) {
  // expected-error@+1 {{copies between element types 'f32' and 'f16'}}
  "mosaic_gpu.async_store"(%s, %x, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 64>}> : (!smem, memref<128x64xf32>, i32, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
func.func @lengths(%s: !smem, %x: memref<128x64xf16>, %i: i32) {
  // expected-error@+1 {{has 1 slice lengths for a reference of rank 2}}
  "mosaic_gpu.async_store"(%s, %x, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128>}> : (!smem, memref<128x64xf16>, i32, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
func.func @indices(%s: !smem, %x: memref<128x64xf16>, %i: i32) {
  // expected-error@+1 {{has 1 indices and 2 slice lengths}}
  "mosaic_gpu.async_store"(%s, %x, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, slice_lengths = array<i64: 128, 64>}> : (!smem, memref<128x64xf16>, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
func.func @negative_length(%s: !smem, %x: memref<128x64xf16>, %i: i32) {
  // expected-error@+1 {{has the slice length -2}}
  "mosaic_gpu.async_store"(%s, %x, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: -2, 64>}> : (!smem, memref<128x64xf16>, i32, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
func.func @rank(%s: !smem, %x: memref<128x64xf16>, %i: i32) {
  // expected-error@+1 {{takes a slice of rank 1 but the reference in shared memory has rank 2}}
  "mosaic_gpu.async_store"(%s, %x, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: -1, 64>}> : (!smem, memref<128x64xf16>, i32, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
func.func @shape(%s: !smem, %x: memref<128x128xf16>, %i: i32) {
  // expected-error@+1 {{takes a slice of shape (128, 128) but the reference in shared memory has shape (128, 64)}}
  "mosaic_gpu.async_store"(%s, %x, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 128>}> : (!smem, memref<128x128xf16>, i32, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
!barrier = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
func.func @two_gathers(%s: !smem, %x: memref<128x64xf16>, %b: !barrier, %i: vector<128xi32>, %j: vector<64xi32>) {
  // expected-error@+1 {{gathers along two dimensions}}
  "mosaic_gpu.async_load"(%x, %s, %b, %i, %j) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 64>}> : (memref<128x64xf16>, !smem, !barrier, vector<128xi32>, vector<64xi32>) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
!barrier = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
func.func @gather_length(%s: !smem, %x: memref<128x64xf16>, %b: !barrier, %i: vector<16xi32>, %j: i32) {
  // expected-error@+1 {{gathers 16 rows with a slice length of 128}}
  "mosaic_gpu.async_load"(%x, %s, %b, %i, %j) <{collective = [], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 64>}> : (memref<128x64xf16>, !smem, !barrier, vector<16xi32>, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
!barrier = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
func.func @collective(%s: !smem, %x: memref<128x64xf16>, %b: !barrier, %i: i32) {
  // expected-error@+1 {{lists a cluster dimension twice}}
  "mosaic_gpu.async_load"(%x, %s, %b, %i, %i) <{collective = [0 : i32, 0 : i32], operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 64>}> : (memref<128x64xf16>, !smem, !barrier, i32, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
!barrier = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
func.func @tracked(%s: !smem, %x: memref<128x64xf16>, %b: !barrier, %i: i32) {
  // expected-error@+1 {{`leader_tracked` is `copy_replicated` or `copy_partitioned`}}
  "mosaic_gpu.async_load"(%x, %s, %b, %i, %i) <{collective = [], leader_tracked = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 128, 64>}> : (memref<128x64xf16>, !smem, !barrier, i32, i32) -> ()
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
func.func @broadcast_and_peer(%s: !smem, %x: memref<128x64xf16>, %i: i32) {
  // expected-error@+1 {{stores to one peer and to all of them}}
  "mosaic_gpu.async_store"(%s, %x, %i, %i, %i) <{is_global_broadcast = true, operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>, slice_lengths = array<i64: 128, 64>}> : (!smem, memref<128x64xf16>, i32, i32, i32) -> ()
  return
}

// -----

func.func @load_type(%x: memref<8x8xf32>) {
  // expected-error@+1 {{has an array of 'f16' and a reference of 'f32'}}
  %v = "mosaic_gpu.vector_load"(%x) : (memref<8x8xf32>) -> vector<8x8xf16>
  return
}

// -----

func.func @store_shape(%x: memref<8x8xf32>, %v: vector<8x4xf32>) {
  // expected-error@+1 {{expected equal shapes}}
  "mosaic_gpu.vector_store"(%v, %x) : (vector<8x4xf32>, memref<8x8xf32>) -> ()
  return
}

// -----

func.func @multimem(%x: memref<8x8xf32, #gpu.address_space<workgroup>>, %v: vector<8x8xf32>) {
  // expected-error@+1 {{a multimem store writes global memory}}
  "mosaic_gpu.vector_store"(%v, %x) <{multimem = true}> : (vector<8x8xf32>, memref<8x8xf32, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @eviction(%x: memref<8x8xf32>) {
  // expected-error@+1 {{has the eviction policy `last`; it is `evict_first` or `evict_last`}}
  %v = "mosaic_gpu.vector_load"(%x) <{eviction_policy = "last"}> : (memref<8x8xf32>) -> vector<8x8xf32>
  return
}

// -----

func.func @eviction_space(%x: memref<8x8xf32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{an eviction policy, which is for global memory}}
  %v = "mosaic_gpu.vector_load"(%x) <{eviction_policy = "evict_last"}> : (memref<8x8xf32, #gpu.address_space<workgroup>>) -> vector<8x8xf32>
  return
}

// -----

func.func @slice_space() {
  // expected-error@+1 {{gives a reference in shared memory}}
  %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<8xf32>
  return
}

// -----

func.func @slice_dynamic() {
  // expected-error@+1 {{needs a static shape}}
  %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<?xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @slice_offset() {
  // expected-error@+1 {{non-negative}}
  %s = "mosaic_gpu.slice_smem"() <{offset = -8 : i32}> : () -> memref<8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @transforms_of_global(%x: memref<128x64xf16>) {
  // expected-error@+1 {{transforms references in shared memory}}
  %t = "mosaic_gpu.with_transforms"(%x) <{transforms = []}> : (memref<128x64xf16>) -> memref<128x64xf16>
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
func.func @transform_order(%x: !smem) {
  // expected-error@+1 {{a tiling comes once, before the swizzle}}
  %t = "mosaic_gpu.with_transforms"(%x) <{transforms = [#mosaic_gpu.swizzle<64>, #mosaic_gpu.tile<[8, 32]>]}> : (!smem) -> !smem
  return
}

// -----

!smem = memref<128x64xf16, #gpu.address_space<workgroup>>
func.func @tile_divides(%x: !smem) {
  // expected-error@+1 {{tiles a dimension of size 64 by 48, which does not divide it}}
  %t = "mosaic_gpu.with_transforms"(%x) <{transforms = [#mosaic_gpu.tile<[8, 48]>]}> : (!smem) -> !smem
  return
}

// -----

!smem = memref<64xf16, #gpu.address_space<workgroup>>
func.func @tile_rank(%x: !smem) {
  // expected-error@+1 {{tiles 2 dimensions of a reference of rank 1}}
  %t = "mosaic_gpu.with_transforms"(%x) <{transforms = [#mosaic_gpu.tile<[8, 8]>]}> : (!smem) -> !smem
  return
}

// -----

// expected-error@+1 {{the swizzle is 48 bytes}}
func.func private @swizzle() attributes {a = #mosaic_gpu.swizzle<48>}

// -----

// expected-error@+1 {{the tile has the size 0}}
func.func private @tile() attributes {a = #mosaic_gpu.tile<[0, 8]>}

// -----

// expected-error@+1 {{cannot be replicated 0 times}}
func.func private @replicated() attributes {a = #mosaic_gpu.Replicated<times = 0>}

// -----

// expected-error@+1 {{negative size}}
func.func private @splat() attributes {a = #mosaic_gpu.WGSplatFragLayout<[-1]>}

// -----

// expected-error@+1 {{an entry of the tiling is not a list of sizes}}
func.func private @tiling() attributes {a = #mosaic_gpu.TiledLayout<[64], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}

// -----

// expected-error@+1 {{an entry of `warp_dims` is not an integer}}
func.func private @warps() attributes {a = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = ["x"], lane_dims = [-3, -2], vector_dim = -1>}

// -----

func.func @cast_shape(%x: vector<8x8xf32>) {
  // expected-error@+1 {{cannot give an array of type 'vector<8x8xf32>' this layout}}
  %y = mosaic_gpu.layout_cast x(%x : vector<8x8xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
  return
}

// -----

func.func @cast_strided(%x: vector<8x32xf32>) {
  // expected-error@+1 {{to a layout of another shape}}
  %y = mosaic_gpu.layout_cast x(%x : vector<8x32xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[16, 16], 2>}
  return
}

// -----

func.func @broadcast_count(%x: vector<8xf32>) {
  // expected-error@+1 {{has 2 broadcast dimensions for an array of rank 1}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<8xf32>) {broadcast_dimensions = array<i64: 0, 1>} -> vector<8x8xf32>
  return
}

// -----

func.func @broadcast_range(%x: vector<8xf32>) {
  // expected-error@+1 {{has the broadcast dimension 2 for a result of rank 2}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<8xf32>) {broadcast_dimensions = array<i64: 2>} -> vector<8x8xf32>
  return
}

// -----

func.func @broadcast_order(%x: vector<8x8xf32>) {
  // expected-error@+1 {{do not increase}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<8x8xf32>) {broadcast_dimensions = array<i64: 1, 0>} -> vector<8x8xf32>
  return
}

// -----

func.func @broadcast_size(%x: vector<4xf32>) {
  // expected-error@+1 {{spreads a dimension of size 4 over one of size 8}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<4xf32>) {broadcast_dimensions = array<i64: 1>} -> vector<8x8xf32>
  return
}

// -----

func.func @broadcast_type(%x: vector<8xf32>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'f16'}}
  %y = mosaic_gpu.broadcast_in_dim(%x : vector<8xf32>) {broadcast_dimensions = array<i64: 1>} -> vector<8x8xf16>
  return
}

// -----

func.func @iota() {
  // expected-error@+1 {{counts along dimension 2 of an array of rank 2}}
  %y = "mosaic_gpu.broadcasted_iota"() <{dimension = 2 : i32}> : () -> vector<8x8xi32>
  return
}

// -----

func.func @nothing() {
  // expected-error@+1 {{passes on at least one value}}
  "mosaic_gpu.optimization_barrier"() : () -> ()
  return
}

// -----

func.func @barrier_types(%x: f32) {
  // expected-error@+1 {{has results whose types differ}}
  %y = "mosaic_gpu.optimization_barrier"(%x) : (f32) -> f16
  return
}

// -----

!b = memref<64x128xf16, #gpu.address_space<workgroup>>
func.func @wgmma_k(%acc: vector<64x128xf32>, %a: memref<64x32xf16, #gpu.address_space<workgroup>>, %b: !b) {
  // expected-error@+1 {{has 32 columns in a and 64 rows in b}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<64x128xf32>) a(%a : memref<64x32xf16, #gpu.address_space<workgroup>>) b(%b : !b) -> vector<64x128xf32>
  return
}

// -----

!b = memref<64x128xf16, #gpu.address_space<workgroup>>
func.func @wgmma_m(%acc: vector<64x128xf32>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: !b) {
  // expected-error@+1 {{has 128 rows in a and 64 in the accumulator}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<64x128xf32>) a(%a : memref<128x64xf16, #gpu.address_space<workgroup>>) b(%b : !b) -> vector<64x128xf32>
  return
}

// -----

!b = memref<64x128xf16, #gpu.address_space<workgroup>>
func.func @wgmma_n(%acc: vector<64x64xf32>, %a: memref<64x64xf16, #gpu.address_space<workgroup>>, %b: !b) {
  // expected-error@+1 {{has 128 columns in b and 64 in the accumulator}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<64x64xf32>) a(%a : memref<64x64xf16, #gpu.address_space<workgroup>>) b(%b : !b) -> vector<64x64xf32>
  return
}

// -----

!b = memref<64x128xf16, #gpu.address_space<workgroup>>
func.func @wgmma_rows(%acc: vector<32x128xf32>, %a: memref<32x64xf16, #gpu.address_space<workgroup>>, %b: !b) {
  // expected-error@+1 {{`wgmma` of f16 has M = a multiple of 64, not 32}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<32x128xf32>) a(%a : memref<32x64xf16, #gpu.address_space<workgroup>>) b(%b : !b) -> vector<32x128xf32>
  return
}

// -----

!b = memref<64x128xf16, #gpu.address_space<workgroup>>
func.func @wgmma_types(%acc: vector<64x128xf32>, %a: memref<64x64xbf16, #gpu.address_space<workgroup>>, %b: !b) {
  // expected-error@+1 {{bf16 and f16 are not multiplied together by `wgmma`; B must be bf16}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<64x128xf32>) a(%a : memref<64x64xbf16, #gpu.address_space<workgroup>>) b(%b : !b) -> vector<64x128xf32>
  return
}

// -----

func.func @wgmma_integer_columns(%acc: vector<64x40xi32>, %a: memref<64x64xi8, #gpu.address_space<workgroup>>, %b: memref<64x40xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{`wgmma` of i8 has N = 8, 24 or a multiple of 16 up to 256, not 40}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<64x40xi32>) a(%a : memref<64x64xi8, #gpu.address_space<workgroup>>) b(%b : memref<64x40xi8, #gpu.address_space<workgroup>>) -> vector<64x40xi32>
  return
}

// -----

func.func @wgmma_columns(%acc: vector<64x264xf32>, %a: memref<64x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x264xf16, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{`wgmma` of f16 has N = a multiple of 8 up to 256, not 264}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<64x264xf32>) a(%a : memref<64x64xf16, #gpu.address_space<workgroup>>) b(%b : memref<64x264xf16, #gpu.address_space<workgroup>>) -> vector<64x264xf32>
  return
}

// -----

func.func @wgmma_sum(%acc: vector<64x64xf16>, %a: memref<64x64xf32, #gpu.address_space<workgroup>>, %b: memref<64x64xf32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{`wgmma` does not sum products of f32 in f16; there is f32}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<64x64xf16>) a(%a : memref<64x64xf32, #gpu.address_space<workgroup>>) b(%b : memref<64x64xf32, #gpu.address_space<workgroup>>) -> vector<64x64xf16>
  return
}

// -----

func.func @wgmma_unsigned_sum(%acc: vector<64x64xf32>, %a: memref<64x64xi8, #gpu.address_space<workgroup>>, %b: memref<64x64xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{`wgmma` does not sum products of u8 in f32; there is i32}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<64x64xf32>) a(%a : memref<64x64xi8, #gpu.address_space<workgroup>>) b(%b : memref<64x64xi8, #gpu.address_space<workgroup>>) {lanescope.unsigned_a} -> vector<64x64xf32>
  return
}

// -----

func.func @wgmma_depth(%acc: vector<64x64xf32>, %a: memref<64x24xf16, #gpu.address_space<workgroup>>, %b: memref<24x64xf16, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{`wgmma` of f16 has K = a multiple of 16, not 24}}
  %r = mosaic_gpu.wgmma accumulator(%acc : vector<64x64xf32>) a(%a : memref<64x24xf16, #gpu.address_space<workgroup>>) b(%b : memref<24x64xf16, #gpu.address_space<workgroup>>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_types(%acc: vector<64x64xf32>, %a: vector<64x64xf16>, %b: vector<64x64xbf16>) {
  // expected-error@+1 {{f16 and bf16 are not multiplied together by `mma`; B must be f16}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x64xf16>) b(%b : vector<64x64xbf16>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_sum(%acc: vector<64x64xf32>, %a: vector<64x64xi8>, %b: vector<64x64xi8>) {
  // expected-error@+1 {{`mma` does not sum products of i8 in f32; there is i32}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x64xi8>) b(%b : vector<64x64xi8>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_depth(%acc: vector<64x64xf32>, %a: vector<64x24xf8E4M3FN>, %b: vector<24x64xf8E5M2>) {
  // expected-error@+1 {{`mma` of f8e4m3fn has K = a multiple of 32, not 24}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x24xf8E4M3FN>) b(%b : vector<24x64xf8E5M2>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_one_scale(%acc: vector<64x64xf32>, %a: vector<64x128xf8E4M3FN>, %b: vector<128x64xf8E4M3FN>, %s: vector<64x4xf8E8M0FNU>) {
  // expected-error@+1 {{has scales for both factors or for none, not 1}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x128xf8E4M3FN>) b(%b : vector<128x64xf8E4M3FN>) scales(%s : vector<64x4xf8E8M0FNU>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_scale_shape(%acc: vector<64x64xf32>, %a: vector<64x128xf8E4M3FN>, %b: vector<128x64xf8E4M3FN>, %s: vector<64x8xf8E8M0FNU>, %t: vector<64x8xf8E8M0FNU>) {
  // expected-error@+1 {{`a_scale` of shape (64, 8) does not go with K = 128}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x128xf8E4M3FN>) b(%b : vector<128x64xf8E4M3FN>) scales(%s, %t : vector<64x8xf8E8M0FNU>, vector<64x8xf8E8M0FNU>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_scale_rows(%acc: vector<64x64xf32>, %a: vector<64x128xf8E4M3FN>, %b: vector<128x64xf8E4M3FN>, %s: vector<64x4xf8E8M0FNU>, %t: vector<32x4xf8E8M0FNU>) {
  // expected-error@+1 {{the scales of `b` have the shape (64, 4), a row for each of its columns, and `b_scale` has (32, 4)}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x128xf8E4M3FN>) b(%b : vector<128x64xf8E4M3FN>) scales(%s, %t : vector<64x4xf8E8M0FNU>, vector<32x4xf8E8M0FNU>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_scale_type(%acc: vector<64x64xf32>, %a: vector<64x128xf8E4M3FN>, %b: vector<128x64xf8E4M3FN>, %s: vector<64x8xf8E4M3FN>, %t: vector<64x8xf8E4M3FN>) {
  // expected-error@+1 {{8-bit and 6-bit floats have scales of f8e8m0fnu; those of f8e4m3fn go with f4e2m1fn on both sides}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x128xf8E4M3FN>) b(%b : vector<128x64xf8E4M3FN>) scales(%s, %t : vector<64x8xf8E4M3FN>, vector<64x8xf8E4M3FN>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_scales_differ(%acc: vector<64x64xf32>, %a: vector<64x128xf4E2M1FN>, %b: vector<128x64xf4E2M1FN>, %s: vector<64x8xf8E4M3FN>, %t: vector<64x4xf8E8M0FNU>) {
  // expected-error@+1 {{the scales of both operands have one dtype}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x128xf4E2M1FN>) b(%b : vector<128x64xf4E2M1FN>) scales(%s, %t : vector<64x8xf8E4M3FN>, vector<64x4xf8E8M0FNU>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_scaled_halves(%acc: vector<64x64xf32>, %a: vector<64x128xf16>, %b: vector<128x64xf16>, %s: vector<64x4xf8E8M0FNU>, %t: vector<64x4xf8E8M0FNU>) {
  // expected-error@+1 {{block scales go with f8e4m3fn, f8e5m2, f6e2m3fn, f6e3m2fn and f4e2m1fn, not with f16}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x128xf16>) b(%b : vector<128x64xf16>) scales(%s, %t : vector<64x4xf8E8M0FNU>, vector<64x4xf8E8M0FNU>) -> vector<64x64xf32>
  return
}

// -----

func.func @mma_four_bits(%acc: vector<64x64xf32>, %a: vector<64x128xf4E2M1FN>, %b: vector<128x64xf16>) {
  // expected-error@+1 {{f4e2m1fn is multiplied by f8e4m3fn, f8e5m2, f6e2m3fn, f6e3m2fn or f4e2m1fn, not by f16}}
  %r = mosaic_gpu.mma accumulator(%acc : vector<64x64xf32>) a(%a : vector<64x128xf4E2M1FN>) b(%b : vector<128x64xf16>) -> vector<64x64xf32>
  return
}

// -----

func.func @program_id() {
  // expected-error@+1 {{failed to satisfy constraint}}
  %x = lanescope.program_id {dim = 3 : i32}
  return
}

// -----

func.func @registers() {
  // expected-error@+1 {{takes a count of registers that is a multiple of 8, not 41}}
  "lanescope.set_max_registers"() <{n = 41 : i32}> : () -> ()
  return
}

// -----

func.func @threads() {
  // expected-error@+1 {{takes whole warps, and 100 threads are none}}
  lanescope.named_barrier 0, 100
  return
}

// -----

func.func @ordinary_barrier(%b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{has `orders_tensor_core = true`, and its barrier is}}
  "mosaic_gpu.arrive"(%b) <{orders_tensor_core = true}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  return
}
