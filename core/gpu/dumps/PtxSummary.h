// A kernel's PTX grouped by the Python lines that it comes from, and its most important instructions.
//
//   PtxSummary ptx = summaryOf(source);
//   ptx.places[2].place         "kernels.py:100"
//   ptx.places[2].lines         the PTX lines with that `.loc`
//   ptx.instructions            {{"ld.shared", 12}, {"wgmma.mma_async", 4}, …}
//
// PTX ISA, "Debugging Directives: .loc, .file". Inlined code counts for the line that it was written in, the first
// position of its `.loc`.
#pragma once

#include "layouts/support/Source.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core::dumps {

struct PtxPlace {
  std::string place;           // "kernels.py:100"; empty: code before the first `.loc`
  std::vector<uint32_t> lines; // PTX lines with instructions, from 1, ascending
};

struct PtxSummary {
  SourceRef source;
  std::string target;           // "sm_90a"; empty if it states none
  int64_t total = 0;            // instructions
  std::vector<PtxPlace> places; // in order of first appearance
  bool hasPlaces = false;
  /// The instructions that dominate a kernel's time, by family: memory, tensor cores, shuffles, barriers.
  std::map<std::string, int64_t> instructions;
};

/// Accepts any text; one that is not PTX has no instructions.
PtxSummary summaryOf(const SourceRef &source);

/// The facts of ptxas' report in words: "168 registers, 0 bytes of spills"; empty if it has none.
std::string ptxasWords(std::string_view report);

} // namespace lanescope::core::dumps
