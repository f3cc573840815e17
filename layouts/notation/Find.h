// The layouts in a pasted piece of text: a line of TTGIR, a type, a whole module with its aliases, a JAX dump, prints.
//
//   findLayouts(Source::make("paste", "%0 = tt.load %p : tensor<128x64xf16, #blocked>\n#blocked = #ttg.blocked<{…}>"))
//     ->  {name "%0", layout tensor<128x64xf16, #ttg.blocked<{…}>>, shape (128, 64), 16 bits}, {name "#blocked", …}
//
// Found are Triton's attributes, types and alias lines, Mosaic's attributes and Python forms, TPU tiles, Gluon's
// constructors, blocks of LinearLayout::toString, and lines that are a layout in any other notation (`Layout_A:
// (_4,_8):(_8,_1)`). The readers are those of the notations; this only finds where they start. Time is linear in the
// text.
#pragma once

#include "layouts/Layout.h"
#include "layouts/support/Source.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::layouts {

struct FoundLayout {
  Span span;
  Result<Layout> layout; // or what is wrong with it, with places in the pasted text
  /// Of the array, where its type stands with the layout; for Mosaic's attributes the type of the operation's operand.
  std::optional<Shape> shape = std::nullopt;
  std::optional<int> bitwidth = std::nullopt;
  std::string name = {}; // "#blocked", "%acc", "LayoutC_TV"; empty when it has none
  int uses = 1;          // how often the same layout with the same shape occurs; the span is the first one's
};

/// In the order of the text, each layout once per shape. At most 4096 of them, in the first 16 MiB; where more may
/// follow, the last entry is an error, "chunk-too-large", at the place from where on the text was not read.
std::vector<FoundLayout> findLayouts(const SourceRef &chunk);
/// The first layout, to draw; where it stands without an array (as an alias), with that of the first mention that has
/// one. Nothing when no text in the list is a layout.
std::optional<FoundLayout> firstLayout(const std::vector<FoundLayout> &found);

} // namespace lanescope::layouts
