// A dump's kernel, laid out and converted to our form, for the compiler.
//
//   auto kernel = readDumpKernel(compiler.context(), source);
//   compiler.compile(std::move(kernel->module), {.arch = kernel->arch});
//
// The module's own layouts, transforms and layouts of tensor memory are kept. Missing ones (before JAX's inference, all
// of them) are inferred as JAX does. A module in Lane form (LaneForm.h), and a kernel of ours, stay as they are.
#pragma once

#include "core/ir/KernelModule.h"

#include <string>

namespace lanescope::core {

struct DumpedKernel {
  KernelModule module;
  std::string arch; // the target it was made for, "sm_90a"; empty if it states none, or one that we cannot compile for
};

/// `context`: from makeGpuContext(). `arch`: the target for inference; empty: the module's own. Errors have places in
/// `source`: kind "ir" if the module cannot be read, "layout" if its layouts contradict each other or are missing,
/// "dump-kernel" if Lanescope cannot compile it.
Result<DumpedKernel> readDumpKernel(IrContext &context, const SourceRef &source, const std::string &arch = "");

} // namespace lanescope::core
