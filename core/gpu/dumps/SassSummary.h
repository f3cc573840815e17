// The most important instructions of a kernel's machine code, by family.
//
//   sassSummary("  /*0010*/  LDS.128 R4, [R2] ;\n …").instructions   {{"LDS", 12}, {"HGMMA", 4}, …}
//
// It reads nvdisasm's output, and JAX's, which has control codes before it (`.sass_ctrl`). CUDA Binary Utilities,
// "Instruction Set Reference".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace lanescope::core::dumps {

struct SassSummary {
  int64_t total = 0;
  /// The instructions that dominate a kernel's time: memory, tensor cores, shuffles, barriers, spills.
  std::map<std::string, int64_t> instructions;
};

/// Accepts any text; one that is not SASS has no instructions.
SassSummary sassSummary(std::string_view text);

} // namespace lanescope::core::dumps
