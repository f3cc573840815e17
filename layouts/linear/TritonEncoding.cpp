#include "layouts/linear/TritonEncoding.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

constexpr int kMaxDepth = 8;
constexpr size_t kMaxRank = 8;
constexpr int kMaxBits = 24; // for registers, lanes, warps and blocks together: 2^24 places

std::unexpected<Diagnostics> invalid(Message message) { return error("triton-attribute", std::move(message)); }

/// Checks that there are `rank` sizes and that they are powers of two; adds their bits to `bits`.
Result<void> checkSizes(std::string_view key, const Shape &sizes, size_t rank, int &bits) {
  if (sizes.size() != rank)
    return invalid(Message("`{key}` has {entries} entries where {rank} are expected", key, sizes.size(), rank));
  for (int64_t size : sizes) {
    if (!isPowerOfTwo(size))
      return invalid(Message("`{} = [{}]`: {size} is not a power of two", key, joined(sizes, ", "), size));
    bits += log2Exact(size);
    if (bits > kMaxBits)
      return invalid(Message("`{} = [{}]` makes the layout larger than 2^{} places, which is the limit", key,
                             joined(sizes, ", "), kMaxBits));
  }
  return {};
}

Result<void> checkRank(size_t rank) {
  if (rank == 0 || rank > kMaxRank)
    return invalid(Message("the layout has rank {rank}; ranks 1 to {limit} are read", rank, kMaxRank));
  return {};
}

Result<void> checkOrder(const Shape &order, size_t rank) {
  std::vector<bool> seen(rank, false);
  bool good = order.size() == rank;
  for (int64_t d : order) {
    good = good && d >= 0 && d < static_cast<int64_t>(rank) && !seen[static_cast<size_t>(d)];
    if (good)
      seen[static_cast<size_t>(d)] = true;
  }
  if (good)
    return {};
  return invalid(Message("`order = [{}]` is no order of the dimensions 0 to {}", joined(order, ", "),
                         static_cast<int64_t>(rank) - 1));
}

Result<void> checkCga(const CgaBases &cga, size_t rank) {
  if (cga.size() > 10)
    return invalid(Message("`CGALayout` has {count} bases; a cluster has at most 1024 blocks here", cga.size()));
  std::vector<int64_t> next(rank, 1);
  for (const LinearLayout::Basis &basis : cga)
    if (basis.size() != rank)
      return invalid(
          Message("a basis of `CGALayout` has {count} coordinates; the layout has rank {rank}", basis.size(), rank));
  for (int32_t step = 1; step < 1024; step *= 2)
    for (const LinearLayout::Basis &basis : cga)
      for (size_t d = 0; d < rank; ++d)
        if (basis[d] == step) {
          if (next[d] != step)
            return invalid(Message(
                "`CGALayout` is no permutation: along dimension {dimension} it has {step} where {} would be next", d,
                step, next[d]));
          next[d] *= 2;
        }
  int64_t reached = 0;
  for (size_t d = 0; d < rank; ++d)
    reached += log2Exact(next[d]);
  int64_t moving = 0;
  for (const LinearLayout::Basis &basis : cga) {
    auto nonZero = std::count_if(basis.begin(), basis.end(), [](int32_t v) { return v != 0; });
    if (nonZero > 1)
      return invalid(Message("a basis of `CGALayout` moves along {dimensions} dimensions; one is the most", nonZero));
    moving += nonZero;
  }
  if (moving != reached)
    return invalid("`CGALayout` has a basis that is no power of two, or repeats one");
  return {};
}

