// The parts that every operation needs (a place in the snippet, types, numbers), and takeModule().
#include "core/build/BuilderImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>

namespace lanescope::core {

KernelBuilder::Impl::Impl(std::shared_ptr<mlir::MLIRContext> given, int64_t elementsAtOnce)
    : context(std::move(given)), builder(context.get()), location(mlir::UnknownLoc::get(context.get())),
      elementsAtOnce(elementsAtOnce) {}

KernelBuilder::KernelBuilder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelBuilder::~KernelBuilder() = default;

Result<KernelModule> KernelBuilder::takeModule() {
  Diagnostics problems;
  mlir::ScopedDiagnosticHandler handler(impl_->context.get(), [&](mlir::Diagnostic &problem) {
    problems.push_back({.severity = Severity::Error, .kind = "ir", .span = {}, .message = problem.str(), .notes = {}});
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*impl_->module)))
    return std::unexpected(std::move(problems));
  auto module = std::make_unique<KernelModule::Impl>();
  module->context = impl_->context;
  module->module = std::move(impl_->module);
  module->sources = std::move(impl_->sources);
  return KernelModule(std::move(module));
}

int64_t KernelBuilder::Impl::instructions(mlir::Operation *op) const {
  auto elements = [](mlir::Type type) -> int64_t {
    auto array = mlir::dyn_cast<mlir::VectorType>(type);
    return array ? array.getNumElements() : 1;
  };
  int64_t most = 1; // a constant or iota is as large as its result, a store as its operand
  for (mlir::Type type : op->getResultTypes())
    most = std::max(most, elements(type));
  for (mlir::Type type : op->getOperandTypes())
    most = std::max(most, elements(type));
  return 1 + most / elementsAtOnce;
}

int64_t KernelBuilder::emitted() const { return impl_->emitted; }

//===------------------------------------ places ------------------------------------------------------------------===//

mlir::Location KernelBuilder::Impl::locationOf(const Span &span) {
  if (!span.source)
    return mlir::UnknownLoc::get(context.get());
  if (std::find(sources.begin(), sources.end(), span.source) == sources.end())
    sources.push_back(span.source);
  LineColumn place = span.source->lineColumn(span.begin);
  return mlir::FileLineColLoc::get(context.get(), span.source->name(), place.line, place.column);
}

void KernelBuilder::setPlace(const Span &span) {
  if (span.source)
    impl_->location = impl_->locationOf(span);
}

void KernelBuilder::setName(const IrValue &value, const std::string &name) {
  mlir::Value named = unwrap(value);
  if (mlir::isa<mlir::NameLoc>(named.getLoc()))
    return; // keep the name that the value's own statement gave it
  auto location = mlir::NameLoc::get(mlir::StringAttr::get(impl_->context.get(), name), named.getLoc());
  if (mlir::Operation *op = named.getDefiningOp()) {
    if (op->getNumResults() == 1)
      op->setLoc(location);
  } else {
    named.setLoc(location);
  }
}

//===------------------------------------ types -------------------------------------------------------------------===//

mlir::Type KernelBuilder::Impl::type(layouts::Dtype dtype) const {
  mlir::Builder types(context.get());
  using layouts::Dtype;
  switch (dtype) {
  case Dtype::F16: return types.getF16Type();
  case Dtype::BF16: return types.getBF16Type();
  case Dtype::F32: return types.getF32Type();
  case Dtype::F64: return types.getF64Type();
  case Dtype::TF32: return types.getTF32Type();
  case Dtype::F8E4M3FN: return mlir::Float8E4M3FNType::get(context.get());
  case Dtype::F8E5M2: return mlir::Float8E5M2Type::get(context.get());
  case Dtype::F8E8M0FNU: return mlir::Float8E8M0FNUType::get(context.get());
  case Dtype::F6E2M3FN: return mlir::Float6E2M3FNType::get(context.get());
  case Dtype::F6E3M2FN: return mlir::Float6E3M2FNType::get(context.get());
  case Dtype::F4E2M1FN: return mlir::Float4E2M1FNType::get(context.get());
  default: return types.getIntegerType(layouts::bitwidth(dtype)); // signless: operations carry the sign
  }
}

mlir::Type KernelBuilder::Impl::type(layouts::Dtype dtype, const layouts::Shape &shape) const {
  mlir::Type element = type(dtype);
  return shape.empty() ? element : mlir::VectorType::get(shape, element);
}

mlir::Value KernelBuilder::Impl::i32(int64_t value) {
  return create<mlir::arith::ConstantOp>(builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

mlir::Value KernelBuilder::Impl::i32(const Offset &offset) {
  if (const int64_t *known = std::get_if<int64_t>(&offset))
    return i32(*known);
  return unwrap(std::get<IrValue>(offset));
}

mlir::OpFoldResult KernelBuilder::Impl::index(const Offset &offset) {
  if (const int64_t *known = std::get_if<int64_t>(&offset))
    return builder.getIndexAttr(*known);
  return create<mlir::arith::IndexCastOp>(builder.getIndexType(), unwrap(std::get<IrValue>(offset))).getResult();
}

} // namespace lanescope::core
