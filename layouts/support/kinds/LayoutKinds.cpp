#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kLayoutsRows = std::to_array<KindEntry>({
    kind("layout-syntax", "a text that no notation reads",
         "`layout(TEXT, language)` reads the text in one language alone; its message says more.")
        .eval("layout('TiledLayout(')",
              "expected a `Tiling`, found the end"),
    kind("layout-language", "there is no notation of that name, or it does not read or write this",
         "The message lists the names."),
    kind("layout-canonicalized", "a text was read in another spelling than the canonical one; it is no fault",
         "You need not do anything; the note has the canonical spelling.")
        .severities("note"),
    kind("layout-operand", "a printout has several layouts, and one was taken; it is no fault",
         "Cut the others away to take another one.")
        .severities("note")
        .eval("layout(\"LayoutA_TV: (4,8):(8,1)\\nLayoutB_TV: (4,8):(8,1)\\n\")",
              "`LayoutA_TV` of this printout is taken; it also holds LayoutB_TV"),
    kind("layout-found", "a text has several layouts, and one was taken; it is no fault",
         "Cut the others away to take another one.")
        .severities("note"),
    kind("layout-kind", "the place wants a layout of another kind",
         "The message says which kind the place takes."),
    kind("layout-reading", "a text can be read in several ways, and one was taken; it is no fault",
         "The note says how to write each other reading (docs/readings.md).")
        .severities("note"),
    kind("array-guessed", "`relayout` or `coalescing` chose a shape or dtype because none was given; it is no fault",
         "Give `shape=` and the dtype.")
        .severities("note"),
    kind("layout-coverage", "a layout applies to another array than it states, or no thread holds some elements; it is no fault",
         "docs/readings.md explains the repetition.")
        .severities("note"),
    kind("layout-memory", "the place wants a layout of another memory",
         "Registers, shared memory and tensor memory have layouts of their own."),
    kind("layout-shape", "the layout does not apply to the shape",
         "Choose a shape of the layout's rank that its tiles divide."),
    kind("tiled-memory", "the tiles or strides of a TPU's memory are not valid",
         "Tiles are positive, and there is one stride for each dimension."),
    kind("warp-size", "layouts have warps of different sizes, or of a size that the cost or the picture does not support",
         "Compare layouts of one warp size."),
    kind("layout-dtype", "the layout depends on the width of the elements, and the width is not given",
         "Give the dtype."),
    kind("layout-overlap", "two elements lie in one place",
         "Correct the strides so that no two indices have one address.")
        .eval("owners(layout(\"S[(8, 4) : (1@tx, 1@tx)]\"), (8, 4), (0, 0))",
              "`S[(8, 4):(1@tx, 1@tx)]` puts elements (0, 1) and (1, 0) in one place"),
    kind("layout-range", "an index expression leaves its range",
         "Compare it with the sizes of the tensor."),
    kind("notation-lossy", "the language has no such layout",
         "Print it in another language; the message says what cannot be said."),
    kind("no-second-layout", "there is only one layout, and a comparison needs two",
         "Type the second one.")
        .severities("error note"),
    kind("empty-shape", "a shape has no elements",
         "Every size is at least 1.")
        .eval("element_map(layout(\"(8,8):(8,1)\"), (0, 8))",
              "shape (0, 8) has no elements"),
    kind("shape-missing", "a layout does not say what array it is for",
         "Give `shape=`."),
    kind("shape-rank", "a shape has another rank than the place takes",
         "The message has the rank."),
    kind("shape-negative", "a size is negative",
         "Every size is at least 1."),
    kind("shape-too-large", "a shape has more elements than can be counted or drawn",
         "Draw a part of it."),
    kind("bitwidth", "elements of that width are not taken there",
         "The message lists the widths."),
    kind("map-too-large", "an element map would have too many entries",
         "Ask for the map of a part."),
    kind("map-range", "a layout reaches beyond the array or the memory",
         "Correct its sizes or offset.")
        .eval("element_map(layout(\"(8,8):(-1,8)\"), (8, 8))",
              "`(8,8):(-1,8)` puts element (1, 0) at offset -1; offsets from 0 to 134217727 are supported"),
    kind("map-size", "a list of places has another length than the array",
         "Give one place for each element."),
    kind("map-of-splat", "a splat layout has no element map",
         "Every thread holds the one value; no map is needed."),
    kind("not-linear", "the layout is not linear over F2",
         "Only sizes that are powers of two make linear layouts."),
    kind("linear-names", "names of inputs or outputs are repeated, missing or unknown",
         "Name each input and output once."),
    kind("linear-size", "a size is not a power of two, or is too large",
         "Sizes of linear layouts are powers of two."),
    kind("linear-rank", "a basis has another rank than the outputs",
         "Give one number for each output."),
    kind("linear-range", "a basis lies beyond its output",
         "Each number is below the size of its output."),
    kind("linear-compose", "outputs do not feed the next layout",
         "The next layout's inputs need the names and sizes of these outputs."),
    kind("linear-inverse", "a linear layout has no inverse",
         "Its bases have to be independent and to reach every output."),
    kind("linear-reshape", "there is another number of elements after a reshape",
         "The product of the sizes stays."),
});
// clang-format on

} // namespace

KindArea layoutKinds() { return {"Layouts of any language", kLayoutsRows}; }

} // namespace lanescope
