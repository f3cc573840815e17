// repl/session/ShowKernels.h for a module of WebAssembly, which has no compiler: no value is a kernel.
#include "repl/session/ShowKernels.h"

namespace lanescope::repl {

std::optional<Shown> kernelShown(const Value &) { return std::nullopt; }
bool isTraceValue(const Value &) { return false; }
Result<std::optional<Shown>> kernelPicture(Context &, const BoundArguments &) { return std::nullopt; }
Result<std::optional<Shown>> kernelCode(Context &, const Value &) { return std::nullopt; }
std::string dumpText(const core::dumps::KernelPage &) { return {}; }

} // namespace lanescope::repl
