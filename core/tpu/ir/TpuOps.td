// All operations of the `tpu` dialect: those of vectors and memory, and here semaphores, copies between memories and
// control.
#ifndef LANESCOPE_CORE_TPU_IR_TPUOPS_TD
#define LANESCOPE_CORE_TPU_IR_TPUOPS_TD

include "core/tpu/ir/TpuMemoryOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tpu_AnySemaphore : AnyTypeOf<[Tpu_Semaphore, Tpu_DMASemaphore]>;

//===------------------------------------ semaphores --------------------------------------------------------------===//

def Tpu_AllocaSemaphoreOp : Tpu_Op<"sem_alloc"> {
  let summary = "Semaphores, all zero, for the region around";
  let results = (outs MemRefOf<[Tpu_AnySemaphore]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tpu_GetBarrierSemaphoreOp : Tpu_Op<"sem_barrier"> {
  let summary = "The semaphore that devices meet at before a kernel";
  let results = (outs MemRefOf<[Tpu_Semaphore]>:$semaphore);
  let assemblyFormat = "attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

def Tpu_SemaphoreReadOp : Tpu_Op<"sem_read"> {
  let summary = "What a semaphore counts";
  let arguments = (ins MemRefOf<[Tpu_AnySemaphore]>:$semaphore);
  let results = (outs I32:$result);
  let assemblyFormat = "$semaphore attr-dict `:` type($semaphore) `->` type($result)";
}

def Tpu_SemaphoreWaitOp : Tpu_Op<"sem_wait"> {
  let summary = "Waits until a semaphore counts `amount`, and takes it away";
  let arguments = (ins MemRefOf<[Tpu_Semaphore]>:$semaphore, I32:$amount);
  let assemblyFormat = "$semaphore `,` $amount attr-dict `:` type($semaphore)";
  let hasVerifier = 1;
}

def Tpu_SemaphoreSignalOp : Tpu_Op<"sem_signal", [AttrSizedOperandSegments]> {
  let summary = "Adds `amount` to a semaphore, here or on another device, core or subcore";
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
  let arguments = (ins Index:$barrier_id);
  let assemblyFormat = "`barrier_id` `(` $barrier_id `)` attr-dict";
}

//===------------------------------------ copies between memories -------------------------------------------------===//

def Tpu_EnqueueDMAOp : Tpu_Op<"enqueue_dma", [AttrSizedOperandSegments]> {
  let summary = "Starts a copy; when it is done, the semaphores count its bytes";
  let description = "A copy to another device or core also has a semaphore of the source, which is its own core's.";
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
    With `add` rows are added to what is there. Offsets equal to `offset_filter` are passed over.
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
  let summary = "Waits until a semaphore counts the bytes of `dst`, and takes them away";
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
  let summary = "Waits for a gather's `dst`, or a scatter's `src`: the memories of the operands say which of the two";
  let arguments = (ins MemRefOf<[Tpu_DMASemaphore]>:$semaphore, AnyMemRef:$src, AnyMemRef:$dst);
  let assemblyFormat = [{
    `semaphore` `(` $semaphore `:` type($semaphore) `)` `src` `(` $src `:` type($src) `)`
    `dst` `(` $dst `:` type($dst) `)` attr-dict
  }];
  let hasVerifier = 1;
}

//===------------------------------------ regions, traces, logs ---------------------------------------------------===//

def Tpu_RegionOp : Tpu_Op<"region", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A scope: what is allocated in it ends with it";
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region AnyRegion:$region);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tpu_YieldOp : Tpu_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"RegionOp">]> {
  let summary = "What a region gives";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let builders = [OpBuilder<(ins), [{ /* nothing to give */ }]>];
}

def Tpu_TraceStartOp : Tpu_Op<"trace_start"> {
  let summary = "A named stretch of the trace begins";
  let arguments = (ins StrAttr:$message, I32Attr:$level);
}

def Tpu_TraceStopOp : Tpu_Op<"trace_stop"> {
  let summary = "The last stretch that began ends";
}

def Tpu_LogOp : Tpu_Op<"log"> {
  let summary = "Writes a line, with a value where there is one";
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$tag, DefaultValuedAttr<BoolAttr, "false">:$formatted);
  let assemblyFormat = "$tag attr-dict (`:` `[` $inputs^ `]` `:` type($inputs))?";
  let hasVerifier = 1;
}

def Tpu_LogBufferOp : Tpu_Op<"log_buffer"> {
  let summary = "Writes the elements of a reference, as far as `shape` goes";
  let arguments = (ins AnyMemRef:$input, DenseI64ArrayAttr:$shape, StrAttr:$tag);
  let assemblyFormat = "$tag attr-dict `:` $input `:` type($input)";
  let hasVerifier = 1;
}

#endif
