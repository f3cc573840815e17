// `--dump DIR`: each kernel's stages of compilation, as files.
#pragma once

#include "repl/kernel/launch/Launches.h"

#include <string>

namespace lanescope::repl {

/// Writes `NN_kernel.ir.mlir`, `.laid-out.mlir`, `.nvvm.mlir`, `.ll`, `.ptx`, `.links.json` (core/Links.h),
/// `.launch.json` for every compilation among the launches; for one that failed, the stages that it reached. An empty
/// `folder`: writes nothing. Error: "unwritable-file".
Result<void> dumpStages(const std::vector<KernelLaunch> &launches, const std::string &folder);

} // namespace lanescope::repl