bool isOneOf(int64_t value, std::initializer_list<int64_t> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

Result<void> checkLinear(const LinearLayout &layout, std::initializer_list<std::string_view> inputs) {
  size_t i = 0;
  bool named = layout.inputs().size() == inputs.size();
  for (std::string_view name : inputs)
    named = named && layout.inputs()[i++].name == name;
  if (!named || layout.outputNames() != standardNames(layout.outputs().size()))
    return invalid("the linear layout has other inputs or outputs than the attribute takes");
  if (Result<void> ranked = checkRank(layout.outputs().size()); !ranked)
    return ranked;
  if (layout.inputBits() > kMaxBits)
    return invalid(Message("the layout is larger than 2^{} places, which is the limit", kMaxBits));
  return {};
}

/// One overload per kind of attribute, each with its checks.
struct Check {
  Result<void> operator()(const Blocked &e) const {
    size_t rank = e.sizePerThread.size();
    int bits = static_cast<int>(e.cga.size());
    if (Result<void> good = checkRank(rank); !good)
      return good;
    if (Result<void> good = checkSizes("sizePerThread", e.sizePerThread, rank, bits); !good)
      return good;
    if (Result<void> good = checkSizes("threadsPerWarp", e.threadsPerWarp, rank, bits); !good)
      return good;
    if (Result<void> good = checkSizes("warpsPerCTA", e.warpsPerCta, rank, bits); !good)
      return good;
    if (Result<void> good = checkOrder(e.order, rank); !good)
      return good;
    return checkCga(e.cga, rank);
  }

  Result<void> operator()(const NvidiaMma &e) const {
    if (e.versionMajor == 1)
      return invalid("`versionMajor = 1` is Volta's mma, which Triton no longer has; versions 2 and 3 are read");
    if (e.versionMajor == 5)
      return invalid("`versionMajor = 5` has no register layout: tcgen05.mma accumulates in tensor memory, see "
                     "`#ttng.tensor_memory_encoding`");
    if (e.versionMajor != 2 && e.versionMajor != 3)
      return invalid(Message("`versionMajor = {}` is unknown; versions 2 and 3 are read", e.versionMajor));
    size_t rank = e.warpsPerCta.size();
    int bits = static_cast<int>(e.cga.size());
    if (Result<void> good = checkSizes("warpsPerCTA", e.warpsPerCta, rank, bits); !good)
      return good;
    if (e.versionMajor == 3) {
      if (rank != 2 || e.instrShape.size() != 3)
        return invalid("version 3 takes two `warpsPerCTA` and `instrShape = [M, N, K]`");
    } else if (rank < 2 || rank > 3 || e.instrShape.size() != rank) {
      return invalid("version 2 takes two or three `warpsPerCTA` and as many sizes in `instrShape`");
    }
    if (Result<void> good = checkSizes("instrShape", e.instrShape, e.instrShape.size(), bits); !good)
      return good;
    size_t m = e.versionMajor == 3 ? 0 : rank - 2;
    if (e.instrShape[m] < 8 || e.instrShape[m + 1] < 8)
      return invalid(Message("`instrShape = [{}]` is smaller than 8 x 8", joined(e.instrShape, ", ")));
    return checkCga(e.cga, rank);
  }

  Result<void> operator()(const DotOperand &e) const {
    if (e.opIdx != 0 && e.opIdx != 1)
      return invalid(Message("`opIdx = {}`: operands are 0 (A) and 1 (B)", e.opIdx));
    if (!e.parent)
      return invalid("`dot_op` has no `parent`");
    bool blocked = e.parent->as<Blocked>() != nullptr;
    const auto *mma = e.parent->as<NvidiaMma>();
    const auto *wmma = e.parent->as<AmdWmma>();
    if (!blocked && !mma && !wmma && !e.parent->as<AmdMfma>())
      return invalid("the parent of `dot_op` is `blocked`, `nvidia_mma`, `amd_mfma` or `amd_wmma`");
    if (blocked) {
      if (e.kWidth != 0)
        return invalid("`kWidth` goes with an mma parent; a blocked one takes none");
      if (e.parent->rank() < 2)
        return invalid("the parent of `dot_op` has rank 2 or 3");
      return {};
    }
    if (!isPowerOfTwo(e.kWidth) || e.kWidth > 256)
      return invalid(Message("`kWidth = {}`: an mma parent takes a power of two up to 256", e.kWidth));
    if (mma && mma->versionMajor == 3 && e.opIdx != 0)
      return invalid("`opIdx = 1`: wgmma reads its second operand from shared memory only");
    if (wmma && wmma->version == 1 && !isOneOf(e.kWidth, {8, 16}))
      return invalid(Message("`kWidth = {}`: wmma version 1 takes 8 or 16", e.kWidth));
    if (wmma && wmma->version == 2 && !isOneOf(e.kWidth, {4, 8, 16}))
      return invalid(Message("`kWidth = {}`: wmma version 2 takes 4, 8 or 16", e.kWidth));
    return {};
  }

  Result<void> operator()(const Slice &e) const {
    if (!e.parent || !e.parent->isDistributed())
      return invalid("the parent of `slice` is a register layout");
    if (e.parent->rank() < 2)
      return invalid("the parent of `slice` has rank 2 or more");
    if (e.dim < 0 || e.dim >= static_cast<int>(e.parent->rank()))
      return invalid(
          Message("`dim = {}` is not a dimension of the parent, which has rank {rank}", e.dim, e.parent->rank()));
    return {};
  }

  Result<void> operator()(const LinearEncoding &e) const {
    if (Result<void> good = checkLinear(e.layout, {"register", "lane", "warp", "block"}); !good)
      return good;
    if (!e.layout.isSurjective())
      return invalid("some elements have no place: each power of two below a dimension's size must be among the bases");
    if (!e.generic) {
      if (!e.layout.isPermutation())
        return invalid("`#ttg.linear` takes bases that are a power of two along one dimension, each once, or zero; "
                       "`#ttg.generic_linear` lets warps mix dimensions");
      return {};
    }
    for (const LinearLayout::Input &input : e.layout.inputs())
      for (const LinearLayout::Basis &basis : input.bases)
        if (input.name != "warp" && std::count_if(basis.begin(), basis.end(), [](int32_t v) { return v != 0; }) > 1)
          return invalid(Message(
              "the basis [{}] of `{name}` moves along two dimensions; in `generic_linear` only those of `warp` may",
              joined(basis, ", "), input.name));
    return {};
  }

  Result<void> operator()(const SwizzledShared &e) const {
    size_t rank = e.order.size();
    if (Result<void> good = checkRank(rank); !good)
      return good;
    for (auto [key, size] :
         {std::pair("vec", e.vec), std::pair("perPhase", e.perPhase), std::pair("maxPhase", e.maxPhase)})
      if (!isPowerOfTwo(size))
        return invalid(Message("`{} = {size}` is not a power of two", key, size));
    if (Result<void> good = checkOrder(e.order, rank); !good)
      return good;
    return checkCga(e.cga, rank);
  }

  Result<void> operator()(const NvmmaShared &e) const {
    if (!isOneOf(e.swizzlingByteWidth, {0, 32, 64, 128}))
      return invalid(
          Message("`swizzlingByteWidth = {}`: swizzles are 0, 32, 64 or 128 bytes wide", e.swizzlingByteWidth));
    if (!isOneOf(e.elementBitWidth, {4, 8, 16, 32, 64}))
      return invalid(Message("`elementBitWidth = {}`: elements have 4, 8, 16, 32 or 64 bits", e.elementBitWidth));
    if (e.fp4Padded && e.elementBitWidth != 8)
      return invalid("`fp4Padded` goes with `elementBitWidth = 8`: bytes of two elements each");
    if (Result<void> good = checkRank(static_cast<size_t>(std::max(e.rank, 0))); !good)
      return good;
    return checkCga(e.cga, static_cast<size_t>(e.rank));
  }

  Result<void> operator()(const SharedLinear &e) const {
    if (Result<void> good = checkLinear(e.layout, {"offset", "block"}); !good)
      return good;
    if (!isPowerOfTwo(e.alignment))
      return invalid(Message("`alignment = {}` is not a power of two", e.alignment));
    return {};
  }

  Result<void> operator()(const PaddedShared &e) const {
    if (Result<void> good = checkLinear(e.layout, {"offset", "block"}); !good)
      return good;
    if (e.intervals.empty())
      return invalid("a padded layout has at least one `interval:+padding`");
    for (size_t i = 0; i < e.intervals.size(); ++i) {
      auto [interval, padding] = e.intervals[i];
      if (!isPowerOfTwo(interval) || !isPowerOfTwo(padding) || interval > (1 << kMaxBits) || padding > (1 << kMaxBits))
        return invalid(
            Message("`{}:+{}`: intervals and paddings are powers of two up to 2^{}", interval, padding, kMaxBits));
      for (size_t j = 0; j < i; ++j)
        if (e.intervals[j].first == interval)
          return invalid(Message("the interval {} is there twice", interval));
    }
    std::vector<LinearLayout::Input> offsets = {e.layout.inputs()[0]};
    if (!LinearLayout::make(std::move(offsets), e.layout.outputs())->isInjective())
      return invalid("two offsets of the padded layout hold the same element");
    for (const LinearLayout::Input &input : e.layout.inputs())
      for (const LinearLayout::Basis &basis : input.bases)
        if (std::count_if(basis.begin(), basis.end(), [](int32_t v) { return v != 0; }) > 1 ||
            std::any_of(basis.begin(), basis.end(), [](int32_t v) { return v != 0 && !isPowerOfTwo(v); }))
          return invalid(Message("the basis [{}] of a padded layout is not a power of two along one dimension",
                                 joined(basis, ", ")));
    if (!e.layout.isSurjective())
      return invalid("some elements of the padded layout have no offset");
    return {};
  }

  Result<void> operator()(const PartitionedShared &e) const {
    if (!e.layout || !e.layout->isShared() || e.layout->as<PartitionedShared>())
      return invalid("`partitionLayout` is a layout of shared memory");
    if (!isPowerOfTwo(e.numPartitions) || e.numPartitions < 2 || e.numPartitions > 1024)
      return invalid(Message("`numPartitions = {}`: a power of two from 2 to 1024 is expected", e.numPartitions));
    if (!isPowerOfTwo(e.numGroups) || e.numGroups > 1024)
      return invalid(Message("`numGroups = {}`: a power of two up to 1024 is expected", e.numGroups));
    if (e.partitionDim < 0 || e.partitionDim >= static_cast<int>(e.layout->rank()))
      return invalid(Message("`partitionDim = {}` is not a dimension of the layout, which has rank {rank}",
                             e.partitionDim, e.layout->rank()));
    return {};
  }

  Result<void> operator()(const AmdMfma &e) const {
    if (e.version < 0 || e.version > 4)
      return invalid(Message("`version = {}`: mfma versions are 0 to 4", e.version));
    size_t rank = e.warpsPerCta.size();
    if (rank != 2 && rank != 3)
      return invalid("`warpsPerCTA` of mfma has two or three entries");
    int bits = static_cast<int>(e.cga.size());
    if (Result<void> good = checkSizes("warpsPerCTA", e.warpsPerCta, rank, bits); !good)
      return good;
    if (Result<void> good = checkSizes("tilesPerWarp", e.tilesPerWarp, rank, bits); !good)
      return good;
    if (e.instrShape.size() != 2 && e.instrShape.size() != 3)
      return invalid("`instrShape` of mfma is [M, N] or [M, N, K]");
    int64_t m = e.instrShape[0], n = e.instrShape[1];
    if (!(m == 32 && n == 32) && !(m == 16 && n == 16) && !(m == 64 && n == 4) && !(m == 4 && n == 64))
      return invalid(
          Message("`instrShape = [{}]`: mfma has 32 x 32, 16 x 16, 64 x 4 and 4 x 64", joined(e.instrShape, ", ")));
    if (m == 64 && !e.isTransposed)
      return invalid("a 64 x 4 mfma is always transposed: write `isTransposed = true`");
    if (e.elementBitWidth != 32 && e.elementBitWidth != 64)
      return invalid(Message("`elementBitWidth = {}`: mfma accumulates in 32 or 64 bits", e.elementBitWidth));
    return checkCga(e.cga, rank);
  }

  Result<void> operator()(const AmdWmma &e) const {
    if (e.version < 1 || e.version > 3)
      return invalid(Message("`version = {}`: wmma versions are 1 to 3", e.version));
    if (Result<void> good = checkLinear(e.ctaLayout, {"register", "warp"}); !good)
      return good;
    size_t rank = e.ctaLayout.outputs().size();
    if (rank != 2 && rank != 3)
      return invalid("`ctaLayout` of wmma has rank 2 or 3");
    if (e.instrShape.size() != 3)
      return invalid("`instrShape` of wmma is [M, N, K]");
    int64_t m = e.instrShape[0], n = e.instrShape[1], k = e.instrShape[2];
    bool known = e.version == 1 ? m == 16 && n == 16 && k == 16
                 : e.version == 2
                     ? m == 16 && n == 16 && isOneOf(k, {16, 32})
                     : n == 16 && ((m == 16 && isOneOf(k, {4, 32, 64, 128})) || (m == 32 && isOneOf(k, {64, 128})));
    if (!known)
      return invalid(
          Message("`instrShape = [{}]` is no shape of wmma version {}", joined(e.instrShape, ", "), e.version));
    return checkCga(e.cga, rank);
  }

  Result<void> operator()(const TensorMemory &e) const {
    if (e.blockM != 64 && e.blockM != 128)
      return invalid(Message("`blockM = {}`: tensor-memory blocks have 64 or 128 rows", e.blockM));
    if (!isPowerOfTwo(e.blockN) || e.blockN > 512)
      return invalid(Message("`blockN = {}`: a power of two up to 512 is expected", e.blockN));
    if (!isOneOf(e.colStride, {1, 2, 4}))
      return invalid(Message("`colStride = {}`: 1, 2 or 4 is expected", e.colStride));
    if (e.fp4Padded && e.colStride != 1)
      return invalid("`fp4Padded` goes with `colStride = 1`");
    if (e.ctaMode == TmemCtaMode::TwoCtaRhs && e.blockN < 2)
      return invalid("`ctaMode = twocta_rhs` splits the columns: `blockN` is at least 2");
    if (Result<void> good = checkCga(e.cga, 2); !good)
      return good;
    if (e.twoCtas && !e.cga.empty() && e.cga[0] != LinearLayout::Basis{1, 0})
      return invalid("with `twoCTAs` the first basis of `CGALayout` is [1, 0]");
    return {};
  }

  Result<void> operator()(const TensorMemoryScales &e) const { return checkCga(e.cga, 2); }
};

struct Rank {
  size_t operator()(const Blocked &e) const { return e.order.size(); }
  size_t operator()(const NvidiaMma &e) const { return e.warpsPerCta.size(); }
  size_t operator()(const DotOperand &e) const { return e.parent->rank(); }
  size_t operator()(const Slice &e) const { return e.parent->rank() - 1; }
  size_t operator()(const LinearEncoding &e) const { return e.layout.outputs().size(); }
  size_t operator()(const SwizzledShared &e) const { return e.order.size(); }
  size_t operator()(const NvmmaShared &e) const { return static_cast<size_t>(e.rank); }
  size_t operator()(const SharedLinear &e) const { return e.layout.outputs().size(); }
  size_t operator()(const PaddedShared &e) const { return e.layout.outputs().size(); }
  size_t operator()(const PartitionedShared &e) const { return e.layout->rank(); }
  size_t operator()(const AmdMfma &e) const { return e.warpsPerCta.size(); }
  size_t operator()(const AmdWmma &e) const { return e.ctaLayout.outputs().size(); }
  size_t operator()(const TensorMemory &) const { return 2; }
  size_t operator()(const TensorMemoryScales &) const { return 2; }
};

} // namespace

