// Operations of the `lanescope` dialect that do not concern a whole warpgroup: code that single warps run, barriers of
// chosen warpgroups or warps, operations on other blocks and kernels, and checks.
#ifndef LANESCOPE_CORE_IR_WARPOPS_TD
#define LANESCOPE_CORE_IR_WARPOPS_TD

include "core/gpu/ir/LanescopeDialect.td"
include "core/gpu/ir/MosaicGpuDialect.td"

class Warp_Op<string mnemonic, list<Trait> traits = []> : RuledOp<Lanescope_Dialect, mnemonic, traits>;

def Lanescope_WarpsOp : Warp_Op<"warps", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "Each of the warpgroup's four warps runs the body by itself";
  let description = [{
    A barrier of the warpgroup comes first; none comes after. The body has scalars and references, no arrays, and no
    other `lanescope.warps`. Its operations are the warp's: an arrival counts as one of a warpgroup, one lane of the
    warp issues a copy, and a barrier of the warpgroup is one of the warp. PTX ISA, `barrier`, `bar.warp.sync`.

    ```mlir
    lanescope.warps {
      %warp = lanescope.warp_id
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

def Lanescope_WarpIdOp : Warp_Op<"warp_id", [Pure]> {
  let summary = "The warp's number in its warpgroup, 0 to 3, the same for all of its lanes";
  let description = [{
    It stands in the body of `lanescope.warps`. PTX ISA, `%tid`, `shfl.sync`.

    ```mlir
    lanescope.warps {
      %warp = lanescope.warp_id
    }
    ```
  }];
  let results = (outs I32:$id);
  let assemblyFormat = "attr-dict";
}

def Lanescope_NamedBarrierOp : Warp_Op<"named_barrier"> {
  let summary = "The warpgroup (or warp) meets others at barrier `id` of the block: `threads` in all";
  let description = [{
    All threads of the warpgroup (in warp-level code, of the warp) arrive and wait until `threads` threads of the block,
    a multiple of 32, have arrived. With `arrive` they do not wait. The threads that wait see what all of them did
    before. Numbers count from 0, after those that lanescope itself uses: with w warpgroups there are barriers 0 to 14 -
    w. PTX ISA, `barrier` (`barrier.cta.sync`, `barrier.cta.arrive`).

    ```mlir
    lanescope.named_barrier 2, 256
    lanescope.named_barrier 2, 256 {arrive}
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$id, ConfinedAttr<I32Attr, [IntPositive]>:$threads,
                       UnitAttr:$arrive);
  let assemblyFormat = "$id `,` $threads attr-dict";
}

def Lanescope_CheckOp : Warp_Op<"check"> {
  let summary = "Ends the kernel with an error if `condition` is false";
  let description = [{
    The first thread of the warpgroup (in warp-level code, the first lane) prints `message` by `vprintf`; after a
    barrier of the warpgroup all threads trap. `condition` is the same for all of them. PTX ISA, `trap`.

    ```mlir
    lanescope.check %condition, "no"
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Lanescope_InlinePtxOp : Warp_Op<"inline_ptx"> {
  let summary = "PTX text, run for each element of the values; `$0`, … are the results, where there are some";
  let description = [{
    Each thread runs the text once for each element that it holds, so arrays among the values have one layout. `$0`,
    `$1`, … are first the elements of the results, if there are some, and then those of the values. `$$` is a dollar
    sign. The text may have effects: it is neither removed nor moved. A scalar among the values is the
    same for every element. Without a result, a byte is the low half of 16 bits. PTX ISA, "Instruction Statements".

    ```mlir
    %result = lanescope.inline_ptx "ex2.approx.f32 $0, $1;", %values : (vector<64x8xf32>) -> vector<64x8xf32>
    %halves:2 = lanescope.inline_ptx "mov.b32 {$0, $1}, $2;", %pairs : (vector<8xi32>) -> (vector<8xi16>, vector<8xi16>)
    lanescope.inline_ptx "prefetch.global.L2 [$0];", %address : (i64) -> ()
    ```
  }];
  let arguments = (ins StrAttr:$ptx, Variadic<AnyType>:$values);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$ptx `,` $values attr-dict `:` functional-type($values, $results)";
  let layoutRules = [{
    rules.equalAll();
  }];
}

def Lanescope_GridDependencyOp : Warp_Op<"grid_dependency"> {
  let summary = "Orders the kernel with those before and after it in the stream";
  let description = [{
    Every thread executes it. It waits until the kernels on which this one depends have completed and their writes are
    visible. With `launch` it lets the next kernel start instead, as soon as all blocks have executed it or ended. PTX
    ISA, `griddepcontrol`.

    ```mlir
    lanescope.grid_dependency
    lanescope.grid_dependency {launch}
    ```
  }];
  let arguments = (ins UnitAttr:$launch);
  let assemblyFormat = "attr-dict";
}

def Lanescope_AsyncStoreSmemOp : Warp_Op<"async_store_smem", [AttrSizedOperandSegments]> {
  let summary = "Sends an array to another block's shared memory; the barrier there counts an arrival and the bytes";
  let description = [{
    As `mosaic_gpu.async_store_smem`, for a block at any place of the cluster: `destination` and `barrier` are this
    block's, and the operation uses those at the same places of the block at (`x`, `y`, `z`). A dimension without an
    index keeps this block's own. The discardable attribute `atomic_type` says how the array is combined with the old
    values. PTX ISA, `st.async`, `red.async`, `mbarrier.arrive`.

    ```mlir
    "lanescope.async_store_smem"(%array, %destination, %barrier, %x)
      <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}>
      : (vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>,
         memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32) -> ()
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$value, AnyMemRef:$destination,
                       MemRefRankOf<[MosaicGpu_Barrier], [0]>:$barrier,
                       Optional<I32>:$x, Optional<I32>:$y, Optional<I32>:$z);
  let layoutRules = [{
    rules.transfer(getValueMutable(), getDestination());
  }];
}

#endif
