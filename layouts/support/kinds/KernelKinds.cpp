#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kKernelsRows = std::to_array<KindEntry>({
    kind("unwritten-output", "no line of a kernel reads or writes one of its outputs",
         "Store the result, or remove the output.")
        .severities("warning"),
    kind("host-stage", "a primitive of kernels is called on the host",
         "Move the call into a function under `@kernel`.")
        .eval("commit_smem()",
              "`commit_smem` works inside kernels: call it in a function under `@kernel(…)`"),
    kind("kernel", "a kernel's definition is wrong, or its parts do not fit together",
         "The message names the part; docs/reference.md has the decorator's arguments."),
    kind("no-kernel", "the snippet calls no kernel of that name",
         "Call the kernel in the snippet, or name one that is called."),
    kind("several-kernels", "a command is about one kernel, and the snippet calls several or the folder has dumps of several",
         "Name one with `--kernel NAME`."),
    kind("no-stage", "kernels of this target do not have that stage, or something made of one",
         "`lanescope compile --help` lists the stages."),
    kind("staging", "a loop or a branch on the device cannot carry that value",
         "Give the value one type and shape on all ways, or use a Python loop that is unrolled."),
    kind("warp-level", "an operation that needs a whole warpgroup stands in the code of a single warp",
         "Move it out of the code of the warp."),
    kind("read-only", "a store to an array that the kernel may only read",
         "Declare the parameter `InOut` or `Out`."),
    kind("out-of-bounds", "an index, slice or transfer lies outside of a reference, which is known while compiling",
         "Compare the index with the reference's shape; the message has both."),
    kind("shape-mismatch", "shapes do not go together",
         "Reshape or broadcast one of them; the message has both shapes."),
    kind("dtype-mismatch", "element types do not go together",
         "Convert one with `.astype(…)`."),
    kind("dtype", "an instruction does not take that element type",
         "The message lists the types that it takes."),
    kind("arithmetic", "there is no such operation on arrays of a kernel",
         "The message says which ones there are."),
    kind("layout", "layouts that meet in an array do not agree",
         "Convert one with `layout_cast`, or let both be inferred."),
    kind("replicas", "the devices compute different values for an output that has to be the same on all of them",
         "Look for a use of the device's index in the values that the output depends on.")
        .severities("warning"),
    kind("shared-memory", "a block has less shared memory than is asked for",
         "Use fewer stages or smaller tiles; docs/devices.md lists the sizes."),
    kind("tensor-memory", "a block has fewer columns of tensor memory than are asked for",
         "Use a smaller N, or give columns back before others are allocated."),
    kind("arch", "an architecture that nothing is compiled for",
         "`--arch` takes the names that the message lists, from `sm_80` to `sm_121a`."),
    kind("print-layout", "the output of `print_layout`; it is no fault",
         "Remove the call when it has served.")
        .severities("note"),
    kind("bank-conflicts", "lanes of a warp access the same banks of shared memory in a transfer; a remark of the compiler",
         "A swizzle or a padded row spreads the lanes over the banks.")
        .severities("note"),
    kind("ir", "a module, or an attribute in it, is not valid",
         "The message is that of the verifier of the operation."),
    kind("lowering", "a valid operation has no lowering",
         "The message says which forms have a lowering."),
    kind("translation", "LLVM refuses the LLVM IR",
         "This is a fault of the lowering; please report it with the module.")
        .noTest("only a fault of the lowering gives this"),
    kind("no-nvptx", "this LLVM has no NVPTX back end",
         "Build with an LLVM that has the target NVPTX.")
        .noTest("the build needs one"),
    kind("no-ptxas", "the CUDA toolkit's assembler is missing",
         "Install the CUDA toolkit, or put `ptxas` on the `PATH`; `lanescope doctor` lists what it finds."),
    kind("no-nvdisasm", "the CUDA toolkit's disassembler is missing",
         "Install the CUDA toolkit's binary utilities."),
    kind("nvdisasm", "the disassembler failed",
         "The message is its own; its version may be older than the architecture."),
    kind("ptx-rejected", "the driver or `ptxas` refuses the PTX",
         "The message is theirs. For PTX that Lanescope made, please report it."),
});
// clang-format on

} // namespace

KindArea kernelKinds() { return {"Kernels and their compilation", kKernelsRows}; }

} // namespace lanescope
