// `--dump DIR`: writes each kernel's stages of compilation as files.
#pragma once

#include "repl/kernel/launch/Launches.h"

#include <string>

namespace lanescope::repl {

/// Writes `NN_kernel.ir.mlir`, `.laid-out.mlir`, `.nvvm.mlir`, `.ll`, `.ptx`, `.links.json` (core/Links.h) and
/// `.launch.json` for every compilation among the launches. For a compilation that failed, writes the stages that it
/// reached. If `folder` is empty, writes nothing. Error: "unwritable-file".
Result<void> dumpStages(const std::vector<KernelLaunch> &launches, const std::string &folder);

} // namespace lanescope::repl
