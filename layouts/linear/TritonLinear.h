// The steps that Triton's conversions to linear layouts share. Private to layouts/linear/.
//
//   LinearLayout cta = …;                                    one block's tile
//   combineWithShape(cta, encoding.cga, rank, {128, 64})     broadcast or wrapped, spread over the blocks, trimmed
#pragma once

#include "layouts/linear/TritonEncoding.h"

namespace lanescope::layouts {

inline constexpr std::string_view kRegister = "register", kLane = "lane", kWarp = "warp", kBlock = "block",
                                  kOffset = "offset", kPartition = "partition", kRow = "row", kColumn = "col";

/// The encodings' own conversions. The caller has checked the encoding; `shape` has powers of two and the right rank.
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

/// A layout with one input that covers a box of `sizes`; dimension order[0] is the fastest.
LinearLayout identityNd(std::string_view input, const Shape &sizes, const Shape &order);
/// rank-1, rank-2, …, 0; with `rowMajor` false the two fastest are swapped.
Shape matrixOrder(size_t rank, bool rowMajor);
/// The layout of the blocks, for tensors of a rank.
LinearLayout cgaLayout(const CgaBases &cga, size_t rank);
/// The number of blocks along each dimension among which the tensor is split.
Shape ctaSplit(const CgaBases &cga, size_t rank);
Shape shapePerCta(const CgaBases &cga, const Shape &shape);
/// The blocks of a dot operand or a slice: all blocks share the same part of `dimension`.
CgaBases withoutDimension(CgaBases cga, size_t dimension, bool remove);

/// If an output is larger than its size in `shape` (found by name), sets its highest bases to zero, so that they
/// broadcast. With `dropRegisters`, removes such bases of registers instead. `shape` has a size of 1 or more per
/// output.
void shrinkTo(LinearLayout &layout, const Shape &shape, bool dropRegisters = false);
/// Appends bases of `input` along outputs that are smaller than `shape`, in the outputs' order.
void growTo(LinearLayout &layout, const Shape &shape, std::string_view input);
/// Extends one block's layout to a tensor; `input` is the input that wraps (register or offset). Outputs are in
/// standard order.
LinearLayout combineWithShape(LinearLayout cta, const CgaBases &cga, const Shape &shape, std::string_view input);

} // namespace lanescope::layouts