Result<CgaBases> cgaFromSplit(const Shape &ctasPerCga, const Shape &ctaSplitNum, const Shape &ctaOrder) {
  size_t rank = ctasPerCga.size();
  int bits = 0;
  if (Result<void> good = checkSizes("CTAsPerCGA", ctasPerCga, rank, bits); !good)
    return std::unexpected(std::move(good.error()));
  if (Result<void> good = checkSizes("CTASplitNum", ctaSplitNum, rank, bits); !good)
    return std::unexpected(std::move(good.error()));
  if (!checkOrder(ctaOrder, rank))
    return invalid(Message("`CTAOrder = [{}]` is no order of {dimensions} dimensions", joined(ctaOrder, ", "), rank));
  CgaBases cga;
  for (int64_t dimension : ctaOrder) {
    auto d = static_cast<size_t>(dimension);
    if (ctaSplitNum[d] > ctasPerCga[d])
      return invalid(Message("`CTASplitNum = [{}]` splits among more blocks than `CTAsPerCGA = [{}]` has",
                             joined(ctaSplitNum, ", "), joined(ctasPerCga, ", ")));
    for (int64_t step = 1; step < ctasPerCga[d]; step *= 2) {
      LinearLayout::Basis basis(rank, 0);
      if (step < ctaSplitNum[d])
        basis[d] = static_cast<int32_t>(step);
      cga.push_back(std::move(basis));
    }
  }
  return cga;
}

