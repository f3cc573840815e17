// PTX -> cubin -> SASS with NVIDIA's own tools, if they are installed.
//
//   Result<std::string> cubin = assemble(kernel.ptx, "sm_90a");
//
// They are not needed to run a kernel, because the driver assembles PTX itself. Errors have the kind "no-ptxas" or
// "no-nvdisasm" if the tool is missing (the command line exits with 3 then) and "ptx-rejected" if it refuses the text.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core {

/// The bytes of the cubin, with source lines.
Result<std::string> assemble(const std::string &ptx, std::string_view arch);
/// The resources that ptxas reports for a kernel, per thread unless stated otherwise.
struct AssemblyReport {
  int64_t registers = 0;
  int64_t spillStoreBytes = 0, spillLoadBytes = 0;
  int64_t staticSharedBytes = 0; // per block
};
/// Parses the text that `ptxas -v` prints, for its first kernel; nothing if the text has no report.
std::optional<AssemblyReport> parseAssemblyReport(std::string_view said);
/// Assembles PTX with one entry and returns its report.
Result<AssemblyReport> assemblyReport(const std::string &ptx, std::string_view arch);

/// The disassembly by nvdisasm, with comments that name source lines, if the PTX has them, and PTX lines.
Result<std::string> disassemble(const std::string &cubin);

} // namespace lanescope::core
