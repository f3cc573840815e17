// Operations of the `lanescope` dialect that do not treat a warpgroup as one: code of its warps on their own, barriers
// of chosen warpgroups or warps, other blocks and kernels, checks.
#ifndef LANESCOPE_CORE_IR_WARPOPS_TD
#define LANESCOPE_CORE_IR_WARPOPS_TD

include "core/gpu/ir/LanescopeDialect.td"
include "core/gpu/ir/MosaicGpuDialect.td"

class Warp_Op<string mnemonic, list<Trait> traits = []> : RuledOp<Lanescope_Dialect, mnemonic, traits>;

def Lanescope_WarpsOp : Warp_Op<"warps", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "Each of the warpgroup's four warps runs the body by itself";
  let description = [{
    A barrier of the warpgroup comes first; none comes after. The body has scalars and references, no arrays. Its
    operations are the warp's: an arrival counts as one of a warpgroup, a copy is issued by one lane of the warp.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

def Lanescope_WarpIdOp : Warp_Op<"warp_id", [Pure]> {
  let summary = "The warp's number in its warpgroup, 0 to 3, the same for all of its lanes";
  let results = (outs I32:$id);
  let assemblyFormat = "attr-dict";
}

def Lanescope_NamedBarrierOp : Warp_Op<"named_barrier"> {
  let summary = "The warpgroup (or warp) meets others at barrier `id` of the block: `threads` in all";
  let description = [{
    With `arrive` it does not wait. Numbers count from 0 behind those that lanescope itself uses.
    PTX ISA, `barrier.cta.sync`, `barrier.cta.arrive`.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$id, ConfinedAttr<I32Attr, [IntPositive]>:$threads,
                       UnitAttr:$arrive);
  let assemblyFormat = "$id `,` $threads attr-dict";
}

def Lanescope_CheckOp : Warp_Op<"check"> {
  let summary = "If `condition` does not hold, prints the message and ends the kernel with an error";
  let description = "PTX ISA, `trap`.";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Lanescope_InlinePtxOp : Warp_Op<"inline_ptx"> {
  let summary = "PTX text, run for each element of the values; `$0` is the result, where there is one";
  let description = [{
    Each thread runs it for the elements that it holds, so arrays among the values have one layout. `$1`, `$2`, … are the
    values (`$0`, `$1`, … without a result), `$$` a dollar sign. It may have effects; none is removed or moved. Without a
    result a byte is the low half of 16 bits.
  }];
  let arguments = (ins StrAttr:$ptx, Variadic<AnyType>:$values);
  let results = (outs Optional<AnyType>:$result);
  let assemblyFormat = "$ptx `,` $values attr-dict `:` functional-type($values, $result)";
  let layoutRules = [{
    rules.equalAll();
  }];
}

def Lanescope_GridDependencyOp : Warp_Op<"grid_dependency"> {
  let summary = "Waits for the kernel before this one in the stream; with `launch` lets the next one start";
  let description = "PTX ISA, `griddepcontrol`.";
  let arguments = (ins UnitAttr:$launch);
  let assemblyFormat = "attr-dict";
}

def Lanescope_AsyncStoreSmemOp : Warp_Op<"async_store_smem", [AttrSizedOperandSegments]> {
  let summary = "Sends an array to another block's shared memory; the barrier there counts an arrival and the bytes";
  let description = [{
    `destination` and `barrier` are this block's; those at the same places of the block at (x, y, z) of the cluster are
    meant. A dimension without an index keeps this block's own. PTX ISA, `st.async`.
  }];
  let arguments = (ins AnyVectorOfAnyRank:$value, AnyMemRef:$destination, MemRefRankOf<[MosaicGpu_Barrier], [0]>:$barrier,
                       Optional<I32>:$x, Optional<I32>:$y, Optional<I32>:$z);
  let layoutRules = [{
    rules.transfer(getValueMutable(), getDestination());
  }];
}

#endif
