// One case per rule that a verifier of the `tpu` dialect checks.
// RUN: lanescope-opt %s --split-input-file --verify-diagnostics

//===------------------------------------ attributes --------------------------------------------------------------===//

// expected-error@+1 {{the first tile (8,128) has 2 dimensions, but there are 1 strides}}
func.func private @first_tile_rank(memref<16xi32, #tpu.tiled<(8,128),[1]>>)

// -----

// expected-error@+1 {{the tile (2,4,64) has 3 dimensions, but the tile (8,128) that it cuts has 2}}
func.func private @across_tiles(memref<4x16x256xi32, #tpu.tiled<(8,128)(2,4,64),[4,2,1]>>)

// -----

// expected-error@+1 {{the tile (3,1) does not divide (8,128) of the tile before it}}
func.func private @uneven(memref<16x256xi32, #tpu.tiled<(8,128)(3,1),[2,1]>>)

// -----

// expected-error@+1 {{the tile (0,128) has the size 0}}
func.func private @zero_tile(memref<16x256xi32, #tpu.tiled<(0,128),[2,1]>>)

// -----

// expected-error@+1 {{the stride -1 is negative}}
func.func private @negative_stride(memref<16x256xi32, #tpu.tiled<(8,128),[2,-1]>>)

// -----

// expected-error@+1 {{the tiled layout has 2 strides for a reference of rank 3}}
func.func private @layout_rank(memref<1x16x256xi32, #tpu.tiled<(8,128),[2,1]>>)

//===------------------------------------ vectors -----------------------------------------------------------------===//

// -----

func.func @iota_dimension() {
  // expected-error@+1 {{names dimension 1 of a vector of rank 1}}
  %0 = tpu.iota {dimensions = array<i32: 1>} : vector<16xi32>
  return
}

// -----

func.func @iota_twice() {
  // expected-error@+1 {{names dimension 0 twice}}
  %0 = tpu.iota {dimensions = array<i32: 0, 0>} : vector<16xi32>
  return
}

// -----

func.func @iota_float() {
  // expected-error@+1 {{must be vector of integer or index values}}
  %0 = tpu.iota {dimensions = array<i32: 0>} : vector<16xf32>
  return
}

// -----

func.func @concatenate_one(%x: vector<2x8xi32>) {
  // expected-error@+1 {{needs at least two vectors}}
  %0 = tpu.concatenate %x in 0 : vector<2x8xi32> -> vector<2x8xi32>
  return
}

// -----

func.func @concatenate_dimension(%x: vector<2x8xi32>) {
  // expected-error@+1 {{goes along dimension 2 of vectors of rank 2}}
  %0 = tpu.concatenate %x, %x in 2 : vector<2x8xi32>, vector<2x8xi32> -> vector<4x8xi32>
  return
}

// -----

func.func @concatenate_types(%x: vector<2x8xi32>, %y: vector<2x8xf32>) {
  // expected-error@+1 {{has sources of element types}}
  %0 = tpu.concatenate %x, %y in 0 : vector<2x8xi32>, vector<2x8xf32> -> vector<4x8xi32>
  return
}

// -----

func.func @concatenate_shapes(%x: vector<2x8xi32>, %y: vector<2x16xi32>) {
  // expected-error@+1 {{which differ outside dimension 0}}
  %0 = tpu.concatenate %x, %y in 0 : vector<2x8xi32>, vector<2x16xi32> -> vector<4x8xi32>
  return
}

// -----

func.func @concatenate_result(%x: vector<2x8xi32>) {
  // expected-error@+1 {{expected 'vector<4x8xi32>'}}
  %0 = tpu.concatenate %x, %x in 0 : vector<2x8xi32>, vector<2x8xi32> -> vector<3x8xi32>
  return
}

// -----

func.func @gather_dimension(%x: vector<16xi32>) {
  // expected-error@+1 {{names dimension 1 of a vector of rank 1}}
  %0 = tpu.dynamic_gather %x[%x] in [1] : vector<16xi32>, vector<16xi32> -> vector<16xi32>
  return
}

// -----

func.func @gather_rank(%x: vector<16xi32>, %i: vector<2x16xi32>) {
  // expected-error@+1 {{expected the same rank}}
  %0 = tpu.dynamic_gather %x[%i] in [0] : vector<16xi32>, vector<2x16xi32> -> vector<2x16xi32>
  return
}

// -----

func.func @gather_others(%x: vector<4x16xi32>, %i: vector<2x16xi32>) {
  // expected-error@+1 {{which differ in dimension 0, where nothing is gathered}}
  %0 = tpu.dynamic_gather %x[%i] in [1] : vector<4x16xi32>, vector<2x16xi32> -> vector<2x16xi32>
  return
}

// -----

func.func @bitcast_shape(%x: vector<16xi32>) {
  // expected-error@+1 {{but not the width of elements}}
  %0 = tpu.bitcast %x : vector<16xi32> -> vector<8xf32>
  return
}

// -----

func.func @bitcast_1d(%x: vector<16xi32>) {
  // expected-error@+1 {{changes the width of elements of a 1-D vector}}
  %0 = tpu.bitcast %x : vector<16xi32> -> vector<32xi16>
  return
}

// -----

func.func @bitcast_2d(%x: vector<4x8xi32>) {
  // expected-error@+1 {{expected the second-minor dimension to scale}}
  %0 = tpu.bitcast %x : vector<4x8xi32> -> vector<4x16xi16>
  return
}

// -----

func.func @pack_none() {
  // expected-error@+1 {{needs at least one source}}
  %0 = "tpu.pack_subelements"() <{pack_format = #tpu.pack_format<compressed>, positions = array<i32>}> : () -> vector<16x2xbf16>
  return
}

// -----

func.func @pack_wider(%x: vector<16xbf16>) {
  // expected-error@+1 {{into the wider}}
  %0 = tpu.pack_subelements %x {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0>} : vector<16xbf16> -> vector<16xf32>
  return
}

// -----

func.func @pack_positions(%x: vector<16xf32>) {
  // expected-error@+1 {{has 1 positions for 2 sources}}
  %0 = tpu.pack_subelements %x, %x {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0>} : vector<16xf32>, vector<16xf32> -> vector<16x2xbf16>
  return
}

// -----

func.func @pack_too_many(%x: vector<16xf32>) {
  // expected-error@+1 {{has 3 sources, of which at most 2 fit a word}}
  %0 = tpu.pack_subelements %x, %x, %x {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0, 1, 2>} : vector<16xf32>, vector<16xf32>, vector<16xf32> -> vector<16x2xbf16>
  return
}

// -----

func.func @pack_position(%x: vector<16xf32>) {
  // expected-error@+1 {{has the position 2, expected one from 0 to 1}}
  %0 = tpu.pack_subelements %x {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 2>} : vector<16xf32> -> vector<16x2xbf16>
  return
}

// -----

func.func @pack_twice(%x: vector<16xf32>) {
  // expected-error@+1 {{has the position 1 twice}}
  %0 = tpu.pack_subelements %x, %x {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 1, 1>} : vector<16xf32>, vector<16xf32> -> vector<16x2xbf16>
  return
}

// -----

func.func @unpack_index(%x: vector<16x2xbf16>) {
  // expected-error@+1 {{takes position 2 of 2 in a word}}
  %0 = tpu.unpack_subelements %x, 2 {pack_format = #tpu.pack_format<compressed>} : vector<16x2xbf16> -> vector<16xf32>
  return
}

// -----

func.func @unpack_unsigned(%x: vector<16x2xbf16>) {
  // expected-error@+1 {{has `unsigned_integers` for elements of type}}
  %0 = tpu.unpack_subelements %x, 0 {pack_format = #tpu.pack_format<compressed>, unsigned_integers = true} : vector<16x2xbf16> -> vector<16xf32>
  return
}

// -----

func.func @reduce_mask_output(%x: vector<16xi1>) {
  // expected-error@+1 {{of a mask gives i32}}
  %0 = tpu.all_reduce %x {dim = 0 : i64, kind = #tpu.reduction_kind<sum>} : vector<16xi1> -> vector<16xf32>
  return
}

// -----

func.func @reduce_mask_kind(%x: vector<16xi1>) {
  // expected-error@+1 {{of a mask is `sum` or `find_first_set`, not `max`}}
  %0 = tpu.all_reduce %x {dim = 0 : i64, kind = #tpu.reduction_kind<max>} : vector<16xi1> -> vector<16xi32>
  return
}

// -----

func.func @reduce_dimension(%x: vector<16xf32>) {
  // expected-error@+1 {{goes along dimension 1 of}}
  %0 = tpu.all_reduce %x {dim = 1 : i64, kind = #tpu.reduction_kind<max>} : vector<16xf32> -> vector<16xf32>
  return
}

// -----

func.func @reduce_first_set(%x: vector<16xf32>) {
  // expected-error@+1 {{`find_first_set` is for masks}}
  %0 = tpu.all_reduce %x {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<16xf32> -> vector<16xi32>
  return
}

// -----

func.func @reduce_type(%x: vector<16xf32>) {
  // expected-error@+1 {{expected the same type}}
  %0 = tpu.all_reduce %x {dim = 0 : i64, kind = #tpu.reduction_kind<sum>} : vector<16xf32> -> vector<16xi32>
  return
}

// -----

func.func @reduce_arg_shape(%x: vector<16xf32>) {
  // expected-error@+1 {{expected the same shape}}
  %0 = tpu.all_reduce %x {dim = 0 : i64, kind = #tpu.reduction_kind<arg_max>} : vector<16xf32> -> vector<8xi32>
  return
}

// -----

func.func @reduce_arg_input(%x: vector<16xi32>) {
  // expected-error@+1 {{take f32 and bf16}}
  %0 = tpu.all_reduce %x {dim = 0 : i64, kind = #tpu.reduction_kind<arg_max>} : vector<16xi32> -> vector<16xi32>
  return
}

// -----

func.func @reduce_arg_output(%x: vector<16xf32>) {
  // expected-error@+1 {{give i32}}
  %0 = tpu.all_reduce %x {dim = 0 : i64, kind = #tpu.reduction_kind<arg_min>} : vector<16xf32> -> vector<16xi16>
  return
}

// -----

func.func @scan_core(%x: vector<16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // expected-error@+1 {{is for vector subcores only}}
  %0 = tpu.scan <sum>, %x : vector<16xi32>, -> vector<16xi32>
  return
}

// -----

func.func @scan_mask_output(%x: vector<16xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{expected i32}}
  %0 = tpu.scan <sum>, %x : vector<16xi1>, -> vector<16xf32>
  return
}

// -----

func.func @scan_element(%x: vector<16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{expected the same element type}}
  %0 = tpu.scan <sum>, %x : vector<16xi32>, -> vector<16xf32>
  return
}

// -----

func.func @scan_shape(%x: vector<16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{expected the same shape}}
  %0 = tpu.scan <sum>, %x : vector<16xi32>, -> vector<8xi32>
  return
}

// -----

func.func @scan_rank(%x: vector<2x2x16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{takes vectors of rank 1 or 2}}
  %0 = tpu.scan <sum>, %x : vector<2x2x16xi32>, -> vector<2x2x16xi32>
  return
}

// -----

func.func @scan_mask_kind(%x: vector<16xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{of a mask is `sum`, not `max`}}
  %0 = tpu.scan <max>, %x : vector<16xi1>, -> vector<16xi32>
  return
}

// -----

func.func @scan_kind(%x: vector<16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{is `sum`, `max` or `min`, not `arg_max`}}
  %0 = tpu.scan <arg_max>, %x : vector<16xi32>, -> vector<16xi32>
  return
}

// -----

func.func @scan_dimension(%x: vector<16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{goes along dimension 1 of 'vector<16xi32>'}}
  %0 = tpu.scan <sum>, %x {dimension = 1 : i64} : vector<16xi32>, -> vector<16xi32>
  return
}

// -----

func.func @scan_masked_mask(%x: vector<16xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{of a mask takes no other mask}}
  %0 = tpu.scan <sum>, %x masked %x : vector<16xi1>, vector<16xi1> -> vector<16xi32>
  return
}

// -----

func.func @scan_mask_rank(%x: vector<2x16xi32>, %m: vector<2x16xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{takes a mask of rank 1}}
  %0 = tpu.scan <max>, %x masked %m : vector<2x16xi32>, vector<2x16xi1> -> vector<2x16xi32>
  return
}

// -----

func.func @scan_mask_lanes(%x: vector<2x16xi32>, %m: vector<8xi1>) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{has a mask of 8 lanes, expected 16}}
  %0 = tpu.scan <max>, %x masked %m : vector<2x16xi32>, vector<8xi1> -> vector<2x16xi32>
  return
}

// -----

func.func @sort_values(%k: vector<16xi32>, %v: vector<8xi32>) {
  // expected-error@+1 {{expected equal shapes}}
  %m, %a, %b = tpu.sort %k, %v : (vector<16xi32>, vector<8xi32>) -> (vector<16xi1>, vector<16xi32>, vector<8xi32>)
  return
}

// -----

func.func @sort_mask(%k: vector<16xi32>, %x: vector<8xi1>) {
  // expected-error@+1 {{and the mask 'vector<8xi1>', expected equal shapes}}
  %m, %a, %b = tpu.sort %k, %k masked %x : (vector<16xi32>, vector<16xi32>, vector<8xi1>) -> (vector<16xi1>, vector<16xi32>, vector<16xi32>)
  return
}

// -----

func.func @sort_mask_out(%k: vector<16xi32>) {
  // expected-error@+1 {{and the mask of the result}}
  %m, %a, %b = tpu.sort %k, %k : (vector<16xi32>, vector<16xi32>) -> (vector<8xi1>, vector<16xi32>, vector<16xi32>)
  return
}

// -----

func.func @sort_keys(%k: vector<16xi32>) {
  // expected-error@+1 {{gives keys}}
  %m, %a, %b = tpu.sort %k, %k : (vector<16xi32>, vector<16xi32>) -> (vector<16xi1>, vector<16xf32>, vector<16xi32>)
  return
}

// -----

func.func @sort_values_out(%k: vector<16xi32>) {
  // expected-error@+1 {{gives values}}
  %m, %a, %b = tpu.sort %k, %k : (vector<16xi32>, vector<16xi32>) -> (vector<16xi1>, vector<16xi32>, vector<16xf32>)
  return
}

// -----

func.func @sort_type(%k: vector<16xi16>) {
  // expected-error@+1 {{must be vector of 32-bit signless integer or 32-bit float values}}
  %m, %a, %b = tpu.sort %k, %k : (vector<16xi16>, vector<16xi16>) -> (vector<16xi1>, vector<16xi16>, vector<16xi16>)
  return
}

// -----

func.func @multiple_of_zero(%x: i32) {
  // expected-error@+1 {{promises a multiple of 0, expected a positive number}}
  %0 = tpu.assume_multiple %x, 0 : i32
  return
}

// -----

func.func @multiple_constant() {
  %c = arith.constant 12 : i32
  // expected-error@+1 {{promises that 12 is a multiple of 8}}
  %0 = tpu.assume_multiple %c, 8 : i32
  return
}

// -----

func.func @core_of_tensor_core() {
  // expected-error@+1 {{is for functions of a SparseCore}}
  %0 = tpu.core_id : i32
  return
}

// -----

func.func @core_with_grid(%i: i32) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>], tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{the function's grid arguments give the number}}
  %0 = tpu.subcore_id : i32
  return
}

// -----

func.func @bitcast_index(%x: vector<16xindex>) {
  // expected-error@+1 {{takes elements of a known width}}
  %0 = tpu.bitcast %x : vector<16xindex> -> vector<16xi32>
  return
}
