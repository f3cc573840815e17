// The operations of the `mosaic_gpu` dialect that our kernels and JAX's dumps use. The threads of one warpgroup execute
// each operation together; a `vector` is an array that a layout spreads over these 128 threads.
#ifndef LANESCOPE_CORE_IR_MOSAICGPUOPS_TD
#define LANESCOPE_CORE_IR_MOSAICGPUOPS_TD

include "core/gpu/ir/LayoutRules.td"
include "core/gpu/ir/MosaicGpuDialect.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MosaicGpu_Op<string mnemonic, list<Trait> traits = []> : RuledOp<MosaicGpu_Dialect, mnemonic, traits>;

defvar BarrierRef = MemRefRankOf<[MosaicGpu_Barrier], [0]>;
//===------------------------------------ barriers ----------------------------------------------------------------===//

def MosaicGpu_InitializeBarrierOp : MosaicGpu_Op<"initialize_barrier"> {
  let summary = "Initialises `num_barriers` barriers in a row, each for `arrival_count` arrivals of a warpgroup";
  let description = [{
    All 128 threads of a warpgroup arrive, so the mbarrier's own count is `arrival_count * 128`.
    PTX ISA, `mbarrier.init`.
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<3>:$base_pointer, ConfinedAttr<I64Attr, [IntPositive]>:$arrival_count,
                       ConfinedAttr<I32Attr, [IntPositive]>:$num_barriers, BoolAttr:$orders_tensor_core);
}

def MosaicGpu_ArriveOp : MosaicGpu_Op<"arrive"> {
  let summary = "The warpgroup arrives at a barrier";
  let arguments = (ins BarrierRef:$barrier, BoolAttr:$orders_tensor_core);
}

def MosaicGpu_ArriveExpectTxOp : MosaicGpu_Op<"arrive_expect_tx"> {
  let summary = "The warpgroup arrives and adds `expect_tx` bytes to what the phase waits for";
  let description = "The bytes are those of the whole warpgroup: each thread expects 1/128 of them.";
  let arguments = (ins BarrierRef:$barrier, I32:$expect_tx);
  let assemblyFormat = "`barrier` `(` $barrier `:` type($barrier) `)` $expect_tx attr-dict";
}

def MosaicGpu_WaitOp : MosaicGpu_Op<"wait"> {
  let summary = "Blocks the warpgroup until the phase with this parity completes";
  let arguments = (ins BarrierRef:$barrier, I1:$parity);
  let assemblyFormat = [{
    `barrier` `(` $barrier `:` type($barrier) `)` `parity` `(` $parity `:` type($parity) `)` attr-dict
  }];
}

//===------------------------------------ asynchronous copies -----------------------------------------------------===//

def MosaicGpu_AsyncLoadOp : MosaicGpu_Op<"async_load", [AttrSizedOperandSegments]> {
  let summary = "Starts a copy from a slice of global memory to shared memory; `barrier` counts its bytes";
  let description = [{
    The slice starts at `indices` and is `slice_lengths` long; -1 means one element of a dimension that `destination`
    does not have. A vector as index names each row. With `leader_tracked` the barrier of the first block along the
    collective dimension counts for both: `copy_partitioned` gives each of them half of a dimension (of those that
    `destination` has). PTX ISA, `cp.async.bulk.tensor`.
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination, BarrierRef:$barrier, Variadic<CopyIndex>:$indices,
                       OptionalAttr<AnyAttr>:$leader_tracked, Optional<I1>:$predicate, Optional<I32>:$gmem_peer_id,
                       DenseI64ArrayAttr:$slice_lengths,
                       TypedArrayAttrBase<MosaicGpu_Dimension, "cluster dimensions">:$collective,
                       DefaultValuedAttr<MosaicGpu_OobFillMode, "OobFillMode::Zeros">:$oob_fill_mode);
  let hasVerifier = 1;
  let layoutRules = [{
    for (mlir::OpOperand &index : getIndicesMutable())
      rules.oneOf(index, {catalogue::tmaIndices(), catalogue::tmaIndices4()}, "the array that chooses rows");
  }];
}

def MosaicGpu_AsyncStoreOp : MosaicGpu_Op<"async_store", [AttrSizedOperandSegments]> {
  let summary = "Starts a copy from shared memory to a slice of global memory, tracked by bulk groups";
  let description = "Slice as in async_load. With `reduction_op` the data is combined with what global memory holds.";
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination, Variadic<CopyIndex>:$indices,
                       Optional<I1>:$predicate, Optional<I32>:$gmem_peer_id, DenseI64ArrayAttr:$slice_lengths,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$commit_group,
                       OptionalAttr<MosaicGpu_TmaReduction>:$reduction_op,
                       DefaultValuedAttr<BoolAttr, "false">:$is_global_broadcast);
  let hasVerifier = 1;
  let layoutRules = [{
    for (mlir::OpOperand &index : getIndicesMutable())
      rules.oneOf(index, {catalogue::tmaIndices(), catalogue::tmaIndices4()}, "the array that chooses rows");
  }];
}

//===------------------------------------ loads and stores --------------------------------------------------------===//

def MosaicGpu_VectorLoadOp : MosaicGpu_Op<"vector_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a whole reference into an array";
  let description = [{`optimized = true` demands a plan without bank conflicts; without it a slower plan will do.
    `eviction_policy`, of global memory: "evict_first" or "evict_last", what the L2 cache is to do with it (PTX ISA,
    `createpolicy`).}];
  let arguments = (ins AnyNon0RankedMemRef:$source, OptionalAttr<BoolAttr>:$optimized,
                       OptionalAttr<StrAttr>:$eviction_policy);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.notSplat(getResult());
    rules.transfer(getResult(), getSource());
  }];
}

