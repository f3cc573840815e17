// Operations of the `lanescope` dialect on several devices: device numbers, and references to other devices' memory.
#ifndef LANESCOPE_CORE_IR_DEVICEOPS_TD
#define LANESCOPE_CORE_IR_DEVICEOPS_TD

include "core/gpu/ir/LanescopeDialect.td"

class Device_Op<string mnemonic, list<Trait> traits = []> : RuledOp<Lanescope_Dialect, mnemonic, traits>;

def Lanescope_DeviceIdOp : Device_Op<"device_id", [Pure]> {
  let summary = "The number of the device among those of the launch, the same for all of its threads";
  let description = [{
    The number counts from 0. The kernel must be one for several devices. It has no PTX of its own: the number is word 0
    of the collective metadata in global memory.

    ```mlir
    %me = lanescope.device_id
    ```
  }];
  let results = (outs I32:$id);
  let assemblyFormat = "attr-dict";
}

def Lanescope_PeerRefOp : Device_Op<"peer_ref", [Pure, AllTypesMatch<["ref", "result"]>]> {
  let summary = "The same place in the global memory of device number `device`";
  let description = [{
    `ref` is a kernel's argument or a part of one, in global memory, and does not lead to other devices already. Loads,
    stores, atomics, copies and semaphores reach a peer through the result. Only semaphores of system scope order these
    accesses before or after the peer's own. Without a device of that number the kernel ends with an error: at compile
    time if the number is known, otherwise by a check at run time. PTX ISA, `ld`, `trap`.

    ```mlir
    %there = lanescope.peer_ref %ref, %device : memref<64x64xf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$ref, I32:$device);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$ref `,` $device attr-dict `:` type($ref)";
  let hasVerifier = 1;
}

def Lanescope_MulticastRefOp : Device_Op<"multicast_ref", [Pure, AllTypesMatch<["ref", "result"]>]> {
  let summary = "The same place in the global memory of all devices at once";
  let description = [{
    `ref` is as in `lanescope.peer_ref`. Copies from shared memory, atomics, stores and signals to the result happen on
    each device. A load from it is an error: `mosaic_gpu.multimem_load_reduce` combines the values. PTX ISA,
    `multimem.st`, `multimem.red`.

    ```mlir
    %all = lanescope.multicast_ref %semaphores : memref<1xi32>
    ```
  }];
  let arguments = (ins AnyMemRef:$ref);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$ref attr-dict `:` type($ref)";
  let hasVerifier = 1;
}

def Lanescope_CollectiveMetadataOp : Device_Op<"collective_metadata", [Pure]> {
  let summary = "JAX's collective metadata: words in the device's global memory";
  let description = [{
    The words of 64 bits are the device's number, three that are reserved, the addresses of all devices' copies of each
    argument, then those of the multicast objects over them (docs/launch.md). Modules from JAX read them; our kernels
    have `device_id` and `peer_ref`. The kernel must be one for several devices. It has no PTX of its own: the address
    is a parameter of the kernel.

    ```mlir
    %words = lanescope.collective_metadata : memref<13xi64>
    ```
  }];
  let results = (outs MemRefRankOf<[I64], [1]>:$words);
  let assemblyFormat = "attr-dict `:` type($words)";
}

def Lanescope_ReleaseFenceOp : Device_Op<"release_fence"> {
  let summary = "Orders the warpgroup's earlier accesses before its later relaxed signals";
  let description = [{
    A barrier of the warpgroup comes first; then one elected thread, which also signals, executes a fence of system
    scope. A thread on any device that waits for a relaxed signal after the fence sees what the warpgroup did before it.
    PTX ISA, `fence` (`fence.acq_rel.sys`), `barrier`.

    ```mlir
    lanescope.release_fence
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
