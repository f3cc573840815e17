// Triton's attributes as text, with keys in the order of its own printers (lib/Dialect/TritonGPU/IR/Dialect.cpp,
// ::print).
#include "layouts/linear/TritonLinear.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

std::string_view boolText(bool value) { return value ? "true" : "false"; }

std::string basesText(const std::vector<LinearLayout::Basis> &bases) {
  std::string out;
  for (const LinearLayout::Basis &basis : bases)
    out += text(out.empty() ? "" : ", ", '[', joined(basis, ", "), ']');
  return text('[', out, ']');
}

std::string cgaText(const CgaBases &cga) { return cga.empty() ? "" : text(", CGALayout = ", basesText(cga)); }

std::string linearText(const LinearLayout &layout, bool skipEmpty = false) {
  std::string out;
  for (const LinearLayout::Input &input : layout.inputs())
    if (!skipEmpty || !input.bases.empty())
      out += text(out.empty() ? "" : ", ", input.name, " = ", basesText(input.bases));
  return out;
}

struct Print {
  std::string operator()(const Blocked &e) const {
    return text("#ttg.blocked<{sizePerThread = ", listText(e.sizePerThread),
                ", threadsPerWarp = ", listText(e.threadsPerWarp), ", warpsPerCTA = ", listText(e.warpsPerCta),
                ", order = ", listText(e.order), cgaText(e.cga), "}>");
  }
  std::string operator()(const NvidiaMma &e) const {
    return text("#ttg.nvidia_mma<{versionMajor = ", e.versionMajor, ", versionMinor = ", e.versionMinor,
                ", warpsPerCTA = ", listText(e.warpsPerCta), cgaText(e.cga), ", instrShape = ", listText(e.instrShape),
                "}>");
  }
  std::string operator()(const DotOperand &e) const {
    return text("#ttg.dot_op<{opIdx = ", e.opIdx, ", parent = ", tritonAttribute(*e.parent),
                e.kWidth == 0 ? "" : text(", kWidth = ", e.kWidth), "}>");
  }
  std::string operator()(const Slice &e) const {
    return text("#ttg.slice<{dim = ", e.dim, ", parent = ", tritonAttribute(*e.parent), "}>");
  }
  std::string operator()(const LinearEncoding &e) const {
    return text(e.generic ? "#ttg.generic_linear<{" : "#ttg.linear<{", linearText(e.layout), "}>");
  }
  std::string operator()(const SwizzledShared &e) const {
    return text(e.rotating ? "#ttg.amd_rotating_shared" : "#ttg.swizzled_shared", "<{vec = ", e.vec,
                ", perPhase = ", e.perPhase, ", maxPhase = ", e.maxPhase, ", order = ", listText(e.order),
                cgaText(e.cga), "}>");
  }
  std::string operator()(const NvmmaShared &e) const {
    return text("#ttg.nvmma_shared<{swizzlingByteWidth = ", e.swizzlingByteWidth,
                ", transposed = ", boolText(e.transposed), ", elementBitWidth = ", e.elementBitWidth,
                e.fp4Padded ? ", fp4Padded = true" : "",
                e.cga.empty() && e.rank != 2 ? text(", rank = ", e.rank) : cgaText(e.cga), "}>");
  }
  std::string operator()(const SharedLinear &e) const {
    return text("#ttg.shared_linear<{offset = ", basesText(e.layout.bases(kOffset)),
                e.layout.inputBits(kBlock) == 0 ? "" : text(", block = ", basesText(e.layout.bases(kBlock))),
                "}, alignment = ", e.alignment, '>');
  }
  std::string operator()(const PaddedShared &e) const {
    std::string intervals;
    for (auto [interval, padding] : e.intervals)
      intervals += text(intervals.empty() ? "" : ", ", interval, ":+", padding);
    std::string body = linearText(e.layout);
    if (e.layout.inputBits(kBlock) == 0)
      if (std::optional<Shape> order = identityOrder(e.layout))
        body = text("order = ", listText(*order), ", shape = ", listText(e.layout.outputShape()));
    return text("#ttg.padded_shared<[", intervals, "] {", body, "}>");
  }
  std::string operator()(const PartitionedShared &e) const {
    return text("#ttg.partitioned_shared<{numPartitions = ", e.numPartitions, ", numGroups = ", e.numGroups,
                ", partitionDim = ", e.partitionDim, ", partitionLayout = ", tritonAttribute(*e.layout), "}>");
  }
  std::string operator()(const AmdMfma &e) const {
    bool unit = elementCount(e.tilesPerWarp) == 1;
    return text("#ttg.amd_mfma<{version = ", e.version, ", warpsPerCTA = ", listText(e.warpsPerCta),
                ", instrShape = ", listText(e.instrShape), ", isTransposed = ", boolText(e.isTransposed),
                cgaText(e.cga), unit ? "" : text(", tilesPerWarp = ", listText(e.tilesPerWarp)),
                e.elementBitWidth == 32 ? "" : text(", elementBitWidth = ", e.elementBitWidth), "}>");
  }
  std::string operator()(const AmdWmma &e) const {
    size_t rank = e.ctaLayout.outputs().size();
    return text("#ttg.amd_wmma<{version = ", e.version, ", isTranspose = ", boolText(e.isTransposed), ", ctaLayout = {",
                warpText(e.ctaLayout), '}', rank == 2 ? "" : text(", rank = ", rank), cgaText(e.cga),
                e.instrShape == Shape{16, 16, 16} ? "" : text(", instrShape = ", listText(e.instrShape)), "}>");
  }
  std::string operator()(const TensorMemory &e) const {
    std::string_view mode = e.ctaMode == TmemCtaMode::TwoCtaLhs   ? ", ctaMode = twocta_lhs"
                            : e.ctaMode == TmemCtaMode::TwoCtaRhs ? ", ctaMode = twocta_rhs"
                                                                  : "";
    return text("#ttng.tensor_memory_encoding<blockM = ", e.blockM, ", blockN = ", e.blockN,
                e.unpacked ? ", unpacked = true" : text(", colStride = ", e.colStride), cgaText(e.cga),
                e.twoCtas ? ", twoCTAs = true" : "", mode, e.fp4Padded ? ", fp4Padded = true" : "", '>');
  }
  std::string operator()(const TensorMemoryScales &e) const {
    std::string order = e.kThenMn ? "blockRepOrder = kThenMn" : "";
    std::string cga = e.cga.empty() ? "" : text("CGALayout = ", basesText(e.cga));
    return text("#ttng.tensor_memory_scales_encoding<", cga, cga.empty() || order.empty() ? "" : ", ", order, '>');
  }

private:
  /// `warp` is always written, so that the text reads back; `register` only if it has an effect.
  static std::string warpText(const LinearLayout &layout) {
    std::string registers =
        layout.inputBits(kRegister) == 0 ? "" : text("register = ", basesText(layout.bases(kRegister)), ", ");
    return text(registers, "warp = ", basesText(layout.bases(kWarp)));
  }

