// Triton's layout attributes as values, and the linear layouts that they stand for.
//
//   TritonEncoding mma = *TritonEncoding::make(NvidiaMma{.versionMajor = 2, .warpsPerCta = {4, 1}, .instrShape = {16,
//   8}});
//   toLinear(mma, {64, 8})->bases("lane")   ->  {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}
//   tritonAttribute(mma)                    ->  "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, …}>"
//
// An encoding is a rule for tensors of any shape: smaller ones are broadcast (zero bases), larger ones wrap into
// further registers. The rules are those of Triton's lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp;
// TritonGPUAttrDefs.td and TritonNvidiaGPUAttrDefs.td describe each attribute. Shapes are powers of two.
#pragma once

#include "layouts/linear/LinearLayout.h"

#include <memory>
#include <variant>

namespace lanescope::layouts {

class TritonEncoding;
using TritonParent = std::shared_ptr<const TritonEncoding>;

/// How the blocks (CTAs) of a cluster share a tensor: the coordinates that each bit of the block number adds, in units
/// of one block's part. Empty if there is one block, or if every block holds the whole tensor.
using CgaBases = std::vector<LinearLayout::Basis>;
/// The bases for the older triple `CTAsPerCGA`, `CTASplitNum`, `CTAOrder`. Error: not powers of two, or ranks differ.
Result<CgaBases> cgaFromSplit(const Shape &ctasPerCga, const Shape &ctaSplitNum, const Shape &ctaOrder);

struct Blocked {
  Shape sizePerThread, threadsPerWarp, warpsPerCta, order;
  CgaBases cga = {};
};
/// Accumulators of mma.sync (version 2; instrShape [16, 8]) and wgmma (version 3; instrShape [16, N, K]).
struct NvidiaMma {
  int versionMajor = 2, versionMinor = 0;
  Shape warpsPerCta, instrShape;
  CgaBases cga = {};
};
struct DotOperand {
  int opIdx = 0;
  TritonParent parent;
  int kWidth = 0;
};
struct Slice {
  int dim = 0;
  TritonParent parent;
};
/// `#ttg.linear` and `#ttg.generic_linear`: inputs register, lane, warp, block; outputs dim0, dim1, …
struct LinearEncoding {
  LinearLayout layout;
  bool generic = false;
};
struct SwizzledShared {
  int vec = 1, perPhase = 1, maxPhase = 1;
  Shape order;
  CgaBases cga = {};
  bool rotating = false; // `#ttg.amd_rotating_shared`
};
struct NvmmaShared {
  int swizzlingByteWidth = 128;
  bool transposed = false;
  int elementBitWidth = 16;
  bool fp4Padded = false;
  int rank = 2;
  CgaBases cga = {};
};
/// Inputs offset and block. Triton refuses a layout that omits or folds elements; here such a layout has no map.
struct SharedLinear {
  LinearLayout layout;
  int alignment = 16;
};
/// After every `interval` elements, `padding` elements are left out. The offsets without padding are linear.
struct PaddedShared {
  std::vector<std::pair<int64_t, int64_t>> intervals;
  LinearLayout layout;
};
struct PartitionedShared {
  int numPartitions = 2, numGroups = 1, partitionDim = 0;
  TritonParent layout;
};
struct AmdMfma {
  int version = 3;
  Shape warpsPerCta, instrShape;
  bool isTransposed = false;
  Shape tilesPerWarp;
  int elementBitWidth = 32;
  CgaBases cga = {};
};
struct AmdWmma {
  int version = 1;
  bool isTransposed = false;
  LinearLayout ctaLayout; // inputs register and warp
  Shape instrShape = {16, 16, 16};
  CgaBases cga = {};
};
/// `ctaMode` exists only in Meta's branch of Triton.
enum class TmemCtaMode { Default, TwoCtaLhs, TwoCtaRhs };
struct TensorMemory {
  int blockM = 128, blockN = 128, colStride = 1;
  CgaBases cga = {};
  bool twoCtas = false;
  TmemCtaMode ctaMode = TmemCtaMode::Default;
  bool fp4Padded = false;
  /// For a text without a type: true if each 32-bit column has one element, which is the case if `colStride` is 32
  /// divided by the element's width.
  bool unpacked = false;
};
struct TensorMemoryScales {
  CgaBases cga = {};
  bool kThenMn = false;
};

class TritonEncoding {
public:
  using Data =
      std::variant<Blocked, NvidiaMma, DotOperand, Slice, LinearEncoding, SwizzledShared, NvmmaShared, SharedLinear,
                   PaddedShared, PartitionedShared, AmdMfma, AmdWmma, TensorMemory, TensorMemoryScales>;
  /// Makes the checks of Triton's verifiers, and checks that all sizes are small enough for arithmetic. Errors name the
  /// key.
  static Result<TritonEncoding> make(Data data);
  static TritonParent share(TritonEncoding encoding) {
    return std::make_shared<const TritonEncoding>(std::move(encoding));
  }

  const Data &data() const { return data_; }
  template <typename T> const T *as() const { return std::get_if<T>(&data_); }
  /// Rank of the tensors that the encoding is for.
  size_t rank() const;
  bool isDistributed() const;
  bool isShared() const;
  bool isTmem() const { return !isDistributed() && !isShared(); }
  /// The number of levels of parents that this encoding has.
  int depth() const;

private:
  explicit TritonEncoding(Data data) : data_(std::move(data)) {}
  Data data_;
};

/// The linear layout of a tensor of `shape`. Inputs are register, lane, warp, block; or offset, block (or partition);
/// or row, col, block, where a `col` is one element wide. A warp has 64 lanes for AMD's mfma, else the attribute's
/// number, else 32. Outputs are dim0, dim1, …. Errors: a rank other than the encoding's; sizes that are not powers of
/// two; a shape that the encoding cannot hold.
Result<LinearLayout> toLinear(const TritonEncoding &encoding, const Shape &shape);

/// The attribute as Triton prints it.
std::string tritonAttribute(const TritonEncoding &encoding);

} // namespace lanescope::layouts
