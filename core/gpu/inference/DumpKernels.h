// A dump's kernel, laid out and in the form of ours, for the compiler.
//
//   auto kernel = readDumpKernel(compiler.context(), source);
//   compiler.compile(std::move(kernel->module), {.arch = kernel->arch});
//
// Layouts, transforms and layouts of tensor memory that the module states are taken as they are; what it does not state
// (all of it before JAX's inference) is inferred as JAX does. A module in
// Lane form (LaneForm.h), and a kernel of ours, stay as they are.
#pragma once

#include "core/ir/KernelModule.h"

#include <string>

namespace lanescope::core {

struct DumpedKernel {
  KernelModule module;
  std::string arch; // "sm_90a", that it was made for; empty where it does not say, or says one that we have no code for
};

/// `context`: makeGpuContext()'s. `arch`: to infer layouts for; empty: what the module says. Errors have places in
/// `source`: of kind "ir" what cannot be read, "layout" what is stated in contradiction or has no layouts,
/// "dump-kernel" what is no kernel of ours.
Result<DumpedKernel> readDumpKernel(IrContext &context, const SourceRef &source, const std::string &arch = "");

} // namespace lanescope::core
