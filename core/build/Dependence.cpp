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
    if (!op) // an argument of a construct that is still being built, which precedes the source, or of one that is
             // walked as a whole
      continue;
    if (!entered.insert(op).second)
      continue;
    op->walk([&](mlir::Operation *inside) { llvm::append_range(open, inside->getOperands()); });
  }
  return false;
}

} // namespace lanescope::core
