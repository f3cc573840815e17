#include "core/gpu/ir/ProductWaits.h"

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MosaicGpu.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

#include "llvm/ADT/SetVector.h"

namespace lanescope::core {

using namespace mlir;
using Accumulators = llvm::SmallSetVector<Value, 8>;

static constexpr llvm::StringLiteral kWait = "wgmma.wait_group.sync.aligned ";
static constexpr llvm::StringLiteral kWaitOp =
    "nvvm.wgmma.wait.group.sync.aligned"; // as a string, because NVVM's header is large

/// The number of groups that may be in flight after the wait; nothing if the operation is not a wait. Other PTX stays
/// unchanged.
static std::optional<int32_t> pendingAfter(Operation *op) {
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op); assembly && assembly.getAsmString().starts_with(kWait))
    return parseInteger<int32_t>(assembly.getAsmString().drop_front(kWait.size()).rtrim("; \n").str());
  if (op->getName().getStringRef() != kWaitOp)
    return std::nullopt;
  auto groups = dyn_cast_or_null<IntegerAttr>(op->getInherentAttr("group").value_or(nullptr));
  return groups ? std::optional(static_cast<int32_t>(groups.getInt())) : std::nullopt;
}

static void passThrough(func::FuncOp kernel, Operation *wait, int32_t pending, Accumulators &accumulators) {
  DominanceInfo dominance(kernel);
  OpBuilder builder(wait);
  SmallVector<Value> passed;
  for (Value value : accumulators)
    if (dominance.properlyDominates(value, wait) &&
        llvm::any_of(value.getUsers(), [&](Operation *user) { return dominance.properlyDominates(wait, user); }))
      passed.push_back(value);
  SmallVector<Type> types = llvm::map_to_vector(passed, [](Value value) { return value.getType(); });
  auto ours =
      statements::WgmmaWaitOp::create(builder, wait->getLoc(), types, builder.getI32IntegerAttr(pending), passed);
  for (auto [before, after] : llvm::zip_equal(passed, ours.getValues())) {
    before.replaceUsesWithIf(after, [&](OpOperand &use) {
      return use.getOwner() != ours && dominance.properlyDominates(wait, use.getOwner());
    });
    accumulators.insert(after);
  }
  wait->erase();
}

void passAccumulators(func::FuncOp kernel) {
  Accumulators accumulators;
  kernel.walk([&](Operation *op) { // an operation inside a loop or branch is visited before the loop's own results
    if (auto product = dyn_cast<mosaic_gpu::WGMMAOp>(op))
      accumulators.insert(product.getResult());
    for (Region &region : op->getRegions())
      if (isa<scf::ForOp, scf::IfOp>(op) && !region.empty())
        for (auto [i, passed] : llvm::enumerate(region.front().getTerminator()->getOperands()))
          if (accumulators.contains(passed))
            accumulators.insert(op->getResult(i));
  });
  SmallVector<std::pair<Operation *, int32_t>> waits;
  kernel.walk([&](Operation *op) {
    if (auto pending = pendingAfter(op))
      waits.emplace_back(op, *pending);
  });
  for (auto [wait, pending] : waits)
    passThrough(kernel, wait, pending, accumulators);
}

} // namespace lanescope::core
