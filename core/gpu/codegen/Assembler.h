// PTX -> cubin -> SASS with NVIDIA's own tools, where they are installed.
//
//   Result<std::string> cubin = assemble(kernel.ptx, "sm_90a");
//
// Not needed to run a kernel: the driver assembles PTX itself. Errors have the kind "no-ptxas" or "no-nvdisasm" when
// the tool is missing (the command line exits with 3 then) and "ptx-rejected" when it refuses the text.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core {

/// The bytes of the cubin, lines of the source included.
Result<std::string> assemble(const std::string &ptx, std::string_view arch);
/// What ptxas says of a kernel, of a thread where it does not say a block.
struct AssemblyReport {
  int64_t registers = 0;
  int64_t spillStoreBytes = 0, spillLoadBytes = 0;
  int64_t staticSharedBytes = 0; // of a block
};
/// Of the text that `ptxas -v` prints, of its first kernel; nothing where it does not say.
std::optional<AssemblyReport> parseAssemblyReport(std::string_view said);
/// The same of PTX with one entry, which is assembled for it.
Result<AssemblyReport> assemblyReport(const std::string &ptx, std::string_view arch);

/// The disassembly that nvdisasm gives, with comments that name the lines of the source, where the PTX had them, and of
/// the PTX.
Result<std::string> disassemble(const std::string &cubin);

} // namespace lanescope::core
