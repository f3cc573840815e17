// The parts of a page that are computed from its operations.
#pragma once

#include "core/gpu/dumps/KernelPage.h"

namespace lanescope::core::dumps {

std::vector<Relayout> relayoutsOf(const Dump &dump);
std::vector<Transfer> transfersOf(const Dump &dump);
std::vector<Allocation> allocationsOf(const Dump &dump);
/// Registers of 32 bits per thread that arrays take where most are alive, and at which operation that is.
std::pair<int64_t, size_t> mostRegisters(const Dump &dump);
/// Where two dumps with the same operations say otherwise; operations that differ end the comparison.
std::vector<Difference> differencesOf(const Dump &theirs, const Dump &ours);

/// The value that a source names.
const DumpValue &valueOf(const Dump &dump, const DumpSource &source);
bool inLoop(const Dump &dump, size_t op);
/// The last operation of a value that is made at `made` and used at `use`: the end of the outermost loop around the use
/// that the value comes into.
size_t lastUse(const Dump &dump, size_t made, size_t use);
/// "tile (8, 64), swizzle 128"; "rows" without any.
std::string transformsText(const SmemTransforms &transforms);

} // namespace lanescope::core::dumps
