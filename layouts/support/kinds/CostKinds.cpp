#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kCostsRows = std::to_array<KindEntry>({
    kind("instruction-name", "there is no instruction of that name",
         "Spell it as the PTX ISA does; the message lists the nearest."),
    kind("operand", "an instruction has no operand of that name",
         "The message lists the operands."),
    kind("operand-shared", "an operand in shared memory has no fragment",
         "Ask for an operand in registers."),
    kind("operand-direction", "a result of an instruction cannot be that operand, or an input is given where the instruction writes",
         "Results are written, inputs read."),
    kind("fragment-operand", "all operands of an instruction are in shared memory; as a note: which of several operands was taken",
         "Name an operand: `operand='a'`.")
        .severities("error note"),
    kind("fragment-shape", "an operand's fragments do not make up that array",
         "Use a multiple of the fragment's shape."),
    kind("lds-op", "the cost of that instruction on AMD's LDS is not known",
         "The message lists the instructions that are counted.")
        .eval("smem_wavefronts('ds_read_b65', [4] * 64)",
              "`ds_read_b65` is no access to LDS that is counted; `ds_read_b32`, `ds_read_b64`, `ds_read_b128` and the `ds_write`s are"),
    kind("smem-op", "an instruction on shared memory that is not known",
         "The message lists the known ones.")
        .eval("smem_wavefronts('ld.global.b32', [0] * 32)",
              "`ld.global.b32` has a part `.global` that is not understood; known are `ld.shared` and `st.shared` with `.b8` … `.b128` or `.v2`/`.v4` and a type, and `ldmatrix`/`stmatrix` with `.x1`, `.x2`, `.x4` and `.trans`"),
    kind("smem-alignment", "an address that the instruction does not take",
         "Align it to the size of the access.")
        .eval("smem_wavefronts('ds_read_b64', [4] * 64)",
              "address 4 of lane 0 is not a multiple of the 8 bytes that `ds_read_b64` needs"),
    kind("access-width", "an access is wider than what a thread holds there",
         "Use a narrower instruction."),
    kind("matrix-count", "`ldmatrix` does not move that number of matrices",
         "It moves 1, 2 or 4."),
    kind("matrix-fragment", "the registers are not what `ldmatrix` moves",
         "Each lane holds two neighbours of a row of 8."),
    kind("strides", "strides do not fit the array",
         "Give one positive stride for each dimension.")
        .eval("coalescing(WGMMA, (64,), f16, shape=(64, 64))",
              "1 stride given for an array of shape (64, 64); one per dimension is needed"),
    kind("thread-count", "the layouts have different numbers of threads",
         "Compare layouts with the same number of threads."),
    kind("no-owner", "no thread holds an element",
         "Every element of the source has to be in some thread."),
    kind("no-transfer-plan", "there is no plan for such a transfer",
         "Choose another swizzle or layout.")
        .eval("conflicts('load', WGMMA, smem_map((128, 128), f32, tiling=(8, 4), swizzle=None))",
              "no plan avoids the bank conflicts of this layout with this memory; another swizzle or tiling may"),
    kind("transfer-unsupported", "such a transfer is not supported",
         "The message says what is."),
});
// clang-format on

} // namespace

KindArea costKinds() { return {"Instructions and costs", kCostsRows}; }

} // namespace lanescope
