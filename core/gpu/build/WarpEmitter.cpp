// Single warps, named barriers, other kernels in the stream, stores into other blocks.
#include "core/gpu/build/GpuBuilderImpl.h"

#include "core/gpu/ir/WarpOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lanescope::core {

using layouts::Dtype;

Result<void> WarpEmitter::warps(const std::function<Result<void>()> &body) {
  auto &builder = impl_->builder;
  mlir::Location place = impl_->location;
  auto restore = impl_->checkpoint();
  auto warps = impl_->create<statements::WarpsOp>();
  builder.createBlock(&warps.getBody());
  auto done = body();
  impl_->location = place;
  builder.setInsertionPointAfter(warps);
  if (!done) {
    warps.erase();
    restore();
  }
  return done;
}

IrValue WarpEmitter::warpId() {
  return wrap(impl_->create<statements::WarpIdOp>(impl_->builder.getI32Type()), Dtype::I32, {});
}

void WarpEmitter::blockBarrier() { impl_->create<mlir::gpu::BarrierOp>(); }

void WarpEmitter::namedBarrier(int64_t id, int64_t threads, bool arriveOnly) {
  impl_->create<statements::NamedBarrierOp>(static_cast<uint32_t>(id), static_cast<uint32_t>(threads), arriveOnly);
}

std::vector<IrValue> WarpEmitter::inlinePtx(const std::string &ptx, const std::vector<IrValue> &values,
                                            const std::vector<Dtype> &results) {
  llvm::SmallVector<mlir::Value> operands;
  layouts::Shape shape;
  for (const IrValue &value : values) {
    operands.push_back(unwrap(value));
    if (!value.shape.empty())
      shape = value.shape;
  }
  llvm::SmallVector<mlir::Type> types;
  for (Dtype result : results)
    types.push_back(impl_->type(result, shape));
  auto op = impl_->create<statements::InlinePtxOp>(types, ptx, operands);
  std::vector<IrValue> out;
  for (auto [result, dtype] : llvm::zip_equal(op.getResults(), results))
    out.push_back(wrap(result, dtype, shape));
  return out;
}

void WarpEmitter::gridDependency(bool launchDependents) {
  impl_->create<statements::GridDependencyOp>(launchDependents);
}

void WarpEmitter::asyncStoreShared(const IrValue &value, const IrRef &destination, const IrBarrier &barrier,
                                   const std::array<std::optional<IrValue>, 3> &place,
                                   std::optional<AtomicKind> atomic) {
  auto at = [&](size_t dim) { return place[dim] ? unwrap(*place[dim]) : mlir::Value(); };
  mlir::Value own = impl_->barrier(barrier);
  auto store =
      impl_->create<statements::AsyncStoreSmemOp>(unwrap(value), unwrap(destination), own, at(0), at(1), at(2));
  if (!atomic)
    return;
  store->setAttr("atomic_type", atomicAttribute(impl_->context.get(), atomic));
  store->setAttr("is_signed", impl_->builder.getBoolAttr(layouts::isSignedInteger(value.dtype)));
}

} // namespace lanescope::core
