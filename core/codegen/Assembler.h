// PTX -> cubin -> SASS with NVIDIA's own tools, where they are installed.
//
//   Result<std::vector<std::byte>> cubin = assemble(kernel.ptx, "sm_90a");
//
// Not needed to run a kernel: the driver assembles PTX itself. Errors have the kind "no-ptxas" or "no-nvdisasm" when the
// tool is missing (the command line exits with 3 then) and "ptxas" when it refuses the text.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

/// Full path of a CUDA tool on PATH, else in the usual places of a toolkit.
std::optional<std::string> findCudaTool(std::string_view name);

Result<std::vector<std::byte>> assemble(const std::string &ptx, std::string_view arch);
/// The disassembly that nvdisasm gives, with source lines where the PTX had them.
Result<std::string> disassemble(const std::vector<std::byte> &cubin);

} // namespace lanescope::core
