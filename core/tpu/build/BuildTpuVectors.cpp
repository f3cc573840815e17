// Vectors in the dialect's own operations, and arithmetic that it writes differently from a GPU's: conversions by way
// of 32 bits, negation as a subtraction, reductions as the last lane of a scan.
#include "core/tpu/build/TpuBuilderImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>
#include <limits>

namespace lanescope::core {

using layouts::Dtype;
using layouts::Shape;
using namespace mlir;

IrValue TpuBuilder::constants(Dtype dtype, const Shape &shape, const std::vector<double> &numbers) {
  assert(!shape.empty() && layouts::elementCount(shape) == static_cast<int64_t>(numbers.size()) &&
         "one number for each element");
  std::vector<Attribute> elements;
  for (double number : numbers)
    elements.push_back(impl_->constantAttribute(dtype, {}, number));
  auto dense = DenseElementsAttr::get(cast<VectorType>(impl_->type(dtype, shape)), elements);
  return wrap(impl_->create<arith::ConstantOp>(cast<TypedAttr>(dense)), dtype, shape);
}

//===------------------------------------ arithmetic --------------------------------------------------------------===//

IrValue TpuBuilder::cast(const IrValue &value, Dtype dtype) {
  if (value.dtype == dtype)
    return value;
  int from = layouts::bitwidth(value.dtype), to = layouts::bitwidth(dtype);
  bool fromFloat = layouts::isFloat(value.dtype), toFloat = layouts::isFloat(dtype);
  if (dtype == Dtype::I1) {
    IrValue wide = from == 32 ? value : cast(value, fromFloat ? Dtype::F32 : Dtype::I32);
    return compare(CompareKind::NotEqual, wide, constant(wide.dtype, wide.shape, int64_t{0}));
  }
  if (value.dtype == Dtype::I1) {
    IrValue wide = wrap(impl_->create<arith::ExtUIOp>(impl_->type(Dtype::I32, value.shape), unwrap(value)), Dtype::I32,
                        value.shape);
    return layouts::isFloat(dtype) || to != 32 ? cast(wide, dtype) : wrap(unwrap(wide), dtype, value.shape);
  }
  // The dialect converts between 8 and 16 bits only by way of 32 bits.
  if (!fromFloat && !toFloat && from != to && from < 32 && to < 32)
    return cast(cast(value, layouts::isSignedInteger(value.dtype) ? Dtype::I32 : Dtype::U32), dtype);
  return KernelBuilder::cast(value, dtype);
}

IrValue TpuBuilder::bitcast(const IrValue &value, Dtype dtype) {
  mlir::Type type = impl_->type(dtype, value.shape);
  Value from = unwrap(value);
  if (type == from.getType())
    return wrap(from, dtype, value.shape);
  if (value.isScalar())
    return KernelBuilder::bitcast(value, dtype);
  return wrap(impl_->create<tpu::BitcastOp>(type, from), dtype, value.shape);
}

IrValue TpuBuilder::negate(const IrValue &value) {
  return binary(BinaryKind::Subtract, constant(value.dtype, value.shape, int64_t{0}), value);
}

IrValue TpuBuilder::reduce(ReduceKind kind, const IrValue &value, const std::vector<int64_t> &axes) {
  assert(value.shape.size() == 1 && axes.size() == 1 && "the caller reduces whole vectors");
  (void)axes;
  IrValue mask = constant(Dtype::I1, value.shape, int64_t{1});
  IrValue running = scan(kind == ReduceKind::Sum       ? TpuScan::Sum
                         : kind == ReduceKind::Maximum ? TpuScan::Maximum
                                                       : TpuScan::Minimum,
                         value, mask);
  return element(running, {value.shape[0] - 1});
}

//===------------------------------------ arrangement -------------------------------------------------------------===//

IrValue TpuBuilder::iota(Dtype dtype, const Shape &shape, int64_t dimension) {
  return wrap(impl_->create<tpu::IotaOp>(impl_->type(dtype, shape),
                                         impl_->builder.getDenseI32ArrayAttr({static_cast<int32_t>(dimension)})),
              dtype, shape);
}

IrValue TpuBuilder::broadcastInDim(const IrValue &value, const Shape &shape, const std::vector<int64_t> &dimensions) {
  if (value.shape == shape)
    return value;
  IrValue from = value;
  if (!dimensions.empty()) {
    Shape ones(shape.size(), 1);
    for (size_t i = 0; i < dimensions.size(); ++i)
      ones[static_cast<size_t>(dimensions[i])] = value.shape[i];
    from = reshape(value, ones);
    if (ones == shape)
      return from;
  }
  return wrap(impl_->create<vector::BroadcastOp>(impl_->type(value.dtype, shape), unwrap(from)), value.dtype, shape);
}

IrValue TpuBuilder::concatenate(const std::vector<IrValue> &values, int64_t dimension) {
  llvm::SmallVector<Value> sources;
  Shape shape = values.front().shape;
  shape[static_cast<size_t>(dimension)] = 0;
  for (const IrValue &value : values) {
    sources.push_back(unwrap(value));
    shape[static_cast<size_t>(dimension)] += value.shape[static_cast<size_t>(dimension)];
  }
  Dtype dtype = values.front().dtype;
  return wrap(impl_->create<tpu::ConcatenateOp>(impl_->type(dtype, shape), sources,
                                                impl_->builder.getI32IntegerAttr(static_cast<int32_t>(dimension))),
              dtype, shape);
}

std::vector<IrValue> TpuBuilder::optimizationBarrier(const std::vector<IrValue> &values) {
  return values; // no pass moves or merges operations of these modules
}

IrValue TpuBuilder::element(const IrValue &vector, const std::vector<int64_t> &index) {
  return wrap(impl_->create<vector::ExtractOp>(unwrap(vector), index), vector.dtype, {});
}

IrValue TpuBuilder::part(const IrValue &vector, const std::vector<int64_t> &starts, const Shape &sizes) {
  std::vector<int64_t> strides(starts.size(), 1);
  return wrap(impl_->create<vector::ExtractStridedSliceOp>(unwrap(vector), starts, sizes, strides), vector.dtype,
              sizes);
}

IrValue TpuBuilder::dynamicGather(const IrValue &vector, const IrValue &indices, int64_t dimension) {
  return wrap(
      impl_->create<tpu::DynamicGatherOp>(impl_->type(vector.dtype, indices.shape), unwrap(vector), unwrap(indices),
                                          impl_->builder.getDenseI32ArrayAttr({static_cast<int32_t>(dimension)})),
      vector.dtype, indices.shape);
}

IrValue TpuBuilder::lessOrGreater(const IrValue &left, const IrValue &right) {
  return wrap(impl_->create<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::ONE, unwrap(left), unwrap(right)),
              Dtype::I1, left.shape);
}

