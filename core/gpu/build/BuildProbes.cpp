// Inspects a kernel: trace regions, prints at run time, layouts at compile time.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/WarpOps.h"

namespace lanescope::core {

using layouts::Dtype;

void GpuBuilder::regionBegin(const std::string &name) { impl_->create<statements::RegionBeginOp>(name); }

void GpuBuilder::regionEnd(const std::string &name) { impl_->create<statements::RegionEndOp>(name); }

void GpuBuilder::debugPrint(const std::string &format, const std::vector<IrValue> &values) {
  llvm::SmallVector<mlir::Value> operands;
  for (const IrValue &value : values) {
    // A value without a printf conversion of its own is converted to a wider type that has one.
    int bits = layouts::bitwidth(value.dtype);
    bool narrow = bits < 16 && value.dtype != Dtype::I1, wide = layouts::isUnsignedInteger(value.dtype) && bits < 64;
    Dtype shown = layouts::isFloat(value.dtype) && narrow ? Dtype::F32
                  : wide                                  ? (bits == 32 ? Dtype::I64 : Dtype::I32)
                  : narrow                                ? Dtype::I32
                                                          : value.dtype;
    operands.push_back(unwrap(cast(value, shown)));
  }
  impl_->create<mosaic_gpu::DebugPrintOp>(format, operands);
}

void GpuBuilder::printLayout(const std::string &format, const IrValue &value) {
  impl_->create<mosaic_gpu::PrintLayoutOp>(format, unwrap(value));
}

void GpuBuilder::printLayout(const std::string &format, const IrRef &ref) {
  impl_->create<mosaic_gpu::PrintLayoutOp>(format, unwrap(ref));
}

void GpuBuilder::check(const IrValue &condition, const std::string &message) {
  impl_->create<statements::CheckOp>(unwrap(condition), message);
}

} // namespace lanescope::core
