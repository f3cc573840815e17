// Operations of the `lanescope` dialect on several devices: device numbers, and references to other devices' memory.
#ifndef LANESCOPE_CORE_IR_DEVICEOPS_TD
#define LANESCOPE_CORE_IR_DEVICEOPS_TD

include "core/gpu/ir/LanescopeDialect.td"

class Device_Op<string mnemonic, list<Trait> traits = []> : RuledOp<Lanescope_Dialect, mnemonic, traits>;

def Lanescope_DeviceIdOp : Device_Op<"device_id", [Pure]> {
  let summary = "The number of the device among those of the launch, the same for all of its threads";
  let results = (outs I32:$id);
  let assemblyFormat = "attr-dict";
}

def Lanescope_PeerRefOp : Device_Op<"peer_ref", [Pure, AllTypesMatch<["ref", "result"]>]> {
  let summary = "The same place in the global memory of device number `device`";
  let description = [{
    `ref` is a kernel's argument or a part of one. Loads, stores, atomics, copies and semaphores reach a peer through the
    result; what they do there is ordered with the peer's own accesses by semaphores of system scope alone.
  }];
  let arguments = (ins AnyMemRef:$ref, I32:$device);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$ref `,` $device attr-dict `:` type($ref)";
  let hasVerifier = 1;
}

def Lanescope_MulticastRefOp : Device_Op<"multicast_ref", [Pure, AllTypesMatch<["ref", "result"]>]> {
  let summary = "The same place in the global memory of all devices at once";
  let description = [{
    For copies from shared memory, atomics and signals, which then happen on each device. PTX ISA, `multimem`.
  }];
  let arguments = (ins AnyMemRef:$ref);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$ref attr-dict `:` type($ref)";
  let hasVerifier = 1;
}

def Lanescope_CollectiveMetadataOp : Device_Op<"collective_metadata", [Pure]> {
  let summary = "JAX's collective metadata: words in the device's global memory";
  let description = [{
    The device's number, three words more, the addresses of all devices' copies of each argument, then those of the multicast objects
    over them (docs/launch.md). Modules of JAX's read them; kernels of ours say `device_id` and `peer_ref`.
  }];
  let results = (outs MemRefRankOf<[I64], [1]>:$words);
  let assemblyFormat = "attr-dict `:` type($words)";
}

def Lanescope_ReleaseFenceOp : Device_Op<"release_fence"> {
  let summary = "Releases the warpgroup's earlier writes to all devices, for a later relaxed signal";
  let description = "A barrier of the warpgroup, then `fence.acq_rel.sys` by the thread that signals.";
  let assemblyFormat = "attr-dict";
}

#endif