IrValue TpuBuilder::repeated(const IrValue &vector) {
  mlir::Value from = unwrap(vector);
  return wrap(impl_->create<vector::BroadcastOp>(from.getType(), from), vector.dtype, vector.shape);
}

IrValue TpuBuilder::reinterpret(const IrValue &vector, Dtype dtype) {
  Shape shape = vector.shape;
  shape.back() = shape.back() * layouts::bitwidth(vector.dtype) / layouts::bitwidth(dtype);
  mlir::Type type = impl_->type(dtype, shape);
  if (type == unwrap(vector).getType())
    return wrap(unwrap(vector), dtype, shape);
  return wrap(impl_->create<vector::BitCastOp>(type, unwrap(vector)), dtype, shape);
}

static tpu::PackFormat formatOf(TpuPacking packing) {
  return packing == TpuPacking::Compressed ? tpu::PackFormat::Compressed : tpu::PackFormat::Interleaved;
}

IrValue TpuBuilder::pack(const IrValue &first, const IrValue &second, Dtype dtype, TpuPacking packing) {
  int64_t size = first.shape[0];
  Shape shape = packing == TpuPacking::Interleaved ? Shape{2 * size} : Shape{size, 2};
  Value sources[] = {unwrap(first), unwrap(second)};
  return wrap(impl_->create<tpu::PackSubelementsOp>(
                  impl_->type(dtype, shape), ValueRange(sources), impl_->builder.getDenseI32ArrayAttr({0, 1}),
                  tpu::PackFormatAttr::get(impl_->context.get(), formatOf(packing)), BoolAttr()),
              dtype, shape);
}

IrValue TpuBuilder::unpack(const IrValue &packed, int64_t index, Dtype dtype, TpuPacking packing) {
  Shape shape{layouts::elementCount(packed.shape) / 2};
  mlir::OpBuilder &builder = impl_->builder;
  return wrap(impl_->create<tpu::UnpackSubelementsOp>(
                  impl_->type(dtype, shape), unwrap(packed), builder.getI32IntegerAttr(static_cast<int32_t>(index)),
                  tpu::PackFormatAttr::get(impl_->context.get(), formatOf(packing)), builder.getBoolAttr(true),
                  builder.getBoolAttr(layouts::isUnsignedInteger(packed.dtype))),
              dtype, shape);
}

