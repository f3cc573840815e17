#include "layouts/notation/cute/Cute.h"

#include "layouts/notation/cute/CuteAtoms.h"
#include "layouts/notation/cute/CutePieces.h"
#include "layouts/notation/cute/CuteReader.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

using cute::CuteLayout;

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

Result<void> checkWhole(Scanner &in) {
  if (Result<void> sized = in.checkSize(); !sized)
    return sized;
  if (in.atEnd())
    return in.expected("a layout of CuTe");
  return {};
}

template <typename T> Result<T> toTheEnd(Scanner &in, Result<T> result) {
  if (result && !in.atEnd())
    return in.expected("the end of the layout");
  return result;
}

} // namespace

bool looksLikeCute(std::string_view text) {
  size_t blank = text.find_first_not_of(" \t\r\n"), start = text.find_first_not_of(" \t\r\n([");
  if (blank == std::string_view::npos || start == std::string_view::npos)
    return false;
  // Lists in brackets occur in many languages, but only CuTe's tiles contain layouts.
  if (text[blank] == '[' && text.find_first_of(":;") == std::string_view::npos)
    return false;
  std::string_view rest = text.substr(start);
  char first = rest[0], second = rest.size() > 1 ? rest[1] : '\0';
  if (first == '?' || isDigit(first) || (first == '-' && isDigit(second)))
    // A number alone does not show that the text is CuTe's.
    return text.find_first_not_of("0123456789-?_ \t\r\n") != std::string_view::npos;
  if (first == '_' && (second == '\0' || std::string_view("0123456789,;:)]- ").contains(second)))
    return true;
  if (first == ')') // `()`
    return start > 0 && text[start - 1] == '(';
  for (std::string_view prefix : {"cute::", "cute."})
    if (rest.starts_with(prefix))
      rest.remove_prefix(prefix.size());
  for (std::string_view prefix : {"!cute.",
                                  "Sw<",
                                  "S<",
                                  "Swizzle<",
                                  "Swizzle(",
                                  "smem_ptr[",
                                  "gmem_ptr[",
                                  "rmem_ptr[",
                                  "tmem_[",
                                  "ptr[",
                                  "ptr<",
                                  "raw_ptr(",
                                  "smem_sparse<",
                                  "gmem_sparse<",
                                  "rmem_sparse<",
                                  "sparse<",
                                  "ArithTuple(",
                                  "Layout<",
                                  "ComposedLayout<",
                                  "ComposedLayout(",
                                  "composition(",
                                  "make_composed_layout(",
                                  "make_layout(",
                                  "make_shape(",
                                  "make_tile(",
                                  "Shape<",
                                  "Tile<",
                                  "tensor<ptr<",
                                  "tensor<raw_ptr("})
    if (rest.starts_with(prefix))
      return true;
  // `Layout((4, 2), (1, 4))` is CuTe's; `Layout((16, 16) -> (8,), …)` is TileLang's.
  if (rest.starts_with("Layout("))
    return !rest.contains("->");
  for (std::string_view name : {"GMMA::Layout_", "UMMA::Layout_", "SM90::GMMA::Layout_", "Layout_K_", "Layout_MN_",
                                "Layout_SW", "Layout_INTER_", "tile_to_shape("})
    if (rest.starts_with(name))
      return true;
  return looksLikePrintout(text) || looksLikeAtom(rest);
}

Result<Layout> parseCute(Scanner &in, Diagnostics *remarks) {
  if (Result<void> whole = checkWhole(in); !whole)
    return std::unexpected(std::move(whole.error()));
  uint32_t begin = in.offset();
  // Labels of a printout occur in no other notation.
  Scanner ahead = in;
  std::string head;
  for (int n = 0; n < 4; ++n) {
    std::string_view word = ahead.identifier();
    if (word.empty())
      break;
    head += (head.empty() ? "" : " ") + std::string(word);
    if (ahead.peek() == ':')
      head += ":";
    if (looksLikePrintout(head))
      break;
  }
  std::string_view written = in.spanFrom(0).source->text();
  bool atom = looksLikeAtom(written.substr(written.find_first_not_of(" \t\r\n")));
  if (!atom && !looksLikePrintout(head)) {
    Result<CuteLayout> layout = CuteReader(in).layout();
    if (!layout)
      return std::unexpected(std::move(layout.error()));
    return toLayout(*std::move(layout));
  }
  auto operands = atom ? readAtom(in) : readPrintout(in);
  if (!operands)
    return std::unexpected(std::move(operands.error()));
  size_t taken = mainOperand(*operands);
  if (remarks && operands->size() > 1) {
    std::vector<std::string> others;
    for (size_t i = 0; i < operands->size(); ++i)
      if (i != taken)
        others.push_back((*operands)[i].first);
    remarks->push_back({Severity::Note,
                        "layout-operand",
                        in.spanFrom(begin),
                        text("`", (*operands)[taken].first, "` of this ", atom ? "atom" : "printout",
                             " is taken; it also holds ", joined(others, ", ")),
                        {}});
  }
  return toLayout((*operands)[taken].second);
}

Result<std::vector<std::pair<std::string, CuteLayout>>> readOperands(Scanner &in) {
  in.peek();
  std::string_view rest = std::string_view(in.spanFrom(0).source->text()).substr(in.offset());
  return looksLikeAtom(rest) ? readAtom(in) : readPrintout(in);
}

Result<CuteLayout> readCute(std::string_view text) {
  Scanner in(Source::make("cute", std::string(text)));
  Result<Layout> layout = toTheEnd(in, parseCute(in, nullptr));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return *cute::asCute(*layout);
}

Result<cute::Tiler> readCuteTile(std::string_view text) {
  Scanner in(Source::make("cute", std::string(text)));
  if (Result<void> whole = checkWhole(in); !whole)
    return std::unexpected(std::move(whole.error()));
  std::vector<cute::Tiler> lines;
  while (!in.atEnd()) {
    Result<cute::Tiler> tile = CuteReader(in).tile();
    if (!tile)
      return tile;
    lines.push_back(*std::move(tile));
    if (lines.size() > cute::kMaxLeaves)
      return in.expected("fewer modes");
    if (!in.atEnd() && !text.contains('\n'))
      return in.expected("the end of the tile");
  }
  return lines.size() == 1 ? std::move(lines[0]) : cute::Tiler::of(std::move(lines));
}

Result<cute::IntTuple> readCuteTuple(std::string_view text) {
  Scanner in(Source::make("cute", std::string(text)));
  if (Result<void> whole = checkWhole(in); !whole)
    return std::unexpected(std::move(whole.error()));
  return toTheEnd(in, CuteReader(in).tuple("an integer or a tuple of integers"));
}

} // namespace lanescope::layouts
