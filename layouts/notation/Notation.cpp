#include "layouts/notation/Notation.h"

#include "layouts/DefaultArray.h"
#include "layouts/Equal.h"
#include "layouts/notation/cute/Cute.h"
#include "layouts/notation/FragmentNotation.h"
#include "layouts/notation/mosaic/JaxPython.h"
#include "layouts/notation/mosaic/JaxPythonPrinter.h"
#include "layouts/notation/mosaic/MlirAttribute.h"
#include "layouts/notation/mosaic/MosaicShared.h"
#include "layouts/notation/OperandSets.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/notation/tilelang/TileLang.h"
#include "layouts/notation/tilus/Tilus.h"
#include "layouts/notation/tirx/Tirx.h"
#include "layouts/notation/tpu/TpuNotation.h"
#include "layouts/notation/triton/Gluon.h"
#include "layouts/notation/triton/LinearText.h"
#include "layouts/notation/triton/Triton.h"
#include "layouts/notation/triton/TritonPrinter.h"
#include "layouts/Reading.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <span>

namespace lanescope::layouts {

namespace {

/// A notation that can be read. The first row that claims a text reads it.
struct Readable {
  std::string_view name;  // the name that `language` takes
  std::string_view label; // the name in messages
  bool (*looksLike)(std::string_view text);
  Result<Layout> (*parse)(Scanner &in, Diagnostics *remarks);
};

std::string_view fromFirstWord(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

bool looksLikeMlir(std::string_view text) { return text.starts_with("#mosaic_gpu"); }
bool looksLikeMlirTransforms(std::string_view text) {
  size_t begin = text.find_first_not_of("[( \t\r\n");
  return begin != std::string_view::npos && text.substr(begin).starts_with("#mosaic_gpu.") &&
         looksLikeMosaicShared(text);
}
bool looksLikeFragment(std::string_view text) {
  return text.starts_with("fragment") && fromFirstWord(text.substr(8)).starts_with("(");
}

constexpr Readable kReadings[] = {
    {"fragment", "fragments", looksLikeFragment, parseFragment},
    {"fragment", "instructions", looksLikeInstruction, parseInstruction},
    {"mlir", "MLIR #mosaic_gpu", looksLikeMlirTransforms, parseMosaicShared},
    {"jax", "JAX shared memory", looksLikeMosaicShared, parseMosaicShared},
    {"mlir", "MLIR #mosaic_gpu", looksLikeMlir, parseMlirAttribute},
    {"tpu", "TPU tiles", looksLikeTpu, parseTpu},
    {"tirx", "TIRx", looksLikeTirx, parseTirx},
    {"tilus", "Tilus", looksLikeTilus, parseTilus},
    {"tilelang", "TileLang", looksLikeTileLang, parseTileLang},
    {"triton", "Triton", looksLikeTriton, parseTriton},
    {"triton", "Gluon", looksLikeGluon, parseGluon},
    {"linear", "linear layouts", looksLikeLinearText, parseLinearText},
    {"cute", "CuTe", looksLikeCute, parseCute},
    {"jax", "JAX Python", looksLikeJaxPython, parseJaxPython},
};

/// A notation that can be written.
struct Writing {
  std::string_view name;
  Result<std::string> (*print)(const Placement &placement);
};
template <CuteStyle style> Result<std::string> cuteIn(const Placement &placement) { return cuteText(placement, style); }
constexpr Writing kWritings[] = {
    {"jax", jaxText},
    {"mlir", mlirText},
    {"cute", cuteIn<CuteStyle::Cpp>},
    {"cute-dsl", cuteIn<CuteStyle::Dsl>},
    {"cute-type", cuteIn<CuteStyle::Type>},
    {"triton", tritonText},
    {"linear", linearText},
    {"tilus", tilusText},
    {"tirx", tirxText},
    {"tpu", tpuText},
};

template <typename Row> std::string names(std::span<const Row> rows) {
  std::string out;
  for (size_t i = 0; i < rows.size(); ++i)
    if (std::ranges::none_of(rows.first(i), [&](const Row &row) { return row.name == rows[i].name; }))
      out += (out.empty() ? "" : ", ") + std::string(rows[i].name);
  return out;
}

Result<Layout> readWith(const Readable &reading, const SourceRef &source, Diagnostics *remarks) {
  Scanner in(source);
  Result<Layout> layout = reading.parse(in, remarks);
  if (layout && !in.atEnd())
    return in.expected("the end of the layout");
  return layout;
}

/// The error of the notation that read the most of the text, with the names of all notations.
Result<Layout> readWithAny(const SourceRef &source, std::span<const Readable> readings, Diagnostics *remarks) {
  const Readable *best = nullptr;
  Diagnostics furthest;
  std::string tried;
  bool named = !Scanner(source).identifier().empty();
  for (const Readable &reading : readings) {
    Diagnostics own;
    Result<Layout> layout = readWith(reading, source, &own);
    if (layout) {
      if (remarks)
        remarks->insert(remarks->end(), own.begin(), own.end());
      return layout;
    }
    if (tried.find(reading.label) == std::string::npos)
      tried += (tried.empty() ? "" : ", ") + std::string(reading.label);
    // If several notations read equally far, or the text is a bare name, take the error of the table's last notation.
    // This is JAX, because a text that shows no notation is mostly one of JAX's names.
    if (!best || named || layout.error().front().span.begin >= furthest.front().span.begin) {
      best = &reading;
      furthest = std::move(layout.error());
    }
  }
  if (readings.size() > 1)
    furthest.front().notes.push_back(
        {furthest.front().span, text("no notation claims this text; the error is that of ", best->label,
                                     ", which read most of it; tried: ", tried)});
  return std::unexpected(std::move(furthest));
}

/// The layout's own text, if it is in that language.
std::optional<std::string> ownText(const Layout &layout, std::string_view language) {
  const auto *foreign = std::get_if<Foreign>(&layout);
  if (foreign) {
    if (const auto *shared = foreign->as<MosaicShared>(); shared && (language == "mlir" || language == "jax"))
      return language == "mlir" ? shared->mlirText() : shared->transformsText();
    if (const cute::CuteLayout *own = cute::asCute(layout); own && language.starts_with("cute-"))
      if (Result<std::string> printed = cuteText(*own, language == "cute-dsl" ? CuteStyle::Dsl : CuteStyle::Type))
        return *printed;
    return (*foreign)->language() == language ? std::optional((*foreign)->text()) : std::nullopt;
  }
  if (language == "jax")
    return layoutText(layout);
  if (language == "mlir")
    return std::holds_alternative<TMEMLayout>(layout) ? mlirText(std::get<TMEMLayout>(layout))
                                                      : mlirText(std::get<RegisterLayout>(layout));
  return std::nullopt;
}

/// Prints one placement, then reads the text back and compares the two element by element.
Result<std::string> printChecked(const Writing &writing, const Placement &placed, Memory memory, int bitwidth) {
  Result<std::string> printed = writing.print(placed);
  if (!printed)
    return printed;
  const Shape &shape = std::visit([](const auto &map) -> const Shape & { return map.shape(); }, placed);
  Result<Layout> again = parseLayout(Source::make("notation", *printed));
  auto inexact = [&] {
    return error("notation-lossy", Message("`{}` is the nearest, but not the same layout", *printed));
  };
  if (!again)
    return inexact();
  if (const auto *registers = std::get_if<RegisterLayout>(&*again); registers && memory == Memory::Tmem)
    if (const auto *tiled = std::get_if<TiledLayout>(registers))
      again = Layout(TMEMLayout(*tiled));
  Result<Placement> back = placement(*again, shape, bitwidth, memory);
  if (!back)
    return inexact();
  Result<EqualResult> same = equal(placed, *back);
  if (!same || !same->exact)
    return inexact();
  return printed;
}

} // namespace

std::string readableNotations() { return names(std::span<const Readable>(kReadings)); }
std::string writableNotations() { return names(std::span<const Writing>(kWritings)); }

bool looksLikeLayout(std::string_view text) {
  return std::ranges::any_of(kReadings,
                             [&](const Readable &reading) { return reading.looksLike(fromFirstWord(text)); });
}

Result<Layout> parseLayout(const SourceRef &source, Diagnostics *remarks, std::string_view language) {
  Scanner in(source);
  if (Result<void> sized = in.checkSize(); !sized)
    return std::unexpected(std::move(sized.error()));
  std::vector<Readable> readings;
  for (const Readable &reading : kReadings)
    if (language.empty() || reading.name == language)
      readings.push_back(reading);
  if (readings.empty())
    return error("layout-language", Span{source, 0, 0},
                 Message("there is no notation `{name}`; there are {}", language, readableNotations()));
  if (in.atEnd())
    return in.expected("a layout");
  std::string_view text = fromFirstWord(source->text());
  for (const Readable &reading : readings)
    if (reading.looksLike(text))
      return readWith(reading, source, remarks);
  return readWithAny(source, readings, remarks);
}

Result<TMEMLayout> parseTmemLayout(const SourceRef &source, Diagnostics *remarks) {
  Result<Layout> layout = parseLayout(source, remarks);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  if (const auto *tmem = std::get_if<TMEMLayout>(&*layout))
    return *tmem;
  if (const auto *registers = std::get_if<RegisterLayout>(&*layout))
    if (const auto *tiled = std::get_if<TiledLayout>(registers))
      return TMEMLayout(*tiled);
  return error("layout-kind", Span{source, 0, static_cast<uint32_t>(source->text().size())},
               "tensor memory takes tiled layouts only");
}

Result<Tiling> parseTiling(const SourceRef &source) {
  Scanner in(source);
  if (Result<void> sized = in.checkSize(); !sized)
    return std::unexpected(std::move(sized.error()));
  Result<Tiling> tiling = parseJaxTiling(in);
  if (tiling && !in.atEnd())
    return in.expected("the end of the tiling");
  return tiling;
}

Result<std::string> notation(const Layout &layout, std::string_view language, std::optional<Shape> shape,
                             std::optional<int> bitwidth, std::optional<Memory> memory) {
  const Writing *writing = std::ranges::find(kWritings, language, &Writing::name);
  if (writing == std::end(kWritings))
    return error("layout-language",
                 Message("there is no notation `{name}` to write; there are {}", language, writableNotations()));
  if (std::optional<std::string> own = ownText(layout, language))
    return *own;
  Result<Reading> reading = readingOf(layout, {.shape = std::move(shape), .memory = memory});
  if (!reading)
    return std::unexpected(std::move(reading.error()));
  shape = reading->shape;
  if (!shape)
    return error("layout-shape", Message("the registers of `{layout}` depend on the shape of the array; give it, as "
                                         "`notation(layout, \"{}\", (64, 64))`",
                                         layoutText(layout), language));
  if (!bitwidth)
    bitwidth = ownBitwidth(layout);
  if (!bitwidth && !std::holds_alternative<Foreign>(layout))
    bitwidth = kTmemCellBits; // registers have the same numbers for every width, so this width is as good as any
  const Memory read = reading->memory;
  auto printedAs = [&](int width) -> Result<std::string> {
    Result<Placement> placed = placement(layout, *shape, width, read);
    return placed ? printChecked(*writing, *placed, read, width) : std::unexpected(std::move(placed.error()));
  };
  if (bitwidth || read == Memory::Registers)
    return printedAs(bitwidth.value_or(kTmemCellBits));
  // Offsets in elements have the same text for every width, unless they contain a swizzle of bytes.
  Result<std::string> printed = printedAs(32);
  for (int width : {8, 16, 64}) {
    Result<std::string> other = printedAs(width);
    if (other.has_value() != printed.has_value() || (other && *other != *printed))
      return error("layout-dtype",
                   Message("how `{layout}` lies in {memory} depends on the width of the elements; give the dtype",
                           layoutText(layout), name(read)));
  }
  return printed;
}

} // namespace lanescope::layouts