def MosaicGpu_VectorStoreOp : MosaicGpu_Op<"vector_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes an array to a whole reference";
  let arguments = (ins AnyFixedVectorOfNonZeroRank:$value, AnyNon0RankedMemRef:$destination,
                       OptionalAttr<BoolAttr>:$optimized, OptionalAttr<MosaicGpu_AtomicOp>:$atomic_type,
                       DefaultValuedAttr<BoolAttr, "false">:$multimem);
  let hasVerifier = 1;
  let layoutRules = [{
    if (getAtomicType())
      rules.any(getValueMutable()); // element by element
    else
      rules.transfer(getValueMutable(), getDestination());
  }];
}

def MosaicGpu_SliceSmemOp : MosaicGpu_Op<"slice_smem", [Pure]> {
  let summary = "The block's dynamic shared memory from byte `offset` on, as a reference";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$offset, OptionalAttr<AliasAttr>:$alias_id);
  let results = (outs AnyMemRef:$result);
  let layoutRules = [{
    rules.transforms(getResult(), {});
  }];
}

def MosaicGpu_ReinterpretCastOp : MosaicGpu_Op<"reinterpret_cast", [Pure]> {
  let summary = "The same bytes as a reference of another shape; the result's type says all";
  let arguments = (ins AnyMemRef:$source);
  let results = (outs AnyMemRef:$result);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def MosaicGpu_WithTransformsOp : MosaicGpu_Op<"with_transforms", [SameOperandsAndResultType, Pure]> {
  let summary = "Fixes the transforms (tile, swizzle) of a shared-memory reference";
  let arguments = (ins AnyMemRef:$ref, ArrayAttr:$transforms);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.transforms(getResult(), *toTransforms(getTransforms()));
  }];
}

//===------------------------------------ arrays ------------------------------------------------------------------===//

def MosaicGpu_LayoutCastOp : MosaicGpu_Op<"layout_cast", [SameOperandsAndResultType, Pure]> {
  let summary = "The same array in another layout";
  let arguments = (ins AnyVectorOfAnyRank:$x, AnyAttrOf<[MosaicGpu_WGStridedFragLayout, MosaicGpu_TiledLayout]>:$new_layout);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "`x` `(` $x `:` type($x) `)` attr-dict";
  let layoutRules = [{
    rules.relayout(getXMutable(), getResult());
    rules.oneOf(getResult(), {*toLayout(getNewLayout())}, "the result of `layout_cast`");
  }];
}

def MosaicGpu_BroadcastInDimOp : MosaicGpu_Op<"broadcast_in_dim", [Pure]> {
  let summary = "Repeats an array along new dimensions; dimension i of the operand becomes broadcast_dimensions[i]";
  let arguments = (ins AnyVectorOfAnyRank:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "`(` $operand `:` type($operand) `)` attr-dict `->` type($result)";
  let hasVerifier = 1;
  let layoutRules = [{
    rules.broadcast(getOperandMutable(), getResult(), getBroadcastDimensions());
  }];
}

def MosaicGpu_BroadcastedIotaOp : MosaicGpu_Op<"broadcasted_iota", [Pure]> {
  let summary = "0, 1, 2, … along `dimension`, constant along the others";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$dimension);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.notSplat(getResult());
  }];
}

def MosaicGpu_VectorConcatOp : MosaicGpu_Op<"vector_concat", [Pure]> {
  let summary = "Arrays one after the other along `dimension`";
  let arguments = (ins Variadic<AnyFixedVectorOfNonZeroRank>:$sources, ConfinedAttr<I32Attr, [IntNonNegative]>:$dimension);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
  let assemblyFormat = "`(` $sources `:` type($sources) `)` attr-dict `->` type($result)";
  let hasVerifier = 1;
  let layoutRules = [{
    for (mlir::OpOperand &source : getSourcesMutable())
      rules.part(getResult(), source, /*leading=*/getDimension() == 0);
  }];
}

