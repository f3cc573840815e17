// Registers to and from the memory of all devices at once: a store that each of them gets, a load that combines what
// each of them holds. Each instruction moves whole 32-bit words of one thread.
//
// A device's own address of that memory and the multicast one are different names of the same bytes, so accesses by the
// one and by the other are ordered with `fence.proxy.alias`. PTX ISA, "multimem", "Proxies".
#pragma once

#include "core/gpu/lowering/memory/Transfer.h"

namespace lanescope::core {

/// Whether an array can be stored so; fails with an error at `op`.
mlir::LogicalResult checkMulticastStore(mlir::Operation *op, const TransferInstructions &plan, const Ref &ref);
/// The stores of the plan; `registers` hold whole bytes.
void storeToAll(KernelLowering &k, const TransferInstructions &plan, const Ref &ref,
                llvm::ArrayRef<mlir::Value> registers);
/// Orders what was written through a multicast address before what other names of the memory are read by.
void fenceAliases(KernelLowering &k);

void addMultimem(HandlerTable &table);

} // namespace lanescope::core
