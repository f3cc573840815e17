// All operations of the `tpu` dialect. This file includes those on vectors and memory, and defines those on semaphores,
// copies between memories and control.
#ifndef LANESCOPE_CORE_TPU_IR_TPUOPS_TD
#define LANESCOPE_CORE_TPU_IR_TPUOPS_TD

include "core/tpu/ir/TpuMemoryOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tpu_AnySemaphore : AnyTypeOf<[Tpu_Semaphore, Tpu_DMASemaphore]>;

//===------------------------------------ semaphores --------------------------------------------------------------===//

def Tpu_AllocaSemaphoreOp : Tpu_Op<"sem_alloc"> {
  let summary = "Semaphores for the region around, all zero";
  let description = [{
    The type of the result says how many there are, and whether they count signals (`!tpu.semaphore`) or the bytes of
    finished copies (`!tpu.dma_semaphore`). They end with the `tpu.region` around. JAX: `pl.run_scoped` with a
    `pltpu.SemaphoreType`.

    ```mlir
    %semaphores = tpu.sem_alloc : memref<4x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
  let results = (outs MemRefOf<[Tpu_AnySemaphore]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tpu_GetBarrierSemaphoreOp : Tpu_Op<"sem_barrier"> {
  let summary = "The semaphore at which devices meet before a kernel";
  let description = [{
    The result is one semaphore, of rank 0. JAX: `pltpu.get_barrier_semaphore`.

    ```mlir
    %semaphore = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
  let results = (outs MemRefOf<[Tpu_Semaphore]>:$semaphore);
  let assemblyFormat = "attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

def Tpu_SemaphoreReadOp : Tpu_Op<"sem_read"> {
  let summary = "The count of a semaphore";
  let description = [{
    It waits for nothing and orders nothing. JAX: `pl.semaphore_read`.

    ```mlir
    %count = tpu.sem_read %semaphore : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> i32
    ```
  }];
  let arguments = (ins MemRefOf<[Tpu_AnySemaphore]>:$semaphore);
  let results = (outs I32:$result);
  let assemblyFormat = "$semaphore attr-dict `:` type($semaphore) `->` type($result)";
}

def Tpu_SemaphoreWaitOp : Tpu_Op<"sem_wait"> {
  let summary = "Waits until a semaphore's count is at least `amount`, and subtracts `amount`";
  let description = [{
    The subcore waits. Afterwards it sees what the signalling subcores did before their signals. The semaphore is one,
    of rank 0. JAX: `pl.semaphore_wait`.

    ```mlir
    tpu.sem_wait %semaphore, %amount : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    ```
  }];
  let arguments = (ins MemRefOf<[Tpu_Semaphore]>:$semaphore, I32:$amount);
  let assemblyFormat = "$semaphore `,` $amount attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

def Tpu_SemaphoreSignalOp : Tpu_Op<"sem_signal", [AttrSizedOperandSegments]> {
  let summary = "Adds `amount` to a semaphore, here or on another device, core or subcore";
  let description = [{
    A subcore that waits for the semaphore sees what this one did before. The semaphore is one, of rank 0. Without ids
    it is this subcore's own; a semaphore of another kind of core needs a `device_id` or a `core_id`, and only vector
    subcores have a `subcore_id`. JAX: `pl.semaphore_signal`.

    ```mlir
    tpu.sem_signal %semaphore, %amount : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    tpu.sem_signal %there, %amount device_id %device core_id %core
      : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>
    ```
  }];
  let arguments = (ins MemRefOf<[Tpu_Semaphore]>:$semaphore, I32:$amount, Optional<I32>:$device_id,
                       Optional<I32>:$core_id, Optional<I32>:$subcore_id);
  let assemblyFormat = [{
    $semaphore `,` $amount (`device_id` $device_id^)? (`core_id` $core_id^)? (`subcore_id` $subcore_id^)?
    attr-dict `:` type($semaphore)
  }];
  let hasVerifier = 1;
}

def Tpu_BarrierOp : Tpu_Op<"barrier"> {
  let summary = "Waits for all vector subcores of the core";
  let description = [{
    A vector subcore waits until all vector subcores of its core that run the same function wait at the barrier of this
    number. Each of them then sees what the others did before. JAX: `plsc.subcore_barrier`.

    ```mlir
    tpu.barrier barrier_id(%zero)
    ```
  }];
  let arguments = (ins Index:$barrier_id);
  let assemblyFormat = "`barrier_id` `(` $barrier_id `)` attr-dict";
}

//===------------------------------------ copies between memories -------------------------------------------------===//

def Tpu_EnqueueDMAOp : Tpu_Op<"enqueue_dma", [AttrSizedOperandSegments]> {
  let summary = "Starts a copy; when it is done, the semaphores count its bytes";
  let description = [{
    The copy runs on by itself. When it is done, the target semaphore counts its bytes; `wait_dma2` waits for them.
    Source and target have one shape and element type. A copy to another device or core names it by `device_id` or
    `core_id`, and also has a source semaphore, which belongs to its own core; other copies have none. `priority` is 0
    or 1, and 0 for a copy to elsewhere. Only SparseCores have `strict_ordering`. JAX: `pltpu.async_copy`,
    `pltpu.async_remote_copy`.

    ```mlir
    tpu.enqueue_dma source(%source : memref<64x8xf32, #tpu.memory_space<hbm>>)
      target(%target : memref<64x8xf32, #tpu.memory_space<vmem_shared>>)
      target_semaphore(%semaphore : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = 1 : i32}
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Optional<MemRefOf<[Tpu_AnySemaphore]>>:$source_semaphore, AnyMemRef:$target,
                       Optional<MemRefOf<[Tpu_AnySemaphore]>>:$target_semaphore, Optional<I32>:$device_id,
                       Optional<I32>:$core_id, Optional<I32>:$subcore_id,
                       DefaultValuedAttr<I32Attr, "0">:$priority,
                       DefaultValuedAttr<BoolAttr, "false">:$strict_ordering);
  let assemblyFormat = [{
    `source` `(` $source `:` type($source) `)` `target` `(` $target `:` type($target) `)`
    (`source_semaphore` `(` $source_semaphore^ `:` type($source_semaphore) `)`)?
    (`target_semaphore` `(` $target_semaphore^ `:` type($target_semaphore) `)`)?
    (`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)? (`subcore_id` `(` $subcore_id^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Tpu_EnqueueIndirectDMAOp : Tpu_Op<"enqueue_indirect_dma"> {
  let summary = "Starts a gather or a scatter of rows by their offsets";
  let description = [{
    From HBM or VMEM_SHARED to VMEM: `target[i] = source[offsets[i]]`; the other way: `target[offsets[i]] = source[i]`.
    With `add` rows are added to what is there. Offsets equal to `offset_filter` are passed over. Offsets are a vector,
    or a reference in VMEM, of shape (N) or (1, N); the side in VMEM begins with that shape, and rows have one shape on
    both sides. The copy runs on by itself; `wait_indirect_dma` waits for it. Only vector subcores have the operation.
    JAX: `pltpu.async_copy` of `ref.at[indices]`.

    ```mlir
    tpu.enqueue_indirect_dma source(%table : memref<64x8xf32, #tpu.memory_space<hbm>>)
      target(%rows : memref<16x8xf32, #tpu.memory_space<vmem>>)
      offsets(%offsets : memref<16xi32, #tpu.memory_space<vmem>>)
      offset_filter(%filter) semaphore(%semaphore : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      {add = true}
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$target,
                       AnyTypeOf<[MemRefOf<[I32]>, VectorOfRankAndType<[1], [I32]>]>:$offsets,
                       MemRefOf<[Tpu_DMASemaphore]>:$semaphore, Optional<I32>:$offset_filter,
                       DefaultValuedAttr<BoolAttr, "false">:$add);
  let assemblyFormat = [{
    `source` `(` $source `:` type($source) `)` `target` `(` $target `:` type($target) `)`
    `offsets` `(` $offsets `:` type($offsets) `)` (`offset_filter` `(` $offset_filter^ `)`)?
    `semaphore` `(` $semaphore `:` type($semaphore) `)` attr-dict
  }];
  let hasVerifier = 1;
}

def Tpu_WaitDMA2Op : Tpu_Op<"wait_dma2", [AttrSizedOperandSegments]> {
  let summary = "Waits until a semaphore counts the bytes of `dst`, and subtracts them";
  let description = [{
    The subcore waits. When the semaphore's copies are all done and waited for, it sees what they wrote. The semaphore is
    one of its own core. The emulator uses neither `src` nor the ids. JAX: `wait()` of what `pltpu.async_copy` gives.

    ```mlir
    tpu.wait_dma2 semaphore(%semaphore : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      src(%source : memref<64x8xf32, #tpu.memory_space<hbm>>)
      dst(%target : memref<64x8xf32, #tpu.memory_space<vmem_shared>>)
    ```
  }];
  let arguments = (ins MemRefOf<[Tpu_DMASemaphore]>:$semaphore, AnyMemRef:$src, AnyMemRef:$dst,
                       Optional<I32>:$device_id, Optional<I32>:$core_id,
                       DefaultValuedAttr<BoolAttr, "false">:$strict_ordering);
  let assemblyFormat = [{
    `semaphore` `(` $semaphore `:` type($semaphore) `)` `src` `(` $src `:` type($src) `)`
    `dst` `(` $dst `:` type($dst) `)` (`device_id` `(` $device_id^ `)`)? (`core_id` `(` $core_id^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Tpu_WaitIndirectDMAOp : Tpu_Op<"wait_indirect_dma"> {
  let summary = "Waits for the bytes of a gather's `dst`, or of a scatter's `src`";
  let description = [{
    The memories of `src` and `dst` say which of the two it is, as in `enqueue_indirect_dma`. The subcore waits until
    the semaphore counts as many bytes, and subtracts them. Only vector subcores have the operation. JAX: `wait()` of
    what `pltpu.async_copy` gives.

    ```mlir
    tpu.wait_indirect_dma semaphore(%semaphore : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      src(%table : memref<64x8xf32, #tpu.memory_space<hbm>>) dst(%rows : memref<16x8xf32, #tpu.memory_space<vmem>>)
    ```
  }];
  let arguments = (ins MemRefOf<[Tpu_DMASemaphore]>:$semaphore, AnyMemRef:$src, AnyMemRef:$dst);
  let assemblyFormat = [{
    `semaphore` `(` $semaphore `:` type($semaphore) `)` `src` `(` $src `:` type($src) `)`
    `dst` `(` $dst `:` type($dst) `)` attr-dict
  }];
  let hasVerifier = 1;
}

//===------------------------------------ regions, traces, logs ---------------------------------------------------===//

def Tpu_RegionOp : Tpu_Op<"region", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A scope for allocations";
  let description = [{
    The body runs once. Memory and semaphores that it allocates end with it. It ends with `tpu.yield`. The results are
    numbers and vectors. JAX: `pl.run_scoped`.

    ```mlir
    %numbers = "tpu.region"() ({
      %lanes = tpu.iota {dimensions = array<i32: 0>} : vector<16xi32>
      tpu.yield %lanes : vector<16xi32>
    }) : () -> vector<16xi32>
    ```
  }];
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region AnyRegion:$region);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tpu_YieldOp : Tpu_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"RegionOp">]> {
  let summary = "Ends a region and gives its results";
  let description = [{
    The operands have the types of the region's results. JAX: `pl.run_scoped`, whose function returns them.

    ```mlir
    %numbers = "tpu.region"() ({
      %lanes = tpu.iota {dimensions = array<i32: 0>} : vector<16xi32>
      tpu.yield %lanes : vector<16xi32>
    }) : () -> vector<16xi32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let builders = [OpBuilder<(ins), [{ /* nothing to give */ }]>];
}

def Tpu_TraceStartOp : Tpu_Op<"trace_start"> {
  let summary = "A named part of the trace begins";
  let description = [{
    The part lasts until the `trace_stop` that belongs to it; parts nest. `level` is 10 in modules from JAX. JAX:
    `jax.named_scope`.

    ```mlir
    "tpu.trace_start"() <{level = 10 : i32, message = "gather"}> : () -> ()
    ```
  }];
  let arguments = (ins StrAttr:$message, I32Attr:$level);
}

def Tpu_TraceStopOp : Tpu_Op<"trace_stop"> {
  let summary = "The part of the trace that began last ends";
  let description = [{
    It belongs to the last `trace_start` that has not ended. JAX: `jax.named_scope`.

    ```mlir
    "tpu.trace_stop"() : () -> ()
    ```
  }];
}

def Tpu_LogOp : Tpu_Op<"log"> {
  let summary = "Writes a line to the log: `tag`, and a value if there is one";
  let description = [{
    On a SparseCore it takes at most one value and no `formatted`; a scalar subcore writes no vectors. JAX:
    `pl.debug_print`.

    ```mlir
    tpu.log "count" : [%count] : i32
    tpu.log "here"
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$tag, DefaultValuedAttr<BoolAttr, "false">:$formatted);
  let assemblyFormat = "$tag attr-dict (`:` `[` $inputs^ `]` `:` type($inputs))?";
  let hasVerifier = 1;
}

def Tpu_LogBufferOp : Tpu_Op<"log_buffer"> {
  let summary = "Writes the elements of a reference to the log, after `tag`";
  let description = [{
    `shape` has one size for each dimension: as many elements are written along it. JAX: `pl.debug_print`, of a
    reference.

    ```mlir
    tpu.log_buffer "offsets" {shape = array<i64: 16>} : %ref : memref<16xi32, #tpu.memory_space<vmem>>
    ```
  }];
  let arguments = (ins AnyMemRef:$input, DenseI64ArrayAttr:$shape, StrAttr:$tag);
  let assemblyFormat = "$tag attr-dict `:` $input `:` type($input)";
  let hasVerifier = 1;
}

#endif
