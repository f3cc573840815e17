// Moves registers to and from the memory of all devices at once: a store to all of them, or a load that combines the
// values of all. Each instruction moves whole 32-bit words of one thread.
//
// A device's own address of that memory and the multicast address are aliases of the same bytes, so `fence.proxy.alias`
// orders accesses through one with those through the other. PTX ISA, "multimem", "Proxies".
#pragma once

#include "core/gpu/lowering/memory/Transfer.h"

namespace lanescope::core {

/// Checks that an array can be stored in this way; fails with an error at `op`.
mlir::LogicalResult checkMulticastStore(mlir::Operation *op, const TransferInstructions &plan, const Ref &ref);
/// Emits the plan's stores; `registers` hold whole bytes.
void storeToAll(KernelLowering &k, const TransferInstructions &plan, const Ref &ref,
                llvm::ArrayRef<mlir::Value> registers);
/// Orders earlier writes through a multicast address before later reads through other addresses of the memory.
void fenceAliases(KernelLowering &k);

void addMultimem(HandlerTable &table);

} // namespace lanescope::core
