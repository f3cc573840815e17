// What show() draws of kernels, their results and dumps. The page of the browser, which has no compiler, defines these
// functions for no value (repl/web/NoKernels.cpp).
#pragma once

#include "repl/lang/values/Builtin.h"
#include "repl/session/Shown.h"

#include <optional>
#include <string>

namespace lanescope::repl {

/// The picture of a result's trace, of a dump, or of a kernel's text. Nothing for other values.
std::optional<Shown> kernelShown(const Value &value);
/// True for a trace.
bool isTraceValue(const Value &value);
/// A picture that is drawn as it is: the tensor memory that a kernel declares, or an array on several devices. Nothing
/// for other values.
Result<std::optional<Shown>> kernelPicture(Context &context, const BoundArguments &args);
/// The source of a kernel and its stages, which are those of its last call or of its annotations. Nothing for other
/// values.
Result<std::optional<Shown>> kernelCode(Context &context, const Value &value);
std::string dumpText(const core::dumps::KernelPage &page);

} // namespace lanescope::repl
