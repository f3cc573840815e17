// Demands of operations on arrays: elementwise, from constants and numbers, reductions, repetitions, reshapes, slices.
#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpuAsync.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using constraints::Divides;
using constraints::Equals;
using constraints::Expression;
using constraints::LayoutKind;
using constraints::NotOfType;
using constraints::Variable;
using layouts::Shape;

/// All arrays have one layout.
LogicalResult demandPointwise(Operation *op, Derivation &system) {
  Derivation::Sites sites;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<VectorType>(operand.get().getType()))
      sites.emplace_back(operand);
  for (Value result : op->getResults())
    if (isa<VectorType>(result.getType()))
      sites.emplace_back(result);
  if (sites.empty())
    return op->emitError() << "`" << op->getName() << "` has a reference but no array";
  system.bind(system.at(sites.back()), sites);
  return success();
}

namespace {

/// The shape of an array; empty for other types, which binding rejects.
Shape shapeOfType(Type type) {
  auto array = dyn_cast<VectorType>(type);
  return array ? array.getShape().vec() : Shape();
}

Constant splatOf(Type type) { return layouts::RegisterLayout(layouts::WGSplatFragLayout{shapeOfType(type)}); }

std::vector<int64_t> integersOf(ArrayAttr attribute) {
  std::vector<int64_t> out;
  for (Attribute each : attribute ? attribute.getValue() : ArrayRef<Attribute>())
    if (auto number = dyn_cast<IntegerAttr>(each))
      out.push_back(number.getInt());
  return out;
}

LogicalResult constant(Operation *op, Derivation &system) {
  Value value = op->getResult(0);
  Variable result = system.at(value);
  if (isa_and_nonnull<SplatElementsAttr>(op->getAttr("value")))
    system.assign(result, splatOf(value.getType()));
  else
    system.require(NotOfType{result, LayoutKind::Splat});
  system.bind(result, {value});
  return success();
}

/// Sliced arrays must be tiled.
void requireTiled(Derivation &system, Variable variable) {
  system.require(NotOfType{variable, LayoutKind::Splat});
  system.require(NotOfType{variable, LayoutKind::Strided});
}

LogicalResult broadcastOfNumber(Operation *op, Derivation &system) {
  if (isa<ShapedType>(op->getOperand(0).getType()))
    return op->emitError() << "only numbers are broadcast by `vector.broadcast`; an array is by "
                              "`mosaic_gpu.broadcast_in_dim`";
  Variable result = system.at(op->getResult(0));
  system.assign(result, splatOf(op->getResult(0).getType()));
  system.bind(result, {op->getResult(0)});
  return success();
}

/// Demands of a reduction to one number, which works in any layout.
LogicalResult reductionToNumber(Operation *op, Derivation &system) {
  if (op->getNumOperands() > 1 && isa<VectorType>(op->getOperand(1).getType()))
    return op->emitError() << "a reduction into an array has no layout rule";
  system.bind(system.at(op->getOpOperand(0)), {op->getOpOperand(0)});
  return success();
}

LogicalResult multiReduction(vector::MultiDimReductionOp reduction, Derivation &system) {
  if (failed(requireAttributes(reduction, {"reduction_dims"})))
    return failure();
  if (!isa<VectorType>(reduction.getDest().getType()))
    return reduction->emitError() << "a reduction over all dimensions has no layout rule; `vector.reduction` has one";
  Variable source = system.at(reduction.getSourceMutable()), result = system.at(reduction.getDest());
  std::vector<int64_t> axes = reduction.getReductionDims().vec();
  const Shape shape = shapeOfType(reduction.getSource().getType());
  if (axes.empty() || !llvm::is_sorted(axes) || axes.front() < 0 || axes.back() >= static_cast<int64_t>(shape.size()))
    return reduction->emitError() << "dimensions of a reduction are given in ascending order";
  system.require(NotOfType{source, LayoutKind::Strided});
  system.require(Equals{result, Expression(source).reduced(std::move(axes), static_cast<int64_t>(shape.size()))});
  system.bind(source, {reduction.getSourceMutable()});
  system.bind(result, {reduction.getAccMutable(), reduction.getDest()});
  return success();
}

LogicalResult broadcastInDim(Operation *op, Derivation &system) {
  OpOperand &operand = op->getOpOperand(0);
  Value result = op->getResult(0);
  const Shape small = shapeOfType(operand.get().getType()), large = shapeOfType(result.getType());
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  if (!dims || dims.size() != static_cast<int64_t>(small.size()))
    return op->emitError() << "`broadcast_dimensions` names a dimension of the result for each of the operand";
  std::vector<int64_t> repeated, added; // dimensions of size 1 in the operand; dimensions that it lacks
  for (int64_t d = 0; d < static_cast<int64_t>(large.size()); ++d) {
    auto *found = llvm::find(dims.asArrayRef(), d);
    if (found == dims.asArrayRef().end())
      added.push_back(d);
    else if (small[static_cast<size_t>(found - dims.asArrayRef().begin())] == 1 && large[static_cast<size_t>(d)] > 1)
      repeated.push_back(d);
  }
  if (repeated.empty() && added.empty())
    return op->emitError() << "a broadcast that repeats nothing has no layout rule";
  Variable source = system.at(operand), target = system.at(result);
  Expression reduced(target);
  const int64_t rank = static_cast<int64_t>(large.size());
  if (!repeated.empty())
    reduced = reduced.reduced(std::move(repeated), rank, /*keepDims=*/true);
  if (!added.empty())
    reduced = reduced.reduced(std::move(added), rank);
  system.require(Equals{source, std::move(reduced)});
  system.require(constraints::SupportedBroadcast{source, target, dims.asArrayRef().vec()});
  system.bind(source, {operand});
  system.bind(target, {result});
  return success();
}

LogicalResult concat(Operation *op, Derivation &system) {
  Variable result = system.at(op->getResult(0));
  system.bind(result, {op->getResult(0)});
  requireTiled(system, result);
  for (OpOperand &operand : op->getOpOperands()) {
    Variable part = system.at(operand);
    system.bind(part, {operand});
    system.require(Equals{part, result});
  }
  return success();
}

LogicalResult shapeCast(Operation *op, Derivation &system) {
  const Shape from = shapeOfType(op->getOperand(0).getType()), to = shapeOfType(op->getResult(0).getType());
  Variable source = system.at(op->getOpOperand(0)), result = system.at(op->getResult(0));
  system.require(Equals{result, Expression(source).reshaped(from, to)});
  system.require(Equals{source, Expression(result).reshaped(to, from)});
  system.bind(source, {op->getOpOperand(0)});
  system.bind(result, {op->getResult(0)});
  return success();
}

LogicalResult requireUnitStrides(Operation *op) {
  for (int64_t stride : integersOf(op->getAttrOfType<ArrayAttr>("strides")))
    if (stride != 1)
      return op->emitError() << "slices with strides other than 1 have no layout rule";
  return success();
}

LogicalResult extractStridedSlice(Operation *op, Derivation &system) {
  if (failed(requireUnitStrides(op)))
    return failure();
  Variable source = system.at(op->getOpOperand(0)), result = system.at(op->getResult(0));
  system.require(Divides{source, integersOf(op->getAttrOfType<ArrayAttr>("offsets"))});
  system.require(Equals{source, result});
  requireTiled(system, result);
  system.bind(source, {op->getOpOperand(0)});
  system.bind(result, {op->getResult(0)});
  return success();
}

LogicalResult insertStridedSlice(Operation *op, Derivation &system) {
  if (failed(requireUnitStrides(op)))
    return failure();
  Variable part = system.at(op->getOpOperand(0)), whole = system.at(op->getOpOperand(1)),
           result = system.at(op->getResult(0));
  system.require(Divides{whole, integersOf(op->getAttrOfType<ArrayAttr>("offsets"))});
  system.require(Equals{whole, part});
  system.require(Equals{whole, result});
  system.require(Equals{part, result});
  requireTiled(system, whole);
  system.bind(part, {op->getOpOperand(0)});
  system.bind(whole, {op->getOpOperand(1)});
  system.bind(result, {op->getResult(0)});
  return success();
}

LogicalResult extract(vector::ExtractOp extract, Derivation &system) {
  Variable source = system.at(extract.getSourceMutable());
  system.bind(source, {extract.getSourceMutable()});
  if (!isa<VectorType>(extract.getType())) {
    system.assign(source, splatOf(extract.getSource().getType())); // the rule does not know which elements a thread has
    return success();
  }
  if (!extract.getDynamicPosition().empty())
    return extract->emitError() << "an array is cut at places that are known; this place is not";
  Variable result = system.at(extract.getResult());
  system.require(Equals{source, result});
  system.require(Divides{source, shapeOfType(extract.getSource().getType())});
  system.require(Divides{result, shapeOfType(extract.getType())});
  requireTiled(system, result);
  system.bind(result, {extract.getResult()});
  return success();
}

LogicalResult layoutCast(Operation *op, Derivation &system) {
  auto layout = toLayout(op->getAttr("new_layout"));
  if (!layout)
    return op->emitError() << "`new_layout` is no register layout";
  const int bits = elementBits(op->getOperand(0).getType());
  Variable source = system.at(op->getOpOperand(0)), result = system.at(op->getResult(0));
  if (failed(system.fix(result, std::move(*layout), "the result of `layout_cast`")))
    return failure();
  if (bits == 0)
    return op->emitError() << "elements of an array have a width that is no power of two";
  system.require(constraints::Relayout{source, result, bits, /*strict=*/false});
  system.bind(source, {op->getOpOperand(0)});
  system.bind(result, {op->getResult(0)});
  return success();
}

LogicalResult notSplatResult(Operation *op, Derivation &system) {
  Variable result = system.at(op->getResult(0));
  system.require(NotOfType{result, LayoutKind::Splat});
  system.bind(result, {op->getResult(0)});
  return success();
}

LogicalResult barrier(Operation *op, Derivation &system) {
  if (op->getNumOperands() != op->getNumResults())
    return op->emitError() << "each operand has its result";
  for (auto [operand, result] : llvm::zip_equal(op->getOpOperands(), op->getResults()))
    if (isa<VectorType>(operand.get().getType()))
      system.bind(system.at(operand), {operand, Value(result)});
  return success();
}

LogicalResult debugPrint(Operation *op, Derivation &system) {
  if (op->getNumOperands() == 0 || !isa<VectorType>(op->getOperand(0).getType()))
    return op->emitError() << "the first printed value is not an array";
  system.bind(system.at(op->getOpOperand(0)), {op->getOpOperand(0)});
  return success();
}

} // namespace

llvm::ArrayRef<DemandEntry> arrayDemands() {
  static const DemandEntry entries[] = {
      on<arith::ConstantOp>(constant),
      on<vector::BroadcastOp>(broadcastOfNumber),
      on<vector::ReductionOp>(reductionToNumber),
      on<vector::MultiDimReductionOp, multiReduction>(),
      on<vector::ShapeCastOp>(shapeCast),
      on<vector::ExtractStridedSliceOp>(extractStridedSlice),
      on<vector::InsertStridedSliceOp>(insertStridedSlice),
      on<vector::ExtractOp, extract>(),
      on<mosaic_gpu::BroadcastInDimOp>(broadcastInDim),
      on<mosaic_gpu::VectorConcatOp>(concat),
      on<mosaic_gpu::LayoutCastOp>(layoutCast),
      on<mosaic_gpu::BroadcastedIotaOp>(notSplatResult),
      on<mosaic_gpu::MultimemLoadReduceOp>(notSplatResult),
      on<mosaic_gpu::OptimizationBarrierOp>(barrier),
      on<mosaic_gpu::DebugPrintOp>(debugPrint),
  };
  return entries;
}

} // namespace lanescope::core
