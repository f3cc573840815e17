// Puts layouts, places and demands into words, for explanations.
#pragma once

#include "core/gpu/inference/constraints/Constraints.h"
#include "core/gpu/ir/LayoutRules.h"

namespace lanescope::core {

/// The constant in words: "`WGMMA`", "`[TileTransform(tiling=(8, 64))]`", "without transforms".
std::string inWords(const constraints::Constant &constant);
/// The value's name at its operation: "operand 1", "its result".
std::string nameOf(const LayoutSite &site);
/// The demand that a constraint expresses; empty for constraints that say nothing on their own.
std::string inWords(const constraints::Constraint &constraint);

} // namespace lanescope::core
