// Operations of the `tpu` dialect that load, store and view memory.
#ifndef LANESCOPE_CORE_TPU_IR_TPUMEMORYOPS_TD
#define LANESCOPE_CORE_TPU_IR_TPUMEMORYOPS_TD

include "core/tpu/ir/TpuVectorOps.td"

def Tpu_Reads : MemoryEffects<[MemRead<DefaultResource>]>;
def Tpu_Writes : MemoryEffects<[MemWrite<DefaultResource>]>;

//===------------------------------------ loads and stores --------------------------------------------------------===//

def Tpu_VectorLoadOp : Tpu_Op<"vector_load", [Tpu_Reads, AttrSizedOperandSegments]> {
  let summary = "Loads a vector from VMEM";
  let description = [{
    A vector subcore loads the elements from the indices on, one index for each dimension of the reference. The vector
    has the rank of the reference, or fewer dimensions, its minor ones, and its element type. With a mask the elements
    in memory go to the lanes that are set, one after the other; the others are undefined. Masks are for elements of 32
    bits. `strides` has to be empty: the verifier refuses others. JAX: `ref[...]`, `plsc.load_expanded`.

    ```mlir
    %vector = tpu.vector_load %ref[%index] {strides = array<i32>}
      : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
    ```
  }];
  let arguments = (ins AnyMemRef:$base, Variadic<Index>:$indices, DenseI32ArrayAttr:$strides,
                       Optional<AnyVectorOfNonZeroRank>:$mask);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` (`masked` $mask^)? attr-dict `:` type($base) `,` type($result) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def Tpu_VectorStoreOp : Tpu_Op<"vector_store", [Tpu_Writes, AttrSizedOperandSegments]> {
  let summary = "Stores a vector to VMEM, or adds it to what is there";
  let description = [{
    A vector subcore stores the elements from the indices on, as `vector_load` loads them. With a mask of the vector's
    shape the lanes that are set go to memory one after the other. With `add` they are added to what is there. JAX:
    `ref[...] = x`, `plsc.store_compressed`, `plsc.addupdate`, `plsc.addupdate_compressed`.

    ```mlir
    tpu.vector_store %ref[%index], %vector masked %mask {add = true, strides = array<i32>}
      : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>, vector<16xi1>
    ```
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$value_to_store, AnyMemRef:$base, Variadic<Index>:$indices,
                       DenseI32ArrayAttr:$strides, Optional<AnyVectorOfNonZeroRank>:$mask,
                       DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $value_to_store (`masked` $mask^)? attr-dict
    `:` type($base) `,` type($value_to_store) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def Tpu_VectorLoadIdxOp : Tpu_Op<"vector_load_idx", [Tpu_Reads, AttrSizedOperandSegments]> {
  let summary = "Loads each lane from an index of its own";
  let description = [{
    There is one vector of indices for each dimension of the reference, of the shape of the result. The reference is in
    VMEM; elements are i32 or f32. Lanes outside of the mask are undefined. JAX: `plsc.load_gather`.

    ```mlir
    %vector = tpu.vector_load_idx %ref[%rows, %columns] masked %mask
      : memref<16x8xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, vector<16xi1>
    ```
  }];
  let arguments = (ins MemRefOf<[I32, F32]>:$base, Variadic<VectorOfNonZeroRankOf<[I32]>>:$indices,
                       Optional<Tpu_Mask>:$mask);
  let results = (outs VectorOfNonZeroRankOf<[I32, F32]>:$value);
  let assemblyFormat = [{
    $base `[` $indices `]` (`masked` $mask^)? attr-dict
    `:` type($base) `[` type($indices) `]` `,` type($value) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def Tpu_VectorStoreIdxOp : Tpu_Op<"vector_store_idx", [Tpu_Writes, AttrSizedOperandSegments]> {
  let summary = "Stores each lane to an index of its own, or adds it to what is there";
  let description = [{
    There is one vector of indices for each dimension of the reference, of the shape of the stored vector, which has one
    dimension. The reference is in VMEM; elements are i32 or f32. Lanes outside of the mask are not stored. If several
    lanes have the same index, the highest one stays; sums go from the lowest lane up. JAX: `plsc.store_scatter`,
    `plsc.addupdate_scatter`.

    ```mlir
    tpu.vector_store_idx %ref[%rows, %columns], %vector {add = true}
      : memref<16x8xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>,
    ```
  }];
  let arguments = (ins VectorOfNonZeroRankOf<[I32, F32]>:$value_to_store, MemRefOf<[I32, F32]>:$base,
                       Variadic<VectorOfNonZeroRankOf<[I32]>>:$indices, Optional<Tpu_Mask>:$mask,
                       DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $value_to_store (`masked` $mask^)? attr-dict
    `:` type($base) `[` type($indices) `]` `,` type($value_to_store) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def Tpu_FetchAndAddSyncOp : Tpu_Op<"fetch_and_add_sync", [Tpu_Reads, Tpu_Writes]> {
  let summary = "Adds to a number in another vector subcore's SMEM and gives what was there, as one step";
  let description = [{
    `core_id` is the number of the subcore that owns the memory; the element is the one at the indices of `base`, in
    that subcore's memory. The additions of several subcores happen one after the other. The memory belongs to vector
    subcores. JAX: `plsc.fetch_and_add`.

    ```mlir
    %before = tpu.fetch_and_add_sync %ref[%index], %value, %subcore : memref<4xi32, #tpu.memory_space<smem>>, i32 -> i32
    ```
  }];
  let arguments = (ins MemRefOf<[I32]>:$base, Variadic<I32>:$indices, I32:$value, I32:$core_id);
  let results = (outs I32:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $value `,` $core_id attr-dict `:` type($base) `,` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===------------------------------------ views -------------------------------------------------------------------===//

def Tpu_MemRefSliceOp : Tpu_Op<"memref_slice", [Pure, AttrSizedOperandSegments]> {
  let summary = "A part of a reference that starts at `base_idx`";
  let description = [{
    There is one index for each dimension, and the part has the rank of the whole. `dynamic_sizes` are the sizes that
    the type of the result leaves open. JAX writes the part with the identity layout since 2026; before, with the
    strides of the whole. Either way it is a view: its elements lie where those of the whole lie. The whole has a static
    shape, and both are tiled or neither is. JAX: `ref.at[...]`.

    ```mlir
    %row = tpu.memref_slice %ref[%i, %j] : memref<4x64xi32, #tpu.memory_space<hbm>>
      -> memref<1x16xi32, #tpu.memory_space<hbm>>
    %strided = tpu.memref_slice %ref[%i, %j] : memref<4x64xi32, #tpu.memory_space<hbm>>
      -> memref<1x16xi32, strided<[64, 1], offset: ?>, #tpu.memory_space<hbm>>
    %first = tpu.memref_slice %list[%i] <%n> : memref<16xi32, #tpu.memory_space<vmem>>
      -> memref<?xi32, #tpu.memory_space<vmem>>
    ```
  }];
  let arguments = (ins AnyMemRef:$mem_ref, Variadic<I32>:$base_idx, Variadic<I32>:$dynamic_sizes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $mem_ref `[` $base_idx `]` (`<` $dynamic_sizes^ `>`)? attr-dict `:` type($mem_ref) `->` type($result)
  }];
  let hasVerifier = 1;
}

class Tpu_ViewOp<string mnemonic> : Tpu_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyMemRef:$input);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Tpu_MemRefSqueezeOp : Tpu_ViewOp<"memref_squeeze"> {
  let summary = "A reference without some of its dimensions of size 1";
  let description = [{
    The result has the memory, the element type and the other dimensions of the source. It drops no dimension that is
    tiled. It is a view. JAX: `ref.at[i]`, with an integer as an index.

    ```mlir
    %row = tpu.memref_squeeze %slice : memref<1x64xi32, #tpu.memory_space<hbm>>
      -> memref<64xi32, #tpu.memory_space<hbm>>
    ```
  }];
}

def Tpu_MemRefReshapeOp : Tpu_ViewOp<"memref_reshape"> {
  let summary = "A reference to the same elements, in row-major order, in another shape";
  let description = [{
    Both have at least two dimensions, one element type and as many elements. Tiled references keep their tiles, and no
    tile is cut. It is a view. JAX: `ref.reshape(...)`.

    ```mlir
    %wide = tpu.memref_reshape %ref : memref<64x8xf32, #tpu.memory_space<hbm>>
      -> memref<8x64xf32, #tpu.memory_space<hbm>>
    ```
  }];
}

def Tpu_MemRefBitcastOp : Tpu_ViewOp<"memref_bitcast"> {
  let summary = "A reference to the same bits as another element type; a change of width scales the second-minor size";
  let description = [{
    The reference has at least two dimensions, and the second-minor one has as many bits before as after. The other
    dimensions stay. It is a view. JAX: `ref.bitcast(...)`.

    ```mlir
    %narrow = tpu.memref_bitcast %ref : memref<16x8xf32, #tpu.memory_space<vmem>>
      -> memref<32x8xbf16, #tpu.memory_space<vmem>>
    ```
  }];
}

def Tpu_EraseLayoutOp : Tpu_ViewOp<"erase_memref_layout"> {
  let summary = "The same reference with a type that does not say where its elements lie";
  let description = [{
    The layout stays with the allocation; the shape and the element type do not change. It is internal: JAX's inference
    of layouts writes it, and we write it where arrays take a TensorCore's tiles. JAX has no function for it.

    ```mlir
    %plain = tpu.erase_memref_layout %tiled
      : memref<16x8xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>
      -> memref<16x8xf32, #tpu.memory_space<vmem>>
    ```
  }];
}

#endif
