// `--dump DIR`: what each kernel of a run was on the way to PTX.
#pragma once

#include "repl/kernel/launch/Launches.h"

#include <string>

namespace lanescope::repl {

/// Writes `NN_kernel.ir.mlir`, `.laid-out.mlir`, `.nvvm.mlir`, `.ll`, `.ptx`, `.links.json` (core/Links.h),
/// `.launch.json` for every compilation among the launches, those that failed included, as far as they got. An empty
/// folder: nothing. Errors: "unwritable-file".
Result<void> dumpStages(const std::vector<KernelLaunch> &launches, const std::string &folder);

} // namespace lanescope::repl
