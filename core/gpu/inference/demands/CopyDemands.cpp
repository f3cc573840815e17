// Demands of copies between global, shared and tensor memory.
#include "core/gpu/inference/demands/CommonDivisor.h"
#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/ir/MosaicGpuAsync.h"

#include "layouts/Catalogue.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using constraints::Divides;
using constraints::Variable;
namespace c = layouts::catalogue;

namespace {

/// A copy's slice of the global array: its lengths and, as operands, its start indices.
struct Slice {
  ArrayRef<int64_t> lengths; // -1: one element of a dimension that shared memory lacks
  MutableArrayRef<OpOperand> indices;
};

/// Reads the slice of a copy. `before` is the number of operands before the indices; the operation's segments give the
/// number of indices.
FailureOr<Slice> sliceOf(Operation *op, unsigned before) {
  auto lengths = op->getAttrOfType<DenseI64ArrayAttr>("slice_lengths");
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  if (!lengths || !segments || segments.size() <= static_cast<int64_t>(before) || segments[before] != lengths.size() ||
      before + lengths.size() > op->getNumOperands())
    return op->emitError() << "`slice_lengths` has an entry for each index";
  return Slice{lengths.asArrayRef(), op->getOpOperands().slice(before, static_cast<size_t>(lengths.size()))};
}

/// Demands of the index arrays that select rows for a gather or a scatter.
LogicalResult requireRows(const Slice &slice, Derivation &system) {
  for (OpOperand &index : slice.indices) {
    auto type = dyn_cast<VectorType>(index.get().getType());
    if (!type)
      continue;
    std::vector<Constant> allowed;
    if (type.getRank() > 0 && type.getDimSize(0) % 16 == 0)
      allowed.emplace_back(c::tmaIndices());
    if (type.getRank() > 0 && type.getDimSize(0) % 4 == 0)
      allowed.emplace_back(c::tmaIndices4());
    if (allowed.empty())
      return index.getOwner()->emitError() << "an array of indices has a multiple of four elements, not " << type;
    Variable variable = system.at(index);
    system.bind(variable, {index});
    system.require(constraints::OneOf{variable, std::move(allowed)});
  }
  return success();
}

/// `shared`: the index of the operand in shared memory; `global`: the index of the operand in global memory.
LogicalResult copy(Operation *op, Derivation &system, unsigned shared, unsigned global, unsigned indices) {
  auto slice = sliceOf(op, indices);
  if (failed(slice))
    return failure();
  std::vector<int64_t> multiples;
  bool gathers = false;
  int64_t last = -1;
  for (auto [i, length, index] : llvm::enumerate(slice->lengths, slice->indices)) {
    const bool rows = isa<VectorType>(index.get().getType());
    gathers |= rows;
    if (length == -1)
      continue;
    last = length;
    if (!rows) {
      auto divisor = commonDivisor(length, index.get());
      if (failed(divisor))
        return failure();
      multiples.push_back(*divisor);
      continue;
    }
    if (i != 0)
      return op->emitError() << "an array of indices is for the first dimension only";
    auto rows2d = dyn_cast<MemRefType>(op->getOperand(global).getType());
    if (!rows2d || rows2d.getRank() != 2)
      return op->emitError() << "an array of indices names rows of a two-dimensional reference";
    multiples.push_back(length);
  }
  auto variable = system.producer(op->getOpOperand(shared));
  if (failed(variable))
    return failure();
  system.require(Divides{*variable, std::move(multiples)});
  if (gathers) {
    // The instruction writes four rows at once, at addresses that are multiples of 1024 bits.
    constexpr int64_t kBitsOfRow = 1024 / 4;
    const int bits = elementBits(op->getOperand(0).getType());
    if (bits == 0 || bits > kBitsOfRow)
      return op->emitError() << "rows of such elements are not gathered";
    const int64_t divisor = kBitsOfRow / bits;
    if (last != -1 && last % divisor != 0)
      return op->emitError() << "rows that are gathered or scattered have a multiple of " << divisor
                             << " elements, not " << last;
    system.require(constraints::MinorDimDivisibleBy{*variable, divisor});
  }
  system.bind(*variable, {op->getOpOperand(shared)});
  return requireRows(*slice, system);
}

LogicalResult asyncLoad(Operation *op, Derivation &system) {
  return copy(op, system, /*shared=*/1, /*global=*/0, /*indices=*/3);
}
LogicalResult asyncStore(Operation *op, Derivation &system) {
  return copy(op, system, /*shared=*/0, /*global=*/1, /*indices=*/2);
}
LogicalResult asyncPrefetch(Operation *op, Derivation &system) {
  auto slice = sliceOf(op, 1);
  return failed(slice) ? failure() : requireRows(*slice, system);
}

} // namespace

llvm::ArrayRef<DemandEntry> copyDemands() {
  static const DemandEntry entries[] = {
      on<mosaic_gpu::AsyncLoadOp>(asyncLoad),
      on<mosaic_gpu::AsyncStoreOp>(asyncStore),
      on<mosaic_gpu::AsyncPrefetchOp>(asyncPrefetch),
  };
  return entries;
}

} // namespace lanescope::core
