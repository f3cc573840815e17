// The list of named layouts, with one row each.

#include "layouts/Catalogue.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

using Arguments = std::span<const CatalogueArgument>;

// CatalogueEntry::make has already checked the kind.
int64_t integer(const CatalogueArgument &argument) { return std::get<int64_t>(argument); }
bool boolean(const CatalogueArgument &argument) { return std::get<bool>(argument); }
const Shape &shape(const CatalogueArgument &argument) { return std::get<Shape>(argument); }

int bits(const CatalogueArgument &argument) {
  if (const auto *dtype = std::get_if<Dtype>(&argument))
    return bitwidth(*dtype);
  return static_cast<int>(std::clamp<int64_t>(std::get<int64_t>(argument), -1, 1 << 20));
}

template <typename T> Result<Layout> lifted(Result<T> layout) {
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return Layout(*std::move(layout));
}

template <typename T>
CatalogueEntry fixed(std::string_view name, std::vector<std::string_view> aliases, const T &(*factory)(), Shape example,
                     std::string_view doc, bool callable = false) {
  return {name, std::move(aliases), {}, doc, std::move(example), callable, [factory](Arguments) -> Result<Layout> {
            return Layout(factory());
          }};
}

CatalogueEntry mma(std::string_view name, TiledLayout catalogue::MmaLayouts::*member, std::string_view doc,
                   Shape example) {
  return {name,
          {},
          {{"dtype", ParameterKind::Dtype, Dtype::F16}, {"m_warps", ParameterKind::Integer, int64_t(4)}},
          doc,
          std::move(example),
          true,
          [member](Arguments a) -> Result<Layout> {
            Result<catalogue::MmaLayouts> all =
                catalogue::mmaLayouts(bits(a[0]), static_cast<int>(std::clamp<int64_t>(integer(a[1]), -1, 128)));
            if (!all)
              return std::unexpected(std::move(all.error()));
            return Layout(std::move((*all).*member));
          }};
}

CatalogueEntry mmaScale(std::string_view name, Result<catalogue::MmaScaleLayout> (*factory)(const Shape &, int),
                        std::string_view doc, Shape example) {
  return {name,
          {},
          {{"shape", ParameterKind::Shape}, {"m_warps", ParameterKind::Integer, int64_t(4)}},
          doc,
          std::move(example),
          true,
          [factory](Arguments a) -> Result<Layout> {
            Result<catalogue::MmaScaleLayout> made =
                factory(shape(a[0]), static_cast<int>(std::clamp<int64_t>(integer(a[1]), -1, 128)));
            if (!made)
              return std::unexpected(std::move(made.error()));
            return Layout(std::move(made->layout));
          }};
}

