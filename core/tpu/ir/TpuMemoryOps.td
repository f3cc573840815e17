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
    With a mask the elements in memory go to the lanes that are set, one after the other; the others are undefined. The
    vector has the rank of the reference or fewer dimensions, its minor ones. `strides` is empty: others are not
    implemented.
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
  let description = "With a mask the lanes that are set go to memory one after the other. See `vector_load`.";
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
  let summary = "Loads each lane from an index of its own: one vector of indices for each dimension";
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
  let description = "If lanes have the same index, the highest lane's value stays; sums go from the lowest lane up.";
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
    JAX writes the part with the identity layout since 2026; before, with the strides of the whole:
    ```mlir
    tpu.memref_slice %a[%i, %j] : memref<4x64xi32, #tpu.memory_space<hbm>>
      -> memref<1x16xi32, strided<[64, 1], offset: ?>, #tpu.memory_space<hbm>>
    ```
    Either way it is a view: its elements lie where those of the whole lie.
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
}

def Tpu_MemRefReshapeOp : Tpu_ViewOp<"memref_reshape"> {
  let summary = "A reference to the same elements, in row-major order, in another shape";
}

def Tpu_MemRefBitcastOp : Tpu_ViewOp<"memref_bitcast"> {
  let summary = "A reference to the same bits as another element type; a change of width scales the second-minor size";
}

def Tpu_EraseLayoutOp : Tpu_ViewOp<"erase_memref_layout"> {
  let summary = "The same reference, whose type does not say where its elements lie; the allocation keeps the layout";
}

#endif
