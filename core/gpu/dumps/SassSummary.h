// What a kernel's machine code does most, by families of instructions.
//
//   sassSummary("  /*0010*/  LDS.128 R4, [R2] ;\n …").instructions   {{"LDS", 12}, {"HGMMA", 4}, …}
//
// As nvdisasm prints it, and as JAX does with control codes before it (`.sass_ctrl`). CUDA Binary Utilities,
// "Instruction Set Reference".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace lanescope::core::dumps {

struct SassSummary {
  int64_t total = 0;
  /// Those that say what a kernel spends its time on: memory, tensor cores, shuffles, barriers, spills.
  std::map<std::string, int64_t> instructions;
};

/// Of any text: what is no SASS has no instructions.
SassSummary sassSummary(std::string_view text);

} // namespace lanescope::core::dumps
