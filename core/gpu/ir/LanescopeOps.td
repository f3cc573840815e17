// The `lanescope` dialect: warpgroup-level statements that JAX writes as per-thread code. With them, per-thread code
// appears only in core/gpu/lowering.
#ifndef LANESCOPE_CORE_IR_LANESCOPEOPS_TD
#define LANESCOPE_CORE_IR_LANESCOPEOPS_TD

include "core/gpu/ir/LanescopeDialect.td"

def Lanescope_InitDoneOp : Lanescope_Op<"init_done"> {
  let summary = "All barriers are initialised: fence.mbarrier_init and a barrier of the block";
}

def Lanescope_CommitSmemOp : Lanescope_Op<"commit_smem"> {
  let summary = "The warpgroup's writes to shared memory become visible to asynchronous copies";
  let description = "`fence.proxy.async.shared::cta`, then a barrier of the warpgroup.";
}

def Lanescope_CommitGroupOp : Lanescope_Op<"commit_group"> {
  let summary = "Closes the group of asynchronous stores started so far (`cp.async.bulk.commit_group`)";
}

def Lanescope_WaitSmemToGmemOp : Lanescope_Op<"wait_smem_to_gmem"> {
  let summary = "Waits until at most `n` groups of asynchronous stores are pending";
  let description = [{
    `cp.async.bulk.wait_group[.read]`, then a barrier of the warpgroup. With `read_only` the source may be overwritten,
    but the destination may not be written yet.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$n, UnitAttr:$read_only);
}

def Lanescope_WgmmaCommitOp : Lanescope_Op<"wgmma_commit"> {
  let summary = "Closes the group of tensor-core operations started so far (`wgmma.commit_group`)";
}

def Lanescope_WgmmaWaitOp : Lanescope_Op<"wgmma_wait"> {
  let summary = "Waits until at most `n` groups of tensor-core operations are pending, and passes accumulators on";
  let description = [{
    `wgmma.wait_group`. An accumulator whose group has been waited for is read from the result, never from the operand:
    so no use of it can move before the wait.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$n, Variadic<AnyVectorOfAnyRank>:$accumulators);
  let results = (outs Variadic<AnyVectorOfAnyRank>:$values);
  let assemblyFormat = "$n (`(` $accumulators^ `:` type($accumulators) `)`)? attr-dict (`->` type($values)^)?";
  let hasVerifier = 1;
  let layoutRules = [{
    rules.equalPairs();
  }];
}

def Lanescope_WaitLoadTmemOp : Lanescope_Op<"wait_load_tmem"> {
  let summary = "The warpgroup's loads of tensor memory are complete: it may be written";
  let description = "`tcgen05.wait::ld`, then a barrier of the warpgroup that orders the tensor core.";
}

def Lanescope_CommitTmemOp : Lanescope_Op<"commit_tmem"> {
  let summary = "The warpgroup's stores to tensor memory are complete: any thread of it, and its products, see them";
  let description = "`tcgen05.wait::st`, then a barrier of the warpgroup that orders the tensor core.";
}

def Lanescope_Tcgen05ShiftOp : Lanescope_Op<"tcgen05_shift"> {
  let summary = "Starts to move each row but the last of 32 up by one, in the 32 bytes from the reference's start on";
  let description = "PTX ISA, `tcgen05.shift`.";
  let arguments = (ins AnyMemRef:$ref, UnitAttr:$collective);
  let assemblyFormat = "$ref attr-dict `:` type($ref)";
  let layoutRules = [{
    rules.any(getRefMutable());
  }];
}

def Lanescope_RegionBeginOp : Lanescope_Op<"region_begin"> {
  let summary = "A named region of the trace begins; nothing when the kernel is not profiled";
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict";
}

def Lanescope_RegionEndOp : Lanescope_Op<"region_end"> {
  let summary = "The named region ends";
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict";
}

def Lanescope_WarpgroupIdOp : Lanescope_Op<"warpgroup_id", [Pure]> {
  let summary = "The warpgroup's number in its block, the same for all of its threads";
  let results = (outs I32:$id);
}

def Lanescope_ProgramIdOp : Lanescope_Op<"program_id", [Pure]> {
  let summary = "The block's place in the grid; `dim` 0 is x, the fastest";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$dim);
  let results = (outs I32:$id);
}

#endif
