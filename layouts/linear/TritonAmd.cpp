// Register layouts for AMD: the accumulators and operands of mfma (64 lanes) and wmma (32 lanes).
// Source: Triton, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp.
#include "layouts/linear/TritonLinear.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

constexpr int64_t kMfmaLanes = 64;
constexpr int64_t kWmmaLanes = 32;

/// The repetition of a wmma tile over the warps, for an operand: no bases along `dimension`, and no register that holds
/// only a copy.
LinearLayout operandCta(const AmdWmma &parent, size_t dimension) {
  LinearLayout result;
  for (size_t d = 0; d < parent.ctaLayout.outputs().size(); ++d) {
    result.extend(kRegister, standardName(d), 1);
    result.setOutputSize(d, d == dimension ? 1 : parent.ctaLayout.outputs()[d].size);
  }
  for (const LinearLayout::Input &input : parent.ctaLayout.inputs()) {
    std::vector<LinearLayout::Basis> bases = input.bases;
    for (LinearLayout::Basis &basis : bases)
      basis[dimension] = 0;
    if (input.name == kRegister)
      std::erase_if(bases, [](const LinearLayout::Basis &basis) {
        return std::all_of(basis.begin(), basis.end(), [](int32_t v) { return v == 0; });
      });
    result.mutableBases(input.name) = std::move(bases);
  }
  return result;
}

} // namespace

Result<LinearLayout> mfmaToLinear(const AmdMfma &encoding, const Shape &shape) {
  size_t rank = shape.size(), m = rank - 2, n = rank - 1;
  int64_t mDim = encoding.instrShape[0], nDim = encoding.instrShape[1];
  int64_t height = encoding.elementBitWidth == 64 ? 1 : 4, tiles = mDim * nDim / (kMfmaLanes * height);
  std::string dimM = standardName(m), dimN = standardName(n);
  // Each lane holds `height` elements along M (N if transposed); lanes run along the other dimension first.
  const std::string &tall = encoding.isTransposed ? dimN : dimM, &wide = encoding.isTransposed ? dimM : dimN;
  int64_t across = encoding.isTransposed ? mDim : nDim;
  LinearLayout layout;
  layout.extend(kRegister, dimN, 1);
  layout.extend(kRegister, dimM, 1);
  layout.extend(kRegister, tall, height);
  layout.extend(kLane, wide, across);
  layout.extend(kLane, tall, kMfmaLanes / across);
  layout.extend(kRegister, tall, std::max<int64_t>(tiles, 1));
  // The tiles run along all of N before M, for any shape, because Triton's dot products expect this order.
  int64_t tilesN = encoding.tilesPerWarp[n], warpsN = encoding.warpsPerCta[n];
  layout.extend(kRegister, dimN, tilesN);
  layout.extend(kWarp, dimN, warpsN);
  layout.extend(kRegister, dimN, std::max<int64_t>(1, shape[n] / (nDim * warpsN * tilesN)));
  layout.extend(kRegister, dimM, encoding.tilesPerWarp[m]);
  layout.extend(kWarp, dimM, encoding.warpsPerCta[m]);
  if (rank == 3)
    layout.extend(kWarp, standardName(0), encoding.warpsPerCta[0]);
  return combineWithShape(std::move(layout), encoding.cga, shape, kRegister);
}

Result<LinearLayout> mfmaDotToLinear(const DotOperand &dot, const AmdMfma &parent, const Shape &shape) {
  size_t rank = shape.size(), k = dot.opIdx == 0 ? rank - 1 : rank - 2, nonK = dot.opIdx == 0 ? rank - 2 : rank - 1;
  int64_t mDim = parent.instrShape[0], nDim = parent.instrShape[1], across = dot.opIdx == 0 ? mDim : nDim;
  std::string dimK = standardName(k), dimNonK = standardName(nonK);
  LinearLayout layout;
  layout.extend(kRegister, dimK, dot.kWidth);
  layout.extend(kLane, dimNonK, across);
  layout.extend(kLane, dimK, kMfmaLanes / across);
  int64_t kTile = kMfmaLanes / across * dot.kWidth;
  if ((mDim == 64 && nDim == 4 && dot.opIdx == 0) || (mDim == 4 && nDim == 64 && dot.opIdx == 1)) {
    layout.extend(kRegister, dimK, 16); // the 64 x 64 operand of a 4 x 64 product
    kTile *= 16;
  }
  layout.extend(kRegister, dimK, std::max<int64_t>(1, shape[k] / kTile));
  layout.extend(kRegister, dimNonK, parent.tilesPerWarp[nonK]);
  // Each warp along K has its own part of K. If K is smaller than all parts together, combineWithShape broadcasts.
  Shape order = matrixOrder(rank, true);
  for (int64_t d : order)
    layout.extend(kWarp, standardName(static_cast<size_t>(d)), parent.warpsPerCta[static_cast<size_t>(d)]);
  return combineWithShape(std::move(layout), parent.cga, shape, kRegister);
}

Result<LinearLayout> wmmaToLinear(const AmdWmma &encoding, const Shape &shape) {
  size_t rank = shape.size();
  // Registers run along `tall`: M, or N if transposed.
  std::string tall = standardName(encoding.isTransposed ? rank - 1 : rank - 2);
  std::string wide = standardName(encoding.isTransposed ? rank - 2 : rank - 1);
  LinearLayout layout;
  for (int64_t d : matrixOrder(rank, true))
    layout.extend(kRegister, standardName(static_cast<size_t>(d)), 1);
  if (encoding.version == 1) { // rows alternate between the two halves of the warp
    layout.extend(kLane, wide, 16);
    layout.extend(kLane, tall, 2);
    layout.extend(kRegister, tall, 8);
  } else {
    layout.extend(kRegister, tall, 8);
    layout.extend(kLane, wide, 16);
    layout.extend(kLane, tall, 2);
    if (encoding.instrShape[0] == 32)
      layout.extend(kRegister, tall, 2);
  }
  layout *= encoding.ctaLayout;
  return combineWithShape(std::move(layout), encoding.cga, shape, kRegister);
}

Result<LinearLayout> wmmaDotToLinear(const DotOperand &dot, const AmdWmma &parent, const Shape &shape) {
  size_t rank = shape.size(), k = dot.opIdx == 0 ? rank - 1 : rank - 2, nonK = dot.opIdx == 0 ? rank - 2 : rank - 1;
  std::string dimK = standardName(k), dimNonK = standardName(nonK);
  int64_t nonKDim = 16;
  if (parent.instrShape[0] == 32) // in a 32 x 16 product, the operand with 32 rows is the second one if transposed
    nonKDim = (dot.opIdx == 0) != parent.isTransposed ? 32 : 16;
  int64_t depth = kWmmaLanes / 16;
  LinearLayout layout;
  layout.extend(kRegister, dimK, 1);
  layout.extend(kRegister, dimNonK, 1);
  if (rank == 3)
    layout.extend(kRegister, standardName(0), 1);
  layout.extend(kRegister, dimK, dot.kWidth);
  layout.extend(kLane, dimNonK, 16);
  if (parent.version == 1)
    layout.extendZeros(kLane, dimK, depth);
  else
    layout.extend(kLane, dimK, depth);
  layout.extend(kRegister, dimK, std::max<int64_t>(1, parent.instrShape[2] / (depth * dot.kWidth)));
  layout.extend(kRegister, dimNonK, nonKDim / 16);
  layout *= operandCta(parent, k);
  return combineWithShape(std::move(layout), withoutDimension(parent.cga, k, false), shape, kRegister);
}

} // namespace lanescope::layouts
