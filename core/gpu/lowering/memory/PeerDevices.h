// Other devices of the launch: their numbers, and addresses in their memory.
//
// The runtime gives each device its collective metadata (Launch.h, kMetadataHeaderWords): its own number and, for each
// buffer, the address of every device's copy and of the multicast object over all of them. TMA descriptors contain
// addresses, so the parameter block has one descriptor for each peer. If the peer is known only at run time, its number
// is an index into these.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// True if the kernel shares memory with other devices; scopes are then `.sys`.
bool hasDevices(const KernelLowering &k);
/// Returns `ref`, a kernel's argument or a part of one, on device `device` (i32). Fails with an error at `op`.
mlir::FailureOr<Ref> onDevice(KernelLowering &k, mlir::Operation *op, const Ref &ref, mlir::Value device);
/// Returns the same part of the argument on all devices at once.
mlir::FailureOr<Ref> onAllDevices(KernelLowering &k, mlir::Operation *op, const Ref &ref);
/// Returns a generic pointer to the descriptor `map` for the buffer copy that `global` is.
mlir::Value descriptorOf(KernelLowering &k, const Ref &global, TensorMapSpec map);

void addDevices(HandlerTable &table);

} // namespace lanescope::core
