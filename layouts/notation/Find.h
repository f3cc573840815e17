// Finds the layouts in a pasted text: a line of TTGIR, a type, a whole module with its aliases, a JAX dump, prints.
//
//   findLayouts(Source::make("paste", "%0 = tt.load %p : tensor<128x64xf16, #blocked>\n#blocked = #ttg.blocked<{…}>"))
//     ->  {name "%0", layout tensor<128x64xf16, #ttg.blocked<{…}>>, shape (128, 64), 16 bits}, {name "#blocked", …}
//
// It finds Triton's attributes, types and alias lines, Mosaic's attributes and Python forms, TPU tiles, Gluon's
// constructors, blocks of LinearLayout::toString, and lines that are a layout in any other notation (`Layout_A:
// (_4,_8):(_8,_1)`). The parsers of the notations read the layouts; this code only finds where they start. The time is
// proportional to the text's length.
#pragma once

#include "layouts/Layout.h"
#include "layouts/support/Source.h"

#include <optional>
#include <string>
#include <vector>

namespace lanescope::layouts {

struct FoundLayout {
  Span span;
  Result<Layout> layout; // the layout, or its errors with places in the pasted text
  /// The array's shape, if the layout's line gives its type; for Mosaic's attributes, the shape of the operation's
  /// operand.
  std::optional<Shape> shape = std::nullopt;
  std::optional<int> bitwidth = std::nullopt;
  std::string name = {}; // "#blocked", "%acc", "LayoutC_TV"; empty when it has none
  int uses = 1;          // number of occurrences of this layout with this shape; `span` is that of the first
};

/// The layouts in the order of the text, each once per shape. Returns at most 4096 of them, from the first 16 MiB. If
/// more may follow, the last entry is an error, "chunk-too-large", at the place where reading stopped.
std::vector<FoundLayout> findLayouts(const SourceRef &chunk);
/// The first layout, for drawing. If it has no array, for example in an alias line, it gets the array of the first
/// mention that has one. Nothing if no entry is a layout.
std::optional<FoundLayout> firstLayout(const std::vector<FoundLayout> &found);

} // namespace lanescope::layouts
