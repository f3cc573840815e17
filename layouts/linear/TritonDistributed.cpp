// Register layouts for NVIDIA: blocked, mma, dot operands, slices, linear.
// Source: Triton, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp.
#include "layouts/linear/TritonLinear.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

size_t at(int64_t dimension) { return static_cast<size_t>(dimension); }

/// A tile of mma.sync: kWidth registers and 4 lanes along the inner dimension, 8 lanes along the outer one, and the
/// rest of the tile in registers. PTX ISA, "Matrix fragments for mma.m16n8k16".
LinearLayout mmaTile(const Shape &tile, int64_t kWidth, const Shape &order, const Shape &repOrder) {
  LinearLayout layout = identityNd(kRegister, Shape(tile.size(), 1), repOrder);
  std::string inner = standardName(at(order[0])), outer = standardName(at(order[1]));
  layout.extend(kRegister, inner, kWidth);
  layout.extend(kLane, inner, 4);
  layout.extend(kLane, outer, 8);
  layout.extend(kRegister, outer, tile[at(order[1])] / 8);
  layout.extend(kRegister, inner, tile[at(order[0])] / (kWidth * 4));
  return layout;
}

/// The lanes or warps of a dot operand: those along K all hold the same elements.
void extendExceptK(LinearLayout &layout, std::string_view input, const Shape &sizes, const Shape &order, size_t kDim) {
  for (int64_t d : order) {
    if (at(d) == kDim)
      layout.extendZeros(input, standardName(at(d)), sizes[at(d)]);
    else
      layout.extend(input, standardName(at(d)), sizes[at(d)]);
  }
}

void extendNd(LinearLayout &layout, std::string_view input, const Shape &sizes, const Shape &order) {
  for (int64_t d : order)
    layout.extend(input, standardName(at(d)), sizes[at(d)]);
}

Result<LinearLayout> fmaDotToLinear(const DotOperand &dot, const Blocked &parent, const Shape &shape) {
  size_t rank = shape.size(), kDim = dot.opIdx == 0 ? rank - 1 : rank - 2;
  Shape perThread = parent.sizePerThread;
  perThread[kDim] = shape[kDim];
  LinearLayout layout = identityNd(kRegister, perThread, parent.order);
  extendExceptK(layout, kLane, parent.threadsPerWarp, parent.order, kDim);
  extendExceptK(layout, kWarp, parent.warpsPerCta, parent.order, kDim);
  return combineWithShape(std::move(layout), withoutDimension(parent.cga, kDim, false), shape, kRegister);
}

Result<LinearLayout> mmaDotToLinear(const DotOperand &dot, const NvidiaMma &parent, const Shape &shape) {
  size_t rank = shape.size(), kDim = dot.opIdx == 0 ? rank - 1 : rank - 2;
  int64_t m = parent.versionMajor == 3 ? parent.instrShape[0] : parent.instrShape[rank - 2];
  int64_t kTile = dot.kWidth * (m == 8 ? 4 : 8); // m8n8k4 of f64 has half the depth
  Shape tile(rank, 1);
  tile[rank - 2] = dot.opIdx == 0 ? m : kTile;
  tile[rank - 1] = dot.opIdx == 0 ? kTile : 8;
  Shape order = matrixOrder(rank, dot.opIdx == 0); // K fastest
  LinearLayout layout = mmaTile(tile, dot.kWidth, order, order);
  extendExceptK(layout, kWarp, parent.warpsPerCta, matrixOrder(rank, parent.versionMajor != 3), kDim);
  return combineWithShape(std::move(layout), withoutDimension(parent.cga, kDim, false), shape, kRegister);
}

} // namespace

Result<LinearLayout> blockedToLinear(const Blocked &encoding, const Shape &shape) {
  LinearLayout layout = identityNd(kRegister, encoding.sizePerThread, encoding.order);
  extendNd(layout, kLane, encoding.threadsPerWarp, encoding.order);
  extendNd(layout, kWarp, encoding.warpsPerCta, encoding.order);
  return combineWithShape(std::move(layout), encoding.cga, shape, kRegister);
}

Result<LinearLayout> mmaToLinear(const NvidiaMma &encoding, const Shape &shape) {
  size_t rank = shape.size();
  Shape tile = encoding.instrShape, order = matrixOrder(rank, true);
  tile.resize(rank); // wgmma's K does not affect the accumulators
  LinearLayout layout = mmaTile(tile, 2, order, order);
  extendNd(layout, kWarp, encoding.warpsPerCta, matrixOrder(rank, encoding.versionMajor != 3));
  return combineWithShape(std::move(layout), encoding.cga, shape, kRegister);
}

Result<LinearLayout> dotOperandToLinear(const DotOperand &encoding, const Shape &shape) {
  if (const auto *blocked = encoding.parent->as<Blocked>())
    return fmaDotToLinear(encoding, *blocked, shape);
  if (const auto *mfma = encoding.parent->as<AmdMfma>())
    return mfmaDotToLinear(encoding, *mfma, shape);
  if (const auto *wmma = encoding.parent->as<AmdWmma>())
    return wmmaDotToLinear(encoding, *wmma, shape);
  return mmaDotToLinear(encoding, *encoding.parent->as<NvidiaMma>(), shape);
}

Result<LinearLayout> sliceToLinear(const Slice &encoding, const Shape &shape) {
  Shape parentShape = shape;
  parentShape.insert(parentShape.begin() + encoding.dim, 1);
  Result<LinearLayout> parent = toLinear(*encoding.parent, parentShape);
  if (!parent)
    return parent;
  std::vector<LinearLayout::Input> inputs = parent->inputs();
  for (LinearLayout::Input &input : inputs) {
    for (LinearLayout::Basis &basis : input.bases)
      basis.erase(basis.begin() + encoding.dim);
    if (input.name == kRegister)
      std::erase_if(input.bases, [](const LinearLayout::Basis &basis) {
        return std::all_of(basis.begin(), basis.end(), [](int32_t v) { return v == 0; });
      });
  }
  std::vector<LinearLayout::Output> outputs;
  for (size_t d = 0; d < shape.size(); ++d)
    outputs.push_back({standardName(d), static_cast<int32_t>(shape[d])});
  return LinearLayout::make(std::move(inputs), std::move(outputs));
}

Result<LinearLayout> linearToShape(const LinearEncoding &encoding, const Shape &shape) {
  // First come the dimensions along which the registers move, in the order in which they do, then the others, the last
  // one fastest.
  std::vector<std::string> order;
  auto add = [&](size_t d) {
    if (std::find(order.begin(), order.end(), standardName(d)) == order.end())
      order.push_back(standardName(d));
  };
  for (const LinearLayout::Basis &basis : encoding.layout.bases(kRegister)) {
    auto first = std::find_if(basis.begin(), basis.end(), [](int32_t v) { return v != 0; });
    if (first != basis.end())
      add(static_cast<size_t>(first - basis.begin()));
  }
  for (size_t d = shape.size(); d-- > 0;)
    add(d);
  LinearLayout layout = encoding.layout;
  layout.orderOutputs(order);
  growTo(layout, shape, kRegister);
  shrinkTo(layout, shape, true);
  layout.orderOutputs(standardNames(shape.size()));
  return layout;
}

} // namespace lanescope::layouts
