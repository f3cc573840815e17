#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kMemoriesRows = std::to_array<KindEntry>({
    kind("catalogue-arguments", "the arguments of a named layout are wrong",
         "`help(NAME)` shows them."),
    kind("mma-warps", "that number of warps along M is not taken",
         "The message lists the numbers."),
    kind("mma-scales", "block scales of `mma` do not have that shape",
         "The message says what the number of rows is a multiple of; the second dimension counts the scales of a row."),
    kind("columns", "that number of columns is not taken",
         "The message says which numbers are."),
    kind("copy-shape", "a tiled copy does not take that shape",
         "The message says what divides the shape."),
    kind("copy-tiles", "a tiled copy's numbers of tiles are wrong",
         "They are positive."),
    kind("swizzle", "the swizzle is not one of 32, 64 and 128 bytes",
         "Choose one of these, or none."),
    kind("smem-swizzle", "the tile's rows do not fit the swizzle",
         "A row of the tile has as many bytes as the swizzle."),
    kind("smem-tiling", "a tiling of shared memory does not fit",
         "The tile divides the shape."),
    kind("tiling-rank", "a tile has another rank than the place takes",
         "The message has both ranks."),
    kind("tiling-size", "a tile cannot have that size",
         "Sizes are at least 1."),
    kind("tiling-too-large", "a tiling has more tiles or dimensions than are supported",
         "Merge tiles."),
    kind("tiling-empty-tile", "a tile has no dimensions",
         "Leave the tile out."),
    kind("tiling-invalid-dimension", "the tiling has no such dimension",
         "Dimensions of the first tile count from 0."),
    kind("tiling-does-not-apply", "the shape does not fit the tiling",
         "Its last dimensions are multiples of the tile's.")
        .eval("relayout(WGMMA, TCGEN05, (64, 64), f32)",
              "`Tiling((128, 8), (32, 8), (8, 8), (2,))` does not apply to shape (64, 64): 64 is not a multiple of 128"),
    kind("tiling-nested-mismatch", "nested tilings do not fit each other",
         "Each tile divides the one before."),
    kind("tiling-not-a-result", "no tiling gives that shape",
         "The last dimensions are those of the tile."),
    kind("layout-no-tiles", "a tiled layout has no tiles",
         "Give at least the base tile."),
    kind("layout-tile-range", "there is no such tile",
         "Tiles count from 0."),
    kind("layout-dim-range", "a dimension lies before the first tiled one",
         "Dimensions of a tiled layout are among the tiled ones."),
    kind("layout-nonnegative-dim", "a dimension does not count from the end",
         "Write −1 for the last dimension."),
    kind("layout-axis-range", "a dimension lies outside of the base tile",
         "Count within the base tile."),
    kind("layout-axis-duplicate", "a dimension is named twice",
         "Warps, lanes and the vector have dimensions of their own."),
    kind("layout-lane-product", "the lane dimensions do not make 32",
         "Their sizes multiply to 32, copies included."),
    kind("layout-warp-product", "the warp dimensions do not make the number of warps",
         "Their sizes multiply to 4 for a warpgroup, copies included."),
    kind("layout-replication", "a replication of less than one copy",
         "`Replicated(n)` needs n ≥ 1."),
    kind("layout-not-canonical", "a layout has to be canonical there, and is not",
         "Use its canonical form."),
    kind("layout-splat", "an array would have to become a constant",
         "Only a constant has a splat layout.")
        .eval("relayout(WGMMA, WGSplatFragLayout(), (64, 64), f32)",
              "only a constant has the splat layout; an array in other layouts cannot become one"),
    kind("no-conversion", "an array cannot go from one layout to the other within its warps",
         "Go through shared memory: store it and load it."),
    kind("odd-columns", "the columns of 4-bit elements do not come in the groups that a conversion moves",
         "Use a multiple of the group."),
    kind("strided-size", "a strided layout cannot have that number of elements",
         "It is a multiple of 128 times the vector's size."),
    kind("strided-vec-size", "a strided layout's vector size is wrong",
         "It is positive."),
    kind("tmem-rank", "an array in tensor memory does not have two dimensions",
         "Reshape it to rows and columns."),
    kind("tmem-shape", "tensor memory's layouts do not fit the shape",
         "The rows are 64 or 128, the columns a multiple of the layout's."),
    kind("tmem-packing", "there is no such packing of elements in a cell",
         "A cell has 32 bits: 1, 2 or 4 elements."),
    kind("tmem-bitwidth", "tensor memory does not take elements of that width",
         "Use 8, 16 or 32 bits."),
    kind("tmem-columns", "there are more columns than tensor memory has",
         "It has 512."),
    kind("tmem-lanes", "there are more rows than tensor memory has lanes",
         "It has 128."),
    kind("tmem-descriptive", "a layout of tensor memory only describes an operand, and has no map",
         "Use the layout that the instruction itself has."),
});
// clang-format on

} // namespace

KindArea memoryKinds() { return {"Mosaic GPU, tensor memory, shared memory", kMemoriesRows}; }

} // namespace lanescope