  /// The order in which offsets run through the dimensions, if they do so one dimension after the other.
  static std::optional<Shape> identityOrder(const LinearLayout &layout) {
    Shape order;
    for (const LinearLayout::Basis &basis : layout.bases(kOffset))
      for (size_t d = 0; d < basis.size(); ++d)
        if (basis[d] != 0 && (order.empty() || order.back() != static_cast<int64_t>(d)))
          order.push_back(static_cast<int64_t>(d));
    for (size_t d = layout.outputs().size(); d-- > 0;)
      if (layout.outputs()[d].size == 1)
        order.push_back(static_cast<int64_t>(d));
    if (order.size() != layout.outputs().size() ||
        identityNd(kOffset, layout.outputShape(), order).bases(kOffset).size() != layout.bases(kOffset).size())
      return std::nullopt;
    LinearLayout identity = identityNd(kOffset, layout.outputShape(), order);
    if (identity.outputs().size() != layout.outputs().size())
      return std::nullopt;
    identity.orderOutputs(layout.outputNames());
    if (identity.bases(kOffset) != layout.bases(kOffset))
      return std::nullopt;
    return order;
  }
};

} // namespace

std::string tritonAttribute(const TritonEncoding &encoding) { return std::visit(Print{}, encoding.data()); }

} // namespace lanescope::layouts
