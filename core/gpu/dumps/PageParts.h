// The parts of a page that are computed from its operations.
#pragma once

#include "core/gpu/dumps/DumpKernelPage.h"

namespace lanescope::core::dumps {

std::vector<Relayout> relayoutsOf(const Dump &dump);
std::vector<Transfer> transfersOf(const Dump &dump);
std::vector<Allocation> allocationsOf(const Dump &dump);
/// The largest number of 32-bit registers per thread that live arrays take, and the operation where this happens.
std::pair<int64_t, size_t> mostRegisters(const Dump &dump);
/// The differences of two dumps with the same operations; the comparison ends at the first operation that differs.
std::vector<Difference> differencesOf(const Dump &theirs, const Dump &ours);

/// The value that a source refers to.
const DumpValue &valueOf(const Dump &dump, const DumpSource &source);
bool inLoop(const Dump &dump, size_t op);
/// The last operation during which a value that is made at `made` and used at `use` must stay alive. If the use is in
/// loops that do not contain `made`, this is the end of the outermost of them.
size_t lastUse(const Dump &dump, size_t made, size_t use);
/// The transforms in words: "tile (8, 64), swizzle 128"; "rows" if there are none.
std::string transformsText(const SmemTransforms &transforms);

} // namespace lanescope::core::dumps
