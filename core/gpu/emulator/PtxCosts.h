// The costs of each line of a PTX text: static counts from the text, and counts of a run if there was one.
//
//   Result<LineCosts> costs = ptxCosts(ptx);                  // instructions, live registers, shuffles, …
//   Result<LineCosts> costs = ptxCosts(ptx, &record);         // the same, and bank conflicts, bytes, cycles of the run
//
// Registers are those of PTX (costs/Liveness.h). PTX ISA, "Instruction Set", describes each instruction.
#pragma once

#include "core/gpu/emulator/costs/RunRecord.h"
#include "core/LineCosts.h"
#include "layouts/support/Diagnostic.h"

namespace lanescope::core {

/// `record`: the record of a run of the same text. A record of another text is ignored. Errors are those of reading
/// PTX.
Result<LineCosts> ptxCosts(const SourceRef &ptx, const RunRecord *record = nullptr);

} // namespace lanescope::core
