// The steps that Triton's conversions to linear layouts share. Private to layouts/linear/.
//
//   LinearLayout cta = …;                                    one block's tile
//   combineWithShape(cta, encoding.cga, rank, {128, 64})     broadcast or wrapped, spread over the blocks, trimmed
#pragma once

#include "layouts/linear/TritonEncoding.h"

namespace lanescope::layouts {

inline constexpr std::string_view kRegister = "register", kLane = "lane", kWarp = "warp", kBlock = "block",
                                  kOffset = "offset", kPartition = "partition", kRow = "row", kColumn = "col";

/// The encodings' own conversions; their encodings are checked, `shape` is of powers of two and of the right rank.
Result<LinearLayout> blockedToLinear(const Blocked &encoding, const Shape &shape);
Result<LinearLayout> mmaToLinear(const NvidiaMma &encoding, const Shape &shape);
Result<LinearLayout> dotOperandToLinear(const DotOperand &encoding, const Shape &shape);
Result<LinearLayout> sliceToLinear(const Slice &encoding, const Shape &shape);
Result<LinearLayout> linearToShape(const LinearEncoding &encoding, const Shape &shape);
Result<LinearLayout> mfmaToLinear(const AmdMfma &encoding, const Shape &shape);
Result<LinearLayout> mfmaDotToLinear(const DotOperand &dot, const AmdMfma &parent, const Shape &shape);
Result<LinearLayout> wmmaToLinear(const AmdWmma &encoding, const Shape &shape);
Result<LinearLayout> wmmaDotToLinear(const DotOperand &dot, const AmdWmma &parent, const Shape &shape);
Result<LinearLayout> swizzledToLinear(const SwizzledShared &encoding, const Shape &shape);
Result<LinearLayout> nvmmaToLinear(const NvmmaShared &encoding, const Shape &shape);
Result<LinearLayout> sharedLinearToShape(const SharedLinear &encoding, const Shape &shape);
Result<LinearLayout> paddedToShape(const PaddedShared &encoding, const Shape &shape);
Result<LinearLayout> partitionedToLinear(const PartitionedShared &encoding, const Shape &shape);
Result<LinearLayout> tmemToLinear(const TensorMemory &encoding, const Shape &shape);
Result<LinearLayout> tmemScalesToLinear(const TensorMemoryScales &encoding, const Shape &shape);

/// A layout of the one input that covers a box of `sizes`, the dimension order[0] fastest.
LinearLayout identityNd(std::string_view input, const Shape &sizes, const Shape &order);
/// rank-1, rank-2, …, 0; with `rowMajor` false the two fastest are swapped.
Shape matrixOrder(size_t rank, bool rowMajor);
/// The blocks' layout for a rank.
LinearLayout cgaLayout(const CgaBases &cga, size_t rank);
/// Blocks along each dimension among which the tensor is split.
Shape ctaSplit(const CgaBases &cga, size_t rank);
Shape shapePerCta(const CgaBases &cga, const Shape &shape);
/// The blocks of a dot operand or a slice: `dimension` is the same for all of them.
CgaBases withoutDimension(CgaBases cga, size_t dimension, bool remove);

/// Zeroes the highest bases along outputs that are larger than `shape` (by output name), so that they broadcast. With
/// `dropRegisters` such register bases are removed instead. A shape of 1 or more per output.
void shrinkTo(LinearLayout &layout, const Shape &shape, bool dropRegisters = false);
/// Goes on along outputs that are smaller than `shape` with further bases of `input`, in the outputs' order.
void growTo(LinearLayout &layout, const Shape &shape, std::string_view input);
/// One block's layout as that of a tensor; `input` is what wraps (register or offset). Outputs are in standard order.
LinearLayout combineWithShape(LinearLayout cta, const CgaBases &cga, const Shape &shape, std::string_view input);

} // namespace lanescope::layouts
