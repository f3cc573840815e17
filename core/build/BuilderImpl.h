// The MLIR side of a KernelBuilder: for the files of core/build and of the targets' builders alone.
//
// A target's builder derives its own Impl from this one and hands it to the KernelBuilder's constructor.
#pragma once

#include "core/build/KernelBuilder.h"
#include "core/ir/KernelModuleImpl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace lanescope::core {

struct KernelBuilder::Impl {
  /// `elementsAtOnce`: how many elements of an array one instruction of the target computes, all its threads together.
  Impl(std::shared_ptr<mlir::MLIRContext> context, int64_t elementsAtOnce);
  virtual ~Impl() = default;

  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  mlir::Location location;
  std::vector<SourceRef> sources;
  int64_t elementsAtOnce;
  int64_t emitted = 0; // see KernelBuilder::emitted
  /// How the target's own compiler writes a number over a shape: a scalar repeated, or one constant of the shape.
  bool repeatsNumbers = false;
  /// Shifts by the width or more are the caller's matter: no code for them.
  bool plainShifts = false;

  template <typename Op, typename... Args> Op create(Args &&...args) {
    Op op = Op::create(builder, location, std::forward<Args>(args)...);
    emitted += instructions(op);
    return op;
  }
  int64_t instructions(mlir::Operation *op) const;

  /// What the target keeps beside the IR, as it is now: calling the result puts that back. Control flow calls it when a
  /// construct has been dropped.
  virtual std::function<void()> checkpoint() {
    return [] {};
  }

  mlir::Type type(layouts::Dtype dtype) const;
  /// vector<…> of an array, the element type of a scalar.
  mlir::Type type(layouts::Dtype dtype, const layouts::Shape &shape) const;
  mlir::Location locationOf(const Span &span);
  mlir::Value i32(int64_t value);
  /// An offset as an i32 value, or as an `index`.
  mlir::Value i32(const Offset &offset);
  mlir::OpFoldResult index(const Offset &offset);
  /// How a constant of the type is written.
  mlir::TypedAttr constantAttribute(layouts::Dtype dtype, const layouts::Shape &shape, double value);
  mlir::TypedAttr constantAttribute(layouts::Dtype dtype, const layouts::Shape &shape, int64_t value);
};

inline mlir::Value unwrap(const IrValue &value) { return mlir::Value::getFromOpaquePointer(value.handle); }
inline IrValue wrap(mlir::Value value, layouts::Dtype dtype, layouts::Shape shape) {
  return {value.getAsOpaquePointer(), dtype, std::move(shape)};
}
/// A value like `model` in dtype and shape.
inline IrValue wrapLike(mlir::Value value, const IrValue &model) { return wrap(value, model.dtype, model.shape); }

} // namespace lanescope::core