IrValue TpuBuilder::assumeMultiple(const IrValue &value, int64_t multiple) {
  return wrapLike(impl_->create<tpu::AssumeMultipleOp>(unwrap(value), static_cast<uint32_t>(multiple)), value);
}

//===------------------------------------ across lanes ------------------------------------------------------------===//

/// Flips the highest bit. The scan and sort units compare integers as unsigned numbers; after the flip, this is the
/// order of the signed numbers.
static IrValue signFlip(TpuBuilder &builder, const IrValue &value) {
  return builder.constant(Dtype::I32, value.shape, int64_t{std::numeric_limits<int32_t>::min()});
}

IrValue TpuBuilder::scan(TpuScan kind, const IrValue &value, const IrValue &mask) {
  bool flip = kind != TpuScan::Sum && value.dtype == Dtype::I32;
  std::optional<IrValue> sign = flip ? std::optional(signFlip(*this, value)) : std::nullopt;
  IrValue input = flip ? binary(BinaryKind::Xor, value, *sign) : value;
  tpu::ReductionKind reduction = kind == TpuScan::Sum       ? tpu::ReductionKind::Sum
                                 : kind == TpuScan::Maximum ? tpu::ReductionKind::Max
                                                            : tpu::ReductionKind::Min;
  Value made = impl_->create<tpu::ScanOp>(unwrap(input).getType(), unwrap(input),
                                          tpu::ReductionKindAttr::get(impl_->context.get(), reduction), unwrap(mask),
                                          IntegerAttr());
  IrValue result = wrapLike(made, value);
  return flip ? binary(BinaryKind::Xor, result, *sign) : result;
}

std::pair<IrValue, IrValue> TpuBuilder::scanCount(const IrValue &value, const IrValue &mask) {
  auto op = impl_->create<tpu::ScanCountOp>(impl_->type(Dtype::I1, value.shape), impl_->type(Dtype::I32, value.shape),
                                            unwrap(mask), unwrap(value));
  return {wrap(op.getCounts(), Dtype::I32, value.shape), wrap(op.getOutMask(), Dtype::I1, value.shape)};
}

TpuBuilder::Sorted TpuBuilder::sort(const IrValue &keys, const IrValue &values, const IrValue &mask, bool descending) {
  bool flip = keys.dtype == Dtype::I32;
  std::optional<IrValue> sign = flip ? std::optional(signFlip(*this, keys)) : std::nullopt;
  IrValue input = flip ? binary(BinaryKind::Xor, keys, *sign) : keys;
  auto op =
      impl_->create<tpu::SortOp>(unwrap(mask).getType(), unwrap(keys).getType(), unwrap(values).getType(),
                                 unwrap(input), unwrap(values), unwrap(mask), impl_->builder.getBoolAttr(descending));
  IrValue sorted = wrapLike(op.getSortedKeys(), keys);
  if (flip)
    sorted = binary(BinaryKind::Xor, sorted, *sign);
  return {wrap(op.getOutputMask(), Dtype::I1, keys.shape), sorted, wrapLike(op.getSortedValues(), values)};
}

IrValue TpuBuilder::trueMask(const Shape &shape) {
  return wrap(impl_->create<arith::ConstantOp>(impl_->constantAttribute(Dtype::I1, shape, int64_t{1})), Dtype::I1,
              shape);
}

static Value allReduce(TpuBuilder::Impl &impl, const IrValue &mask, int64_t lanes, tpu::ReductionKind kind) {
  return impl.create<tpu::AllReduceOp>(impl.type(Dtype::I32, {lanes}), unwrap(mask), impl.builder.getI64IntegerAttr(0),
                                       tpu::ReductionKindAttr::get(impl.context.get(), kind));
}

IrValue TpuBuilder::countSet(const IrValue &mask, int64_t lanes) {
  return wrap(allReduce(*impl_, mask, lanes, tpu::ReductionKind::Sum), Dtype::I32, {lanes});
}

IrValue TpuBuilder::firstSet(const IrValue &mask, int64_t lanes) {
  return wrap(allReduce(*impl_, mask, lanes, tpu::ReductionKind::FindFirstSet), Dtype::I32, {lanes});
}

} // namespace lanescope::core
