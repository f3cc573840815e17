// The arrays that a laid-out module declares in tensor memory, by its slices of the allocation.
#include "core/gpu/inference/LayoutInference.h"
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MosaicGpuTensor.h"
#include "core/ir/ElementTypes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

namespace lanescope::core {

using namespace mlir;

namespace {

/// The reference to tensor memory that the operation writes; null: none.
Value writtenTensor(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](mosaic_gpu::Tcgen05MMAOp product) { return product.getAccumulator(); })
      .Case<mosaic_gpu::AsyncStoreTmemOp, mosaic_gpu::AsyncStoreSmemToTmemOp, mosaic_gpu::AsyncStoreScalesSmemToTmemOp,
            mosaic_gpu::AsyncStoreSparseMetadataSmemToTmemOp>([](auto write) { return write.getDestination(); })
      .Case([](statements::Tcgen05ShiftOp shift) { return shift.getRef(); })
      .Default(Value());
}

/// The nearest slice operation among the definitions of a reference; null if there is none.
mosaic_gpu::SliceTmemOp sliceOf(Value ref) {
  while (Operation *op = ref ? ref.getDefiningOp() : nullptr) {
    if (auto slice = dyn_cast<mosaic_gpu::SliceTmemOp>(op))
      return slice;
    if (op->getNumOperands() == 0 || !isa<MemRefType>(op->getOperand(0).getType()))
      break;
    ref = op->getOperand(0);
  }
  return {};
}

std::optional<layouts::TmemArray> arrayOf(mosaic_gpu::SliceTmemOp slice) {
  auto type = cast<MemRefType>(slice.getResult().getType());
  auto layout = resultTmemLayout(slice, 0);
  auto dtype = dtypeOf(type.getElementType());
  if (auto given = slice->getAttrOfType<StringAttr>(kTensorDtype))
    dtype = layouts::dtypeNamed(given.strref());
  if (!layout || !dtype)
    return std::nullopt;
  auto name = slice.getLoc()->findInstanceOf<NameLoc>();
  layouts::TmemArray array{.name = name ? name.getName().str() : std::string("tensor memory"),
                           .layout = *layout,
                           .shape = type.getShape().vec(),
                           .dtype = *dtype,
                           .column = slice.getOffset()};
  if (auto shape = slice->getAttrOfType<DenseI64ArrayAttr>(kTensorShape))
    array.shape = shape.asArrayRef().vec();
  if (auto allocation = slice.getSource().getDefiningOp<mosaic_gpu::TmemAllocOp>())
    array.collective = allocation.getCollective();
  return array;
}

} // namespace

std::vector<TensorArray> tensorArrays(ModuleOp module, llvm::function_ref<uint32_t(Location)> lineOf) {
  llvm::MapVector<Operation *, TensorArray> found;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto slice = dyn_cast<mosaic_gpu::SliceTmemOp>(op)) {
      if (auto array = arrayOf(slice))
        found.insert({op, TensorArray{*std::move(array)}});
      return;
    }
    Value written = writtenTensor(op);
    auto into = found.find(written ? sliceOf(written).getOperation() : nullptr);
    if (into != found.end())
      if (uint32_t line = lineOf(op->getLoc()))
        into->second.writtenAt.push_back(line);
  });
  std::vector<TensorArray> out;
  for (auto &[slice, array] : found) {
    // A scope that is entered several times declares the same array again.
    auto same = std::ranges::find(out, array.array, &TensorArray::array);
    TensorArray &into = same == out.end() ? out.emplace_back(TensorArray{array.array}) : *same;
    into.writtenAt.insert(into.writtenAt.end(), array.writtenAt.begin(), array.writtenAt.end());
  }
  for (TensorArray &array : out) {
    std::ranges::sort(array.writtenAt);
    array.writtenAt.erase(std::ranges::unique(array.writtenAt).begin(), array.writtenAt.end());
  }
  return out;
}

} // namespace lanescope::core
