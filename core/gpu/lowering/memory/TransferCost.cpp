// Reports the cost of bank conflicts of a load or store in shared memory, and suggests a fix.
#include "core/gpu/lowering/memory/Transfer.h"

#include "layouts/Catalogue.h"
#include "layouts/SharedMemory.h"
#include "layouts/support/Text.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <numeric>

namespace lanescope::core {

using namespace mlir;
using layouts::TransferMemory;

namespace {

bool isFree(bool load, const layouts::TiledLayout &layout, const TransferMemory &memory) {
  auto chosen = layouts::chooseTransfer(load, layout, memory, {.bytes = layouts::widestAccess(layout, memory)});
  return chosen && chosen->conflicts() == 0;
}

/// Conflict-free transforms of the reference for this layout, as a snippet writes them; empty if none is found.
std::string otherTransforms(bool load, const layouts::TiledLayout &layout, const TransferMemory &memory) {
  layouts::Shape shape = memory.shape();
  size_t rank = shape.size();
  if (rank < 2)
    return "";
  // The dimension along which memory is contiguous comes last.
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t(0));
  bool transposed = memory.strides[rank - 1].back() != 1 && memory.strides[rank - 2].back() == 1;
  if (transposed)
    std::swap(order[rank - 1], order[rank - 2]);
  layouts::Shape physical;
  for (size_t d : order)
    physical.push_back(shape[d]);
  for (int swizzle : {128, 64, 32}) {
    int64_t columns = int64_t(swizzle) * 8 / memory.bitwidth;
    auto map = layouts::SmemMap::of(physical, memory.bitwidth, {8, columns}, swizzle);
    if (map && isFree(load, layout, TransferMemory::of(*map).transposed(order)))
      return text("`TilingTransform((8, ", columns, "))` and `SwizzleTransform(", swizzle, ")`");
  }
  return "";
}

/// The name of a layout that is conflict-free in this memory; empty if there is none.
std::string otherLayout(bool load, const TransferMemory &memory) {
  namespace c = layouts::catalogue;
  for (const layouts::TiledLayout &layout : {c::wgmma(), c::wgmmaTransposed(), c::wgmmaAcc32Bit(), c::wgmma8Bit()})
    if (layout.registersShape(memory.shape()) && isFree(load, layout, memory))
      return layouts::catalogueName(layouts::RegisterLayout(layout)).value_or("");
  return "";
}

} // namespace

LogicalResult reportConflicts(Operation *op, const Ref &ref, const layouts::RegisterLayout &layout,
                              const TransferInstructions &plan, std::optional<bool> optimized) {
  bool load = op->getNumResults() != 0, demanded = optimized.value_or(false);
  const char *what = load ? "load" : "store";
  const auto *tiled = std::get_if<layouts::TiledLayout>(&layout);
  if (demanded && tiled && !ref.shared)
    return op->emitError(text("`optimized=True` is for shared memory: Lanescope does not check whether this ", what,
                              " of global memory coalesces; leave it out, or copy through shared "
                              "memory"));
  bool silent = optimized && !*optimized;
  if (!tiled || !plan.cost || plan.cost->conflicts() == 0 || silent)
    return success();
  TransferMemory memory = memoryOf(ref);
  std::string mend = otherTransforms(load, *tiled, memory);
  if (!mend.empty())
    mend = text("with ", mend, " the reference has none");
  else if (mend = otherLayout(load, memory); !mend.empty())
    mend = text("the layout `", mend, "` has none");
  else
    mend = "another tiling, swizzle or layout may have fewer";
  std::string message =
      text("this ", what, " takes ", plan.cost->wavefronts, " wavefronts of shared memory where ", plan.cost->ideal,
           " would do (`", layouts::smemOpText(plan.cost->op), "`, bank conflicts): ", mend);
  if (demanded)
    return op->emitError(text(message, "; or leave out `optimized=True`"));
  InFlightDiagnostic remark = op->emitRemark(text(message, "; `optimized=False` takes it as it is"));
  remark.getUnderlyingDiagnostic()->getMetadata().push_back(DiagnosticArgument(llvm::StringRef("bank-conflicts")));
  return success();
}

} // namespace lanescope::core
