// What the files of core/build share: the MLIR side of a KernelBuilder.
#pragma once

#include "core/build/KernelBuilder.h"
#include "core/codegen/KernelModule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace lanescope::core {

struct KernelBuilder::Impl {
  Impl(std::shared_ptr<mlir::MLIRContext> context);

  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  mlir::Location location;
  std::vector<SourceRef> sources;

  std::vector<IrRef> arguments, buffers;
  struct BarrierGroup {
    mlir::Value pointer; // !llvm.ptr<3> to the first
    mlir::Value phases;  // memref<i32>: bit i is the parity that barrier i is waited for next
  };
  std::vector<BarrierGroup> barriers;
  std::vector<IrVariable> accumulators;

  int64_t emitted = 0; // see KernelBuilder::emitted

  template <typename Op, typename... Args> Op create(Args &&...args) {
    Op op = Op::create(builder, location, std::forward<Args>(args)...);
    emitted += threadInstructions(op);
    return op;
  }
  static int64_t threadInstructions(mlir::Operation *op);

  mlir::Type type(layouts::Dtype dtype) const;
  /// vector<…> of an array, the element type of a scalar.
  mlir::Type type(layouts::Dtype dtype, const layouts::Shape &shape) const;
  mlir::Location locationOf(const Span &span);
  mlir::Value i32(int64_t value);
  /// An offset as an i32 value, or as an `index`.
  mlir::Value i32(const Offset &offset);
  mlir::OpFoldResult index(const Offset &offset);
  mlir::Value barrier(const IrBarrier &barrier);
  /// How an i32 or float constant of the type is written.
  mlir::TypedAttr constantAttribute(layouts::Dtype dtype, const layouts::Shape &shape, double value);
  mlir::TypedAttr constantAttribute(layouts::Dtype dtype, const layouts::Shape &shape, int64_t value);
};

inline mlir::Value unwrap(const IrValue &value) { return mlir::Value::getFromOpaquePointer(value.handle); }
inline mlir::Value unwrap(const IrRef &ref) { return mlir::Value::getFromOpaquePointer(ref.handle); }
inline IrValue wrap(mlir::Value value, layouts::Dtype dtype, layouts::Shape shape) {
  return {value.getAsOpaquePointer(), dtype, std::move(shape)};
}
inline mlir::Value unwrap(const IrVariable &variable) { return mlir::Value::getFromOpaquePointer(variable.handle); }
/// A value like `model` in dtype and shape.
inline IrValue wrapLike(mlir::Value value, const IrValue &model) { return wrap(value, model.dtype, model.shape); }

} // namespace lanescope::core
