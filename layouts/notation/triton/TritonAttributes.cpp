#include "layouts/notation/triton/TritonAttributes.h"

#include "layouts/linear/TritonLinear.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts {

namespace {

using Data = TritonEncoding::Data;

/// Unwraps a Result<T> expression, or returns its error from the function.
#define LANESCOPE_READ(name, expression)                                                                               \
  auto name##Result = (expression);                                                                                    \
  if (!name##Result)                                                                                                   \
    return std::unexpected(std::move(name##Result.error()));                                                           \
  auto name = *std::move(name##Result)

constexpr std::array<TritonAttribute, 16> kAttributes = {{
    {"blocked", TritonForm::Dictionary, "ttg"},
    {"nvidia_mma", TritonForm::Dictionary, "ttg"},
    {"dot_op", TritonForm::Dictionary, "ttg"},
    {"slice", TritonForm::Dictionary, "ttg"},
    {"linear", TritonForm::Dictionary, "ttg"},
    {"generic_linear", TritonForm::Dictionary, "ttg"},
    {"swizzled_shared", TritonForm::Dictionary, "ttg"},
    {"nvmma_shared", TritonForm::Dictionary, "ttg"},
    {"shared_linear", TritonForm::LinearThenAlignment, "ttg"},
    {"padded_shared", TritonForm::IntervalsThenDictionary, "ttg"},
    {"partitioned_shared", TritonForm::Dictionary, "ttg"},
    {"amd_mfma", TritonForm::Dictionary, "ttg"},
    {"amd_wmma", TritonForm::Dictionary, "ttg"},
    {"amd_rotating_shared", TritonForm::Dictionary, "ttg"},
    {"tensor_memory_encoding", TritonForm::Parameters, "ttng"},
    {"tensor_memory_scales_encoding", TritonForm::Parameters, "ttng"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOlderNames = {{
    {"mma", "nvidia_mma"},
    {"shared", "swizzled_shared"},
    {"mfma", "amd_mfma"},
    {"wmma", "amd_wmma"},
}};

Result<Data> blocked(TritonFields &fields) {
  LANESCOPE_READ(sizePerThread, fields.list("sizePerThread"));
  LANESCOPE_READ(threadsPerWarp, fields.list("threadsPerWarp"));
  LANESCOPE_READ(warpsPerCta, fields.list("warpsPerCTA"));
  LANESCOPE_READ(order, fields.list("order"));
  LANESCOPE_READ(cga, fields.cga(sizePerThread.size()));
  return Data(Blocked{sizePerThread, threadsPerWarp, warpsPerCta, order, cga});
}

Result<Data> nvidiaMma(TritonFields &fields) {
  NvidiaMma mma;
  if (fields.has("version") && !fields.has("versionMajor")) {
    LANESCOPE_READ(version, fields.integer("version"));
    mma.versionMajor = version;
    fields.remark("version", text("an older spelling, read as `versionMajor = ", version, "`"));
  } else {
    LANESCOPE_READ(version, fields.integer("versionMajor"));
    mma.versionMajor = version;
  }
  LANESCOPE_READ(minor, fields.integer("versionMinor", 0));
  mma.versionMinor = minor;
  LANESCOPE_READ(warps, fields.list("warpsPerCTA"));
  mma.warpsPerCta = warps;
  LANESCOPE_READ(cga, fields.cga(warps.size()));
  mma.cga = cga;
  if (fields.has("instrShape")) {
    LANESCOPE_READ(instrShape, fields.list("instrShape"));
    mma.instrShape = instrShape;
  } else if (mma.versionMajor == 2 && (warps.size() == 2 || warps.size() == 3)) {
    mma.instrShape = warps.size() == 2 ? Shape{16, 8} : Shape{1, 16, 8};
    fields.remark("", text("without `instrShape`, read as `instrShape = [", joined(mma.instrShape, ", "), "]`"));
  } else if (mma.versionMajor == 3) {
    return fields.fail("", "`nvidia_mma` lacks `instrShape = [M, N, K]`, which version 3 takes");
  }
  return Data(mma);
}

Result<Data> dotOperand(TritonFields &fields) {
  LANESCOPE_READ(opIdx, fields.integer("opIdx"));
  LANESCOPE_READ(parent, fields.parent("parent"));
  if (fields.has("isMMAv1Row")) // only parents for Volta set it, and those are not read
    fields.find("isMMAv1Row");
  LANESCOPE_READ(kWidth, fields.integer("kWidth", 0));
  return Data(DotOperand{opIdx, parent, kWidth});
}

Result<Data> slice(TritonFields &fields) {
  LANESCOPE_READ(dim, fields.integer("dim"));
  LANESCOPE_READ(parent, fields.parent("parent"));
  return Data(Slice{dim, parent});
}

Result<Data> linear(TritonFields &fields, bool generic) {
  LANESCOPE_READ(layout, fields.linear({kRegister, kLane, kWarp, kBlock}, {}));
  return Data(LinearEncoding{layout, generic});
}

/// The layouts of wgmma's operands, written before they had their own attribute: tiles of 8 rows, with perPhase and
/// maxPhase.
Result<Data> leadingOffset(TritonFields &fields, const SwizzledShared &shared) {
  int bytes = shared.maxPhase * 16;
  if (shared.perPhase * shared.maxPhase != 8 || shared.maxPhase < 2 || shared.vec <= 0 || shared.vec > 32 ||
      128 % shared.vec != 0 || shared.order.size() != 2)
    return fields.fail("hasLeadingOffset", "`hasLeadingOffset = true` goes with perPhase and maxPhase of (1, 8), (2, 4)"
                                           " or (4, 2) and rank 2");
  NvmmaShared nvmma;
  nvmma.swizzlingByteWidth = bytes;
  nvmma.elementBitWidth = 128 / shared.vec;
  nvmma.transposed = shared.order[0] == 0;
  nvmma.cga = shared.cga;
  fields.remark("hasLeadingOffset", text("an older spelling, read as `#ttg.nvmma_shared<{swizzlingByteWidth = ", bytes,
                                         ", transposed = ", nvmma.transposed ? "true" : "false",
                                         ", elementBitWidth = ", nvmma.elementBitWidth, "}>`"));
  return Data(nvmma);
}

Result<Data> swizzledShared(TritonFields &fields, bool rotating) {
  LANESCOPE_READ(vec, fields.integer("vec"));
  LANESCOPE_READ(perPhase, fields.integer("perPhase"));
  LANESCOPE_READ(maxPhase, fields.integer("maxPhase"));
  LANESCOPE_READ(order, fields.list("order"));
  LANESCOPE_READ(cga, fields.cga(order.size()));
  SwizzledShared shared{vec, perPhase, maxPhase, order, cga, rotating};
  if (!rotating && fields.has("hasLeadingOffset")) {
    LANESCOPE_READ(leading, fields.boolean("hasLeadingOffset", false));
    if (leading)
      return leadingOffset(fields, shared);
  }
  return Data(shared);
}

Result<Data> nvmmaShared(TritonFields &fields) {
  NvmmaShared nvmma;
  LANESCOPE_READ(width, fields.integer("swizzlingByteWidth"));
  LANESCOPE_READ(transposed, fields.boolean("transposed", false));
  LANESCOPE_READ(bits, fields.integer("elementBitWidth"));
  LANESCOPE_READ(padded, fields.boolean("fp4Padded", false));
  std::optional<int> rank;
  if (fields.has("rank")) {
    LANESCOPE_READ(written, fields.integer("rank"));
    rank = written;
  } else {
    for (std::string_view key : {"CTAsPerCGA", "CTASplitNum", "CTAOrder"})
      if (fields.has(key)) {
        LANESCOPE_READ(sizes, fields.list(key));
        rank = static_cast<int>(sizes.size());
      }
    LANESCOPE_READ(bases, fields.bases("CGALayout", false));
    if (!bases.empty())
      rank = static_cast<int>(bases.front().size());
  }
  nvmma = {width, transposed, bits, padded, rank.value_or(2), {}};
  if (nvmma.rank > 16)
    return fields.fail("rank", Message("`rank = {rank}` is more than the 8 that are read", nvmma.rank));
  LANESCOPE_READ(cga, fields.cga(static_cast<size_t>(nvmma.rank)));
  nvmma.cga = cga;
  return Data(nvmma);
}

Result<Data> sharedLinear(TritonFields &fields) {
  LANESCOPE_READ(layout, fields.linear({kOffset}, {kBlock}));
  LANESCOPE_READ(alignment, fields.integer("alignment"));
  if (!layout.isSurjective())
    fields.remark("",
                  "the bases do not reach every element, which Triton's verifier refuses; such a layout has no map");
  else if (layout.inputBits() - static_cast<int>(std::ranges::count(layout.flatBases(), uint64_t(0))) !=
           layout.outputBits())
    fields.remark("", "some offsets hold the same element, which Triton's verifier refuses");
  return Data(SharedLinear{layout, alignment});
}

Result<Data> paddedShared(TritonFields &fields, std::vector<std::pair<int64_t, int64_t>> intervals) {
  if (fields.has(kOffset) || fields.has(kBlock)) {
    LANESCOPE_READ(layout, fields.linear({kOffset}, {kBlock}));
    return Data(PaddedShared{std::move(intervals), layout});
  }
  LANESCOPE_READ(order, fields.list("order"));
  LANESCOPE_READ(shape, fields.list("shape"));
  // Make a swizzled layout without a swizzle. This checks the order and the CGA layout, and gives offsets that run
  // through the shape in that order.
  Result<TritonEncoding> plain = TritonEncoding::make(SwizzledShared{1, 1, 1, order, {}, false});
  if (!plain)
    return at(fields.spanOf("order"), std::move(plain.error()));
  if (order.size() != shape.size())
    return fields.fail("shape", Message("`shape` has rank {rank} and `order` {count}", shape.size(), order.size()));
  Result<LinearLayout> layout = toLinear(*plain, shape);
  if (!layout)
    return at(fields.spanOf("shape"), std::move(layout.error()));
  return Data(PaddedShared{std::move(intervals), *std::move(layout)});
}

Result<Data> partitionedShared(TritonFields &fields) {
  LANESCOPE_READ(partitions, fields.integer("numPartitions"));
  LANESCOPE_READ(groups, fields.integer("numGroups"));
  LANESCOPE_READ(dim, fields.integer("partitionDim"));
  LANESCOPE_READ(layout, fields.parent("partitionLayout"));
  return Data(PartitionedShared{partitions, groups, dim, layout});
}

Result<Data> amdMfma(TritonFields &fields) {
  AmdMfma mfma;
  if (fields.has("versionMajor") && !fields.has("version")) {
    LANESCOPE_READ(version, fields.integer("versionMajor"));
    LANESCOPE_READ(minor, fields.integer("versionMinor", 0));
    mfma.version = version;
    fields.remark("versionMajor",
                  text("an older spelling of version ", version, '.', minor, ", read as `version = ", version, "`"));
  } else {
    LANESCOPE_READ(version, fields.integer("version", 0));
    mfma.version = version;
  }
  LANESCOPE_READ(warps, fields.list("warpsPerCTA"));
  LANESCOPE_READ(instrShape, fields.list("instrShape"));
  LANESCOPE_READ(transposed, fields.boolean("isTransposed", false));
  LANESCOPE_READ(tiles, fields.list("tilesPerWarp", Shape(warps.size(), 1)));
  LANESCOPE_READ(bits, fields.integer("elementBitWidth", 32));
  LANESCOPE_READ(cga, fields.cga(warps.size()));
  mfma.warpsPerCta = warps;
  mfma.instrShape = instrShape;
  mfma.isTransposed = transposed;
  mfma.tilesPerWarp = tiles;
  mfma.elementBitWidth = bits;
  mfma.cga = cga;
  return Data(mfma);
}

Result<Data> amdWmma(TritonFields &fields) {
  AmdWmma wmma;
  LANESCOPE_READ(version, fields.integer("version"));
  LANESCOPE_READ(transposed, fields.boolean(fields.has("isTransposed") ? "isTransposed" : "isTranspose", false));
  LANESCOPE_READ(instrShape, fields.list("instrShape", Shape{16, 16, 16}));
  LANESCOPE_READ(rank, fields.integer("rank", 2));
  wmma.version = version;
  wmma.isTransposed = transposed;
  wmma.instrShape = instrShape;
  if (rank < 2 || rank > 3)
    return fields.fail("rank", Message("`rank = {rank}`: wmma has rank 2 or 3", rank));
  auto dims = static_cast<size_t>(rank);
  if (fields.has("warpsPerCTA") && !fields.has("ctaLayout")) {
    LANESCOPE_READ(warps, fields.list("warpsPerCTA"));
    dims = warps.size();
    if (dims < 2 || dims > 3)
      return fields.fail("warpsPerCTA", "`warpsPerCTA` of wmma has two or three entries");
    for (int64_t count : warps)
      if (!isPowerOfTwo(count) || count > 1024)
        return fields.fail("warpsPerCTA", Message("`warpsPerCTA`: {count} is not a power of two up to 1024", count));
    for (int64_t d : matrixOrder(dims, true)) {
      wmma.ctaLayout.extend(kRegister, standardName(static_cast<size_t>(d)), 1);
      wmma.ctaLayout.extend(kWarp, standardName(static_cast<size_t>(d)), warps[static_cast<size_t>(d)]);
    }
    wmma.ctaLayout.orderOutputs(standardNames(dims));
    fields.remark("warpsPerCTA", "an older spelling, read as the `ctaLayout` of warps along the last dimension first");
  } else {
    const TritonValue *cta = fields.find("ctaLayout");
    if (!cta || cta->kind != TritonValue::Kind::Dictionary)
      return fields.fail("ctaLayout", "`amd_wmma` takes `ctaLayout = {warp = [[…], …]}`");
    TritonFields inner(fields.reader(), "ctaLayout", cta->span, cta->entries);
    LANESCOPE_READ(warp, inner.linear({kWarp}, {}, dims));
    LANESCOPE_READ(registers, inner.bases(kRegister, false));
    if (Result<void> done = inner.finish(); !done)
      return std::unexpected(std::move(done.error()));
    std::vector<LinearLayout::Input> inputs = {{std::string(kRegister), registers}, warp.inputs()[0]};
    Result<LinearLayout> whole = LinearLayout::fitting(std::move(inputs), standardNames(dims));
    if (!whole)
      return at(cta->span, std::move(whole.error()));
    wmma.ctaLayout = *std::move(whole);
  }
  LANESCOPE_READ(cga, fields.cga(dims));
  wmma.cga = cga;
  return Data(wmma);
}

Result<Data> tensorMemory(TritonFields &fields) {
  TensorMemory tmem;
  LANESCOPE_READ(blockM, fields.integer("blockM"));
  LANESCOPE_READ(blockN, fields.integer("blockN"));
  LANESCOPE_READ(twoCtas, fields.boolean("twoCTAs", false));
  LANESCOPE_READ(padded, fields.boolean("fp4Padded", false));
  tmem.blockM = blockM;
  tmem.blockN = blockN;
  tmem.twoCtas = twoCtas;
  tmem.fp4Padded = padded;
  if (fields.has("unpacked") && !fields.has("colStride")) {
    LANESCOPE_READ(unpacked, fields.boolean("unpacked", false));
    int bits = fields.reader().elementBits;
    tmem.colStride = unpacked && bits > 0 && bits <= 32 ? 32 / bits : 1;
    tmem.unpacked = unpacked && bits == 0;
    fields.remark("unpacked", tmem.unpacked
                                  ? text("an older spelling, read as the `colStride` that gives every element a column "
                                         "of 32 bits: the text names no type, so it depends on the dtype asked about")
                                  : text("an older spelling, read as `colStride = ", tmem.colStride, '`'));
  } else {
    LANESCOPE_READ(stride, fields.integer("colStride"));
    tmem.colStride = stride;
  }
  if (const TritonValue *mode = fields.find("ctaMode")) {
    std::string_view name = mode->name;
    if (name != "default" && name != "twocta_lhs" && name != "twocta_rhs")
      return error("triton-value", mode->span, "`ctaMode` is `default`, `twocta_lhs` or `twocta_rhs`");
    tmem.ctaMode = name == "default"      ? TmemCtaMode::Default
                   : name == "twocta_lhs" ? TmemCtaMode::TwoCtaLhs
                                          : TmemCtaMode::TwoCtaRhs;
  }
  if (fields.has("CTASplitM") || fields.has("CTASplitN")) {
    std::string_view key = fields.has("CTASplitM") ? "CTASplitM" : "CTASplitN";
    LANESCOPE_READ(splitM, fields.integer("CTASplitM", 1));
    LANESCOPE_READ(splitN, fields.integer("CTASplitN", 1));
    Result<CgaBases> cga = cgaFromSplit({splitM, splitN}, {splitM, splitN}, {0, 1});
    if (!cga)
      return at(fields.spanOf(key), std::move(cga.error()));
    tmem.cga = *std::move(cga);
    fields.remark(key, "an older spelling, read as a `CGALayout` that splits M, then N");
    return Data(tmem);
  }
  LANESCOPE_READ(cga, fields.cga(2));
  tmem.cga = cga;
  return Data(tmem);
}

Result<Data> tensorMemoryScales(TritonFields &fields) {
  TensorMemoryScales scales;
  LANESCOPE_READ(cga, fields.cga(2));
  scales.cga = cga;
  if (const TritonValue *order = fields.find("blockRepOrder")) {
    if (order->name != "kThenMn" && order->name != "mnThenK")
      return error("triton-value", order->span, "`blockRepOrder` is `mnThenK` or `kThenMn`");
    scales.kThenMn = order->name == "kThenMn";
  }
  return Data(scales);
}

#undef LANESCOPE_READ

Result<Data> dataOf(std::string_view name, TritonFields &fields, std::vector<std::pair<int64_t, int64_t>> intervals) {
  if (name == "blocked")
    return blocked(fields);
  if (name == "nvidia_mma")
    return nvidiaMma(fields);
  if (name == "dot_op")
    return dotOperand(fields);
  if (name == "slice")
    return slice(fields);
  if (name == "linear" || name == "generic_linear")
    return linear(fields, name == "generic_linear");
  if (name == "swizzled_shared" || name == "amd_rotating_shared")
    return swizzledShared(fields, name == "amd_rotating_shared");
  if (name == "nvmma_shared")
    return nvmmaShared(fields);
  if (name == "shared_linear")
    return sharedLinear(fields);
  if (name == "padded_shared")
    return paddedShared(fields, std::move(intervals));
  if (name == "partitioned_shared")
    return partitionedShared(fields);
  if (name == "amd_mfma")
    return amdMfma(fields);
  if (name == "amd_wmma")
    return amdWmma(fields);
  if (name == "tensor_memory_encoding")
    return tensorMemory(fields);
  return tensorMemoryScales(fields);
}

/// The key at the start of a check's message ("`vec, perPhase…", "`opIdx = 3`: …"); empty if the message names none.
std::string_view keyIn(std::string_view message) {
  if (!message.starts_with('`'))
    return {};
  size_t end = message.find_first_of("` ,", 1);
  return end == std::string_view::npos ? std::string_view{} : message.substr(1, end - 1);
}

} // namespace

const TritonAttribute *findTritonAttribute(std::string_view name) {
  for (auto [older, today] : kOlderNames)
    if (name == older)
      name = today;
  for (const TritonAttribute &attribute : kAttributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

std::string tritonAttributeNames() {
  std::string names;
  for (const TritonAttribute &attribute : kAttributes)
    names += text(names.empty() ? "" : ", ", '`', attribute.name, '`');
  return names;
}

Result<TritonEncoding> buildTriton(const TritonAttribute &attribute, std::string_view written, TritonFields &fields,
                                   std::vector<std::pair<int64_t, int64_t>> intervals) {
  if (written != attribute.name)
    fields.remark("", text("`", written, "` is the older name of `", attribute.name, '`'));
  Result<Data> data = dataOf(attribute.name, fields, std::move(intervals));
  if (!data)
    return std::unexpected(std::move(data.error()));
  // Triton's own parsers of these attributes skip unknown keys.
  bool skips = attribute.name == "nvidia_mma" || attribute.name == "amd_mfma" || attribute.name == "amd_wmma" ||
               attribute.name == "linear" || attribute.name == "generic_linear";
  if (Result<void> done = fields.finish(skips); !done)
    return std::unexpected(std::move(done.error()));
  Result<TritonEncoding> encoding = TritonEncoding::make(*std::move(data));
  if (!encoding)
    return at(fields.spanOf(keyIn(encoding.error().front().message)), std::move(encoding.error()));
  return encoding;
}

} // namespace lanescope::layouts
