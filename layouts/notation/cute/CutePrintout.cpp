// CuTe's printouts of atoms and tiled operations: labelled lines, in the spelling of C++ and of CuTe DSL.
#include "layouts/cute/Atoms.h"
#include "layouts/notation/cute/Cute.h"
#include "layouts/notation/cute/CutePieces.h"
#include "layouts/notation/cute/CuteReader.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <map>

namespace lanescope::layouts {

using cute::CuteLayout;
using cute::IntTuple;
using cute::Tiler;

namespace {

enum class Field {
  ThrId,
  ShapeMnk,
  Tv, // any (thread, value) layout
  ThrLayout,
  Permutation,
  Tiler,
  ValueType,
  Ignored, // the number of a ThrMMA's thread
};
struct Label {
  std::string_view words; // the label in lower case, without blanks and `_`
  Field field;
  std::string_view name; // CuTe's C++ name
};
constexpr Label kLabels[] = {
    {"thrid", Field::ThrId, "ThrID"},
    {"shapemnk", Field::ShapeMnk, "Shape_MNK"},
    {"layoutatv", Field::Tv, "LayoutA_TV"},
    {"layoutbtv", Field::Tv, "LayoutB_TV"},
    {"layoutctv", Field::Tv, "LayoutC_TV"},
    {"tvlayouta", Field::Tv, "LayoutA_TV"},
    {"tvlayoutb", Field::Tv, "LayoutB_TV"},
    {"tvlayoutc", Field::Tv, "LayoutC_TV"},
    {"atomlayoutatv", Field::Tv, "AtomLayoutA_TV"},
    {"atomlayoutbtv", Field::Tv, "AtomLayoutB_TV"},
    {"atomlayoutctv", Field::Tv, "AtomLayoutC_TV"},
    {"tiledlayouttv", Field::Tv, "TiledLayout_TV"},
    {"tvlayouttiled", Field::Tv, "TiledLayout_TV"},
    {"tvlayout", Field::Tv, "TiledLayout_TV"}, // label of make_layout_tv()'s layout in CuTe DSL's examples
    {"layoutstv", Field::Tv, "LayoutS_TV"},
    {"layoutdtv", Field::Tv, "LayoutD_TV"},
    {"vallayoutsrc", Field::Tv, "ValLayoutSrc"},
    {"vallayoutdst", Field::Tv, "ValLayoutDst"},
    {"vallayoutref", Field::Tv, "ValLayoutRef"},
    {"tvlayoutsrc", Field::Tv, "ValLayoutSrc"},
    {"tvlayoutdst", Field::Tv, "ValLayoutDst"},
    {"thrlayoutvmnk", Field::ThrLayout, "ThrLayoutVMNK"},
    {"permutationmnk", Field::Permutation, "PermutationMNK"},
    {"tilermn", Field::Tiler, "Tiler_MN"},
    {"tiler", Field::Tiler, "Tiler_MN"},
    {"valuetype", Field::ValueType, "ValueType"},
    {"thrvmnk", Field::Ignored, "Thr VMNK"},
    {"thridx", Field::Ignored, "ThrIdx"},
};
constexpr std::string_view kHeadings[] = {"mmaatom", "tiledmma", "tiledcopy", "copyatom", "thrmma", "thrcopy"};

std::string squeezed(std::string_view words) {
  std::string out = lowerCase(words);
  std::erase_if(out, [](char c) { return c == '_' || c == ' ' || c == '\t'; });
  return out;
}

const Label *labelOf(std::string_view words) {
  std::string key = squeezed(words);
  const auto *found = std::ranges::find(kLabels, key, &Label::words);
  return found == std::end(kLabels) ? nullptr : found;
}
bool isHeading(std::string_view words) { return std::ranges::find(kHeadings, squeezed(words)) != std::end(kHeadings); }

/// Reads the words up to a `:`, or a heading; empty if the text has neither here.
std::string readWords(Scanner &in) {
  std::string words;
  for (int n = 0; n < 4; ++n) {
    std::string_view word = in.identifier();
    if (word.empty())
      break;
    words += (words.empty() ? "" : " ") + std::string(word);
    if (isHeading(words) || (labelOf(words) && in.peek() == ':'))
      break;
  }
  return words;
}

struct Printout {
  std::optional<cute::Layout> threadIds, threads;
  std::optional<IntTuple> shape;
  std::optional<Tiler> permutation, tiler;
  std::vector<std::pair<std::string, cute::Layout>> layouts;
  uint32_t begin = 0, permutationAt = 0, shapeAt = 0, tilerAt = 0, threadsAt = 0;
};

Result<void> readField(CuteReader &reader, Scanner &in, const Label &label, Printout &out) {
  in.peek();
  uint32_t begin = in.offset();
  auto store = [&](auto &&target, auto result) -> Result<void> {
    if (!result)
      return std::unexpected(std::move(result.error()));
    target = *std::move(result);
    return {};
  };
  switch (label.field) {
  case Field::ThrId: return store(out.threadIds, reader.plain());
  case Field::ThrLayout: out.threadsAt = begin; return store(out.threads, reader.plain());
  case Field::ShapeMnk: out.shapeAt = begin; return store(out.shape, reader.tuple("the sizes (M,N,K)"));
  case Field::Permutation: out.permutationAt = begin; return store(out.permutation, reader.tile());
  case Field::Tiler: out.tilerAt = begin; return store(out.tiler, reader.tile());
  case Field::Ignored: {
    Result<IntTuple> ignored = reader.tuple("integers");
    return ignored ? Result<void>() : std::unexpected(std::move(ignored.error()));
  }
  case Field::ValueType: { // `16b`, or the name of a type
    if (!in.identifier().empty())
      return {};
    Result<int64_t> bits = in.integer("the width of a value, as `16b`");
    if (!bits)
      return std::unexpected(std::move(bits.error()));
    in.eat('b');
    return {};
  }
  case Field::Tv: break;
  }
  Result<cute::Layout> layout = reader.plain();
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  out.layouts.emplace_back(label.name, *std::move(layout));
  return {};
}

Result<Printout> readFields(Scanner &in) {
  CuteReader reader(in);
  Printout out;
  in.peek();
  out.begin = in.offset();
  while (!in.atEnd()) {
    in.peek();
    uint32_t begin = in.offset();
    std::string words = readWords(in);
    if (isHeading(words)) {
      // Some printouts put the atom's name in parentheses after it.
      if (in.eat('('))
        while (!in.eat(')')) {
          if (in.atEnd())
            return in.expected("`)`");
          in.eat(in.peek());
        }
      continue;
    }
    const Label *label = labelOf(words);
    if (!label) {
      if (!out.layouts.empty() || words.empty()) {
        in.rewind(begin);
        return in.expected("a label such as `LayoutC_TV:`");
      }
      return in.fail(begin, Message("`{}` is not a label of CuTe's printouts, such as `LayoutC_TV`", words));
    }
    if (std::ranges::any_of(out.layouts, [&](const auto &entry) { return entry.first == label->name; }))
      return in.fail(begin, Message("`{name}` is there twice", label->name));
    if (Result<void> colon = in.expect(':', text('`', label->name, '`')); !colon)
      return std::unexpected(std::move(colon.error()));
    if (Result<void> field = readField(reader, in, *label, out); !field)
      return std::unexpected(std::move(field.error()));
  }
  if (out.layouts.empty())
    return in.fail(out.begin, "the printout has no (thread, value) layout such as `LayoutC_TV: …`");
  return out;
}

std::optional<Shape> sizesOf(const IntTuple &tuple) {
  if (!cute::known(tuple) || cute::hasBasis(tuple))
    return std::nullopt;
  Shape sizes;
  for (size_t i = 0; i < tuple.rank(); ++i) {
    sizes.push_back(productOf(tuple.mode(i)));
    if (sizes.back() < 1)
      return std::nullopt;
  }
  return sizes;
}

/// The sizes of a tiler's modes.
std::optional<Shape> sizesOf(const Tiler &tiler) {
  if (tiler.kind == Tiler::Kind::Whole)
    return std::nullopt;
  if (tiler.kind == Tiler::Kind::Layout)
    return sizesOf(tiler.layout.shape);
  Shape sizes;
  for (const Tiler &mode : tiler.modes) {
    std::optional<Shape> inner = sizesOf(mode);
    if (!inner)
      return std::nullopt;
    int64_t size = 1;
    for (int64_t s : *inner)
      size = saturatingMultiply(size, s);
    sizes.push_back(size);
  }
  return sizes;
}

/// The operand A, B or C, which gives its two dimensions among (M,N,K).
std::optional<cute::TiledMma::Operand> mmaOperand(std::string_view label) {
  if (!label.ends_with("_TV") || label == "TiledLayout_TV" || label.starts_with("LayoutS") ||
      label.starts_with("LayoutD"))
    return std::nullopt;
  char operand = label[label.size() - 4];
  return operand == 'A' ? cute::TiledMma::A : operand == 'B' ? cute::TiledMma::B : cute::TiledMma::C;
}

} // namespace

Result<CuteLayout> operandLayout(std::string label, cute::Layout layout, std::optional<Shape> tile,
                                 const std::optional<cute::Layout> &threadIds) {
  cute::Operand operand{std::move(label), std::move(tile), std::nullopt};
  // A ThrID of n:1 leaves the threads' numbers unchanged.
  if (threadIds && threadIds->known() && cute::coalesce(*threadIds).stride != IntTuple(1, true) &&
      cute::coalesce(*threadIds).stride != IntTuple(1, false) && threadIds->size() > 1)
    operand.threadIds = threadIds;
  return CuteLayout::make({.plain = std::move(layout), .operand = std::move(operand)});
}

std::optional<std::string_view> printoutLabel(std::string_view line) {
  Scanner in(Source::make("cute", std::string(line.substr(0, 256))));
  std::string words = readWords(in);
  if (isHeading(words))
    return std::string_view();
  const Label *label = labelOf(words);
  return label && in.peek() == ':' ? std::optional(label->name) : std::nullopt;
}

bool beginsPrintout(std::string_view text) {
  std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
  std::optional<std::string_view> label = printoutLabel(line);
  return label && label->empty() && line.find_first_of("(<=.") == std::string_view::npos;
}

bool looksLikePrintout(std::string_view text) { return printoutLabel(text).has_value(); }

Result<std::vector<std::pair<std::string, CuteLayout>>> readPrintout(Scanner &in) {
  Result<Printout> read = readFields(in);
  if (!read)
    return std::unexpected(std::move(read.error()));
  std::vector<std::pair<std::string, CuteLayout>> out;
  std::optional<Shape> mnk;
  if (read->shape) {
    mnk = sizesOf(*read->shape);
    if (!mnk || mnk->size() != 3)
      return in.fail(read->shapeAt, "expected the three sizes (M,N,K) of the atom");
  }
  std::optional<Shape> tiler;
  if (read->tiler) {
    tiler = sizesOf(*read->tiler);
    if (!tiler)
      return in.fail(read->tilerAt, "expected a tile of known sizes");
  }
  auto add = [&](std::string label, cute::Layout layout, std::optional<Shape> tile) -> Result<void> {
    Result<CuteLayout> operand = operandLayout(label, std::move(layout), std::move(tile), read->threadIds);
    if (!operand)
      return at(in.spanFrom(read->begin), std::move(operand.error()));
    out.emplace_back(std::move(label), *std::move(operand));
    return {};
  };
  // A TiledMMA's own layouts come first, because its kernel uses them.
  if (read->threads && mnk) {
    cute::TiledMma mma;
    std::ranges::copy(*mnk, mma.shape.begin());
    mma.threads = *read->threads;
    if (read->permutation) {
      if (read->permutation->kind == Tiler::Kind::Tuple && read->permutation->modes.size() == 3)
        std::ranges::copy(read->permutation->modes, mma.permutation.begin());
      else if (read->permutation->kind != Tiler::Kind::Whole)
        return in.fail(read->permutationAt, "expected a permutation of the three modes M, N, K");
    }
    for (const auto &[label, layout] : read->layouts) {
      std::optional<cute::TiledMma::Operand> operand = mmaOperand(label);
      if (!operand || label.starts_with("Atom"))
        continue;
      mma.atom[*operand] = layout;
      Result<cute::TiledMma::Tile> tile = mma.operand(*operand);
      if (!tile)
        return at(in.spanFrom(read->threadsAt), std::move(tile.error()));
      // The layout of the tile numbers the threads itself, so the printout's ThrID does not apply to it.
      std::optional<cute::Layout> ids = std::exchange(read->threadIds, std::nullopt);
      Result<void> added = add(label, tile->layout, Shape(tile->tile.begin(), tile->tile.end()));
      read->threadIds = std::move(ids);
      if (!added)
        return std::unexpected(std::move(added.error()));
    }
  }
  for (const auto &[label, layout] : read->layouts) {
    std::optional<Shape> tile;
    bool atomOfTiled = read->threads && mnk && mmaOperand(label);
    if (auto operand = mmaOperand(label); operand && mnk) {
      size_t first = *operand == cute::TiledMma::B ? 1 : 0, second = *operand == cute::TiledMma::C ? 1 : 2;
      tile = Shape{(*mnk)[first], (*mnk)[second]};
    } else if (!label.starts_with("ValLayout") || read->layouts.size() == 1) {
      tile = tiler;
    }
    if (label.starts_with("ValLayout") && !tile) { // the layout numbers threads, and the bits or values that move
      int64_t most = 1;
      for (const auto &[other, values] : read->layouts)
        if (other.starts_with("ValLayout") && values.known() && !hasBasis(values.stride))
          most = std::max(most, cosizeOf(values));
      tile = Shape{most};
    }
    if (Result<void> added = add(atomOfTiled && !label.starts_with("Atom") ? "Atom" + label : label, layout, tile);
        !added)
      return std::unexpected(std::move(added.error()));
  }
  return out;
}

std::optional<PrintedBlock> printedBlock(const SourceRef &source, size_t begin) {
  constexpr size_t kMaxLine = 4096;
  std::string_view text = source->text();
  PrintedBlock block;
  std::vector<std::pair<std::string_view, size_t>> labels; // the labels, and where their lines begin
  for (size_t at = begin; at < text.size() && at - begin < Scanner::kMaxText;) {
    size_t stop = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, stop - at);
    std::optional<std::string_view> label = line.size() <= kMaxLine ? printoutLabel(line) : std::nullopt;
    // A repeated label begins a second atom. In a tiled operation, the heading of its atom follows the layouts of the
    // whole.
    if (!label || (!label->empty() &&
                   std::ranges::find(labels, *label, &std::pair<std::string_view, size_t>::first) != labels.end()))
      break;
    labels.emplace_back(*label, at);
    block.end = stop;
    at = stop + 1;
  }
  if (labels.empty())
    return std::nullopt;
  Scanner in(Source::make(source->name(), std::string(text.substr(begin, block.end - begin))));
  auto read = readPrintout(in);
  if (!read)
    return std::nullopt;
  for (auto &[name, layout] : *read) {
    std::string_view label = name;
    auto line = std::ranges::find(labels, label, &std::pair<std::string_view, size_t>::first);
    // One line of a TiledMMA gives both its own layout and the atom's.
    if (line == labels.end() && label.starts_with("Atom"))
      line = std::ranges::find(labels, label.substr(4), &std::pair<std::string_view, size_t>::first);
    size_t from = line == labels.end() ? begin : line->second, stop = std::min(text.find('\n', from), text.size());
    while (from < stop && (text[from] == ' ' || text[from] == '\t'))
      ++from;
    block.operands.push_back(
        {Span{source, static_cast<uint32_t>(from), static_cast<uint32_t>(stop)}, name, std::move(layout)});
  }
  return block;
}

size_t mainOperand(const std::vector<std::pair<std::string, CuteLayout>> &operands) {
  for (std::string_view wanted : {"LayoutC_TV", "TiledLayout_TV", "ValLayoutDst"})
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].first == wanted)
        return i;
  return 0;
}

} // namespace lanescope::layouts
