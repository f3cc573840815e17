// Operations of the `mosaic_gpu` dialect on Blackwell's tensor memory and tensor cores, and on clusters that have not
// begun. PTX ISA, "TensorCore 5th Generation Family Instructions" and "Cluster Launch Control".
#ifndef LANESCOPE_CORE_IR_MOSAICGPUTENSOROPS_TD
#define LANESCOPE_CORE_IR_MOSAICGPUTENSOROPS_TD

include "core/gpu/ir/LayoutRules.td"
include "core/gpu/ir/MosaicGpuDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MosaicGpu_TensorOp<string mnemonic, list<Trait> traits = []> : RuledOp<MosaicGpu_Dialect, mnemonic, traits>;

defvar OneTensorBarrier = MemRefRankOf<[MosaicGpu_Barrier], [0]>;
defvar Tensor = MemRefRankOf<[AnyType], [2]>;
defvar CollectiveAttr = DefaultValuedAttr<BoolAttr, "false">;

//===------------------------------------ allocation --------------------------------------------------------------===//

def MosaicGpu_TmemAllocOp : MosaicGpu_TensorOp<"tmem_alloc"> {
  let summary = "Allocates columns of tensor memory for the block, or for both blocks of a pair";
  let description = [{
    One warp of the block allocates, and writes the address to `smem_ptr`, where all read it; a barrier of the block
    lies between. Columns are rounded up to a power of two, 32 at least. `packing` elements share a cell. PTX ISA,
    `tcgen05.alloc`.
  }];
  let arguments = (ins MemRefRankOf<[I32], [0]>:$smem_ptr, CollectiveAttr:$collective,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$packing);
  let results = (outs Tensor:$result);
  let assemblyFormat = "`smem_ptr` `(` $smem_ptr `:` type($smem_ptr) `)` attr-dict `->` type($result)";
  let hasVerifier = 1;
  let layoutRules = [{
    auto own = catalogue::tmemDefault(getPacking());
    if (own && getPacking() != 1)
      rules.oneOf(getResult(), {*own}, "an allocation");
    else
      rules.any(getResult());
  }];
}

def MosaicGpu_TmemRelinquishAllocPermitOp : MosaicGpu_TensorOp<"tmem_relinquish_alloc_permit"> {
  let summary = "The block allocates no more tensor memory: others may. PTX ISA, `tcgen05.relinquish_alloc_permit`";
  let arguments = (ins CollectiveAttr:$collective);
}

def MosaicGpu_TmemDeallocOp : MosaicGpu_TensorOp<"tmem_dealloc"> {
  let summary = "Gives an allocation back when all of the block's threads have come here";
  let description = "PTX ISA, `tcgen05.dealloc`.";
  let arguments = (ins Tensor:$tmem_ref);
  let assemblyFormat = "`tmem_ref` `(` $tmem_ref `:` type($tmem_ref) `)` attr-dict";
  let hasVerifier = 1;
}

//===------------------------------------ references --------------------------------------------------------------===//

def MosaicGpu_SliceTmemOp : MosaicGpu_TensorOp<"slice_tmem", [Pure]> {
  let summary = "The columns of an allocation from `offset` on, as a reference of any type and layout";
  let arguments = (ins Tensor:$source, ConfinedAttr<I32Attr, [IntNonNegative]>:$offset,
                       OptionalAttr<AliasAttr>:$alias_id);
  let results = (outs Tensor:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.any(getSourceMutable());
    rules.any(getResult());
  }];
}

def MosaicGpu_TmemLayoutCastOp : MosaicGpu_TensorOp<"tmem_layout_cast", [SameOperandsAndResultType, Pure]> {
  let summary = "States where the elements of a reference to tensor memory lie";
  let arguments = (ins Tensor:$ref, MosaicGpu_TiledLayout:$new_layout);
  let results = (outs Tensor:$result);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.equal({getRefMutable(), getResult()});
    rules.oneOf(getResult(), {*toTmemLayout(getNewLayout())}, "the result of `tmem_layout_cast`");
  }];
}

//===------------------------------------ loads, stores and copies ------------------------------------------------===//

def MosaicGpu_AsyncLoadTmemOp : MosaicGpu_TensorOp<"async_load_tmem", [MemoryEffects<[MemRead]>]> {
  let summary = "Starts to read a whole reference into an array; with `reduce` also each row's smallest or largest";
  let description = [{
    The array may be used at once. That the memory has been read, so that it may be written, is known after
    `lanescope.wait_load_tmem`. Of i32 `absmin` and `absmax` are those of numbers without a sign. PTX ISA, `tcgen05.ld`.
  }];
  let arguments = (ins Tensor:$source, OptionalAttr<MosaicGpu_TmemLoadReduction>:$reduce);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result, Optional<AnyFixedVectorOfNonZeroRank>:$reduced);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.notSplat(getResult());
    rules.tensorTransfer(getResult(), getSourceMutable());
    if (getReduced()) {
      rules.oneOf(getResult(), {*catalogue::tmemNative(2)}, "the array of a load that reduces rows");
      rules.notSplat(getReduced());
      rules.reduction(getResult(), getReduced(), {getResult().getType().getRank() - 1});
    }
  }];
}

def MosaicGpu_AsyncStoreTmemOp : MosaicGpu_TensorOp<"async_store_tmem", [MemoryEffects<[MemWrite]>]> {
  let summary = "Starts to write an array to a whole reference; done after `lanescope.commit_tmem`";
  let description = "PTX ISA, `tcgen05.st`.";
  let arguments = (ins VectorOfRank<[2]>:$value, Tensor:$destination);
  let hasVerifier = 1;
  let layoutRules = [{
    rules.tensorTransfer(getValueMutable(), getDestinationMutable());
  }];
}

