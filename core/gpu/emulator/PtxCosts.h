// What the lines of a PTX text cost: counted in the text, and, of a run, what happened there.
//
//   Result<LineCosts> costs = ptxCosts(ptx);                  // instructions, live registers, shuffles, …
//   Result<LineCosts> costs = ptxCosts(ptx, &record);         // the same, and bank conflicts, bytes, cycles of the run
//
// Registers are those of PTX (costs/Liveness.h). PTX ISA, "Instruction Set", for what each instruction is.
#pragma once

#include "core/gpu/emulator/costs/RunRecord.h"
#include "core/LineCosts.h"
#include "layouts/support/Diagnostic.h"

namespace lanescope::core {

/// `record`: of a run of the same text; of another one it is not used. Errors: those of reading PTX.
Result<LineCosts> ptxCosts(const SourceRef &ptx, const RunRecord *record = nullptr);

} // namespace lanescope::core
