// Other devices of the launch: their numbers, and addresses in their memory.
//
// Whoever runs the launch gives each device its collective metadata (Launch.h, kMetadataHeaderWords): its own number,
// and for each buffer the address of every device's copy and of the multicast object over all of them. Descriptors of
// TMA hold addresses, so there is one for each peer in the parameter block; a peer that is known on the device only is
// an index into these.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// Whether the kernel's memory is shared with other devices: then scopes are the system's.
bool hasDevices(const KernelLowering &k);
/// `ref`, a kernel's argument or a part of one, on device number `device` (i32). Fails with an error at `op`.
mlir::FailureOr<Ref> onDevice(KernelLowering &k, mlir::Operation *op, const Ref &ref, mlir::Value device);
/// The same place on all devices at once.
mlir::FailureOr<Ref> onAllDevices(KernelLowering &k, mlir::Operation *op, const Ref &ref);
/// Generic pointer to the descriptor `map` of the copy of its buffer that `global` is.
mlir::Value descriptorOf(KernelLowering &k, const Ref &global, TensorMapSpec map);

void addDevices(HandlerTable &table);

} // namespace lanescope::core
