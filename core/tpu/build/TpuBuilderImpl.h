// Declarations shared by the files of core/tpu/build: the MLIR part of a TpuBuilder.
#pragma once

#include "core/build/BuilderImpl.h"
#include "core/tpu/build/TpuBuilder.h"
#include "core/tpu/ir/Tpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lanescope::core {

struct TpuBuilder::Impl final : KernelBuilder::Impl {
  explicit Impl(std::shared_ptr<mlir::MLIRContext> context);

  TpuFrame frame;
  mlir::func::FuncOp function;
  std::vector<TpuRef> operands;
  /// Memory that the body requested, in order. Each request adds a parameter at the end; finish() sorts these
  /// parameters.
  struct Global {
    TpuMemoryType type;
    mlir::BlockArgument argument;
  };
  std::vector<Global> globals;
  std::vector<mlir::Attribute> windows;

  mlir::MemRefType memrefType(const TpuMemoryType &type) const;
  tpu::MemorySpaceAttr space(const TpuMemoryType &type) const;
  mlir::Type elementType(TpuElement element, layouts::Dtype dtype) const;
  TpuRef wrapRef(mlir::Value value, const TpuMemoryType &type) const;
  mlir::Value constant(mlir::Type type, int64_t value);
  /// An optional value as operations take it: null for none.
  static mlir::Value orNull(const std::optional<IrValue> &value);
  /// Saves the list of requested memory, and returns a function that restores it.
  std::function<void()> checkpoint() override;
};

inline mlir::Value unwrap(const TpuRef &ref) { return mlir::Value::getFromOpaquePointer(ref.handle); }
inline mlir::Value unwrap(const TpuIndex &index) { return mlir::Value::getFromOpaquePointer(index.handle); }

} // namespace lanescope::core