def MosaicGpu_OptimizationBarrierOp : MosaicGpu_Op<"optimization_barrier"> {
  let summary = "Passes values on; nothing moves across it";
  let arguments = (ins Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$values);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.equalPairs();
  }];
}

//===------------------------------------ tensor cores ------------------------------------------------------------===//

def MosaicGpu_WGMMAOp : MosaicGpu_Op<"wgmma"> {
  let summary = "Starts accumulator + a @ b on the warpgroup's tensor cores; a in shared memory or registers, b in shared";
  let description = "Fences, group commit and wait are the caller's. `lanescope.unsigned_a` and `lanescope.unsigned_b` say that "
                    "integers are unsigned. PTX ISA, `wgmma.mma_async`.";
  let arguments = (ins VectorOfRankAndType<[2], [F16, F32, I32]>:$accumulator,
    AnyTypeOf<[MemRefRankOf<[F16, BF16, TF32, F32, F8E4M3FN, F8E5M2, I8], [2]>,
               VectorOfRankAndType<[2], [F16, BF16, TF32, F32, F8E4M3FN, F8E5M2, I8]>]>:$a,
    MemRefRankOf<[F16, BF16, TF32, F32, F8E4M3FN, F8E5M2, I8], [2]>:$b);
  let results = (outs VectorOfRankAndType<[2], [F16, F32, I32]>:$result);
  let assemblyFormat = [{
    `accumulator` `(` $accumulator `:` type($accumulator) `)` `a` `(` $a `:` type($a) `)`
    `b` `(` $b `:` type($b) `)` attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
  let layoutRules = [{
    bool bytes = mlir::getElementTypeOrSelf(getA().getType()).getIntOrFloatBitWidth() == 8;
    rules.oneOf(getResult(), {catalogue::wgmma()}, "the accumulator of `wgmma`");
    rules.equal({getResult(), getAccumulatorMutable()});
    rules.oneOf(getAMutable(), {bytes ? catalogue::wgmma8Bit() : catalogue::wgmma()}, "the left operand of `wgmma`");
  }];
}

defvar MmaSums = [F64, F32, F16, I32];
defvar MmaFactors = [F64, TF32, F32, F16, BF16, F8E4M3FN, F8E5M2, I8, I<4>, I1];

def MosaicGpu_MMAOp : MosaicGpu_Op<"mma", [Pure]> {
  let summary = "accumulator + a @ b by the warps, each on its tiles of 16 x 8; everything in registers";
  let description = [{
    b is (K, N). `lanescope.m_warps` (4 without it) says how many warps share the rows, the others share the columns;
    `lanescope.unsigned_a` and `lanescope.unsigned_b` that integers are. PTX ISA, `mma.sync`.
  }];
  let arguments = (ins VectorOfRankAndType<[2], MmaSums>:$accumulator, VectorOfRankAndType<[2], MmaFactors>:$a,
    VectorOfRankAndType<[2], MmaFactors>:$b);
  let results = (outs VectorOfRankAndType<[2], MmaSums>:$result);
  let assemblyFormat = [{
    `accumulator` `(` $accumulator `:` type($accumulator) `)` `a` `(` $a `:` type($a) `)`
    `b` `(` $b `:` type($b) `)` attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Number of warps, of the four, that share the rows.
    int rowWarps() {
      auto warps = getOperation()->getAttrOfType<::mlir::IntegerAttr>("lanescope.m_warps");
      return warps ? static_cast<int>(warps.getInt()) : 4;
    }
  }];
  let layoutRules = [{
    rules.equal({getResult(), getAccumulatorMutable()});
    auto own = catalogue::mmaLayouts(getA().getType().getElementTypeBitWidth(), rowWarps());
    if (!own)
      return;
    rules.oneOf(getResult(), {own->acc}, "the accumulator of `mma`");
    rules.oneOf(getAMutable(), {own->lhs}, "the left operand of `mma`");
    rules.oneOf(getBMutable(), {own->rhs}, "the right operand of `mma`");
  }];
}

//===------------------------------------ looking inside ----------------------------------------------------------===//

def MosaicGpu_DebugPrintOp : MosaicGpu_Op<"debug_print"> {
  let summary = "Prints values from inside the kernel; each `{}` of `format` is one value";
  let description = "JAX has exactly one array here; we also take scalars, and several.";
  let arguments = (ins StrAttr:$format, Variadic<AnyTypeOf<[AnyVectorOfAnyRank, AnySignlessIntegerOrIndex, AnyFloat]>>:$values);
  let layoutRules = [{
    rules.anyAll();
  }];
}

def MosaicGpu_PrintLayoutOp : MosaicGpu_Op<"print_layout"> {
  let summary = "Reports, while compiling, the layout of an array or the transforms of a reference";
  let arguments = (ins StrAttr:$format, AnyTypeOf<[AnyMemRef, AnyVectorOfAnyRank]>:$value);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.any(getValueMutable());
  }];
}

#endif
