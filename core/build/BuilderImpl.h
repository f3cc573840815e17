// The MLIR part of a KernelBuilder. Only files of core/build and of the targets' builders include it.
//
// A target's builder derives its own Impl from this one and passes it to the KernelBuilder's constructor.
#pragma once

#include "core/build/KernelBuilder.h"
#include "core/ir/KernelModuleImpl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace lanescope::core {

struct KernelBuilder::Impl {
  /// `elementsAtOnce`: elements of an array that one instruction of the target computes, over all its threads.
  Impl(std::shared_ptr<mlir::MLIRContext> context, int64_t elementsAtOnce);
  virtual ~Impl() = default;

  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  mlir::Location location;
  std::vector<SourceRef> sources;
  int64_t elementsAtOnce;
  int64_t emitted = 0; // see KernelBuilder::emitted
  /// True if the target writes a constant array as a repeated scalar, false if it writes one constant of the whole
  /// shape.
  bool repeatsNumbers = false;
  /// True if the caller guards shifts by the width or more, so that no code is emitted for them.
  bool plainShifts = false;

  template <typename Op, typename... Args> Op create(Args &&...args) {
    Op op = Op::create(builder, location, std::forward<Args>(args)...);
    emitted += instructions(op);
    return op;
  }
  int64_t instructions(mlir::Operation *op) const;

  /// Saves the state that the target keeps besides the IR, and returns a function that restores it. Control flow calls
  /// this function when it drops a construct.
  virtual std::function<void()> checkpoint() {
    return [] {};
  }

  mlir::Type type(layouts::Dtype dtype) const;
  /// vector<…> for an array, the element type for a scalar.
  mlir::Type type(layouts::Dtype dtype, const layouts::Shape &shape) const;
  mlir::Location locationOf(const Span &span);
  mlir::Value i32(int64_t value);
  /// An offset as an i32 value, or as an `index`.
  mlir::Value i32(const Offset &offset);
  mlir::OpFoldResult index(const Offset &offset);
  /// The attribute for a constant of the type.
  mlir::TypedAttr constantAttribute(layouts::Dtype dtype, const layouts::Shape &shape, double value);
  mlir::TypedAttr constantAttribute(layouts::Dtype dtype, const layouts::Shape &shape, int64_t value);
};

inline mlir::Value unwrap(const IrValue &value) { return mlir::Value::getFromOpaquePointer(value.handle); }
inline IrValue wrap(mlir::Value value, layouts::Dtype dtype, layouts::Shape shape) {
  return {value.getAsOpaquePointer(), dtype, std::move(shape)};
}
/// Wraps a value with the dtype and shape of `model`.
inline IrValue wrapLike(mlir::Value value, const IrValue &model) { return wrap(value, model.dtype, model.shape); }

} // namespace lanescope::core
