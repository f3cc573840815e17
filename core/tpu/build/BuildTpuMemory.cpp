// Views of references, loads and stores, allocations with their scopes.
#include "core/tpu/build/TpuBuilderImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

namespace lanescope::core {

using layouts::Dtype;
using layouts::Shape;

std::optional<int64_t> TpuBuilder::known(const IrValue &value) {
  llvm::APInt constant;
  if (mlir::matchPattern(unwrap(value), mlir::m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

static std::optional<int64_t> known(const Offset &offset) {
  const auto *number = std::get_if<int64_t>(&offset);
  return number ? std::optional(*number) : TpuBuilder::known(std::get<IrValue>(offset));
}

bool TpuBuilder::slices(const TpuRef &ref) {
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  return mlir::succeeded(mlir::cast<mlir::MemRefType>(unwrap(ref).getType()).getStridesAndOffset(strides, offset));
}

TpuRef TpuBuilder::slice(const TpuRef &ref, const std::vector<TpuSlice> &dims) {
  constexpr int64_t kDynamic = mlir::ShapedType::kDynamic;
  auto type = mlir::cast<mlir::MemRefType>(unwrap(ref).getType());
  llvm::SmallVector<int64_t> strides, sizes;
  int64_t offset = 0;
  bool strided = mlir::succeeded(type.getStridesAndOffset(strides, offset));
  assert(strided && "the caller slices no tiled memory");
  (void)strided;
  llvm::SmallVector<mlir::Value> starts, dynamicSizes;
  bool squeezes = false;
  for (const auto &[dim, stride] : llvm::zip_equal(dims, strides)) {
    starts.push_back(impl_->i32(dim.start));
    auto start = core::known(dim.start), size = core::known(dim.size);
    offset = start && offset != kDynamic ? offset + *start * stride : kDynamic;
    sizes.push_back(size.value_or(kDynamic));
    squeezes |= !dim.keep;
  }
  for (const TpuSlice &dim : dims)
    if (!core::known(dim.size))
      dynamicSizes.push_back(unwrap(std::get<IrValue>(dim.size)));
  auto layout = mlir::StridedLayoutAttr::get(type.getContext(), offset, strides);
  auto part = mlir::MemRefType::get(sizes, type.getElementType(), layout, type.getMemorySpace());
  mlir::Value view = impl_->create<tpu::MemRefSliceOp>(part, unwrap(ref), starts, dynamicSizes);
  TpuRef out = ref;
  out.shape.clear();
  llvm::SmallVector<int64_t> kept;
  for (const auto &[dim, size] : llvm::zip_equal(dims, sizes)) {
    if (!dim.keep)
      continue;
    kept.push_back(size);
    out.shape.push_back(size == kDynamic ? kDynamicSize : size);
  }
  if (squeezes) {
    // If several dimensions have size 1, the operation drops those nearest the minor end.
    auto dropped = tpu::squeezedDimensions(sizes, kept);
    llvm::SmallVector<int64_t> keptStrides;
    for (const auto &[d, stride] : llvm::enumerate(strides))
      if (!llvm::is_contained(*dropped, static_cast<unsigned>(d)))
        keptStrides.push_back(stride);
    auto squeezed = mlir::StridedLayoutAttr::get(type.getContext(), offset, keptStrides);
    view = impl_->create<tpu::MemRefSqueezeOp>(
        mlir::MemRefType::get(kept, type.getElementType(), squeezed, type.getMemorySpace()), view);
  }
  out.handle = view.getAsOpaquePointer();
  return out;
}

TpuRef TpuBuilder::bitcast(const TpuRef &ref, Dtype dtype, const Shape &shape) {
  TpuMemoryType type{.dtype = dtype, .shape = shape, .memory = ref.memory};
  return impl_->wrapRef(impl_->create<tpu::MemRefBitcastOp>(impl_->memrefType(type), unwrap(ref)), type);
}

TpuRef TpuBuilder::reshape(const TpuRef &ref, const Shape &shape) {
  TpuMemoryType type{.dtype = ref.dtype, .shape = shape, .memory = ref.memory};
  return impl_->wrapRef(impl_->create<tpu::MemRefReshapeOp>(impl_->memrefType(type), unwrap(ref)), type);
}

TpuIndex TpuBuilder::index(const Offset &offset) {
  mlir::Type type = impl_->builder.getIndexType();
  if (const auto *number = std::get_if<int64_t>(&offset))
    return {impl_->constant(type, *number).getAsOpaquePointer()};
  mlir::Value cast = impl_->create<mlir::arith::IndexCastOp>(type, unwrap(std::get<IrValue>(offset)));
  return {cast.getAsOpaquePointer()};
}

static llvm::SmallVector<mlir::Value> unwrapAll(const std::vector<TpuIndex> &indices) {
  llvm::SmallVector<mlir::Value> out;
  for (const TpuIndex &index : indices)
    out.push_back(unwrap(index));
  return out;
}

static llvm::SmallVector<mlir::Value> unwrapAll(const std::vector<IrValue> &values) {
  llvm::SmallVector<mlir::Value> out;
  for (const IrValue &value : values)
    out.push_back(unwrap(value));
  return out;
}

IrValue TpuBuilder::load(const TpuRef &ref, const std::vector<TpuIndex> &at, const Shape &shape,
                         const std::optional<IrValue> &mask) {
  llvm::SmallVector<mlir::Value> indices = unwrapAll(at);
  if (shape.empty())
    return wrap(impl_->create<mlir::memref::LoadOp>(unwrap(ref), indices), ref.dtype, {});
  return wrap(impl_->create<tpu::VectorLoadOp>(impl_->type(ref.dtype, shape), unwrap(ref), indices,
                                               impl_->builder.getDenseI32ArrayAttr({}), Impl::orNull(mask)),
              ref.dtype, shape);
}

void TpuBuilder::store(const IrValue &value, const TpuRef &ref, const std::vector<TpuIndex> &at,
                       const std::optional<IrValue> &mask, bool add) {
  llvm::SmallVector<mlir::Value> indices = unwrapAll(at);
  if (value.isScalar())
    impl_->create<mlir::memref::StoreOp>(unwrap(value), unwrap(ref), indices);
  else
    impl_->create<tpu::VectorStoreOp>(unwrap(value), unwrap(ref), indices, impl_->builder.getDenseI32ArrayAttr({}),
                                      Impl::orNull(mask), impl_->builder.getBoolAttr(add));
}

IrValue TpuBuilder::gather(const TpuRef &ref, const std::vector<IrValue> &indices, const std::optional<IrValue> &mask) {
  const Shape &shape = indices.front().shape;
  return wrap(impl_->create<tpu::VectorLoadIdxOp>(impl_->type(ref.dtype, shape), unwrap(ref), unwrapAll(indices),
                                                  Impl::orNull(mask)),
              ref.dtype, shape);
}

void TpuBuilder::scatter(const IrValue &value, const TpuRef &ref, const std::vector<IrValue> &indices,
                         const std::optional<IrValue> &mask, bool add) {
  impl_->create<tpu::VectorStoreIdxOp>(unwrap(value), unwrap(ref), unwrapAll(indices), Impl::orNull(mask),
                                       impl_->builder.getBoolAttr(add));
}

IrValue TpuBuilder::fetchAndAdd(const TpuRef &ref, const std::vector<IrValue> &at, const IrValue &value,
                                const IrValue &subcore) {
  return wrap(impl_->create<tpu::FetchAndAddSyncOp>(impl_->builder.getI32Type(), unwrap(ref), unwrapAll(at),
                                                    unwrap(value), unwrap(subcore)),
              Dtype::I32, {});
}

TpuRef TpuBuilder::allocate(const TpuMemoryType &type, const std::string &name) {
  mlir::MemRefType memory = impl_->memrefType(type);
  mlir::Value made = type.element == TpuElement::Number ? impl_->create<mlir::memref::AllocaOp>(memory).getResult()
                                                        : impl_->create<tpu::AllocaSemaphoreOp>(memory).getResult();
  if (!name.empty())
    made.setLoc(mlir::NameLoc::get(impl_->builder.getStringAttr(name), made.getLoc()));
  return impl_->wrapRef(made, type);
}

/// The common type of all references. Parts that begin at different places have an unknown offset.
static mlir::MemRefType commonType(const std::vector<TpuRef> &refs) {
  auto type = mlir::cast<mlir::MemRefType>(unwrap(refs.front()).getType());
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  bool same = true;
  for (const TpuRef &ref : refs)
    same &= unwrap(ref).getType() == type;
  if (same || mlir::failed(type.getStridesAndOffset(strides, offset)))
    return type;
  for (const TpuRef &ref : refs) {
    llvm::SmallVector<int64_t> others;
    if (mlir::failed(mlir::cast<mlir::MemRefType>(unwrap(ref).getType()).getStridesAndOffset(others, offset)))
      return type; // tiled memory is not viewed in parts
    for (auto [stride, other] : llvm::zip_equal(strides, others))
      if (stride != other)
        stride = mlir::ShapedType::kDynamic;
  }
  auto layout = mlir::StridedLayoutAttr::get(type.getContext(), mlir::ShapedType::kDynamic, strides);
  return mlir::MemRefType::get(type.getShape(), type.getElementType(), layout, type.getMemorySpace());
}

TpuRef TpuBuilder::selectRef(const IrValue &number, const std::vector<TpuRef> &refs) {
  mlir::MemRefType type = commonType(refs);
  auto ofType = [&](const TpuRef &ref) -> mlir::Value {
    mlir::Value value = unwrap(ref);
    return value.getType() == type ? value : impl_->create<mlir::memref::CastOp>(type, value).getResult();
  };
  mlir::Value chosen = ofType(refs.back());
  for (size_t k = refs.size() - 1; k-- > 0;) {
    IrValue this_ = compare(CompareKind::Equal, number, constant(layouts::Dtype::I32, {}, static_cast<int64_t>(k)));
    chosen = impl_->create<mlir::arith::SelectOp>(core::unwrap(this_), ofType(refs[k]), chosen);
  }
  TpuRef out = refs.front();
  out.handle = chosen.getAsOpaquePointer();
  return out;
}

void TpuBuilder::openRegion() {
  auto draft = impl_->create<tpu::RegionOp>(mlir::TypeRange());
  impl_->builder.createBlock(&draft.getRegion());
}

KernelBuilder::Values TpuBuilder::closeRegion(const Values &results) {
  // The results' types are known only now, so the emitted operations are moved out of the draft.
  mlir::OpBuilder &builder = impl_->builder;
  auto draft = mlir::cast<tpu::RegionOp>(builder.getInsertionBlock()->getParentOp());
  llvm::SmallVector<mlir::Value> values = unwrapAll(results);
  impl_->create<tpu::YieldOp>(values);
  builder.setInsertionPointAfter(draft);
  auto made = tpu::RegionOp::create(builder, draft.getLoc(), mlir::TypeRange(mlir::ValueRange(values)));
  made.getRegion().takeBody(draft.getRegion());
  draft.erase();
  builder.setInsertionPointAfter(made);
  Values out = results;
  for (auto [value, result] : llvm::zip_equal(out, made.getResults()))
    value.handle = mlir::Value(result).getAsOpaquePointer();
  return out;
}

} // namespace lanescope::core
