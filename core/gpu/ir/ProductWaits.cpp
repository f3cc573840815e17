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

static void passThrough(func::FuncOp kernel, LLVM::InlineAsmOp wait, Accumulators &accumulators) {
  auto pending = parseInteger<int32_t>(wait.getAsmString().drop_front(kWait.size()).rtrim("; \n").str());
  if (!pending)
    return; // PTX of another form runs as it is
  DominanceInfo dominance(kernel);
  OpBuilder builder(wait);
  SmallVector<Value> passed;
  for (Value value : accumulators)
    if (dominance.properlyDominates(value, wait) &&
        llvm::any_of(value.getUsers(), [&](Operation *user) { return dominance.properlyDominates(wait, user); }))
      passed.push_back(value);
  SmallVector<Type> types = llvm::map_to_vector(passed, [](Value value) { return value.getType(); });
  auto ours =
      statements::WgmmaWaitOp::create(builder, wait.getLoc(), types, builder.getI32IntegerAttr(*pending), passed);
  for (auto [before, after] : llvm::zip_equal(passed, ours.getValues())) {
    before.replaceUsesWithIf(after, [&](OpOperand &use) {
      return use.getOwner() != ours && dominance.properlyDominates(wait, use.getOwner());
    });
    accumulators.insert(after);
  }
  wait.erase();
}

void passAccumulators(func::FuncOp kernel) {
  Accumulators accumulators;
  kernel.walk([&](Operation *op) { // results of loops and branches come after what they pass on
    if (auto product = dyn_cast<mosaic_gpu::WGMMAOp>(op))
      accumulators.insert(product.getResult());
    for (Region &region : op->getRegions())
      if (isa<scf::ForOp, scf::IfOp>(op) && !region.empty())
        for (auto [i, passed] : llvm::enumerate(region.front().getTerminator()->getOperands()))
          if (accumulators.contains(passed))
            accumulators.insert(op->getResult(i));
  });
  SmallVector<LLVM::InlineAsmOp> waits;
  kernel.walk([&](LLVM::InlineAsmOp op) {
    if (op.getAsmString().starts_with(kWait))
      waits.push_back(op);
  });
  for (LLVM::InlineAsmOp wait : waits)
    passThrough(kernel, wait, accumulators);
}

} // namespace lanescope::core