Result<TritonEncoding> TritonEncoding::make(Data data) {
  if (Result<void> good = std::visit(Check{}, data); !good)
    return std::unexpected(std::move(good.error()));
  TritonEncoding encoding(std::move(data));
  if (encoding.depth() > kMaxDepth)
    return invalid(Message("parents are nested deeper than {limit} levels", kMaxDepth));
  return encoding;
}

size_t TritonEncoding::rank() const { return std::visit(Rank{}, data_); }

bool TritonEncoding::isDistributed() const {
  return as<Blocked>() || as<NvidiaMma>() || as<DotOperand>() || as<Slice>() || as<LinearEncoding>() || as<AmdMfma>() ||
         as<AmdWmma>();
}

bool TritonEncoding::isShared() const {
  return as<SwizzledShared>() || as<NvmmaShared>() || as<SharedLinear>() || as<PaddedShared>() ||
         as<PartitionedShared>();
}

int TritonEncoding::depth() const {
  if (const auto *dot = as<DotOperand>())
    return 1 + dot->parent->depth();
  if (const auto *slice = as<Slice>())
    return 1 + slice->parent->depth();
  if (const auto *partitioned = as<PartitionedShared>())
    return 1 + partitioned->layout->depth();
  return 0;
}

} // namespace lanescope::layouts
