#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kNotationsRows = std::to_array<KindEntry>({
    kind("cute-shape", "a value in the place of a size is not a size",
         "Sizes are positive integers or tuples of them.")
        .eval("cute((0, 8), (1, 4))",
              "a size is 0; sizes start at 1"),
    kind("cute-stride", "a value in the place of a stride is not a stride",
         "Strides are integers or tuples of them.")
        .eval("cute(\"(4,8)\", \"(_,1)\")",
              "`_` is not a stride"),
    kind("cute-size", "a layout has too many integers",
         "Merge modes with `coalesce`."),
    kind("cute-depth", "tuples nest too deep",
         "Flatten them."),
    kind("cute-congruence", "strides are not nested as the shape is",
         "Give one stride for each size, in the same parentheses.")
        .eval("cute((4, 8), (1, (2, 3)))",
              "the strides `(1,(2,3))` are not nested as the shape `(4,8)` is"),
    kind("cute-rank", "there are not that many modes",
         "Modes count from 0.")
        .eval("logical_divide(cute(\"8:1\"), \"(2:1,2:1)\")",
              "the tiler `[2:1;2:1]` has 2 modes, but `8:1` has 1"),
    kind("cute-range", "an integer is beyond what is supported",
         "Use smaller sizes and strides.")
        .eval("complement(cute(\"4:1\"), 0)",
              "the target of the complement is 0; targets go from 1 to 2^60"),
    kind("cute-atom", "CuTe has no such name of an instruction, copy or tile, or the name needs its template's arguments",
         "Spell it as in CUTLASS' headers."),
    kind("cute-divide", "a block does not divide a shape, or an atom a copy's threads or values",
         "Choose sizes that divide."),
    kind("cute-basis", "strides give coordinates where integers are needed, or the reverse",
         "Compose with a layout of integers first.")
        .eval("complement(\"(4,8):(1@0,1)\", 64)",
              "a complement needs integer strides, but those of `(4,8):(1@0,1)` give coordinates (`@`)"),
    kind("cute-unknown", "an integer that only a running kernel knows",
         "Put a number in its place.")
        .eval("element_map(layout(\"(?,8):(1,4)\"), (4, 8))",
              "an offset needs numbers, but `(?,8):(1,4)` has `?`, which only a running kernel knows; put a number in its place"),
    kind("cute-divisibility", "layouts do not compose",
         "The second one's sizes and strides divide the first one's modes.")
        .eval("composition(\"(4,6):(1,5)\", \"8:3\")",
              "`(4,6):(1,5)` cannot be composed with the mode `8:3`: the stride divisibility condition fails at mode 0, `4:1`: 4 is not a multiple of 3"),
    kind("cute-injective", "a layout has no complement or inverse",
         "Only a layout without two elements in one place has one.")
        .eval("complement(cute(\"(4,4):(1,2)\"), 64)",
              "`(4,4):(1,2)` has no complement: its mode `4:2` overlaps the values below 4 that its other modes reach"),
    kind("cute-swizzle", "a swizzle's parameters are wrong, or it takes elements apart",
         "`Swizzle<B, M, S>` needs |S| ≥ B, and an M that keeps elements together.")
        .eval("layout(\"Sw<40,3,3> o (8,8):(8,1)\")",
              "the swizzle has 40 bits, base 3 and shift 3; bits and base go from 0 to 30, the shift from -30 to 30"),
    kind("cute-parts", "parts of a composed layout do not go together",
         "The message names the parts."),
    kind("triton-value", "an entry of an attribute is missing, or has a wrong value",
         "The message says what the entry takes.")
        .eval("layout(\"#ttg.blocked<{sizePerThread = [1, 1], order = [1, 0]}>\")",
              "`blocked` lacks `threadsPerWarp`"),
    kind("triton-attribute", "entries of an attribute contradict each other",
         "The message names both.")
        .eval("layout(\"#ttg.blocked<{sizePerThread = [3, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>\")",
              "`sizePerThread = [3, 1]`: 3 is not a power of two"),
    kind("triton-spelling", "an older spelling was read; it is no fault",
         "Nothing is to be done.")
        .severities("note"),
    kind("layout-modes", "modes do not make up the shape",
         "Their sizes multiply to the shape's.")
        .eval("layout(\"register_layout(shape=[4, 4], mode_shape=[3, 4], spatial_modes=[0], local_modes=[1])\")",
              "modes [3, 4] do not make up the shape [4, 4]"),
    kind("layout-dims", "dimensions are missing, or named twice",
         "Name each once."),
    kind("layout-ranks", "an order is none",
         "It holds each number from 0 once."),
    kind("layout-divide", "a layout is no product with the other",
         "Divide by a layout that it was multiplied with."),
    kind("layout-axis", "axes do not go together, or are not supported",
         "The message lists the axes.")
        .eval("layout(\"S[(8, 8) : (1@TLane, 1@m)]\")",
              "`TLane` and `TCol` do not go together with threads or `m` in one layout"),
    kind("layout-extent", "an extent is outside its range",
         "It is at least 1.")
        .eval("layout(\"S[(0, 8) : (1@m, 1@m)]\")",
              "an extent is between 1 and 134217728, not 0"),
    kind("layout-stride", "a stride or offset is outside of its range",
         "The message has the range.")
        .eval("layout(\"S[(8, 8) : (-1@m, 1@m)]\")",
              "a stride or offset is between 0 and 134217728, not -1"),
    kind("layout-swizzle", "parts of a swizzle do not fit each other",
         "The message says which rule is broken.")
        .eval("layout(\"ComposeLayout(3, 9, 2, S[(8,64)])\")",
              "a swizzle needs atom_len >= swizzle_len >= 0, not 2 and 9"),
    kind("layout-replica", "copies of elements lie in memory, where each element has one place",
         "Remove the replica.")
        .eval("element_map(layout(\"S[(8, 8) : (8@m, 1@m)] + R[2 : 64@m]\"), (8, 8))",
              "`S[(8, 8):(8, 1)] + R[2:64]` copies elements in memory; only single copies are supported"),
});
// clang-format on

} // namespace

KindArea notationKinds() { return {"CuTe, Triton, Tilus, TIRx", kNotationsRows}; }

} // namespace lanescope