std::vector<CatalogueEntry> registerEntries() {
  using namespace catalogue;
  constexpr auto kShape = ParameterKind::Shape;
  return {
      fixed("WGMMA", {"WGMMA_LAYOUT"}, wgmma, {64, 8},
            "accumulator and 16-bit A operand of wgmma: a warp holds 16 rows, a lane two neighbours in a row"),
      fixed("WGMMA_ACC_32BIT", {"WGMMA_LAYOUT_ACC_32BIT"}, wgmmaAcc32Bit, {64, 8},
            "WGMMA whose pairs are two registers of one element"),
      fixed("WGMMA_8BIT", {"WGMMA_LAYOUT_8BIT"}, wgmma8Bit, {64, 16},
            "8-bit A operand of wgmma: a lane holds four neighbours in a row"),
      fixed("WGMMA_UPCAST_2X", {"WGMMA_LAYOUT_UPCAST_2X"}, wgmmaUpcast2x, {64, 16},
            "for elements that double in width before wgmma: becomes WGMMA by one shuffle"),
      fixed("WGMMA_UPCAST_4X", {"WGMMA_LAYOUT_UPCAST_4X"}, wgmmaUpcast4x, {64, 32},
            "for elements that quadruple in width before wgmma: becomes WGMMA_UPCAST_2X by one shuffle"),
      fixed("WGMMA_TRANSPOSED", {"WGMMA_TRANSPOSED_LAYOUT"}, wgmmaTransposed, {64, 8},
            "WGMMA with pairs that run down a column, for transposed loads and stores"),
      fixed("WGMMA_ROW", {"WGMMA_ROW_LAYOUT"}, wgmmaRow, {64}, "1-D, one value per row of WGMMA: four lanes hold each"),
      fixed("WGMMA_COL", {"WGMMA_COL_LAYOUT"}, wgmmaCol, {8},
            "1-D, one value per column of WGMMA: 32 threads hold each"),
      fixed("TCGEN05", {"TCGEN05_LAYOUT"}, tcgen05, {128, 8},
            "registers of an array in default tensor memory: a warp holds 32 rows, a lane two neighbours in a row"),
      fixed("TCGEN05_TRANSPOSED", {"TCGEN05_TRANSPOSED_LAYOUT"}, tcgen05Transposed, {128, 8},
            "TCGEN05 with pairs that run down a column"),
      fixed("TCGEN05_ROW", {"TCGEN05_ROW_LAYOUT"}, tcgen05Row, {128},
            "1-D, one value per row of TCGEN05: four lanes hold each"),
      fixed("TCGEN05_COL", {"TCGEN05_COL_LAYOUT"}, tcgen05Col, {8},
            "1-D, one value per column of TCGEN05; the same as WGMMA_COL"),
      {"TMEM_NATIVE",
       {"TMEM_NATIVE_LAYOUT", "TCGEN05_TMEM_NATIVE"},
       {},
       "one row per lane in pairs, as tcgen05.ld.32x32b "
       "gives it",
       {128, 4},
       false,
       [](Arguments) { return lifted(tmemNative()); }},
      {"tmem_native_layout",
       {},
       {{"vector_length", ParameterKind::Integer, int64_t(2)}},
       "TMEM_NATIVE with registers of vector_length elements",
       {128, 8},
       true,
       [](Arguments a) { return lifted(tmemNative(integer(a[0]))); }},
      fixed("TMA_INDICES", {"TMA_INDICES_LAYOUT", "TMA_GATHER_INDICES", "TMA_GATHER_INDICES_LAYOUT"}, tmaIndices, {16},
            "1-D, row indices of a TMA gather: four per warp, the same in every lane"),
      fixed("TMA_INDICES_4", {"TMA_INDICES_4_LAYOUT"}, tmaIndices4, {4},
            "1-D, row indices of a TMA gather: four, the same in every thread"),
      {"fa_m64_collective_layout",
       {"TCGEN05_M64_COLLECTIVE"},
       {{"columns"}},
       "registers of an array in tmem_m64_collective_layout(columns)",
       {64, 32},
       true,
       [](Arguments a) { return lifted(faM64Collective(integer(a[0]))); }},
      mma("MMA_LHS", &MmaLayouts::lhs, "left operand (M x K) of mma.sync with m_warps warps along M", {64, 16}),
      mma("MMA_RHS", &MmaLayouts::rhs, "right operand (K x N) of mma.sync", {16, 8}),
      mma("MMA_ACC", &MmaLayouts::acc, "accumulator (M x N) of mma.sync", {64, 8}),
      mmaScale("MMA_LHS_SCALE", mmaLhsScale,
               "block scales of the left operand of mma.sync: shape is (M, scales of a row along K)", {128, 4}),
      mmaScale("MMA_RHS_SCALE", mmaRhsScale,
               "block scales of the right operand of mma.sync: shape is (N, scales of a column along K)", {32, 4}),
      {"tiled_copy_smem_gmem_layout",
       {},
       {{"row_tiles"}, {"col_tiles"}, {"swizzle"}, {"bitwidth"}},
       "coalesced copies between row-major global memory and swizzled shared-memory tiles",
       {64, 128},
       true,
       [](Arguments a) {
         return lifted(tiledCopySmemGmem(integer(a[0]), integer(a[1]), integer(a[2]), integer(a[3])));
       }},
      {"SMEM_GMEM_COPY",
       {},
       {{"shape", kShape}, {"dtype", ParameterKind::Dtype}, {"swizzle"}},
       "tiled_copy_smem_gmem_layout for an array of this shape",
       {64, 128},
       true,
       [](Arguments a) { return lifted(smemGmemCopy(shape(a[0]), bits(a[1]), integer(a[2]))); }},
      {"WG_STRIDED",
       {},
       {{"shape", kShape}, {"vec_size"}},
       "row-major chunks of vec_size elements dealt to the 128 threads in turn",
       {16, 16},
       true,
       [](Arguments a) -> Result<Layout> {
         Result<WGStridedFragLayout> layout = WGStridedFragLayout::make(shape(a[0]), integer(a[1]));
         if (!layout)
           return std::unexpected(std::move(layout.error()));
         return Layout(RegisterLayout(*std::move(layout)));
       }},
      {"WG_SPLAT",
       {},
       {{"shape", kShape}},
       "a constant array: one value for all elements",
       {16, 16},
       true,
       [](Arguments a) -> Result<Layout> {
         if (Result<int64_t> count = checkedElementCount(shape(a[0])); !count)
           return std::unexpected(std::move(count.error()));
         return Layout(RegisterLayout(WGSplatFragLayout{shape(a[0])}));
       }},
  };
}

