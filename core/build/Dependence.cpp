#include "core/build/Dependence.h"

#include "core/build/BuilderImpl.h"

#include "llvm/ADT/DenseSet.h"

namespace lanescope::core {

bool dependsOn(const IrValue &value, const IrValue &source) {
  mlir::Value wanted = unwrap(source);
  llvm::SmallVector<mlir::Value> open{unwrap(value)};
  llvm::DenseSet<mlir::Value> seen;
  llvm::DenseSet<mlir::Operation *> entered;
  while (!open.empty()) {
    mlir::Value here = open.pop_back_val();
    if (here == wanted)
      return true;
    if (!seen.insert(here).second)
      continue;
    mlir::Operation *op = here.getDefiningOp();
    // The value is an argument of a construct. Either the construct is still being built, so it began before the
    // source, or the walk below covers the whole construct.
    if (!op)
      continue;
    if (!entered.insert(op).second)
      continue;
    op->walk([&](mlir::Operation *inside) { llvm::append_range(open, inside->getOperands()); });
  }
  return false;
}

} // namespace lanescope::core
