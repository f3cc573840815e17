#include "core/gpu/lowering/lane/LowerLanes.h"

#include "core/gpu/lowering/lane/LaneConversion.h"
#include "core/gpu/lowering/lane/LaneOutline.h"
#include "core/gpu/lowering/thread/FunctionLocation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace lanescope::core {

namespace {

using namespace mlir;

constexpr unsigned kSharedAddressSpace = 3;
constexpr uint64_t kSharedAlign = 1024; // alignment of dynamic shared memory, on which swizzles rely

/// Marks the function as the kernel's entry, which receives the parameter block by value, as the launch description
/// states.
void describeFunction(LLVM::LLVMFuncOp function, const Launch &launch) {
  Builder builder(function.getContext());
  const auto &block = std::get<BytesParam>(launch.params.front());
  auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), block.size);
  function.setArgAttr(0, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
  function.setArgAttr(0, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(block.align));
  function.setArgAttr(0, "nvvm.grid_constant", builder.getUnitAttr());
  auto sizes = llvm::to_vector_of<int32_t>(launch.block);
  function->setAttr("nvvm.kernel", builder.getUnitAttr());
  function->setAttr("nvvm.maxntid", builder.getDenseI32ArrayAttr(sizes));
  function->setAttr("nvvm.minctasm", builder.getI32IntegerAttr(1)); // required by `setmaxnreg`
  function->setLoc(functionLocation(function.getLoc(), function.getSymNameAttr()));
}

} // namespace

LogicalResult lowerLanes(ModuleOp module, LoweredKernel &result) {
  auto kernels = outlineLanes(module, result);
  if (failed(kernels) || failed(convertThreadCode(*kernels)))
    return failure();
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getAddrSpace() == kSharedAddressSpace)
      global.setAlignment(kSharedAlign);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function.getSymName() == result.name)
      describeFunction(function, result.launch);
  return success();
}

} // namespace lanescope::core