std::vector<CatalogueEntry> tmemEntries() {
  using namespace catalogue;
  const CatalogueParameter packing = {"packing", ParameterKind::Integer, int64_t(1)};
  return {
      {"tmem_default_layout",
       {"TMEM_DEFAULT"},
       {packing},
       "tensor memory of M=128 (one CTA) or M=256 (two CTAs): row r in lane r",
       {128, 16},
       true,
       [](Arguments a) { return lifted(tmemDefault(integer(a[0]))); }},
      {"tmem_half_lane_layout",
       {},
       {{"columns"}, packing},
       "tensor memory of M=64 on one CTA: each quarter holds 16 rows, left and right half of the columns",
       {64, 32},
       true,
       [](Arguments a) { return lifted(tmemHalfLane(integer(a[0]), integer(a[1]))); }},
      {"tmem_m64_collective_layout",
       {"M64_COLLECTIVE_LAYOUT"},
       {{"columns"}, packing},
       "tensor memory of M=128 on two CTAs: lanes 64 to 127 hold the right half of the columns",
       {64, 32},
       true,
       [](Arguments a) { return lifted(tmemM64Collective(integer(a[0]), integer(a[1]))); }},
      fixed("scales_layout", {"SCALES_LAYOUT"}, scales, {128, 4},
            "block scales in tensor memory (.scale_vec::1X): four copies, one per quarter", true),
      fixed("b_scales_m64_collective_layout", {"SCALES_M64_COLLECTIVE_LAYOUT"}, bScalesM64Collective, {256, 4},
            "block scales of B for M=64 on two CTAs", true),
      fixed("sparse_meta_layout", {"SPARSE_METADATA_LAYOUT"}, sparseMeta, {128, 16},
            "sparsity metadata in tensor memory: descriptive, it has no map", true),
      {"infer_tmem_layout",
       {},
       {{"shape", ParameterKind::Shape}, {"collective", ParameterKind::Boolean}, packing},
       "the tensor-memory layout of an MMA operand or accumulator by its shape",
       {128, 16},
       true,
       [](Arguments a) { return lifted(inferTmem(shape(a[0]), boolean(a[1]), integer(a[2]))); }},
  };
}

std::string_view kindName(ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Integer: return "an integer";
  case ParameterKind::Boolean: return "a boolean";
  case ParameterKind::Dtype: return "a dtype";
  case ParameterKind::Shape: return "a shape";
  }
  return "";
}

bool accepts(ParameterKind kind, const CatalogueArgument &argument) {
  switch (kind) {
  case ParameterKind::Integer: return std::holds_alternative<int64_t>(argument);
  case ParameterKind::Boolean: return std::holds_alternative<bool>(argument);
  case ParameterKind::Dtype:
    return std::holds_alternative<Dtype>(argument) || std::holds_alternative<int64_t>(argument);
  case ParameterKind::Shape: return std::holds_alternative<Shape>(argument);
  }
  return false;
}

std::string argumentText(const CatalogueArgument &argument) {
  if (const auto *number = std::get_if<int64_t>(&argument))
    return text(*number);
  if (const auto *flag = std::get_if<bool>(&argument))
    return text(*flag);
  if (const auto *dtype = std::get_if<Dtype>(&argument))
    return text(name(*dtype));
  return tupleText(std::get<Shape>(argument));
}

} // namespace

