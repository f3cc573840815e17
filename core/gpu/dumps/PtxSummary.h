// A kernel's PTX by the lines of the Python that it was made from, and what it does most.
//
//   PtxSummary ptx = summaryOf(source);
//   ptx.places[2].place         "kernels.py:100"
//   ptx.places[2].lines         the PTX lines that `.loc` says are from there
//   ptx.instructions            {{"ld.shared", 12}, {"wgmma.mma_async", 4}, …}
//
// PTX ISA, "Debugging Directives: .loc, .file". What is inlined counts where it stands, by its first position.
#pragma once

#include "layouts/support/Source.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core::dumps {

struct PtxPlace {
  std::string place;           // "kernels.py:100"; empty: before the first `.loc`
  std::vector<uint32_t> lines; // of the PTX, from 1, ascending; instructions only
};

struct PtxSummary {
  SourceRef source;
  std::string target;           // "sm_90a"; empty where it does not say
  int64_t total = 0;            // instructions
  std::vector<PtxPlace> places; // in the order in which they first come
  bool hasPlaces = false;
  /// Instructions that say what a kernel spends its time on, by family: memory, tensor cores, shuffles, barriers.
  std::map<std::string, int64_t> instructions;
};

/// Of any text: what is no PTX has no instructions.
PtxSummary summaryOf(const SourceRef &source);

/// "168 registers, 0 bytes of spills" of ptxas' report; empty where it does not say.
std::string ptxasWords(std::string_view report);

} // namespace lanescope::core::dumps