class MosaicGpu_CopyToTmemOp<string mnemonic, list<Type> elements, int rank> : MosaicGpu_TensorOp<mnemonic> {
  let arguments = (ins MemRefRankOf<elements, [rank]>:$source, MemRefRankOf<elements, [2]>:$destination,
                       CollectiveAttr:$collective);
  let hasVerifier = 1;
}

def MosaicGpu_AsyncStoreSmemToTmemOp : MosaicGpu_CopyToTmemOp<"async_store_smem_to_tmem", [AnyType], 2> {
  let summary = "Starts a copy from shared to tensor memory, in order with the tensor core's products";
  let description = "PTX ISA, `tcgen05.cp`.";
  let layoutRules = [{
    int bits = static_cast<int>(::mlir::cast<::mlir::MemRefType>(getDestination().getType()).getElementTypeBitWidth());
    if (bits <= layouts::kTmemCellBits)
      if (auto own = catalogue::tmemDefault(layouts::kTmemCellBits / bits))
        rules.oneOf(getDestinationMutable(), {*own}, "the destination of a copy from shared memory");
  }];
}

def MosaicGpu_AsyncStoreScalesSmemToTmemOp
    : MosaicGpu_CopyToTmemOp<"async_store_scales_smem_to_tmem", [F8E8M0FNU, F8E4M3FN], 4> {
  let summary = "Starts a copy of block scales from shared to tensor memory, where each quarter has all of them";
  let layoutRules = [{
    rules.oneOf(getDestinationMutable(), {catalogue::scales(), catalogue::bScalesM64Collective()}, "block scales");
  }];
}

def MosaicGpu_AsyncStoreSparseMetadataSmemToTmemOp
    : MosaicGpu_CopyToTmemOp<"async_store_sparse_metadata_smem_to_tmem", [I<2>], 4> {
  let summary = "Starts a copy of sparsity metadata from shared to tensor memory";
  let layoutRules = [{
    rules.oneOf(getDestinationMutable(), {catalogue::sparseMeta()}, "sparsity metadata");
  }];
}

//===------------------------------------ products ----------------------------------------------------------------===//

defvar Tcgen05Factors = [F16, F32, BF16, TF32, F8E4M3FN, F8E5M2, F6E2M3FN, F6E3M2FN, F4E2M1FN, I8];
defvar Tcgen05Scales = [F8E8M0FNU, F8E4M3FN];

def MosaicGpu_Tcgen05MMAOp : MosaicGpu_TensorOp<"tcgen05_mma", [AttrSizedOperandSegments]> {
  let summary = "Starts accumulator + a @ b (without `accumulate`: a @ b) on the tensor core, by one thread";
  let description = [{
    a in shared or tensor memory, b in shared memory. With scales each block of K is multiplied by its own; with
    metadata, a has half of the elements of K. Collective: two blocks together, each with its rows of a and of the
    accumulator, and its half of b's columns. `lanescope.unsigned_a` and `lanescope.unsigned_b` say that integers are
    unsigned. PTX ISA, `tcgen05.mma`.
  }];
  let arguments = (ins MemRefRankOf<[F16, F32, I32], [2]>:$accumulator, MemRefRankOf<Tcgen05Factors, [2]>:$a,
                       MemRefRankOf<Tcgen05Factors, [2]>:$b, I1:$accumulate,
                       Optional<MemRefRankOf<Tcgen05Scales, [2]>>:$a_scale,
                       Optional<MemRefRankOf<Tcgen05Scales, [2]>>:$b_scale,
                       Optional<MemRefRankOf<[I<2>], [2]>>:$a_sparse_metadata, CollectiveAttr:$collective);
  let hasVerifier = 1;
  let layoutRules = [{
    tensorProductRules(*this, rules);
  }];
}

def MosaicGpu_Tcgen05CommitArriveOp : MosaicGpu_TensorOp<"tcgen05_commit_arrive"> {
  let summary = "The barrier counts an arrival when what this thread has given the tensor core so far is done";
  let description = "Collective: the barriers at that place in both blocks of the pair. PTX ISA, `tcgen05.commit`.";
  let arguments = (ins OneTensorBarrier:$barrier, CollectiveAttr:$collective);
}

//===------------------------------------ cluster launch control --------------------------------------------------===//

def MosaicGpu_TryClusterCancelOp : MosaicGpu_TensorOp<"try_cluster_cancel"> {
  let summary = "Asks for a cluster that has not begun; the answer's 16 bytes arrive in every block of this one";
  let description = "PTX ISA, `clusterlaunchcontrol.try_cancel`.";
  let arguments = (ins MemRefRankOf<[I8], [1]>:$result, OneTensorBarrier:$barrier, Optional<I1>:$predicate);
  let hasVerifier = 1;
}

def MosaicGpu_QueryClusterCancelOp : MosaicGpu_TensorOp<"query_cluster_cancel"> {
  let summary = "Reads such an answer: whether there was one, and the place of its first block in the grid";
  let description = "PTX ISA, `clusterlaunchcontrol.query_cancel`.";
  let arguments = (ins MemRefRankOf<[I8], [1]>:$result);
  let results = (outs I32:$x, I32:$y, I32:$z, I1:$success);
  let hasVerifier = 1;
}

#endif