std::string CatalogueEntry::signature() const {
  std::string out(name);
  if (!callable)
    return out;
  out += '(';
  for (size_t i = 0; i < parameters.size(); ++i) {
    out += i ? ", " : "";
    out += parameters[i].name;
    if (parameters[i].fallback)
      out += '=' + argumentText(*parameters[i].fallback);
  }
  return out + ')';
}

Result<Layout> CatalogueEntry::make(std::span<const CatalogueArgument> arguments) const {
  if (arguments.size() > parameters.size())
    return error("catalogue-arguments", Message("`{}` takes {count} arguments, got {other_count}", signature(),
                                                parameters.size(), arguments.size()));
  std::vector<CatalogueArgument> all(arguments.begin(), arguments.end());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const CatalogueParameter &parameter = parameters[i];
    if (i >= all.size()) {
      if (!parameter.fallback)
        return error("catalogue-arguments",
                     Message("`{}` needs the argument `{argument}`", signature(), parameter.name));
      all.push_back(*parameter.fallback);
    }
    if (!accepts(parameter.kind, all[i]))
      return error("catalogue-arguments",
                   Message("argument `{argument}` of `{}` must be {type}, got {}", parameter.name, signature(),
                           kindName(parameter.kind), argumentText(all[i])));
  }
  return build(all);
}

const std::vector<CatalogueEntry> &catalogueEntries() {
  static const std::vector<CatalogueEntry> entries = [] {
    std::vector<CatalogueEntry> all = registerEntries();
    std::ranges::move(tmemEntries(), std::back_inserter(all));
    return all;
  }();
  return entries;
}

const CatalogueEntry *findLayout(std::string_view name) {
  for (const CatalogueEntry &entry : catalogueEntries())
    if (entry.name == name || std::ranges::find(entry.aliases, name) != entry.aliases.end())
      return &entry;
  return nullptr;
}

std::optional<std::string> catalogueName(const TiledLayout &layout) {
  for (const CatalogueEntry &entry : catalogueEntries()) {
    if (entry.callable)
      continue;
    const Layout named = *entry.make();
    const auto *registers = std::get_if<RegisterLayout>(&named);
    if (registers && *registers == RegisterLayout(layout))
      return std::string(entry.name);
  }
  if (Result<TiledLayout> native = catalogue::tmemNative(layout.vectorLength()); native && *native == layout)
    return text("tmem_native_layout(", layout.vectorLength(), ')');
  if (layout.baseTile().size() == 2) {
    int64_t columns = layout.baseTile()[1];
    if (Result<TiledLayout> collective = catalogue::faM64Collective(columns); collective && *collective == layout)
      return text("fa_m64_collective_layout(", columns, ')');
  }
  return std::nullopt;
}

std::optional<std::string> catalogueName(const RegisterLayout &layout) {
  const auto *tiled = std::get_if<TiledLayout>(&layout);
  return tiled ? catalogueName(*tiled) : std::nullopt;
}

std::optional<std::string> catalogueName(const TMEMLayout &layout) {
  if (layout == catalogue::scales())
    return "scales_layout()";
  if (layout == catalogue::bScalesM64Collective())
    return "b_scales_m64_collective_layout()";
  if (layout == catalogue::sparseMeta())
    return "sparse_meta_layout()";
  int64_t packing = layout.packing();
  if (Result<TMEMLayout> plain = catalogue::tmemDefault(packing); plain && *plain == layout)
    return text("tmem_default_layout(packing=", packing, ')');
  if (layout.tiled().baseTile().size() != 2)
    return std::nullopt;
  int64_t columns = layout.tiled().baseTile()[1];
  if (Result<TMEMLayout> half = catalogue::tmemHalfLane(columns, packing); half && *half == layout)
    return text("tmem_half_lane_layout(", columns, ", packing=", packing, ')');
  if (Result<TMEMLayout> both = catalogue::tmemM64Collective(columns, packing); both && *both == layout)
    return text("tmem_m64_collective_layout(", columns, ", packing=", packing, ')');
  return std::nullopt;
}

std::optional<std::string> catalogueName(const Layout &layout) {
  if (const auto *registers = std::get_if<RegisterLayout>(&layout))
    return catalogueName(*registers);
  const auto *tmem = std::get_if<TMEMLayout>(&layout);
  return tmem ? catalogueName(*tmem) : std::nullopt;
}

} // namespace lanescope::layouts
