#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kSparseCoreRows = std::to_array<KindEntry>({
    kind("not-a-sparsecore-module", "a module has no kernel for SparseCores, or its attributes do not say how it runs",
         "Dump the module of the kernel itself (docs/sparsecore.md)."),
    kind("module-inputs", "arrays do not fit the operands of a module",
         "Give one array for each operand, in order; the message has the operand's type."),
    kind("unknown-operation", "the emulator does not know an operation or a type of a module",
         "docs/sparsecore.md lists what it knows."),
    kind("memref-out-of-bounds", "there is no such element, slice, row, core or device in a SparseCore's run",
         "Compare the index with the shape in the message."),
    kind("memref-reshape", "the elements of a reference do not lie as the view asks",
         "Copy the elements, or choose a view of contiguous ones."),
    kind("scratch-memory", "a subcore has less memory than is asked for",
         "Use smaller buffers."),
    kind("undefined-value", "a value that was never written, or that a mask left out, is used for a decision or comes to HBM",
         "Write it first, or choose with the same mask."),
    kind("semaphore-left-over", "a semaphore was signalled more often than waited for",
         "Wait as often as it is signalled."),
    kind("check-failed", "a `cf.assert` of a module does not hold",
         "The message is the assertion's."),
    kind("loop-step", "a loop on a subcore has a step that is not positive",
         "Loop upwards."),
});
// clang-format on

} // namespace

KindArea sparseCoreKinds() { return {"SparseCores", kSparseCoreRows}; }

} // namespace lanescope
